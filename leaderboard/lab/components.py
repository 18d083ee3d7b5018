"""Components of the lab. Text of models and visitors goes through `{{ }}` or `textContent`, nowhere else."""

from __future__ import annotations

from typing import Any

from leaderboard.parts.components import TemplateComponent
from leaderboard.parts.text_difference import DIFFERENCE


class PreferenceList(TemplateComponent):
    """The ordered list of preferences: write, move, delete, and mark at most one as relevant.

    Value, both ways: {preferences: [text], relevant: place or None}; nothing the browser sends is trusted. Event:
    `edited`, a moment after the last change. The browser builds the rows itself: moving one costs no round trip, and
    what is being typed is never written over.
    """

    TEMPLATE = """
<fieldset class="shown preferences">
<legend>Preferences, in the order the model sees them</legend>
<p class="muted" data-none>None yet: every method then gives the control.</p>
<ol></ol>
<p class="preference-foot"><button type="button" data-add>Add a preference</button>
<span class="muted" data-count></span></p>
<p class="sr-only" role="status" data-said></p>
</fieldset>
"""
    SCRIPT = """
const MOST = 8, LONGEST = 300;
const list = element.querySelector('ol');
const find = (name) => element.querySelector(`[data-${name}]`);
let rows = [];
let waiting = 0;
let isEdited = false;

const say = (text) => { find('said').textContent = text; };
const tell = (delay) => {
  const relevant = rows.findIndex((row) => row.relevant);
  props.value = {preferences: rows.map((row) => row.text), relevant: relevant < 0 ? null : relevant};
  isEdited = true;
  clearTimeout(waiting);
  waiting = setTimeout(() => trigger('edited', {}), delay);
};
const made = (tag, settings, ...children) => {
  const node = Object.assign(document.createElement(tag), settings);
  node.append(...children);
  return node;
};
const button = (face, label, act, row, disabled) => {
  const node = made('button', {type: 'button', textContent: face, title: label, disabled});
  node.setAttribute('aria-label', label);
  node.dataset.act = act;
  node.addEventListener('click', () => (act === 'drop' ? drop(row) : move(row, act === 'up' ? -1 : 1)));
  return node;
};
const drawn = (row, place) => {
  const number = place + 1;
  const field = made('textarea', {value: row.text, rows: 1, maxLength: LONGEST, dir: 'auto'});
  field.setAttribute('aria-label', `Preference ${number}`);
  field.placeholder = 'I like answers with an example.';
  field.addEventListener('input', () => { row.text = field.value; fit(field); tell(400); });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); insert(place + 1); }
    if (event.altKey && event.key === 'ArrowUp') { event.preventDefault(); move(row, -1, 'textarea'); }
    if (event.altKey && event.key === 'ArrowDown') { event.preventDefault(); move(row, 1, 'textarea'); }
  });
  const mark = made('input', {type: 'checkbox', checked: row.relevant});
  mark.addEventListener('change', () => {
    const wanted = mark.checked;
    rows.forEach((other) => { other.relevant = false; });
    row.relevant = wanted;
    draw(row, 'input');
    tell(0);
  });
  const label = made('label', {}, mark, ' relevant');
  label.title = 'Bears on the answer; at most one. The model is never told.';
  const acts = made('span', {className: 'preference-acts'}, label,
    button('↑', `Move preference ${number} up`, 'up', row, place === 0),
    button('↓', `Move preference ${number} down`, 'down', row, place === rows.length - 1),
    button('✕', `Delete preference ${number}`, 'drop', row, false));
  const item = made('li', {className: row.relevant ? 'relevant' : ''}, field, acts);
  row.item = item;
  return item;
};
const fit = (field) => { field.style.height = 'auto'; field.style.height = `${field.scrollHeight + 2}px`; };
const draw = (focused, selector) => {
  list.replaceChildren(...rows.map(drawn));
  list.querySelectorAll('textarea').forEach(fit);
  find('none').hidden = rows.length > 0;
  find('add').disabled = rows.length >= MOST;
  find('count').textContent = `${rows.length} of ${MOST}, ${LONGEST} characters each`;
  if (!focused) return;
  const wanted = focused.item.querySelector(selector);
  (wanted && !wanted.disabled ? wanted : focused.item.querySelector('textarea')).focus();
};
const move = (row, step, selector) => {
  const from = rows.indexOf(row), to = from + step;
  if (to < 0 || to >= rows.length) return;
  rows.splice(from, 1);
  rows.splice(to, 0, row);
  draw(row, selector || (step < 0 ? '[data-act=up]' : '[data-act=down]'));
  say(`Preference moved to place ${to + 1} of ${rows.length}`);
  tell(0);
};
const drop = (row) => {
  const place = rows.indexOf(row);
  rows.splice(place, 1);
  const next = rows[Math.min(place, rows.length - 1)];
  draw(next, '[data-act=drop]');
  if (!next) find('add').focus();
  say(`Preference ${place + 1} deleted`);
  tell(0);
};
const insert = (place) => {
  if (rows.length >= MOST) { say(`${MOST} preferences are the most`); return; }
  const row = {text: '', relevant: false};
  rows.splice(place, 0, row);
  draw(row, 'textarea');
  tell(400);
};
const read = () => {
  // What was said of the list as it was may arrive after the new list: it is asked for again.
  clearTimeout(waiting);
  if (isEdited) waiting = setTimeout(() => trigger('edited', {}), 0);
  isEdited = false;
  const value = props.value || {};
  rows = (value.preferences || []).map((text, place) => ({text, relevant: place === value.relevant}));
  draw();
};
find('add').addEventListener('click', () => insert(rows.length));
// A hidden form has no sizes: the fields are fitted once it is looked at.
new ResizeObserver(() => list.querySelectorAll('textarea').forEach(fit)).observe(list);
watch('value', read);
read();
"""

    def postprocess(self, value: Any) -> Any:
        return value  # No template shows it: the script puts it into fields, as it is.


