"""Components of the judge report. Text of files goes through `{{ }}`, nowhere else."""

from __future__ import annotations

from typing import Any

import orjson

from evaluator.judge_report.text import INTERVALS, NOT_SAID
from leaderboard.assets import asset
from leaderboard.parts.components import PRINT_PAGE, SAVE_FILE, TemplateComponent


class ReportView(TemplateComponent):
    """The report (`values.ReportValue`); None shows nothing."""

    IS_LARGE = True
    SCRIPT = """
const takeFocus = () => { if (props.value?.takes_focus) element.querySelector('h3')?.focus(); };
watch('value', () => requestAnimationFrame(takeFocus));
"""
    TEMPLATE = f"""
{{{{#if value.title}}}}<section class="shown judge-report" aria-label="{{{{value.title}}}}">
  <h3 tabindex="-1">{{{{value.title}}}}</h3>
  <p>{{{{value.format}}}}</p>
  {{{{#each value.unread}}}}<p class="notice warning">{{{{this}}}}</p>{{{{/each}}}}
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
    {{{{#each confusions}}}}<div class="table-frame" role="region" aria-label="{{{{title}}}}" tabindex="0">
    <table class="sheet report-counts">
      <caption><span>{{{{title}}}}</span></caption>
      <thead><tr><td></td>{{{{#each heads}}}}<th scope="col" class="number">{{{{this}}}}</th>{{{{/each}}}}</tr></thead>
      <tbody>{{{{#each rows}}}}<tr><th scope="row" class="name">{{{{name}}}}</th>
        {{{{#each counts}}}}<td class="number">{{{{this}}}}</td>{{{{/each}}}}</tr>{{{{/each}}}}</tbody>
    </table></div><p class="muted">{{{{meaning}}}}</p>{{{{/each}}}}
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
    SCRIPT = asset("column_mapper.js")


class ReportDownloads(TemplateComponent):
    """Buttons that save the report (`screen.FilesValue`): it is in the browser already. None shows nothing."""

    TEMPLATE = """
{{#if value.files}}<p class="shown report-downloads">
<button type="button" data-file="0">Download the page (HTML)</button>
<button type="button" data-print title="Opens the print dialog: choose Save as PDF there">Print or save as PDF</button>
<button type="button" data-file="1">Download JSON</button>
{{#if value.has_labels}}<button type="button" data-file="2">Download your labels (CSV)</button>{{/if}}</p>{{/if}}
"""
    SCRIPT = SAVE_FILE + PRINT_PAGE + asset("report_downloads.js")

    def postprocess(self, value: Any) -> Any:
        """Files stay as they are: the template asks only whether there are some."""
        return None if value is None else orjson.Fragment(orjson.dumps(value))


class BlindLabelling(TemplateComponent):
    """Answers to label, a pair or one at a time (`labelling.LabellingValue`); None shows nothing.

    Event: `finished` with {votes: {id of what was shown: left, right, tie or a rating}}. The browser keeps votes, and
    no texts, under the digest of the log until they are forgotten.
    """

    IS_LARGE = True
    TEMPLATE = """
{{#if value.items}}<section class="shown labelling" aria-label="Label answers" tabindex="-1">
  <h3 data-question></h3>
  <p class="labelling-progress" role="status" data-progress></p>
  <progress class="labelling-bar" value="0" max="1" aria-hidden="true" data-bar></progress>
  <div data-item>
    <div class="variant labelling-prompt"><h4>Prompt</h4>
      <div class="answer" dir="auto" tabindex="0" role="region" aria-label="Prompt" data-text="prompt"></div></div>
    <div class="variant labelling-prompt" data-criterion><h4>Criterion</h4>
      <div class="answer" dir="auto" tabindex="0" role="region" aria-label="Criterion" data-text="criterion"></div>
    </div>
    <div class="variants" data-of="pair">
      <article class="variant"><h4>Left</h4>
        <div class="answer" dir="auto" tabindex="0" role="region" aria-label="Left answer" data-text="left"></div>
      </article>
      <article class="variant"><h4>Right</h4>
        <div class="answer" dir="auto" tabindex="0" role="region" aria-label="Right answer" data-text="right"></div>
      </article>
    </div>
    <article class="variant" data-of="answer"><h4>Answer</h4>
      <div class="answer" dir="auto" tabindex="0" role="region" aria-label="Answer" data-text="answer"></div>
    </article>
  </div>
  <div class="labelling-votes">
    <span class="labelling-sides" data-of="pair">
      <button type="button" data-vote="left" aria-keyshortcuts="1">Left better <kbd>1</kbd></button>
      <button type="button" data-vote="right" aria-keyshortcuts="2">Right better <kbd>2</kbd></button>
      <button type="button" data-vote="tie" aria-keyshortcuts="3">Tie <kbd>3</kbd></button>
    </span>
    <form class="labelling-sides" data-of="answer">
      <label for="labelling-rating">Rating, <span data-scale></span></label>
      <input type="number" id="labelling-rating" step="any" required inputmode="decimal" autocomplete="off"
        data-rating>
      <button type="submit" data-rate>Rate <kbd>Enter</kbd></button>
    </form>
    <button type="button" data-vote="skip" aria-keyshortcuts="s">Skip <kbd>S</kbd></button>
  </div>
  <p class="labelling-acts">
    <button type="button" data-undo aria-keyshortcuts="u">Undo the last <kbd>U</kbd></button>
    <button type="button" class="labelling-finish" data-finish></button>
    <button type="button" data-forget>Forget my labels</button>
  </p>
  <p class="muted" data-kept></p>
  <p class="muted" data-drawn></p>
</section>{{/if}}
"""
    SCRIPT = asset("blind_labelling.js")

    def postprocess(self, value: Any) -> Any:
        """Texts stay as they are: the template asks only whether there are some, and the script shows them as text."""
        return None if value is None else orjson.dumps(value).decode()
