"""The component of the Overview."""

from __future__ import annotations

from typing import Any

from leaderboard.parts.components import INTERVAL_BAR, TemplateComponent

_PLACE = (
    """<li>{{#if rank}}<span class="rank">{{rank}}<span class="sr-only"> is its rank: </span></span>{{/if}}
  <a class="place-name" href="{{link}}"{{#if whose}} title="{{whose}}"{{/if}}>{{name}}</a>
  {{#if origin}}<span class="row-mark"{{#if mark}} title="{{mark}}"{{/if}}>{{origin}}</span>{{/if}}
  {{#if note}}<span class="place-note" title="{{note}}">{{note}}</span>{{/if}}
  <span class="place-figure"><span class="digits">{{text}}</span>
  {{#if bar}}"""
    + INTERVAL_BAR
    + """{{/if}}</span></li>"""
)
"""One row of a board (`standings.PlaceValue`)."""

_BOARD = (
    """<section class="standing" aria-label="{{title}}: who leads">
  <div class="standing-board"><h2><a href="{{link}}">{{title}}</a></h2>
    <p class="standing-question">{{question}}</p></div>
  <div class="standing-lead">{{#if leaders}}<ol class="places leaders">{{#each leaders}}"""
    + _PLACE
    + """{{/each}}</ol>{{/if}}{{#if others}}<ul class="places others">{{#each others}}"""
    + _PLACE
    + """{{/each}}{{#if more}}<li class="muted">{{more}}</li>{{/if}}</ul>{{/if}}</div>
  <p class="sure{{#if leaders}} lead{{/if}}">{{sure}}{{#if deciding}}
    <a class="deciding" href="{{link}}">{{deciding}}</a>{{/if}}</p>
</section>
"""
)
"""One board in short (`standings.BoardStandingValue`)."""


class Overview(TemplateComponent):
    """A finding, what each board says, what to do next (`overview_screen.OverviewValue`)."""

    TEMPLATE = (
        """
{{#if value.loading}}<p class="shown overview-loading" role="status">{{value.loading}}</p>{{/if}}
{{#if value.actions}}<div class="shown overview">
{{#each value.facts}}<section class="finding" aria-label="A finding">
<p class="finding-claim">{{claim}}.</p>
<p class="finding-source"><span class="finding-interval">{{interval}}</span>; {{source}}.
  <a href="{{link}}">Proof</a></p>
</section>{{/each}}
<nav class="next-steps" aria-label="What to do next"><ul>
{{#each value.actions}}<li><a href="{{link}}">{{label}}</a></li>{{/each}}
</ul></nav>
<div class="standings-now">
{{#each value.boards}}"""
        + _BOARD
        + """{{/each}}
</div>
{{#if value.waiting}}<section class="waiting-boards" aria-label="Boards that await their first submission">
<h2>Awaiting first submission</h2>
<ul>{{#each value.waiting}}<li><a href="{{link}}" title="{{question}}">{{title}}</a></li>{{/each}}</ul>
</section>{{/if}}
{{#if value.examples}}<section class="examples" aria-label="Demonstration">
<h2>Demonstration</h2>
<p class="demonstration">Samples written by us; they say nothing about any model.</p>
<div class="standings-now">{{#each value.examples}}"""
        + _BOARD.replace("{{title}}: who leads", "{{title}}, samples: who leads")  # landmarks have one name each
        + """{{/each}}</div>
</section>{{/if}}
<p class="service">{{#each value.service}}<span>{{this}}</span> {{/each}}<a href="{{value.queue}}">See the queue</a></p>
</div>{{/if}}
"""
    )

    def sent_with_page(self, value: Any) -> Any:
        return value