class SettingCard(TemplateComponent):
    """What list and flag come to (`values.setting_value`)."""

    TEMPLATE = """
{{#if value.setting}}<section class="shown setting-card" aria-label="Setting">
<p>Setting <strong class="setting-name">{{value.setting}}</strong> {{value.meaning}}</p>
<p class="formula"><code>{{value.formula}}</code></p>
{{#each value.notes}}<p class="muted">{{this}}</p>{{/each}}
</section>{{/if}}
"""


class SetupLine(TemplateComponent):
    """What is set, in one line (`values.setup_line_value`), and the button that folds and unfolds the form.

    The form is folded when a run is shown that was not shown before (`shown`; 0 = none is); then it is the visitor's
    choice. The row with this line carries the mark by which the style sheet hides the form behind it.
    """

    TEMPLATE = """
<div class="shown setup-line" role="group" aria-label="What is set"><p>{{#each value.facts}}
<span class="fact" dir="auto">{{this}}</span> {{/each}}</p>
<button type="button" data-change aria-expanded="true" aria-controls="lab-live">Close</button></div>
"""
    SCRIPT = """
let isOpen = true;
let seen = 0;
const draw = () => {
  const line = element.querySelector('.setup-line'), button = element.querySelector('[data-change]');
  line.toggleAttribute('data-folded', !isOpen);
  button.setAttribute('aria-expanded', String(isOpen));
  button.textContent = isOpen ? 'Close' : 'Change';
};
const settle = () => {
  const shown = (props.value || {}).shown;
  if (shown && shown !== seen) { seen = shown; isOpen = false; }
  draw();
};
element.addEventListener('click', (event) => {
  if (!event.target.closest('[data-change]')) return;
  isOpen = !isOpen;
  draw();
});
watch('value', settle);
settle();
"""


class SetupView(TemplateComponent):
    """Question and preferences of the run that is shown (`values.setup_value`); None shows nothing."""

    TEMPLATE = """
{{#if value.question}}<section class="shown setup-view" aria-label="Question and preferences of this run">
<p class="question" dir="auto">{{value.question}}</p>
{{#if value.twin}}<p class="muted">Column B answers another wording:</p>
<p class="question" dir="auto">{{value.twin}}</p>{{/if}}
{{#if value.options}}<ul class="options">
{{#each value.options}}<li{{#if is_gold}} class="gold"{{/if}}><b>{{letter}}.</b>
<span dir="auto">{{text}}</span>{{#if is_gold}} <span class="muted">(right)</span>{{/if}}</li>{{/each}}</ul>{{/if}}
{{#if value.preferences}}<p class="muted">Preferences in the prompt:</p>
<ol class="shown-preferences">{{#each value.preferences}}<li><span dir="auto">{{text}}</span>
{{#if is_relevant}}<span class="flag">relevant</span>{{/if}}</li>{{/each}}</ol>{{/if}}
<p class="muted">{{value.origin}} · {{value.setting}}</p>
</section>{{/if}}
"""


class RunStatus(TemplateComponent):
    """One polite sentence about the run; it changes with the phase, never with a token. Value: {text, kind}."""

    TEMPLATE = """
<p class="shown run-status {{value.kind}}" role="status">{{value.text}}</p>
"""


_PANE_TEXT = (
    '<div class="lab-text{{#if is_raw}} raw{{/if}}" tabindex="0" role="group" '
    'aria-label="Text of {{title}}" dir="auto">'
    f"{DIFFERENCE}"
    "{{#if is_writing}}<span class='caret' aria-hidden='true'></span>{{/if}}"
    "{{#if placeholder}}<span class='muted'>{{placeholder}}</span>{{/if}}</div>"
)
"""A text with its word-level changes; without line breaks between the tags, for blanks are shown as they are."""

