"""The component of ranks under other choices."""

from __future__ import annotations

from leaderboard.assets import asset
from leaderboard.parts.components import TemplateComponent


class ChoicesTable(TemplateComponent):
    """Systems x choices (`values.choices_value`); None shows nothing.

    Events: `choose` with {choice}, from a heading or any cell below it; `open` with {row}, from a name.
    """

    IS_LARGE = True
    TEMPLATE = """
{{#if value.caption}}<section class="shown choices" aria-label="How stable is each rank?">
{{#if value.empty}}<p class="table-empty">{{value.empty}}</p>{{else}}
<div class="table-frame" role="region" aria-label="{{value.caption}}" tabindex="0">
<table class="sheet">
  <caption><span>{{value.caption}}</span></caption>
  <thead>
  <tr><th scope="col" class="name" rowspan="2">System</th><th scope="col" class="number" rowspan="2">Range</th>
    <th scope="col" class="number" rowspan="2" title="Choices that rank it, of those that can tell systems apart">
    Ranked in</th>
  {{#each value.groups}}<th scope="colgroup" class="first-of-kind" colspan="{{span}}"><span>{{label}}</span></th>
  {{/each}}
  </tr>
  <tr>
  {{#each value.heads}}<th scope="col" class="number {{style}}"><button type="button" data-choice="{{key}}"
    title="{{hint}}">{{label}}</button><small>{{items}}</small></th>{{/each}}
  </tr>
  </thead>
  <tbody>
  {{#each value.rows}}
    <tr data-row="{{id}}" class="{{style}}"><th scope="row" class="name"><button type="button" data-open="yes">{{name}}
      </button>{{#if team}}<small>{{team}}</small>{{/if}}</th>
    <td class="number range">{{range}}</td><td class="number">{{ranked}}</td>
    {{#each cells}}<td class="number {{style}}" title="{{hint}}">{{text}}<small>{{score}}</small></td>{{/each}}
    </tr>
  {{/each}}
  </tbody>
</table>
</div>
<details class="reasons"><summary>How to read this table</summary>
<ul>{{#each value.lines}}<li>{{this}}</li>{{/each}}</ul></details>
{{#if value.reasons}}<details class="reasons"><summary>Why some cells say n/a</summary>
<ul>{{#each value.reasons}}<li>{{this}}</li>{{/each}}</ul></details>{{/if}}
{{/if}}
</section>{{/if}}
"""
    # A cell leads where its heading leads; the two columns after the name lead nowhere.
    SCRIPT = asset("choices_table.js")
