"""The component of the variation atlas: every map is chart and table at once."""

from __future__ import annotations

from leaderboard.assets import asset
from leaderboard.parts.components import TemplateComponent

_CELL = (
    '<td class="cell{{#if at}} hot{{/if}}"{{#if at}} style="--at:{{at}}"{{/if}}{{#if href}}{{else}} title="{{hint}}"'
    '{{/if}}>{{#if href}}<a href="{{href}}" tabindex="{{tab}}" title="{{hint}}">{{text}}</a>{{else}}{{text}}{{/if}}'
    "</td>"
)

FOLLOWS = asset("atlas_links.js")
"""Links of the component change the page state, unless they are to be opened elsewhere."""


class AtlasView(TemplateComponent):
    """Heat maps side by side (`values.AtlasValue`); None shows nothing.

    Colours lie behind the numbers and say nothing more. Events: `open` with {place: the parameters of a link},
    `save`.
    """

    IS_LARGE = True
    TEMPLATE = (
        """
{{#if value.title}}<section class="shown atlas" aria-label="Scores by variation">
<h3>{{value.title}}</h3>
{{#if value.empty}}<p class="table-empty" role="status">{{value.empty}}</p>{{/if}}
<nav class="atlas-figures" aria-label="Figure of the maps">{{#each value.figures}}
  <a href="{{href}}"{{#if is_chosen}} aria-current="true"{{/if}}>{{label}}</a>{{/each}}</nav>
{{#if value.maps}}
{{#each value.said}}<p class="atlas-said">{{this}}</p>{{/each}}
<div class="atlas-maps">
{{#each value.maps}}
<div class="atlas-map atlas-{{key}}">
<div class="table-frame" role="region" aria-label="{{title}}" tabindex="0">
<table class="sheet heat">
  <caption><span><strong>{{title}}</strong> <span class="muted">{{summary}}</span></span></caption>
  <thead><tr>
    <th scope="col" class="name" aria-sort="{{order_by_name}}"><a href="{{../value.to_names}}">{{part_word}}</a></th>
    <th scope="col" class="mean" aria-sort="{{order_by_mean}}"><a href="{{../value.to_hardest}}"
      title="Mean over the systems shown, baselines left out: the hardest rows first">Mean</a></th>
    {{#each systems}}<th scope="col" class="system {{style}}"><a href="{{href}}" tabindex="-1"
      title="{{about}}"><span>{{name}}</span></a></th>{{/each}}
  </tr></thead>
  <tbody>
  {{#each lines}}<tr><th scope="row" class="name">{{#if href}}<a href="{{href}}">{{name}}</a>{{else}}{{name}}{{/if}}
    {{#if remark}}<span class="muted">{{remark}}</span>{{/if}}</th>
    <td class="cell mean{{#if mean.at}} hot{{/if}}"{{#if mean.at}} style="--at:{{mean.at}}"{{/if}}
      title="{{mean.hint}}">{{mean.text}}</td>
    {{#each cells}}"""
        + _CELL
        + """{{/each}}</tr>
  {{/each}}
  </tbody>
</table>
</div>
<p class="atlas-foot"><span class="atlas-scale" aria-hidden="true">{{low}}<span></span>{{high}}</span>
  <span class="atlas-pointed" aria-hidden="true"></span></p>
</div>
{{/each}}
</div>
<div class="table-foot"><button type="button" data-save="yes">Download these maps as CSV</button>
{{#if value.page}}<span class="pager">
  {{#if value.previous}}<a href="{{value.previous}}">Previous rows</a>{{/if}} <span>{{value.page}}</span>
  {{#if value.next}}<a href="{{value.next}}">Next rows</a>{{/if}}</span>{{/if}}</div>
<ul class="atlas-notes" aria-label="How to read the maps">{{#each value.notes}}<li>{{this}}</li>{{/each}}</ul>
{{/if}}
</section>{{/if}}
"""
    )
    SCRIPT = FOLLOWS + asset("atlas_keys.js")
