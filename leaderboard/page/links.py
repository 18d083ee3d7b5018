"""The state of a page <-> plain query parameters, so that every view has a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypedDict, get_args
from urllib.parse import urlencode

from leaderboard.page.state import IS_STEP, READ, ChoiceReader, PageState, State, one_of, text, whole_number
from leaderboard.parts.board_kind import ALL, Board, BoardKind, Direction
from leaderboard.parts.filters import ANY
from leaderboard.parts.tables import Baselines

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
BASELINES: tuple[Baselines, ...] = get_args(Baselines)


@dataclass(frozen=True, slots=True)
class Link(Generic[State]):
    """A link as it was understood."""

    state: State
    notes: tuple[str, ...]
    """What was ignored, in words."""


_TABLE_FIELDS = ("sort", "direction", "search", "page", "baselines")
FILTER_PREFIX = "filter_"
"""Begins the parameter of a filter."""
DRAWER = "drawer"
"""Names the open drawer in the address of a page: the browser writes and reads it, and no other link has it."""
CHART = "chart"
"""Names the chart that the address of a page leads to, as its fragment does, which no server is told."""
_NOT_OURS = frozenset({"logs", DRAWER, CHART})
"""Parameters of the browser and of the host (a Space adds them), besides names that begin with two underscores."""


def link_of(state: PageState) -> str:
    """The public link of a state, a query: only what differs from the page as at first.

    It leads to the state from the front door (`/`), also where only the query of an address is passed on, as the Hub
    does it for a Space. A bare link is the Overview.

    >>> link_of(PageState(tab="queue")), link_of(PageState())
    ('?tab=queue', '?')
    """
    if state.written_link:
        return state.written_link
    query = _query_of(state)
    is_named = state.tab != PageState().tab and (state.is_named or not query)
    return "?" + urlencode(({"tab": state.tab} if is_named else {}) | query)


def _query_of(state: PageState) -> dict[str, str]:
    """What the link says besides the page."""
    first = type(state)()
    shown = [(name, getattr(state, name), getattr(first, name)) for name in choices_of(type(state))]
    if state.kind:
        table = state.table
        shown += [(name, getattr(table, name), getattr(first.table, name)) for name in _TABLE_FIELDS]
        shown += [(f"{FILTER_PREFIX}{key}", choice, ANY) for key, choice in table.filters]
        columns, first_columns = (_columns_text(state.kind, keys) for keys in (table.columns, first.table.columns))
        shown.append(("columns", columns, first_columns))
    return {name: str(value) for name, value, at_first in shown if value != at_first}


def _columns_text(kind: BoardKind[Any], columns: tuple[str, ...]) -> str:
    """A choice of columns as links carry it: the key of a preset, or the keys of the columns."""
    return kind.preset_of(columns) or ",".join(columns)


def readers_of(page: type[PageState]) -> dict[str, ChoiceReader]:
    """Every parameter that the link of a page may have, with what reads it."""
    return choices_of(page) | (_table_readers(page.kind) if page.kind else {})


def choices_of(page: type[PageState]) -> dict[str, ChoiceReader]:
    """The choices that a page declares, each with what reads it from a link."""
    return {field.name: field.metadata[READ] for field in fields(page) if READ in field.metadata}


def place_of(state: PageState) -> str:
    """Return what of a state is a step of the browser's history: which row is opened, not how a table is sorted.

    >>> from leaderboard.page.state import QueueState
    >>> place_of(QueueState(ticket="7f3a", queue_page=2)), place_of(QueueState(queue_page=2))
    ('ticket=7f3a', 'ticket=')
    """
    steps = [field.name for field in fields(state) if IS_STEP in field.metadata]
    return urlencode({name: getattr(state, name) for name in steps})


def path_of(tab: str) -> str:
    """The path of a page, below the address of the site.

    >>> path_of("queue"), path_of("overview")
    ('queue', '')
    """
    return "" if tab == PageState().tab else tab


def address_of(state: PageState) -> str:
    """The address of a state, as the pages link to each other: the path of its page, then the query of the rest.

    >>> address_of(PageState(tab="queue")), address_of(PageState())
    ('queue', './')
    """
    query = _query_of_page(state)
    return (path_of(state.tab) or "./") + (f"?{query}" if query else "")


def _query_of_page(state: PageState) -> str:
    """The public link without its question mark and the name of the page."""
    named, separator, rest = link_of(state).removeprefix("?").partition("&")
    return (rest if separator else "") if named == f"tab={state.tab}" else named + separator + rest


def section_of(board: Board, column: str) -> str:
    """The section of About that tells how a column of a board is made."""
    return f"{board}.{column}"


def part_of(section: str) -> str:
    """The part of About with a section: the board of a column, else the part itself.

    >>> part_of("robustness.score"), part_of("limits")
    ('robustness', 'limits')
    """
    return section.partition(".")[0]


class ViewLinkValue(TypedDict):
    """The link of what is shown, for the component that shows it and carries it into the address bar."""

    href: str
    """The public link."""
    query: str
    """What of it the address bar carries behind the path of the page."""
    tab: str
    """The page that shows it."""
    address: str
    """Where that page lies."""
    turn: int
    """Of the state (`PageState.turn`)."""
    place: str
    """Another one is a step of the browser's history (`place_of`)."""
    visit: int
    """Of the state (`PageState.visit`)."""


