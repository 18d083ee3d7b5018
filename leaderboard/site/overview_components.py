"""The component of the Overview."""

from __future__ import annotations

from leaderboard.parts.components import INTERVAL_BAR, TemplateComponent

_PLACE = (
    """
<a class="place-name" href="{{link}}">{{name}}</a>{{#if whose}} <span class="whose">{{whose}}</span>{{/if}}
<span class="place-figure">{{#if bar}}"""
    + INTERVAL_BAR
    + """{{/if}}<span class="digits">{{text}}</span></span>"""
)
"""One row of a board (`standings.PlaceValue`)."""


class Overview(TemplateComponent):
    """What the service is, who leads each board, what to do next (`overview_screen.OverviewValue`)."""

    TEMPLATE = (
        """
{{#if value.loading}}<p class="shown overview-loading" role="status">{{value.loading}}</p>{{/if}}
{{#if value.actions}}<div class="shown overview">
<p class="overview-what">Plumbline measures how steady language models and their judges are: when a question is put in
  other words, when two answers swap places, when the user has preferences. Every score carries an interval and can be
  followed down to the words it comes from.</p>
<div class="standings-now">
{{#each value.boards}}
<section class="standing" aria-label="{{title}}: who leads">
  <h2><a href="{{link}}">{{title}}</a></h2>
  <p class="standing-question">{{question}}</p>
  {{#each leaders}}
  <div class="leader">
    <p class="leader-name">{{#if rank}}<span class="rank">{{rank}}<span class="sr-only"> is its rank: </span></span>
      {{/if}}<a class="place-name" href="{{link}}">{{name}}</a></p>
    {{#if whose}}<p class="whose">{{whose}}</p>{{/if}}
    <p class="leader-figure"><span class="digits">{{text}}</span>
      {{#if counted}}<span class="muted">{{counted}}</span>{{/if}}</p>
    {{#if bar}}<p class="leader-bar" aria-hidden="true"><span>{{ends.[0]}}</span>"""
        + INTERVAL_BAR
        + """<span>{{ends.[1]}}</span></p>{{/if}}
    {{#if note}}<p class="leader-note">{{note}}</p>{{/if}}
  </div>
  {{/each}}
  <p class="sure{{#if leaders}} lead{{/if}}">{{sure}}</p>
  {{#if others}}<ul class="others">{{#each others}}<li>"""
        + _PLACE
        + """{{#if note}}<span class="place-note">{{note}}</span>{{/if}}</li>{{/each}}
    {{#if more}}<li class="muted">{{more}}</li>{{/if}}</ul>{{/if}}
  <p class="standing-foot">{{context}}.{{#each leaders}} {{judge}}{{/each}}</p>
</section>
{{/each}}
</div>
{{#if value.waiting}}<section class="waiting-boards" aria-label="Boards nobody has entered yet">
<h2>Open, and nobody on it yet</h2>
<ul>{{#each value.waiting}}<li><a href="{{link}}">{{title}}</a> <span>{{question}}</span></li>{{/each}}</ul>
</section>{{/if}}
<nav class="next-steps" aria-label="What to do next"><ul>
{{#each value.actions}}<li><a href="{{link}}"><strong>{{label}}</strong> <span>{{hint}}</span></a></li>{{/each}}
</ul></nav>
<p class="service">{{#each value.service}}<span>{{this}}</span> {{/each}}<a href="{{value.queue}}">See the queue</a></p>
</div>{{/if}}
"""
    )
