"""The state of the page <-> plain query parameters, so that every view has a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypedDict, get_args
from urllib.parse import urlencode

from evaluator.results import HEADLINE_VIEW, VIEWS, View
from leaderboard.columns import ROBUSTNESS_COLUMNS

Tab = Literal["robustness", "submit", "queue", "about"]
TABS: tuple[Tab, ...] = get_args(Tab)

Direction = Literal["descending", "ascending"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

SORT_KEYS: tuple[str, ...] = tuple(column.key for column in ROBUSTNESS_COLUMNS if column.sortable)

MAX_VALUE_LENGTH = 200
"""Longer values in a link are nobody's search or id."""


@dataclass(frozen=True, slots=True)
class PageState:
    """What a visitor looks at; the defaults are the first screen and stay out of the link."""

    tab: Tab = "robustness"
    set: str = ""
    """Prompt set of the board; blank = the first one that has rows."""
    view: View = HEADLINE_VIEW
    sort: str = "score"
    direction: Direction = "descending"
    search: str = ""
    page: int = 1
    system: str = ""
    """Ticket of the opened row."""
    item: str = ""
    """Opened item of that row."""
    ticket: str = ""
    """Ticket opened in the queue."""
    queue_page: int = 1


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it was understood."""

    state: PageState
    notes: tuple[str, ...]
    """What was ignored, in words."""


_BOARD_FIELDS = frozenset({"set", "view", "sort", "direction", "search", "page", "system", "item"})
_FIELDS_OF_TAB: dict[Tab, frozenset[str]] = {
    "robustness": _BOARD_FIELDS,
    "submit": frozenset(),
    "queue": frozenset({"ticket", "queue_page"}),
    "about": frozenset(),
}
_NOT_OURS = frozenset({"logs"})
"""Parameters of the host (a Space adds them), besides names that begin with two underscores."""


def link_of(state: PageState) -> str:
    """The query of a state: only what its tab shows and what differs from the first screen.

    >>> link_of(PageState(tab="queue", ticket="7f3a"))
    '?tab=queue&ticket=7f3a'
    >>> link_of(PageState())
    '?'
    """
    first_screen = PageState()
    shown = _FIELDS_OF_TAB[state.tab] | {"tab"}
    values = {
        name: str(getattr(state, name))
        for name in (field.name for field in fields(state))
        if name in shown and getattr(state, name) != getattr(first_screen, name)
    }
    return "?" + urlencode(values)


class ViewLinkValue(TypedDict):
    """The link of what is shown, for the component that shows it and carries it into the address bar."""

    href: str
    query: str


def view_link_value(state: PageState) -> ViewLinkValue:
    """The link of a state, with and without its question mark."""
    href = link_of(state)
    return {"href": href, "query": href.removeprefix("?")}


def parsed(query: Mapping[str, str], set_ids: tuple[str, ...]) -> Link:
    """The state a query asks for; what is unknown is ignored with a note.

    A bare `?ticket=...` opens the queue.
    """
    values: dict[str, Any] = {"tab": "queue"} if "ticket" in query else {}
    notes: list[str] = []
    readers = _readers(set_ids)
    for name, value in query.items():
        if name.startswith("__") or name in _NOT_OURS:
            continue
        reader = readers.get(name)
        read = reader(value) if reader else None
        if read is None:
            notes.append(f"The link's {name[:40]} ({value[:40]}) is unknown here and was ignored.")
        else:
            values[name] = read
    return Link(PageState(**values), tuple(notes))


def _readers(set_ids: tuple[str, ...]) -> dict[str, Callable[[str], str | int | None]]:
    return {
        "tab": _one_of(TABS),
        "set": _one_of(set_ids),
        "view": _one_of(VIEWS),
        "sort": _one_of(SORT_KEYS),
        "direction": _one_of(DIRECTIONS),
        "search": _text,
        "page": _page_number,
        "system": _text,
        "item": _text,
        "ticket": _text,
        "queue_page": _page_number,
    }


def _one_of(known: tuple[str, ...]) -> Callable[[str], str | None]:
    return lambda value: value if value in known else None


def _text(value: str) -> str | None:
    return value if len(value) <= MAX_VALUE_LENGTH else None


def _page_number(value: str) -> int | None:
    is_page = value.isascii() and value.isdigit() and len(value) < 6 and int(value) > 0
    return int(value) if is_page else None
