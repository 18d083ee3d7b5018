"""Our own components: Handlebars templates over plain values, so that no text ever becomes markup or code.

gradio renders the Handlebars template first and then evaluates the outcome as a JavaScript template literal.
`{{ }}` escapes HTML, but a `${...}` or `\\u003c` in a team's text would still be run by the second step: measured in
gradio 6.31. `TemplateComponent` therefore escapes every string of its value for the literal as well. Values reach a
template only through it.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import gradio as gr
import orjson
from gradio.component_meta import ComponentMeta, updateable

from leaderboard.assets import asset
from leaderboard.parts.text_difference import DIFFERENCE
from leaderboard.parts.vote_templates import BALLOT, HUMAN_CHECK, KEEP_FOCUS


def literal_safe(value: Any) -> Any:
    """A JSON value whose strings survive a JavaScript template literal unchanged.

    >>> literal_safe({"team": "${alert(1)}", "n": 3})
    {'team': '\\\\${alert(1)}', 'n': 3}
    """
    if isinstance(value, str):
        return value.replace("\\", "\\\\").replace("$", "\\$")
    if isinstance(value, Mapping):
        return {key: literal_safe(inner) for key, inner in value.items()}
    if isinstance(value, Sequence):
        return [literal_safe(inner) for inner in value]
    return value


def literal_safe_bytes(value: Any) -> bytes:
    r"""`literal_safe(value)` as JSON text.

    gradio walks through every dict and list of an answer three times looking for files, and keeps a copy for every
    visitor; of a table of 200 rows that was a third of the server's work. Our values hold no files.

    >>> literal_safe_bytes({"team": "${alert(1)}"})
    b'{"team":"\\\\${alert(1)}"}'
    """
    text = orjson.dumps(value, default=_plain)
    return text.replace(b"\\\\", b"\\\\\\\\").replace(b"$", b"\\\\$")


def _plain(value: object) -> object:
    """Named tuples and other sequences and mappings, which orjson does not take by itself."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"no JSON value: {type(value).__name__}")


