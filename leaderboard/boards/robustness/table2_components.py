"""The component that shows Table 2 of the 2024 paper."""

from __future__ import annotations

from leaderboard.parts.components import TemplateComponent


class PublishedTable(TemplateComponent):
    """A printed table beside what its cells come to (`table2_values.PublishedValue`); None shows nothing.

    Event: `save`.
    """

    IS_LARGE = True
    TEMPLATE = """
{{#if value.title}}<section class="shown published">
<h3>{{value.title}}</h3>
<div class="table-frame" role="region" aria-label="{{value.title}}" tabindex="0">
<table class="sheet heat">
  <caption><span>Scores 0-5 by another judge, as printed; AVG printed and recomputed from the cells</span></caption>
  <thead><tr><th scope="col" class="name">Item</th>
    {{#each value.systems}}<th scope="col" class="system"><span>{{this}}</span></th>{{/each}}
    <th scope="col" class="number">AVG printed</th><th scope="col" class="number">AVG recomputed</th>
    <th scope="col">Does it fit?</th></tr></thead>
  <tbody>{{#each value.lines}}<tr class="{{#if is_misprinted}}misprinted{{/if}}">
    <th scope="row" class="name">{{item}} <span class="muted">{{variation}}, file {{file_item}}</span></th>
    {{#each cells}}<td class="cell hot" style="--at:{{at}}">{{text}}</td>{{/each}}
    <td class="number printed">{{printed}}</td><td class="number">{{recomputed}}</td>
    <td>{{#if is_misprinted}}<strong>no</strong>{{else}}yes{{/if}}</td></tr>{{/each}}</tbody>
  <tfoot><tr><th scope="row" class="name">SUM <span class="muted">of 75, fits the cells</span></th>
    {{#each value.sums}}<td class="cell">{{this}}</td>{{/each}}<td></td><td></td><td></td></tr>
  <tr><th scope="row" class="name">Mean <span class="muted">recomputed</span></th>
    {{#each value.means}}<td class="cell">{{this}}</td>{{/each}}<td></td><td></td><td></td></tr></tfoot>
</table>
</div>
<div class="table-foot"><button type="button" data-save="yes">Download this table as CSV</button></div>
<ul>{{#each value.notes}}<li>{{this}}</li>{{/each}}</ul>
<p class="muted">{{value.citation}} <a href="{{value.link}}">{{value.link}}</a></p>
</section>{{/if}}
"""
    SCRIPT = """
element.addEventListener('click', (event) => {
  if (event.target.closest('[data-save]')) trigger('save', {});
});
"""
