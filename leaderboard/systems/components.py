"""Components of the view of one system: its rank explained, another system beside it, its card."""

from __future__ import annotations

from leaderboard.assets import asset
from leaderboard.parts.components import TemplateComponent


class RankReasons(TemplateComponent):
    """Why a system holds its rank (`comparison.rank_value`); None shows nothing."""

    TEMPLATE = """
{{#if value.title}}<section class="shown rank-reasons" aria-label="Rank">
<p class="notice-title">{{value.title}}</p>
{{#if value.question}}<p class="rank-question">{{value.question}}</p>{{/if}}
<p>{{value.explanation}}</p>
{{#if value.neighbours}}<ul>{{#each value.neighbours}}<li><a href="{{link}}">{{text}}</a></li>{{/each}}
{{#if value.more}}<li class="muted">{{value.more}}</li>{{/if}}</ul>{{/if}}
</section>{{/if}}
"""


class ComparedItems(TemplateComponent):
    """Both scores of every common item (`comparison.compared_items_value`); None shows nothing.

    Event: `open` with {place}: "first/ITEM" or "second/ITEM".
    """

    IS_LARGE = True
    TEMPLATE = """
{{#if value.rows}}<div class="shown table-frame" role="region" aria-label="{{value.caption}}" tabindex="0">
<table class="sheet compared">
  <caption><span>{{value.caption}}</span></caption>
  <thead><tr><th scope="col" class="name">Item</th><th scope="col" class="number">{{value.first}}</th>
    <th scope="col" class="number">{{value.second}}</th><th scope="col" class="number">Difference</th>
    <th scope="col">Ahead</th><th scope="col">Variation</th></tr></thead>
  <tbody>
  {{#each value.rows}}
    <tr><th scope="row" class="name">{{item}}</th>
      <td class="number"><button type="button" data-place="first/{{item}}"
        aria-label="{{first}}, {{../value.first}}, item {{item}}">{{first}}</button></td>
      <td class="number"><button type="button" data-place="second/{{item}}"
        aria-label="{{second}}, {{../value.second}}, item {{item}}">{{second}}</button></td>
      <td class="number">{{difference}}</td><td>{{ahead}}</td><td>{{variation}}</td></tr>
  {{/each}}
  </tbody>
</table>
</div>{{/if}}
"""
    SCRIPT = asset("compared_items.js")


class SystemCard(TemplateComponent):
    """Boards, attempts and manifest of one system (`card.card_value`); None shows nothing."""

    TEMPLATE = """
{{#if value.title}}<section class="shown system-card" aria-label="System card">
<h3>System card <span class="muted">{{value.title}}</span></h3>
<div class="table-frame" role="region" aria-label="Boards of this system" tabindex="0">
<table class="sheet standings">
  <caption><span>Every board this system stands on</span></caption>
  <thead><tr><th scope="col" class="name">Board</th><th scope="col">Row</th><th scope="col">Headline figure</th>
    <th scope="col" class="number">Rank</th></tr></thead>
  <tbody>{{#each value.standings}}<tr><th scope="row" class="name"><a href="{{link}}">{{board}}</a></th>
    <td>{{row}}</td><td>{{headline}}</td><td class="number">{{rank}}</td></tr>{{/each}}</tbody>
</table>
</div>
<div class="table-frame" role="region" aria-label="Attempts of this system" tabindex="0">
<table class="sheet attempts">
  <caption><span>All attempts, withdrawn ones too: {{value.runs_summary}}</span></caption>
  <thead><tr><th scope="col" class="name">Received</th><th scope="col">State</th><th scope="col">Since</th>
    <th scope="col" class="number">{{value.score_label}}</th><th scope="col">Entered as</th>
    <th scope="col">Reason</th></tr></thead>
  <tbody>{{#each value.runs}}<tr><th scope="row" class="name"><a href="{{link}}">{{received}}</a></th>
    <td><span class="state {{state}}">{{state}}</span></td><td>{{since}}</td><td class="number">{{score}}</td>
    <td>{{system}}</td><td class="column-reason">{{reason}}</td></tr>{{/each}}</tbody>
</table>
</div>
<details class="manifest"><summary>Reproduce this score</summary>
<p>From the submitted file, with the same code and prompt set; the output names its judge, whose revision must be the
one below:</p>
<p><code>{{value.command}}</code></p>
<dl class="facts">{{#each value.facts}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
</details>
</section>{{/if}}
"""
