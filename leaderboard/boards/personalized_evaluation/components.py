"""One predicted item on the page: profile, new text, distribution, explanation, both orders."""

from __future__ import annotations

from leaderboard.parts.components import JUDGE_CARD, TemplateComponent

_TEXTS = """<div class="variants">{{#each texts}}
      <article class="variant"><h5>{{title}}</h5>
        {{#if text}}<div class="answer" tabindex="0" role="group" aria-label="{{title}}">{{text}}</div>
        {{else}}<p class="muted">Empty.</p>{{/if}}
        {{#if marks}}<p class="marks">{{#each marks}}<span class="mark">{{this}}</span> {{/each}}</p>{{/if}}
      </article>{{/each}}</div>"""

_BARS = """<ol class="label-bars">{{#each bars}}
      <li class="{{#if is_gold}}gold{{/if}}{{#if is_chosen}} chosen{{/if}}">
        <span class="label-bar" aria-hidden="true" style="--share:{{share}}"></span>
        <span class="label-name">{{label}}</span> <span class="label-share">{{text}}</span>
        {{#if is_gold}}<span class="gold-mark">reader</span>{{/if}}</li>{{/each}}</ol>"""


class ReadingView(TemplateComponent):
    """One item of an evaluator (`items.reading_value`); None shows nothing."""

    TEMPLATE = (
        """
{{#if value.title}}<section class="shown group reading">
  <h3>{{value.title}} <span class="muted">{{value.context}}</span></h3>
  <p class="item-sentence">{{value.sentence}}</p>
  <details class="profile" open><summary>{{value.profile_title}}</summary>
  {{#each value.profile}}
    <section class="profile-entry" aria-label="{{title}}"><h4>{{title}} <span class="flag">{{said}}</span></h4>
    """
        + _TEXTS
        + """</section>
  {{/each}}
  </details>
  <h4>What was predicted</h4>
  {{#each value.predicted}}"""
        + _TEXTS
        + """{{/each}}
  {{#each value.scales}}<p class="score-line"><span class="score-end">{{low}}</span>
    <span class="score-track" aria-hidden="true"><span class="score-gold" style="--at:{{gold}}"></span>
    {{#if predicted}}<span class="score-predicted" style="--at:{{predicted}}"></span>{{/if}}</span>
    <span class="score-end">{{high}}</span> <span class="score-words">{{words}}</span></p>{{/each}}
  {{#each value.distributions}}<h4>{{title}}</h4>"""
        + _BARS
        + """{{/each}}
  {{#if value.explained}}<h4>In words</h4>{{#each value.explained}}"""
        + _TEXTS
        + """{{/each}}{{/if}}
  {{#if value.orders}}<h4>Both orders</h4>
  <div class="variants">{{#each value.orders}}
    <article class="variant"><h5>{{title}}</h5><p class="muted">{{shown}}.</p>
      <p>Chosen: <strong>{{chosen}}</strong></p>
      {{#if answer}}<div class="answer" tabindex="0" role="group" aria-label="{{title}}: answer">{{answer}}</div>{{/if}}
      {{#if bars}}"""
        + _BARS
        + """{{/if}}
    </article>{{/each}}</div>{{/if}}
  <dl class="facts">{{#each value.facts}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  {{#each value.cards}}"""
        + JUDGE_CARD
        + """{{/each}}
</section>{{/if}}
"""
    )
