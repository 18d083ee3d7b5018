"""The state of the page <-> plain query parameters, so that every view has a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, get_args
from urllib.parse import urlencode

from evaluator.results import HEADLINE_VIEW, VIEWS, View
from leaderboard.columns import JUDGES_COLUMNS, ROBUSTNESS_COLUMNS, Column

Tab = Literal["robustness", "judges", "submit", "queue", "about"]
TABS: tuple[Tab, ...] = get_args(Tab)

Board = Literal["robustness", "judges"]
"""Tabs whose table visitors sort and search."""
BOARDS: tuple[Board, ...] = get_args(Board)

Direction = Literal["descending", "ascending"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

Agreement = Literal["with_ties", "without_ties", "kappa", "consistent_outcomes"]
AGREEMENTS: tuple[Agreement, ...] = get_args(Agreement)
"""Ways to compare two judges (docs/position_bias.md, "Agreement between judges")."""

COLUMNS: dict[Board, tuple[Column[Any], ...]] = {"robustness": ROBUSTNESS_COLUMNS, "judges": JUDGES_COLUMNS}
HEADLINES: dict[Board, str] = {"robustness": "score", "judges": "position_consistency"}
"""The column a board is sorted by at first."""

MAX_VALUE_LENGTH = 200
"""Longer values in a link are nobody's search or id."""


def sort_keys(board: Board) -> tuple[str, ...]:
    """Columns of a board one can sort by."""
    return tuple(column.key for column in COLUMNS[board] if column.sortable)


@dataclass(frozen=True, slots=True)
class TableState:
    """How a visitor looks at the table of one board."""

    sort: str
    direction: Direction = "descending"
    search: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class PageState:
    """What a visitor looks at; the defaults are the first screen and stay out of the link."""

    tab: Tab = "robustness"
    robustness: TableState = field(default=TableState(HEADLINES["robustness"]))
    set: str = ""
    """Prompt set of the Robustness board; blank = the first one that has rows."""
    view: View = HEADLINE_VIEW
    system: str = ""
    """Ticket of the opened row."""
    item: str = ""
    """Opened item of that row."""
    judges: TableState = field(default=TableState(HEADLINES["judges"]))
    benchmark: str = ""
    """Which Judges board (`BoardKey.id`); blank = the first one."""
    judge: str = ""
    """Opened row of that board."""
    agreement: Agreement = "with_ties"
    ticket: str = ""
    """Ticket opened in the queue."""
    queue_page: int = 1
    is_dark: bool = False
    """The visitor's browser shows dark colours; never in a link."""

    def table(self, board: Board) -> TableState:
        """How the visitor looks at the table of that board."""
        return self.robustness if board == "robustness" else self.judges

    def with_table(self, board: Board, table: TableState) -> PageState:
        """The state with another look at the table of that board."""
        return replace(self, robustness=table) if board == "robustness" else replace(self, judges=table)


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it was understood."""

    state: PageState
    notes: tuple[str, ...]
    """What was ignored, in words."""


_TABLE_FIELDS = ("sort", "direction", "search", "page")
_FIELDS: dict[Tab, tuple[str, ...]] = {
    "robustness": ("set", "view", "system", "item"),
    "judges": ("benchmark", "judge", "agreement"),
    "submit": (),
    "queue": ("ticket", "queue_page"),
    "about": (),
}
"""What each tab shows, besides the table of a board."""
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
    shown = [(name, getattr(state, name), getattr(first_screen, name)) for name in ("tab", *_FIELDS[state.tab])]
    for board in BOARDS:
        if state.tab == board:
            table, first = state.table(board), first_screen.table(board)
            shown += [(name, getattr(table, name), getattr(first, name)) for name in _TABLE_FIELDS]
    return "?" + urlencode({name: str(value) for name, value, at_first in shown if value != at_first})


class ViewLinkValue(TypedDict):
    """The link of what is shown, for the component that shows it and carries it into the address bar."""

    href: str
    query: str


def view_link_value(state: PageState) -> ViewLinkValue:
    """The link of a state, with and without its question mark."""
    href = link_of(state)
    return {"href": href, "query": href.removeprefix("?")}


def parsed(query: Mapping[str, str], set_ids: tuple[str, ...], benchmark_ids: tuple[str, ...]) -> Link:
    """The state a query asks for; what is unknown is ignored with a note.

    A bare `?ticket=...` opens the queue. Sort and search belong to the board of the link's tab.
    """
    board: Board = "judges" if query.get("tab") == "judges" else "robustness"
    readers = _readers(board, set_ids, benchmark_ids)
    ours = {name: value for name, value in query.items() if not name.startswith("__") and name not in _NOT_OURS}
    read = {name: readers[name](value) if name in readers else None for name, value in ours.items()}
    known = {name: value for name, value in read.items() if value is not None}
    table = replace(PageState().table(board), **{name: known.pop(name) for name in _TABLE_FIELDS if name in known})
    opening: dict[str, Any] = {"tab": "queue"} if "ticket" in query else {}
    notes = (
        f"The link's {name[:40]} ({ours[name][:40]}) is unknown here and was ignored."
        for name, value in read.items()
        if value is None
    )
    return Link(PageState(**opening | known).with_table(board, table), tuple(notes))


def _readers(board: Board, set_ids: tuple[str, ...], benchmark_ids: tuple[str, ...]) -> dict[str, Callable[[str], Any]]:
    """What reads each parameter; a reader returns None for what it does not know."""
    return {
        "tab": _one_of(TABS),
        "set": _one_of(set_ids),
        "view": _one_of(VIEWS),
        "benchmark": _one_of(benchmark_ids),
        "agreement": _one_of(AGREEMENTS),
        "sort": _one_of(sort_keys(board)),
        "direction": _one_of(DIRECTIONS),
        "search": _text,
        "page": _page_number,
        "system": _text,
        "item": _text,
        "judge": _text,
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
