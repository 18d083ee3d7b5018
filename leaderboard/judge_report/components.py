"""Components of the judge report. Text of files goes through `{{ }}`, nowhere else."""

from __future__ import annotations

from typing import Any

import orjson

from evaluator.judge_report.text import INTERVALS, NOT_SAID
from leaderboard.parts.components import PRINT_PAGE, SAVE_FILE, TemplateComponent


class ReportView(TemplateComponent):
    """The report (`values.ReportValue`); None shows nothing."""

    IS_LARGE = True
    TEMPLATE = f"""
{{{{#if value.title}}}}<section class="shown judge-report" aria-label="{{{{value.title}}}}">
  <h3>{{{{value.title}}}}</h3>
  <p>{{{{value.format}}}}</p>
  <ul class="report-facts">{{{{#each value.facts}}}}<li>{{{{this}}}}</li>{{{{/each}}}}</ul>
  {{{{#each value.judges}}}}<section class="report-judge" aria-label="Judge {{{{name}}}}">
    <h4>{{{{name}}}} <span class="muted">{{{{size}}}}</span></h4>
    <div class="table-frame" role="region" aria-label="Figures of {{{{name}}}}" tabindex="0">
    <table class="sheet report-figures" aria-label="Figures of {{{{name}}}}">
      <thead><tr><th scope="col" class="name">Figure</th><th scope="col">Value</th><th scope="col">n</th>
        <th scope="col">What it means</th></tr></thead>
      <tbody>{{{{#each figures}}}}<tr><th scope="row" class="name">{{{{title}}}}</th>
        <td class="value">{{{{value}}}}</td>
        <td data-label="n">{{{{n}}}}</td><td>{{{{meaning}}}}</td></tr>{{{{/each}}}}</tbody>
    </table></div>
    {{{{#if left_out}}}}<p class="muted">{{{{left_out}}}}</p>{{{{/if}}}}
    {{{{#if missing}}}}<h5>{NOT_SAID}</h5>
    <ul class="report-missing">{{{{#each missing}}}}<li>{{{{this}}}}</li>{{{{/each}}}}</ul>{{{{/if}}}}
  </section>{{{{/each}}}}
  {{{{#if value.left_out}}}}<p>{{{{value.left_out}}}}</p>{{{{/if}}}}
  <p class="muted">{INTERVALS}</p>
</section>{{{{/if}}}}
"""


class FaultsView(TemplateComponent):
    """Every fault of a file (`values.FaultsValue`); None shows nothing."""

    IS_LARGE = True
    TEMPLATE = """
{{#if value.faults}}<div class="shown table-frame report-faults-frame" role="region"
  aria-label="Faults of {{value.file}}" tabindex="0">
<table class="sheet report-faults">
  <caption><span>Faults of {{value.file}}</span></caption>
  <thead><tr><th scope="col" class="name">Place</th><th scope="col">What was found</th>
    <th scope="col">What to do</th></tr></thead>
  <tbody>{{#each value.faults}}<tr><th scope="row" class="name">{{place}}</th><td>{{message}}</td>
    <td>{{hint}}</td></tr>{{/each}}</tbody>
</table></div>
{{#if value.left_out}}<p class="muted">{{value.left_out}}</p>{{/if}}{{/if}}
"""


class ColumnMapper(TemplateComponent):
    """Which column of a CSV is which (`screen.MapperValue`); None shows nothing.

    Event: `chosen` with {columns: {field: number of the column, blank = none}}.
    """

    IS_LARGE = True
    TEMPLATE = """
{{#if value.fields}}<details class="shown column-mapper"{{#if value.is_needed}} open{{/if}}>
<summary>Which column is which?</summary>
<p>Comparisons need <b>question</b>, <b>first</b>, <b>second</b> and <b>verdict</b>; ratings need <b>question</b>,
  <b>system</b> and <b>rating</b>. {{value.left_out}}</p>
<div class="mapper-fields">{{#each value.fields}}<label><span><b>{{key}}</b> {{about}}</span>
  <select data-field="{{key}}">{{#each options}}
    <option value="{{place}}"{{#if is_chosen}} selected{{/if}}>{{name}}</option>{{/each}}</select>
  </label>{{/each}}</div>
<button type="button" data-choose>Read it with these columns</button>
</details>{{/if}}
"""
    SCRIPT = """
element.addEventListener('click', (event) => {
  if (!event.target.closest('button[data-choose]')) return;
  const chosen = [...element.querySelectorAll('select')].map((one) => [one.dataset.field, one.value]);
  trigger('chosen', {columns: Object.fromEntries(chosen)});
});
"""


class ReportDownloads(TemplateComponent):
    """Buttons that save the report (`screen.FilesValue`): it is in the browser already. None shows nothing."""

    TEMPLATE = """
{{#if value.files}}<p class="shown report-downloads">
<button type="button" data-file="0">Download the page (HTML)</button>
<button type="button" data-print title="Opens the print dialog: choose Save as PDF there">Print or save as PDF</button>
<button type="button" data-file="1">Download JSON</button></p>{{/if}}
"""
    SCRIPT = (
        SAVE_FILE
        + PRINT_PAGE
        + """
element.addEventListener('click', (event) => {
  if (event.target.closest('button[data-print]')) printPage(props.value.files[0].text);
  const button = event.target.closest('button[data-file]');
  if (button) save(props.value.files[Number(button.dataset.file)]);
});
"""
    )

    def postprocess(self, value: Any) -> Any:
        """Files stay as they are: the template asks only whether there are some."""
        return None if value is None else orjson.Fragment(orjson.dumps(value))