class _Stubless(ComponentMeta):
    """gradio's metaclass writes a .pyi file beside the source of every subclass, at each start; this one does not."""

    def __new__(mcs, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> _Stubless:
        if "__init__" in attributes:
            # As ComponentMeta does: gr.update() makes the component anew from the arguments recorded here.
            attributes["__init__"] = updateable(attributes["__init__"])  # type: ignore[no-untyped-call]
        return ABCMeta.__new__(mcs, name, bases, attributes)


def unpacked(script: str) -> str:
    """A script, and before it what makes an object of a packed value (`IS_LARGE`) and has it shown."""
    return f"""
// gradio writes the text of a value and compares it with what it wrote last; templates and scripts read what it says.
{{
  const first = props.value;
  let packed = null;
  let value = null;
  Object.defineProperty(props, 'value', {{
    enumerable: true,
    configurable: true,
    get: () => value,
    set: (text) => {{
      if (text === packed) return;
      packed = text;
      value = text ? JSON.parse(text) : null;
      if (value) Object.defineProperty(value, 'toJSON', {{value: () => text}});
    }},
  }});
  if (first) props.value = first;
}}
queueMicrotask(() => {{  // a value that was there at first is shown by then
{script}
}});
"""


_GOES_ON = asset("table_goes_on.js")
"""A table wider than its frame fades at its right edge until its last column is in sight."""


class TemplateComponent(gr.HTML, metaclass=_Stubless):
    """A component that shows a JSON value through a Handlebars template.

    Subclasses give `TEMPLATE` and `SCRIPT`; tables show by themselves that they scroll. User text belongs into `{{ }}`
    only, and only there.
    """

    TEMPLATE = ""
    SCRIPT: str | None = None
    IS_LARGE = False
    """Its values are long, and never streamed piece by piece (gradio sends of those what changed): they travel as the
    text of their JSON. What is no text gradio copies, watches and compares member by member at every event of the page,
    which took a third of the time that a board with charts took."""

    def __init__(self, value: Any = None, *, elem_id: str | None = None, render: bool = True) -> None:
        script = (self.SCRIPT or "") + (_GOES_ON if "table-frame" in self.TEMPLATE else "")
        super().__init__(
            value=value,
            html_template=self.TEMPLATE,
            js_on_load=unpacked(script) if self.IS_LARGE else script or None,
            apply_default_css=False,
            elem_id=elem_id,
            elem_classes=["plumb"],
            render=render,
        )

    def postprocess(self, value: Any) -> Any:
        return literal_safe_bytes(value).decode() if self.IS_LARGE and value is not None else literal_safe(value)

    def sent_with_page(self, value: Any) -> Any:
        """What of its first value is sent within the page, to everybody the same; None = it waits to be asked for.

        For what somebody comes to a page for, and only where nothing of it is one visitor's own.
        """
        return None

    def api_info(self) -> dict[str, Any]:
        return {"type": "object"}


INTERVAL_BAR = (
    '<span class="interval-bar{{#if bar.low}} with-interval{{/if}}{{#if bar.zero}} with-zero{{/if}}" '
    'aria-hidden="true" style="--at:{{bar.at}}{{#if bar.low}};--low:{{bar.low}};--high:{{bar.high}}{{/if}}'
    '{{#if bar.zero}};--zero:{{bar.zero}}{{/if}}"></span>'
)
"""A figure drawn (`interval_bars.BarValue`), for wherever its digits stand as text."""


FIRST_PLACE = (
    "{{claim}}{{#if items}} <details><summary>Which?</summary> Without "
    '{{#each items}}{{before}}{{#if href}}<a href="{{href}}">{{label}}</a>{{else}}{{label}}{{/if}}{{/each}}{{after}}'
    '{{#if link}} <a href="{{link}}">Show the board without them</a>{{/if}}</details>{{/if}}'
)
"""On which items a first place rests (`page.first_place.FirstPlaceValue`); they are no stops on the way to a row."""


def term_head(label: str, explained: str) -> str:
    """Return a header of a template with its explanation (`assets/terms.js`)."""
    return f'<button type="button" class="term" data-term="{explained}">{label}</button>'


FOLD = (
    '<tr class="null-row fold-row"><td colspan="{{span}}"><button type="button" data-fold="{{turned}}" '
    'aria-expanded="{{#if is_open}}true{{else}}false{{/if}}">{{label}}</button></td></tr>'
)
"""The line that the baselines of a board are folded into (`tables.FoldValue`)."""

SHEET = (
    """
{{#if value.undo}}<p class="table-empty" role="status">{{value.empty}}
  {{#each value.undo}}<button type="button" data-undo="{{key}}">{{label}}</button> {{/each}}</p>{{/if}}
{{#each value.first_place}}<div class="first-place">"""
    + FIRST_PLACE
    + """</div>{{/each}}
{{#if value.columns}}<div class="shown table-frame" role="region" aria-label="{{value.caption}}" tabindex="0">
<table class="sheet{{#if value.is_cards}} cards{{/if}}">
  <caption><span>{{value.caption}}{{#if value.views}} <span class="other-views">Other views:
    {{#each value.views}}<a href="{{href}}">{{label}}</a> {{/each}}</span>{{/if}}</span></caption>
  <thead><tr>
  {{#each value.columns}}
    <th scope="col" class="{{style}}" aria-sort="{{aria_sort}}" data-term="{{tooltip}}">
    {{#if sortable}}<button type="button" data-sort="{{key}}"{{#if is_stop}}{{else}} tabindex="-1"{{/if}}>{{label}}
      <span class="arrow" aria-hidden="true">{{arrow}}</span></button>{{else}}{{#if tooltip}}<button type="button"
      class="term"{{#if is_stop}}{{else}} tabindex="-1"{{/if}}>{{label}}</button>{{else}}{{label}}{{/if}}{{/if}}</th>
  {{/each}}
  </tr></thead>
  <tbody>
  {{#each value.rows}}
    {{#if heading}}<tr class="group-row"><th scope="rowgroup" colspan="{{span}}"><span>{{heading}}</span></th></tr>
    {{/if}}
    {{#each folds}}"""
    + FOLD
    + """{{/each}}
    <tr data-row="{{id}}" class="{{style}}">
    {{#each cells}}
      {{#if is_name}}<th scope="row" class="{{style}}">
        {{#if opens}}<button type="button" data-open="yes">{{text}}</button>{{else}}{{text}}{{/if}}
        {{#if mark}}<span class="row-mark">{{mark}}</span>{{/if}}
        {{#if more}}<button type="button" class="card-more" data-more="yes" aria-label="{{more}}"
          aria-expanded="false"></button>{{/if}}</th>
      {{else}}<td class="{{style}}"{{#if told}} data-label="{{told}}"{{/if}}
        {{#if hint}} title="{{hint}}"{{/if}}>{{#if bar}}<div class="drawn">"""
    + INTERVAL_BAR
    + """<span>{{text}}</span></div>{{else}}{{#if icon}}<details class="words"><summary title="{{text}}"><span
        aria-hidden="true">{{icon}}</span><span class="sr-only">{{about}}</span></summary>{{text}}</details>
        {{else}}{{text}}{{/if}}{{/if}}</td>{{/if}}
    {{/each}}
    </tr>
  {{/each}}
  {{#each value.folds}}"""
    + FOLD
    + """{{/each}}
  </tbody>
</table>
</div>
{{#if value.undo}}{{else}}{{#if value.empty}}<p class="table-empty">{{value.empty}}</p>{{/if}}{{/if}}
<div class="table-foot"><span>{{#if value.rows}}{{value.summary}}{{/if}}</span>
{{#if value.has_pages}}<span class="pager">
  {{#if value.previous}}<button type="button" data-turn="{{value.previous}}">Previous</button>{{/if}}
  <span>{{value.page}}</span>
  {{#if value.next}}<button type="button" data-turn="{{value.next}}">Next</button>{{/if}}
</span>{{/if}}</div>{{/if}}
"""
)
"""A table (`tables.TableValue`), for a template that has it as `value`."""


FIRST_ROWS = 15
"""Fill a first screen."""


class Table(TemplateComponent):
    """A real table, sorted on the server (`tables.table_value`); None shows nothing.

    Events: `sort` with {key}, `open` with {row}, `turn` with {page}, `undo` with {key}, `fold` with {baselines}.
    """

    IS_LARGE = True
    TEMPLATE = SHEET
    SCRIPT = asset("table.js")

    def sent_with_page(self, value: Any) -> Any:
        # A browser takes a tenth of a second for a hundred rows, in which nothing else of the page is set up.
        return value and {**value, "rows": value["rows"][:FIRST_ROWS]}


class Notice(TemplateComponent):
    """A short message: {kind: "good" | "warning" | "bad" | "plain", title, lines}; None shows nothing."""

    TEMPLATE = """
{{#if value.title}}<div class="shown notice {{value.kind}}" role="status">
{{#if value.folded}}<h2 class="notice-title">{{value.title}}</h2>{{else}}<p
  class="notice-title">{{value.title}}</p>{{/if}}
{{#if value.lines}}<ul>{{#each value.lines}}<li>{{this}}</li>{{/each}}</ul>{{/if}}
{{#if value.folded}}<details class="notice-folded"><summary>{{value.folded_title}}</summary>
<ul>{{#each value.folded}}<li>{{this}}</li>{{/each}}</ul></details>{{/if}}
{{#if value.link}}<p><a href="{{value.link}}">{{value.link_text}}</a></p>{{/if}}
</div>{{/if}}
"""


JUDGE_CARD = """
<div class="judge-card" role="group" aria-label="Judge card: {{title}}">
  <p class="card-title">Judge <strong>{{title}}</strong> <span class="muted">{{context}}</span></p>
  <dl>{{#each facts}}<div{{#if is_faint}} class="faint"{{/if}}><dt>{{#if tooltip}}<details class="term"><summary
    data-term="{{tooltip}}">{{name}}</summary><p>{{tooltip}}</p></details>{{else}}{{name}}{{/if}}</dt>
    <dd>{{text}}</dd></div>{{/each}}</dl>
  {{#if version}}<details class="card-version"><summary>Exact version</summary>
    <dl>{{#each version}}<div><dt>{{#if tooltip}}<button type="button" class="term"
      data-term="{{tooltip}}">{{name}}</button>{{else}}{{name}}{{/if}}</dt>
      <dd>{{text}}</dd></div>{{/each}}</dl></details>{{/if}}
  {{#each notes}}<p class="card-note">{{this}}</p>{{/each}}
  {{#each quality}}
  <details class="card-quality"{{#if is_open}} open{{/if}}><summary>{{title}}</summary>
    <p class="card-note">{{explanation}}</p>
    <div class="table-frame" tabindex="0" role="group" aria-label="{{title}}">
    <table class="sheet"><caption><span>{{title}}</span></caption>
      <thead><tr><th scope="col" class="name">Pairs</th><th scope="col" class="number">n</th>
        {{#each heads}}<th scope="col" class="number">{{this}}</th>{{/each}}</tr></thead>
      <tbody>{{#each lines}}<tr><th scope="row" class="name">{{name}}</th><td class="number">{{number}}</td>
        {{#each cells}}<td class="number">{{this}}</td>{{/each}}</tr>{{/each}}</tbody>
    </table>
    </div>
  </details>
  {{/each}}
</div>
"""
"""One judge card (`judge_card.JudgeCardValue`), for `{{#each cards}}` wherever a verdict is shown.

A group and no landmark, like the opened pairs of an item: several of one name may stand on a page.
"""


class JudgeCards(TemplateComponent):
    """Judge cards side by side: {cards: [`judge_card.JudgeCardValue`]}; None shows nothing."""

    TEMPLATE = f"""
{{{{#if value.cards}}}}<div class="shown">{{{{#each value.cards}}}}{JUDGE_CARD}{{{{/each}}}}</div>{{{{/if}}}}
"""


_MARKED_ANSWER = (
    '{{#each parts}}{{#if mark}}<mark>{{text}}<span class="mark-label"> [{{mark}}]</span></mark>'
    "{{else}}{{text}}{{/if}}{{/each}}"
)
"""An answer in stretches (`pair_values.PartValue`); white space in it would be shown, so it is one line."""


_DIFF_TEXT = f'<div class="answer" tabindex="0" role="group" aria-label="{{{{title}}}}" dir="auto">{DIFFERENCE}</div>'
"""Two answers as one text (`answer_diff.DiffValue`); white space in it would be shown, so it is one line."""


VARIANT = """<article class="variant">
      <h5>{{title}}</h5>
      {{#if turns}}{{#each turns}}<section class="turn" aria-label="{{title}}">
        {{#if question}}<p class="prompt">{{question}}</p>{{/if}}
        {{#if answer}}<div class="answer" tabindex="0" role="group" aria-label="{{title}}: answer">{{answer}}</div>
        {{else}}<p class="muted">No answer.</p>{{/if}}
        {{#if is_judged}}<p class="marks"><span class="mark">judged</span></p>{{/if}}</section>{{/each}}
      {{else}}{{#if prompt}}<p class="prompt">{{prompt}}</p>{{/if}}
      {{#if is_blank}}<p class="muted">No answer.</p>{{else}}{{#if absent}}<p class="muted">{{absent}}</p>
      {{else}}<div class="answer" tabindex="0" role="group" aria-label="Answer to {{title}}">{{answer}}</div>
      {{/if}}{{/if}}{{/if}}
      <p class="marks">{{#each flags}}<span class="flag">{{this}}</span> {{/each}}
        <span class="muted">{{relevance}}</span></p>
    </article>"""
"""One answer (`robustness.items.VariantValue`), for `{{#each variants}}`."""


class ItemView(TemplateComponent):
    """One item of one system: answers side by side and every verdict (`robustness.items.item_value`).

    Events: `open` with {pair}, `vote` with {verdict, stance}.
    """

    IS_LARGE = True
    TEMPLATE = (
        """
{{#if value.title}}<h3 class="shown">{{value.title}} <span class="muted">{{value.variation}}</span></h3>{{/if}}
{{#if value.sentence}}<p class="item-sentence">{{value.sentence}}</p>{{/if}}
{{#each value.checks}}"""
        + HUMAN_CHECK
        + """{{/each}}
{{#each value.groups}}
<section class="group">
  <h4>{{language}} <span class="muted">{{summary}}</span></h4>
  <div class="variants">
  {{#each variants}}
    """
        + VARIANT
        + """
  {{/each}}
  </div>
  {{#if pairs}}
  <div class="table-frame" tabindex="0" role="region" aria-label="{{language}}: verdicts">
  <table class="sheet verdicts">
    <caption><span>{{language}}: verdicts, similarity 0-5</span></caption>
    <thead><tr><th scope="col">{{paired}}</th>{{#if has_ballots}}<th scope="col">Judge says</th>
      <th scope="col">Do you agree?</th>{{/if}}<th scope="col" class="number">First order</th>
      <th scope="col" class="number">Second order</th><th scope="col" class="number">Mean</th>
      <th scope="col">Counts</th><th scope="col" class="number">"""
        + term_head("After the relevance check", "The mean, lowered where an answer may not answer its question.")
        + """</th><th scope="col">Note</th>
    </tr></thead>
    <tbody>
    {{#each pairs}}
      <tr class="{{#if is_worst}}worst-row{{/if}}"><th scope="row">{{#if id}}<button type="button" data-pair="{{id}}"
        aria-pressed="{{#if is_opened}}true{{else}}false{{/if}}">{{title}}</button>{{else}}{{title}}{{/if}}</th>
      """
        + BALLOT
        + """<td class="number">{{first_order}}</td>
      <td class="number">{{second_order}}</td><td class="number">{{score}}</td><td>{{counts}}</td>
      <td class="number">{{gated}}</td><td>{{#if is_worst}}<strong>worst pair</strong> {{/if}}{{reason}}</td></tr>
    {{/each}}
    </tbody>
  </table>
  </div>
  {{/if}}
  {{#each opened}}
  <div class="opened-pair" role="group" aria-label="{{title}}">
    <h5>{{title}}</h5>
    <div class="variants">
    {{#each answers}}
      <article class="variant"><h5>{{title}}</h5>
        <div class="answer" tabindex="0" role="group" aria-label="Answer to {{title}}, as compared">"""
        + _MARKED_ANSWER
        + """</div></article>
    {{/each}}
    </div>
    {{#each said}}<p class="judge-said">{{this}}</p>{{/each}}
    {{#if details}}<details class="judge-figures"><summary>The judge's figures</summary>
    <div class="table-frame details-frame" tabindex="0" role="group" aria-label="{{title}}: details">
    <table class="sheet details"><caption><span>What the rating was made of</span></caption>
      <thead><tr><th scope="col" class="name">Figure</th><th scope="col" class="number">First order</th>
        <th scope="col" class="number">Second order</th></tr></thead>
      <tbody>{{#each details}}<tr><th scope="row" class="name">{{name}}</th><td class="number">{{first_order}}</td>
        <td class="number">{{second_order}}</td></tr>{{/each}}</tbody>
    </table></div></details>{{/if}}
  </div>
  {{/each}}
  {{#each diffs}}
  <details class="word-diff" open><summary>{{title}}</summary>
    <p class="muted">{{legend}} {{note}}</p>
    """
        + _DIFF_TEXT
        + """
  </details>
  {{/each}}
  {{#each cards}}"""
        + JUDGE_CARD
        + """{{/each}}
</section>
{{/each}}
{{#each value.comparisons}}
<section class="group">
  <h4>{{title}}</h4>
  <div class="table-frame" tabindex="0" role="region" aria-label="{{title}}">
  <table class="sheet preferences">
    <caption><span>{{title}}: A names the answer shown first, B the one shown second</span></caption>
    <thead><tr><th scope="col">Answer</th><th scope="col">Reference first</th><th scope="col">System first</th>
      <th scope="col">Outcome</th><th scope="col" class="number">"""
        + term_head("Label mass", "Probability that the judge put on the answers it was allowed to give.")
        + """</th><th scope="col">Note</th></tr></thead>
    <tbody>
    {{#each rows}}
      <tr class="{{#if is_flip}}worst-row{{/if}}"><th scope="row">{{title}}</th><td>{{first_order}}</td>
      <td>{{second_order}}</td><td>{{outcome}}</td><td class="number">{{label_mass}}</td><td>{{reason}}</td></tr>
    {{/each}}
    </tbody>
  </table>
  </div>
  {{#each cards}}"""
        + JUDGE_CARD
        + """{{/each}}
</section>
{{/each}}
"""
    )
    SCRIPT = asset("item.js") + KEEP_FOCUS


class AnswersView(TemplateComponent):
    """One example under preferences: its texts side by side (`personalization.examples.example_value`)."""

    TEMPLATE = (
        """
{{#if value.title}}<section class="shown group answers">
  <h3>{{value.title}} <span class="muted">{{value.context}}</span></h3>
  <p class="item-sentence">{{value.sentence}}</p>
  <p class="question">{{value.question}}</p>
  {{#if value.options}}<ul class="options">{{#each value.options}}<li>{{this}}</li>{{/each}}</ul>{{/if}}
  {{#if value.preferences}}<h4>Preferences, as they were shown</h4>
  <ol class="as-shown">{{#each value.preferences}}<li>{{text}}{{#if is_relevant}}
    <span class="flag">relevant</span>{{/if}}</li>{{/each}}</ol>{{/if}}
  <div class="variants">
  {{#each value.texts}}
    <article class="variant">
      <h4>{{title}}</h4>
      {{#if text}}<div class="answer" tabindex="0" role="group" aria-label="{{title}}">{{text}}</div>
      {{else}}<p class="muted">Empty.</p>{{/if}}
      <p class="marks">{{#each marks}}<span class="mark">{{this}}</span> {{/each}}</p>
    </article>
  {{/each}}
  </div>
  <dl class="facts">{{#each value.facts}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  {{#each value.cards}}"""
        + JUDGE_CARD
        + """{{/each}}
</section>{{/if}}
"""
    )


class TicketView(TemplateComponent):
    """One submission in the queue (`ticket_values.ticket_value`)."""

    TEMPLATE = """
{{#if value.id}}<section class="shown ticket" aria-label="Ticket">
  <h3>{{value.title}} <span class="state {{value.status}}">{{value.status}}</span></h3>
  <p>{{value.sentence}}{{#if value.place}} {{value.place}}{{/if}}</p>
  {{#if value.reason}}<p class="reason">{{value.reason}}</p>{{/if}}
  {{#if value.has_progress}}<p>
  <progress max="{{value.to_judge}}" value="{{value.judged}}" aria-label="Judgements made"></progress>
  <span>{{value.progress}}</span></p>{{/if}}
  {{#if value.eta}}<p class="eta">Expected to be scored in: {{value.eta}}</p>{{/if}}
  {{#if value.next_step}}<p class="next-step">{{value.next_step}}</p>{{/if}}
  {{#if value.row_link}}<p><a class="row-link" href="{{value.row_link}}">See its row on the board</a></p>{{/if}}
  {{#if value.review_link}}<p><a class="review-link" target="_blank" rel="noreferrer"
  href="{{value.review_link}}">{{value.review_words}}</a></p>{{/if}}
  <dl>{{#each value.facts}}<div><dt>{{name}}</dt><dd>{{text}}</dd></div>{{/each}}</dl>
  <h4>Log</h4>
  <ol class="log">{{#each value.log}}<li>{{this}}</li>{{/each}}</ol>
</section>{{/if}}
"""


SAVE_FILE = asset("save_file.js")
"""`save(file)`: lets the browser save a file (`downloads.FileValue`)."""


PRINT_PAGE = asset("print_page.js")
"""`printPage(html)`: opens the browser's print dialog for a page of its own, from which it also writes PDF, with the
letters of every script."""


class Download(TemplateComponent):
    """Hands a text or bytes to the browser as a file. Value: `downloads.FileValue`; the server writes nothing."""

    SCRIPT = SAVE_FILE + "watch('value', () => { if (props.value) save(props.value); });"

    def postprocess(self, value: Any) -> Any:
        return value  # Never rendered by a template: the file must stay as it is.


class PrintedPage(TemplateComponent):
    """Opens the print dialog for a page, where it can also be saved as PDF. Value: `downloads.FileValue` of HTML that
    stands alone, with every text in it escaped."""

    SCRIPT = PRINT_PAGE + "watch('value', () => { if (props.value) printPage(props.value.text); });"

    def postprocess(self, value: Any) -> Any:
        return value  # As for `Download`.


class FreshnessValue(TypedDict):
    """What a page is compared by."""

    marker: int | str
    """Changes whenever what the page shows may have changed."""


class Freshness(TemplateComponent):
    """Shows nothing; its event `stale` tells that the page is to be drawn anew. Value: `FreshnessValue`."""

    SCRIPT = asset("freshness.js")


class ChangeMarker(TemplateComponent):
    """Shows nothing; its event `moved` tells that its value is another one. Value: a marker, None at first."""

    # A value that came before this was mounted was never seen to change.
    SCRIPT = """
watch('value', () => trigger('moved', {}));
if (props.value) trigger('moved', {});
"""
