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

from leaderboard.assets import asset, template


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


FIRST_ROWS = 15
"""Fill a first screen."""


class Table(TemplateComponent):
    """A real table, sorted on the server (`tables.table_value`); None shows nothing.

    Events: `sort` with {key}, `open` with {row}, `turn` with {page}, `undo` with {key}, `fold` with {baselines}.
    """

    IS_LARGE = True
    TEMPLATE = template("table")
    SCRIPT = asset("table.js")

    def sent_with_page(self, value: Any) -> Any:
        # A browser takes a tenth of a second for a hundred rows, in which nothing else of the page is set up.
        return value and {**value, "rows": value["rows"][:FIRST_ROWS]}


class Notice(TemplateComponent):
    """A short message: {kind: "good" | "warning" | "bad" | "plain", title, lines}; None shows nothing."""

    TEMPLATE = template("notice")


class JudgeCards(TemplateComponent):
    """Judge cards side by side: {cards: [`judge_card.JudgeCardValue`]}; None shows nothing."""

    TEMPLATE = template("judge_cards")


class ItemView(TemplateComponent):
    """One item of one system: answers side by side and every verdict (`robustness.items.item_value`).

    Events: `open` with {pair}, `vote` with {verdict, stance}.
    """

    IS_LARGE = True
    TEMPLATE = template("item_view")
    # A vote draws the item anew: whoever types stays on the button they pressed.
    SCRIPT = asset("item.js") + asset("keep_focus.js")


class AnswersView(TemplateComponent):
    """One example under preferences: its texts side by side (`personalization.examples.example_value`)."""

    TEMPLATE = template("answers_view")


class TicketView(TemplateComponent):
    """One submission in the queue (`ticket_values.ticket_value`)."""

    TEMPLATE = template("ticket_view")


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
