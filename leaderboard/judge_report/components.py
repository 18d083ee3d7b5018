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
<button type="button" data-file="1">Download JSON</button>
{{#if value.has_labels}}<button type="button" data-file="2">Download your labels (CSV)</button>{{/if}}</p>{{/if}}
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


class PairLabelling(TemplateComponent):
    """Pairs to label, one at a time (`pairs.PairsValue`); None shows nothing.

    Event: `finished` with {votes: {id of a pair: left, right or tie}}. The browser keeps votes, and no texts, under the
    digest of the log until they are forgotten.
    """

    IS_LARGE = True
    TEMPLATE = """
{{#if value.pairs}}<section class="shown labelling" aria-label="Label pairs" tabindex="-1">
  <h3>Which answer is better?</h3>
  <p class="labelling-progress" role="status" data-progress></p>
  <progress class="labelling-bar" value="0" max="1" aria-hidden="true" data-bar></progress>
  <div data-pair>
    <div class="variant labelling-prompt"><h4>Prompt</h4>
      <div class="answer" dir="auto" tabindex="0" role="region" aria-label="Prompt" data-text="prompt"></div></div>
    <div class="variants">
      <article class="variant"><h4>Left</h4>
        <div class="answer" dir="auto" tabindex="0" role="region" aria-label="Left answer" data-text="left"></div>
      </article>
      <article class="variant"><h4>Right</h4>
        <div class="answer" dir="auto" tabindex="0" role="region" aria-label="Right answer" data-text="right"></div>
      </article>
    </div>
  </div>
  <p class="labelling-votes">
    <button type="button" data-vote="left" aria-keyshortcuts="1">Left better <kbd>1</kbd></button>
    <button type="button" data-vote="right" aria-keyshortcuts="2">Right better <kbd>2</kbd></button>
    <button type="button" data-vote="tie" aria-keyshortcuts="3">Tie <kbd>3</kbd></button>
    <button type="button" data-vote="skip" aria-keyshortcuts="s">Skip <kbd>S</kbd></button>
  </p>
  <p class="labelling-acts">
    <button type="button" data-undo aria-keyshortcuts="u">Undo the last <kbd>U</kbd></button>
    <button type="button" class="labelling-finish" data-finish></button>
    <button type="button" data-forget>Forget my labels</button>
  </p>
  <p class="muted" data-kept></p>
  <p class="muted" data-drawn></p>
</section>{{/if}}
"""
    SCRIPT = """
const WORDS = ['left', 'right', 'tie', 'skip'];
const KEYS = {1: 'left', 2: 'right', 3: 'tie', s: 'skip'};
let pairs = [], ids = new Set(), others = [], cast = [], isKept = true, isSure = false;
const part = (name) => element.querySelector(`[data-${name}]`);
const place = () => `plumbline-labels-${props.value.log}`;
const named = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const stored = () => {
  try {
    const read = JSON.parse(localStorage.getItem(place()) || '[]');
    return read.filter((one) => Array.isArray(one) && typeof one[0] === 'string' && WORDS.includes(one[1]));
  } catch { return []; }
};
const keep = () => {
  try {
    if (others.length + cast.length) localStorage.setItem(place(), JSON.stringify([...others, ...cast]));
    else localStorage.removeItem(place());
    isKept = true;
  } catch { isKept = false; }  // no room, or a browser that keeps nothing for a page in a frame
};
const labelled = () => cast.filter(([, vote]) => vote !== 'skip').length;
const next = () => { const seen = new Set(cast.map(([id]) => id)); return pairs.find((pair) => !seen.has(pair.id)); };
const show = () => {
  const pair = next(), n = labelled(), skipped = cast.length - n;
  const at = pair ? `Pair ${cast.length + 1} of ${pairs.length}` : `All ${named(pairs.length, 'pair')} seen`;
  part('progress').textContent = `${at} · ${n} labelled${skipped ? `, ${skipped} skipped` : ''}`;
  part('bar').value = cast.length / pairs.length;
  part('pair').hidden = !pair;
  if (pair) {
    const texts = {prompt: pair.prompt || '(The log does not hold the prompt.)', left: pair.left, right: pair.right};
    for (const box of element.querySelectorAll('[data-text]')) {
      box.textContent = texts[box.dataset.text] || '(no text)';
      box.scrollTop = 0;
    }
  }
  for (const button of element.querySelectorAll('[data-vote]')) button.disabled = !pair;
  part('undo').disabled = !cast.length;
  part('finish').textContent = n ? `Finish: report with ${named(n, 'label')}` : 'Back to the report';
  part('forget').hidden = !(cast.length + others.length);
  part('forget').textContent = isSure ? `Really forget ${named(cast.length + others.length, 'label')}?`
    : 'Forget my labels';
  part('kept').textContent = isKept
    ? 'Keys 1, 2, 3, S and U work while this part of the page has the focus. Your labels, and no texts, stay in this '
      + 'browser: after a reload drop the same log and go on where you were.'
    : 'This browser keeps nothing: finish and download your labels before you leave the page.';
};
const begin = () => {
  if (!props.value || !part('progress')) return;
  pairs = props.value.pairs;
  ids = new Set(pairs.map((pair) => pair.id));
  const known = isKept ? stored() : [...others, ...cast];
  others = known.filter(([id]) => !ids.has(id));
  cast = known.filter(([id]) => ids.has(id));
  isSure = false;
  keep();
  part('drawn').textContent = props.value.drawn;
  show();
  element.querySelector('section').focus();
};
const act = (change) => {
  change();
  keep();
  show();
  const section = element.querySelector('section');
  if (document.activeElement === document.body || document.activeElement?.disabled) section.focus();
  if (section.getBoundingClientRect().top < 0) section.scrollIntoView();
};
const vote = (word) => {
  const pair = next();
  if (pair) act(() => { cast.push([pair.id, word]); isSure = false; });
};
const undo = () => { if (cast.length) act(() => { cast.pop(); isSure = false; }); };
element.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button || button.disabled) return;
  if (button.dataset.vote) vote(button.dataset.vote);
  else if ('undo' in button.dataset) undo();
  else if ('forget' in button.dataset) {
    act(() => { if (isSure) { cast = []; others = []; } isSure = !isSure && cast.length + others.length > 0; });
  } else if ('finish' in button.dataset) {
    trigger('finished', {votes: Object.fromEntries([...others, ...cast].filter(([, word]) => word !== 'skip'))});
  }
});
element.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !part('progress')) return;
  const key = event.key.toLowerCase();
  if (KEYS[key]) vote(KEYS[key]);
  else if (key === 'u') undo();
  else return;
  event.preventDefault();
});
watch('value', () => requestAnimationFrame(begin));
begin();
"""

    def postprocess(self, value: Any) -> Any:
        """Texts stay as they are: the template asks only whether there are some, and the script shows them as text."""
        return None if value is None else orjson.dumps(value).decode()
