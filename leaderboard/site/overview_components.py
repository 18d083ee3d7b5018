"""The component of the Overview."""

from __future__ import annotations

from typing import Any

from leaderboard.parts.components import INTERVAL_BAR, TemplateComponent

_PLACE = (
    """<li>{{#if rank}}<span class="rank">{{rank}}<span class="sr-only"> is its rank: </span></span>{{/if}}
  <a class="place-name" href="{{link}}"{{#if whose}} title="{{whose}}"{{/if}}>{{name}}</a>
  {{#if mark}}<span class="row-mark" title="{{mark}}">{{mark}}</span>{{/if}}
  {{#if note}}<span class="place-note" title="{{note}}">{{note}}</span>{{/if}}
  <span class="place-figure"><span class="digits">{{text}}</span>
  {{#if bar}}<span class="leader-bar" aria-hidden="true"><span>{{ends.[0]}}</span>"""
    + INTERVAL_BAR
    + """<span>{{ends.[1]}}</span></span>{{/if}}</span></li>"""
)
"""One row of a board (`standings.PlaceValue`)."""


class Overview(TemplateComponent):
    """What the service is, what each board says, what to do next (`overview_screen.OverviewValue`)."""

    TEMPLATE = (
        """
{{#if value.loading}}<p class="shown overview-loading" role="status">{{value.loading}}</p>{{/if}}
{{#if value.actions}}<div class="shown overview">
<nav class="next-steps" aria-label="What to do next"><ul>
{{#each value.actions}}<li><a href="{{link}}"><strong>{{label}}</strong> <span>{{hint}}</span></a></li>{{/each}}
</ul></nav>
{{#if value.demonstration}}<p class="demonstration" role="note">{{value.demonstration}}</p>{{/if}}
<div class="standings-now">
{{#each value.boards}}
<section class="standing" aria-label="{{title}}: who leads">
  <div class="standing-board"><h2><a href="{{link}}">{{title}}</a></h2>
    <p class="standing-question">{{question}}</p></div>
  <div class="standing-lead">{{#if leaders}}<ol class="places leaders">{{#each leaders}}"""
        + _PLACE
        + """{{/each}}</ol>{{/if}}{{#if others}}<ul class="places others">{{#each others}}"""
        + _PLACE
        + """{{/each}}{{#if more}}<li class="muted">{{more}}</li>{{/if}}</ul>{{/if}}
    {{#if published}}<ul class="places others others-published">{{#each published}}"""
        + _PLACE
        + """{{/each}}</ul>{{/if}}</div>
  <div class="standing-says">
    <p><span class="sure{{#if leaders}} lead{{/if}}">{{sure}}</span>
      <span class="standing-foot">{{context}}.
      {{#if counted}}<span class="counted">{{counted}}</span>.{{/if}}{{#if judge}} {{judge}}{{/if}}</span></p>
  </div>
</section>
{{/each}}
</div>
{{#if value.waiting}}<section class="waiting-boards" aria-label="Boards that await their first submission">
<h2>Awaiting first submission</h2>
<ul>{{#each value.waiting}}<li><a href="{{link}}">{{title}}</a> <span>{{question}}</span></li>{{/each}}</ul>
</section>{{/if}}
<p class="overview-what">Every score computed here can be traced to the raw answers. Published results are marked
  as such and never ranked with submissions.</p>
<p class="service">{{#each value.service}}<span>{{this}}</span> {{/each}}<a href="{{value.queue}}">See the queue</a></p>
</div>{{/if}}
"""
    )

    def sent_with_page(self, value: Any) -> Any:
        return value
