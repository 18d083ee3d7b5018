"""What the judge predicts of one reader: two ratings with their labels, and five aspects in both orders."""

from __future__ import annotations

from leaderboard.parts.components import JUDGE_CARD, TemplateComponent


class ReaderView(TemplateComponent):
    """A run of the reader mode (`reader.reader_value`)."""

    TEMPLATE = (
        """
{{#if value.is_shown}}<section class="shown reading reader-result" aria-label="What the judge predicts">
  <div class="variants">{{#each value.texts}}
    <article class="variant"><h4>{{title}}</h4>
      {{#if rating}}<p>This reader would give <strong class="predicted">{{rating}}</strong></p>{{/if}}
      {{#if note}}<p class="muted">{{note}}</p>{{/if}}
      {{#if bars}}<ol class="label-bars" aria-label="{{title}}: probability of every score">{{#each bars}}
        <li class="{{#if is_chosen}}chosen{{/if}}">
        <span class="label-bar" aria-hidden="true" style="--share:{{share}}"></span>
        <span class="label-name">{{label}}</span> <span class="label-share">{{text}}</span></li>{{/each}}</ol>{{/if}}
    </article>{{/each}}</div>
  <dl class="facts">{{#each value.facts}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  {{#if value.aspects}}
  <div class="table-frame" tabindex="0" role="region" aria-label="Preferred in each aspect">
  <table class="sheet"><caption><span>Which text this reader prefers, with either shown first</span></caption>
    <thead><tr><th scope="col" class="name">Aspect</th><th scope="col">A shown first</th>
      <th scope="col">B shown first</th><th scope="col">Outcome</th></tr></thead>
    <tbody>{{#each value.aspects}}<tr class="{{#if is_flip}}worst-row{{/if}}">
      <th scope="row" class="name">{{aspect}}</th>
      <td>{{given}}</td><td>{{swapped}}</td><td>{{outcome}}</td></tr>{{/each}}</tbody>
  </table></div>
  <p class="reader-summary"><strong>{{value.summary}}</strong></p>{{/if}}
  {{#each value.cards}}"""
        + JUDGE_CARD
        + """{{/each}}
</section>{{/if}}
"""
    )
