"""The table of an account's runs."""

from __future__ import annotations

from leaderboard.assets import asset
from leaderboard.parts.components import TemplateComponent


class OwnRunsView(TemplateComponent):
    """An account's runs with their versions (`screen.OwnRunsValue`); None shows nothing.

    Events: `report` and `paper` with {ticket}: the report of that run is asked for, as a file or to print; `choose`
    with {ticket, choice}: it is to be the run that is ranked, or the latest one again.
    """

    IS_LARGE = True
    TEMPLATE = """
{{#if value.runs}}<div class="shown own-runs">
<p class="muted">{{value.summary}}</p>
{{#each value.runs}}<section class="own-run" aria-label="{{title}}">
<h4>{{title}} <span class="muted">{{set_title}}</span></h4>
<div class="table-frame" role="region" aria-label="Versions of {{title}}" tabindex="0">
<table class="sheet own-versions">
  <thead><tr><th scope="col" class="name">Version</th><th scope="col">State</th>
    <th scope="col">Open</th>{{#if has_scores}}<th scope="col" class="number">Score</th>
    <th scope="col" class="number">Change since the last</th>{{/if}}<th scope="col">Received</th>
    <th scope="col">More</th></tr></thead>
  <tbody>{{#each versions}}<tr><th scope="row" class="name">{{version}}</th>
    <td><span class="state {{state}}">{{state}}</span></td>
    <td class="own-links"><a href="{{link}}">Ticket<span class="sr-only"> of {{version}}, {{../title}}</span></a>
      {{#if row_link}}<a href="{{row_link}}">Row<span class="sr-only"> of {{version}}, {{../title}}</span></a>{{/if}}
      {{#if has_report}}<button type="button" data-report="{{ticket}}">Report<span class="sr-only"> of {{version}},
        {{../title}}</span></button>
        <button type="button" data-paper="{{ticket}}" title="Opens the print dialog: choose Save as PDF there">Print or
        PDF<span class="sr-only"> of {{version}}, {{../title}}</span></button>{{/if}}
      {{#if choice}}<button type="button" data-choice="{{choice}}" data-ticket="{{ticket}}">{{choice_words}}<span
        class="sr-only">: {{version}}, {{../title}}</span></button>{{/if}}</td>
    {{#if ../has_scores}}<td class="number">{{score}}</td><td class="number">{{difference}}</td>{{/if}}
    <td>{{received}}</td><td class="column-reason">{{said}}</td></tr>{{/each}}</tbody>
</table>
</div></section>{{/each}}
</div>{{/if}}
"""
    SCRIPT = asset("own_runs.js")