_PANE = (
    """
<article class="lab-pane {{status}}" aria-label="{{title}}">
  <header><h3>{{title}} <span class="muted who" dir="auto">{{who}}</span></h3>
  <p class="lab-counts"><span class="pane-status {{status}}">{{status_text}}</span>
  <span class="tokens">{{tokens}}</span> <span class="seconds">{{seconds}}</span>
  <span class="rate">{{rate}}</span></p></header>
  <p class="lab-stage muted">{{stage}}</p>
  """
    + _PANE_TEXT
    + """
  <p class="lab-badges">{{#each badges}}<span class="badge {{kind}}" title="{{tooltip}}">{{text}}</span> {{/each}}
  <span class="muted">{{legend}}</span></p>
  {{#if thoughts}}<p class="thoughts" dir="auto"><b>Thoughts of stage 2:</b> {{thoughts}}</p>{{/if}}
  {{#if failure}}<p class="failure" dir="auto">{{failure}}</p>{{/if}}
</article>
"""
)

_FOLLOW_TEXT = """
// What is being written stays in sight, unless somebody scrolled up to read.
watch('value', () => element.querySelectorAll('.lab-pane.writing .lab-text').forEach((text) => {
  if (text.scrollHeight - text.scrollTop - text.clientHeight < 90) text.scrollTop = text.scrollHeight;
}));
"""


class AnswerPane(TemplateComponent):
    """One column: who writes, what stands there so far, and what changed (`values.PaneValue`)."""

    TEMPLATE = f'{{{{#with value}}}}<div class="shown">{_PANE}</div>{{{{/with}}}}'
    SCRIPT = _FOLLOW_TEXT


class ControlStrip(TemplateComponent):
    """The answers without preferences (`values.controls_value`)."""

    TEMPLATE = f"""
{{{{#if value.panes}}}}<section class="shown control-strip" aria-label="Control">
<h3>Control <span class="muted">{{{{value.explanation}}}}</span></h3>
<div class="control-panes">{{{{#each value.panes}}}}{_PANE}{{{{/each}}}}</div></section>{{{{/if}}}}
"""
    SCRIPT = _FOLLOW_TEXT


class VerdictView(TemplateComponent):
    """The verdict card of one column (`values.verdict_value`)."""

    TEMPLATE = """
{{#if value.title}}<section class="shown lab-verdict {{value.tone}}" aria-label="{{value.title}}">
<h4>{{value.title}} {{#if value.outcome}}<span class="outcome {{value.tone}}">{{value.outcome}}</span>{{/if}}</h4>
<p class="lab-reason" dir="auto">{{value.reason}}</p>
{{#if value.facts}}<dl>{{#each value.facts}}<div{{#if is_faint}} class="faint"{{/if}}>
<dt title="{{tooltip}}">{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>{{/if}}
{{#if value.explanation}}<p class="explanation" dir="auto"><b>Why this rating:</b> {{value.explanation}}</p>{{/if}}
{{#each value.notes}}<p class="card-flag">{{this}}</p>{{/each}}
</section>{{/if}}
"""


class PairwiseView(TemplateComponent):
    """A against B in both orders (`values.pairwise_value`)."""

    TEMPLATE = """
{{#if value.title}}<section class="shown pairwise" aria-label="A against B">
<h3>{{value.title}}</h3>
<p class="lab-reason">{{value.sentence}}</p>
{{#if value.orders}}<dl>{{#each value.orders}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>{{/if}}
</section>{{/if}}
"""


class PromptsView(TemplateComponent):
    """The exact prompts in a closed section (`values.prompts_value`)."""

    # Not in a gr.Accordion: what is streamed to a component inside a closed one is lost (gradio 6.31).
    TEMPLATE = """
<details class="shown prompts"><summary>The exact prompts</summary>
{{#if value.prompts}}{{#each value.prompts}}<section aria-label="{{title}}"><h4>{{title}}</h4>
{{#each messages}}<p class="muted">{{role}}</p><pre tabindex="0" dir="auto">{{content}}</pre>{{/each}}</section>
{{/each}}{{else}}<p class="muted">{{value.none}}</p>{{/if}}
</details>
"""
    SCRIPT = """
// Drawing anew would close the section: whether it is open is the reader's choice.
let isOpen = false;
element.addEventListener('click', (event) => {
  if (event.target.closest('summary')) isOpen = !element.querySelector('details').open;
});
watch('value', () => { element.querySelector('details').open = isOpen; });
"""


class ShareLink(TemplateComponent):
    """A link with a button that copies it. Value: {href, text, said: what it does not hold}; None shows nothing."""

    TEMPLATE = """
{{#if value.href}}<p class="shown share-link"><a href="{{value.href}}">{{value.text}}</a>
<button type="button" data-copy>Copy</button> <span class="muted" role="status" data-copied></span>
<span class="muted">{{value.said}}</span></p>{{/if}}
"""
    SCRIPT = """
element.addEventListener('click', async (event) => {
  if (!event.target.closest('[data-copy]')) return;
  const said = element.querySelector('[data-copied]');
  const address = new URL(element.querySelector('a').getAttribute('href'), location.href).href;
  try {
    await navigator.clipboard.writeText(address);
    said.textContent = 'Copied.';
  } catch {
    said.textContent = 'Your browser did not allow it: copy the link itself.';
  }
});
"""