def view_link_value(state: PageState) -> ViewLinkValue:
    """The link of a state, in public and on its own page."""
    return {
        "href": link_of(state),
        "query": _query_of_page(state),
        "tab": state.tab,
        "address": address_of(state),
        "turn": state.turn,
        "place": place_of(state),
        "visit": state.visit,
    }


def parsed(query: Mapping[str, str], page: type[State]) -> Link[State]:
    """The state of a page that a query asks for; what is unknown is ignored with a note.

    Whether what is chosen exists is for the page to say.

    Args:
        query: Parameters of a link; `tab` is not read.
    """
    first = page()
    readers = readers_of(page)
    ours = {name: value for name, value in query.items() if name != "tab" and not _is_left_to_others(name, page)}
    read = {name: readers[name](value) if name in readers else None for name, value in ours.items()}
    known = {name: value for name, value in read.items() if value is not None}
    notes = [ignored(name, ours[name]) for name, value in read.items() if value is None]
    table = first.table
    if first.kind:
        look = {name: known.pop(name) for name in (*_TABLE_FIELDS, "columns") if name in known}
        filters = ((filter_.key, known.pop(f"{FILTER_PREFIX}{filter_.key}", ANY)) for filter_ in first.kind.filters)
        look["filters"] = tuple((key, choice) for key, choice in filters if choice != ANY)
        table = replace(table, **look)
        strange = ",".join(_unknown_columns(first.kind, ours["columns"])) if "columns" in look else ""
        notes += [ignored("columns", strange)] if strange else []
    return Link(replace(first, table=table, **known), tuple(notes))


def ignored(name: str, value: str) -> str:
    """Says that part of a link was not understood."""
    return f"The link's {name[:40]} ({value[:40]}) is unknown here and was ignored."


def _table_readers(kind: BoardKind[Any]) -> dict[str, ChoiceReader]:
    return {
        "sort": one_of(kind.sort_keys),
        "direction": one_of(DIRECTIONS),
        "search": text,
        "page": whole_number,
        "baselines": one_of(BASELINES),
        "columns": _columns(kind),
        **{f"{FILTER_PREFIX}{filter_.key}": filter_.read for filter_ in kind.filters},
    }


def _columns(kind: BoardKind[Any]) -> Callable[[str], tuple[str, ...] | None]:
    """Reads a choice of columns: a preset, or keys of which at least one is known."""

    def read(value: str) -> tuple[str, ...] | None:
        if value == ALL:
            return ()
        named = next((preset.columns for preset in kind.presets if preset.key == value), None)
        keys = named or tuple(key for key in value.split(",") if any(key == column.key for column in kind.columns))
        return kind.column_choice(keys) if keys else None

    return read


def _unknown_columns(kind: BoardKind[Any], value: str) -> list[str]:
    """Keys of a readable choice of columns that no column has."""
    if value == ALL or any(preset.key == value for preset in kind.presets):
        return []
    return [key for key in value.split(",") if all(key != column.key for column in kind.columns)]


def _is_left_to_others(name: str, page: type[PageState]) -> bool:
    """Whether the host or the page itself reads it."""
    return name.startswith("__") or name in _NOT_OURS or page.reads_itself(name)
