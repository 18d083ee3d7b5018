"""The state of the page <-> plain query parameters, so that every view has a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, cast, get_args
from urllib.parse import urlencode

from evaluator.personalization import OUTCOMES
from evaluator.results import HEADLINE_VIEW, VIEWS, View
from leaderboard.boards.behavior_alignment.rows import BASES
from leaderboard.boards.kinds import KINDS
from leaderboard.lab.links import is_lab_parameter
from leaderboard.parts.board_kind import ALL, Board, Direction
from leaderboard.parts.filters import ANY
from submissions.formats.personalization.submission import SETTINGS, Setting

Tab = Literal[
    "overview",
    "robustness",
    "consistency",
    "cultural",
    "judges",
    "personalization",
    "personalized_ratings",
    "personalized_pairs",
    "behavior",
    "lab",
    "submit",
    "queue",
    "about",
]
TABS: tuple[Tab, ...] = get_args(Tab)
"""Pages, each at an address of its own; links name them by `tab`."""

BOARDS: tuple[Board, ...] = tuple(KINDS)
"""Pages whose table visitors sort, search and filter."""

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

Agreement = Literal["with_ties", "without_ties", "kappa", "consistent_outcomes"]
AGREEMENTS: tuple[Agreement, ...] = get_args(Agreement)
"""Ways to compare two judges (docs/position_bias.md, "Agreement between judges")."""

Look = Literal["board", "choices", "atlas", "history"]
LOOKS: tuple[Look, ...] = get_args(Look)
"""Ways to look at the results of one edition: its ranking, its ranks under other choices, its heat maps, what a paper
printed."""

MapFigure = Literal["gated", "raw", "worst", "cr", "cd", "rho"]
MAP_FIGURES: tuple[MapFigure, ...] = get_args(MapFigure)
"""What heat maps can show; each edition has some of them (`atlas.screen`)."""

MapOrder = Literal["hardest", "name"]
MAP_ORDERS: tuple[MapOrder, ...] = get_args(MapOrder)
"""How the rows of heat maps are sorted."""

MAX_VALUE_LENGTH = 200
"""Longer values in a link are nobody's search or id."""


@dataclass(frozen=True, slots=True)
class TableState:
    """How a visitor looks at the table of one board."""

    sort: str
    direction: Direction = "descending"
    search: str = ""
    page: int = 1
    filters: tuple[tuple[str, str], ...] = ()
    """Key and choice of every filter in use, in the order they are declared."""
    columns: tuple[str, ...] = ()
    """Keys of the columns chosen, in the order they are declared; empty = all of them."""


def first_table(board: Board) -> TableState:
    """How a board's table is shown at first: the best on top."""
    return TableState(KINDS[board].headline, KINDS[board].direction)


@dataclass(frozen=True, slots=True)
class PageState:
    """What a visitor looks at; the defaults stay out of the link."""

    tab: Tab = "robustness"
    tables: Mapping[Board, TableState] = field(default_factory=dict)
    """Looks at the tables of boards that differ from the first look."""
    set: str = ""
    """Prompt set of the Robustness board; blank = the first one that has rows."""
    view: View = HEADLINE_VIEW
    variation: str = ""
    """Items of that type of variation alone; blank = all."""
    language: str = ""
    """Answers in that language alone, whatever the view; blank = those of the view."""
    without: str = ""
    """Items that are left out, ids joined by commas; blank = none."""
    judged_by: str = ""
    """The judge or panel whose scores rank the board, by its key; blank = the judge each run was scored by."""
    look: Look = "board"
    """How the results of the edition are looked at."""
    figure: MapFigure | Literal[""] = ""
    """What the heat maps show; blank = the first figure of the edition."""
    order: MapOrder = "hardest"
    """How the rows of the heat maps are sorted."""
    rows: int = 1
    """Which page of the rows of long heat maps."""
    system: str = ""
    """Ticket of the opened row."""
    item: str = ""
    """Opened item of that row."""
    against: str = ""
    """Ticket that row is compared with."""
    pair: str = ""
    """Opened pair of that item, "1-2"; blank = the worst pair of each group."""
    benchmark: str = ""
    """Which Judges board (`BoardKey.id`); blank = the first one."""
    judge: str = ""
    """Opened row of that board."""
    agreement: Agreement = "with_ties"
    setting: Setting = "relevant"
    """Which preferences the answers of the Personalization board were given under."""
    dataset: str = ""
    """Which of its data sets, or which of them pooled; blank = the first choice that has rows."""
    answers: str = ""
    """Opened row of that board: a ticket, and a method after a slash."""
    outcome: str = ""
    """Which of its answers are listed; blank = all."""
    example: str = ""
    """Opened example of that row: its row of the file."""
    collection: str = ""
    """Which data the Evaluators boards are of, by its id; blank = what most runs have predicted."""
    k: str = ""
    """Runs with so many reviews shown, or `all`; blank = what most of its runs have."""
    evaluator: str = ""
    """Opened row of those boards: a ticket, or a reference."""
    answered: str = ""
    """Which of its items are listed; blank = all."""
    reading: str = ""
    """Opened item of that row: its place in the file, from 0."""
    conversations: str = ""
    """Which human dialogues the Recommenders board is of: a collection; blank = the first that has systems."""
    basis: str = ""
    """Annotated or estimated systems of it; blank = the first that there are."""
    recommender: str = ""
    """Opened row of that board: a ticket, or a reference."""
    dialogue: int = 0
    """Opened dialogue of that row, from 1; 0 = none."""
    lab: str = ""
    """Link to what the Preference lab shows (`lab.links`); blank = as on a first visit."""
    ticket: str = ""
    """Ticket opened in the queue."""
    queue_page: int = 1
    section: str = ""
    """Section of the Methods page that is open, "robustness.score"; blank = none."""
    is_dark: bool = False
    """The visitor's browser shows dark colours; never in a link."""

    def table(self, board: Board) -> TableState:
        """How the visitor looks at the table of that board."""
        return self.tables.get(board) or first_table(board)

    def with_table(self, board: Board, table: TableState) -> PageState:
        """The state with another look at the table of that board."""
        others = {name: look for name, look in self.tables.items() if name != board}
        return replace(self, tables=others if table == first_table(board) else {**others, board: table})


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it was understood."""

    state: PageState
    notes: tuple[str, ...]
    """What was ignored, in words."""


_TABLE_FIELDS = ("sort", "direction", "search", "page")
FILTER_PREFIX = "filter_"
"""Begins the parameter of a filter."""
_EVALUATORS = ("collection", "k", "evaluator", "answered", "reading")
_FIELDS: dict[str, tuple[str, ...]] = {
    "overview": (),
    "robustness": (
        *("set", "view", "variation", "language", "without", "judged_by", "look", "figure", "order", "rows"),
        *("system", "item", "pair", "against"),
    ),
    "consistency": ("look", "figure", "order", "rows", "system", "item", "pair"),
    "cultural": ("look", "figure", "order", "rows", "system", "item", "pair"),
    "judges": ("benchmark", "judge", "agreement"),
    "personalization": ("setting", "dataset", "answers", "outcome", "example"),
    "personalized_ratings": _EVALUATORS,
    "personalized_pairs": _EVALUATORS,
    "behavior": ("conversations", "basis", "recommender", "dialogue", "against"),
    "lab": (),
    "submit": (),
    "queue": ("ticket", "queue_page"),
    "about": ("section",),
}
"""What each page shows, besides the table of a board."""
_NOT_OURS = frozenset({"logs"})
"""Parameters of the host (a Space adds them), besides names that begin with two underscores."""


def link_of(state: PageState) -> str:
    """The public link of a state, a query: only what its page shows and what differs from its defaults.

    It leads to the state from the front door (`/`), also where only the query of an address is passed on, as the Hub
    does it for a Space. A bare link is the Overview, and one that names no page the first board.

    >>> link_of(PageState(tab="queue", ticket="7f3a"))
    '?tab=queue&ticket=7f3a'
    >>> link_of(PageState(set="demonstration")), link_of(PageState())
    ('?set=demonstration', '?tab=robustness')
    >>> link_of(PageState(tab="overview"))
    '?'
    """
    if state.tab == "overview":
        return "?"
    if state.tab == "lab" and state.lab:
        return state.lab
    first_screen = PageState()
    shown = [(name, getattr(state, name), getattr(first_screen, name)) for name in ("tab", *_FIELDS.get(state.tab, ()))]
    if state.tab in KINDS:
        table, first = state.table(state.tab), first_table(state.tab)
        shown += [(name, getattr(table, name), getattr(first, name)) for name in _TABLE_FIELDS]
        shown += [(f"{FILTER_PREFIX}{key}", choice, ANY) for key, choice in table.filters]
        shown.append(("columns", _columns_text(state.tab, table.columns), ALL))
    query = {name: str(value) for name, value, at_first in shown if value != at_first}
    return "?" + urlencode(query or {"tab": state.tab})


def path_of(tab: Tab) -> str:
    """The path of a page, below the address of the site.

    >>> path_of("judges"), path_of("overview")
    ('judges', '')
    """
    return "" if tab == "overview" else tab


def address_of(state: PageState) -> str:
    """The address of a state, as the pages link to each other: the path of its page, then the query of the rest.

    >>> address_of(PageState(tab="queue", ticket="7f3a")), address_of(PageState(set="demonstration"))
    ('queue?ticket=7f3a', 'robustness?set=demonstration')
    >>> address_of(PageState(tab="judges")), address_of(PageState(tab="overview"))
    ('judges', './')
    """
    query = _query_of_page(state)
    return (path_of(state.tab) or "./") + (f"?{query}" if query else "")


def _query_of_page(state: PageState) -> str:
    """The public link without its question mark and the name of the page."""
    named, found, rest = link_of(state).removeprefix("?").partition("&")
    return (rest if found else "") if named == f"tab={state.tab}" else named + found + rest


def tab_of(query: Mapping[str, str]) -> Tab:
    """The page that a public link opens: the one it names, else the one that it says something about.

    >>> tab_of({"tab": "judges"}), tab_of({"ticket": "7f3a"}), tab_of({"set": "demonstration"}), tab_of({})
    ('judges', 'queue', 'robustness', 'overview')
    >>> tab_of({"tab": "nowhere"}), tab_of({"utm_source": "mail"})
    ('robustness', 'overview')
    """
    named = query.get("tab")
    if named in TABS or named in KINDS:
        return cast(Tab, named)
    if "ticket" in query:
        return "queue"
    names = _readers("robustness", (), (), ())
    return "robustness" if any(name in names for name in query) else "overview"


def _columns_text(board: Board, columns: tuple[str, ...]) -> str:
    """A choice of columns in a link: the name of a preset, or keys."""
    return KINDS[board].preset_of(columns) or ",".join(columns)


def section_of(board: Board, column: str) -> str:
    """The section of the Methods page about a column."""
    return f"{board}.{column}"


class ViewLinkValue(TypedDict):
    """The link of what is shown, for the component that shows it and carries it into the address bar."""

    href: str
    """The public link."""
    query: str
    """What of it the address bar carries behind the path of the page."""
    tab: Tab
    """The page that shows it."""
    address: str
    """Where that page lies."""


def view_link_value(state: PageState) -> ViewLinkValue:
    """The link of a state, in public and on its own page."""
    return {"href": link_of(state), "query": _query_of_page(state), "tab": state.tab, "address": address_of(state)}


def parsed(
    query: Mapping[str, str],
    set_ids: tuple[str, ...],
    benchmark_ids: tuple[str, ...],
    dataset_ids: tuple[str, ...] = (),
    tab: Tab | None = None,
) -> Link:
    """The state a query asks for; what is unknown is ignored with a note.

    Sort, search, filters and columns belong to the board of the page.

    Args:
        tab: The page at whose address the query stands; None = it is a public link (`tab_of`).
    """
    here = tab or tab_of(query)
    board: Board = next((board for board in KINDS if board == here), "robustness")
    readers = _readers(board, set_ids, benchmark_ids, dataset_ids)
    ours = {name: value for name, value in query.items() if not _is_left_to_others(name, here)}
    read = {name: readers[name](value) if name in readers else None for name, value in ours.items()}
    known = {name: value for name, value in read.items() if value is not None}
    look = {name: known.pop(name) for name in (*_TABLE_FIELDS, "columns") if name in known}
    filters = ((one.key, known.pop(f"{FILTER_PREFIX}{one.key}", ANY)) for one in KINDS[board].filters)
    look["filters"] = tuple((key, choice) for key, choice in filters if choice != ANY)
    notes = [ignored(name, ours[name]) for name, value in read.items() if value is None]
    if "columns" in look:
        strange = ",".join(_unknown_columns(board, ours["columns"]))
        notes += [ignored("columns", strange)] if strange else []
    table = replace(first_table(board), **look)
    return Link(PageState(**known | {"tab": here}).with_table(board, table), tuple(notes))


def ignored(name: str, value: str) -> str:
    """Says that part of a link was not understood."""
    return f"The link's {name[:40]} ({value[:40]}) is unknown here and was ignored."


def _columns(board: Board) -> Callable[[str], tuple[str, ...] | None]:
    """Reads a choice of columns: a preset, or keys of which at least one is known."""
    kind = KINDS[board]

    def read(value: str) -> tuple[str, ...] | None:
        if value == ALL:
            return ()
        named = next((preset.columns for preset in kind.presets if preset.key == value), None)
        keys = named or tuple(key for key in value.split(",") if any(key == column.key for column in kind.columns))
        return kind.column_choice(keys) if keys else None

    return read


def _unknown_columns(board: Board, value: str) -> list[str]:
    """Keys of a readable choice of columns that no column has."""
    kind = KINDS[board]
    if value == ALL or any(preset.key == value for preset in kind.presets):
        return []
    return [key for key in value.split(",") if all(key != column.key for column in kind.columns)]


def _is_left_to_others(name: str, tab: Tab) -> bool:
    """Whether the host or the lab reads it."""
    return name.startswith("__") or name in _NOT_OURS or (tab == "lab" and is_lab_parameter(name))


def _readers(
    board: Board, set_ids: tuple[str, ...], benchmark_ids: tuple[str, ...], dataset_ids: tuple[str, ...]
) -> dict[str, Callable[[str], Any]]:
    """What reads each parameter; a reader returns None for what it does not know."""
    return {
        "tab": _one_of((*TABS, *KINDS)),
        "set": _one_of(set_ids),
        "view": _one_of(VIEWS),
        "benchmark": _one_of(benchmark_ids),
        "agreement": _one_of(AGREEMENTS),
        "setting": _one_of(SETTINGS),
        "dataset": _one_of(dataset_ids),
        "outcome": _one_of(OUTCOMES),
        "collection": _text,
        "k": _text,
        "evaluator": _text,
        "answered": _text,
        "reading": _text,
        "answers": _text,
        "example": _text,
        "conversations": _text,
        "basis": _one_of(BASES),
        "recommender": _text,
        "dialogue": _page_number,
        "sort": _one_of(KINDS[board].sort_keys),
        "direction": _one_of(DIRECTIONS),
        "search": _text,
        "page": _page_number,
        "columns": _columns(board),
        **{f"{FILTER_PREFIX}{one.key}": one.read for one in KINDS[board].filters},
        "variation": _text,
        "language": _text,
        "without": _text,
        "judged_by": _text,
        "look": _one_of(LOOKS),
        "figure": _one_of(MAP_FIGURES),
        "order": _one_of(MAP_ORDERS),
        "rows": _page_number,
        "system": _text,
        "item": _text,
        "pair": _text,
        "against": _text,
        "judge": _text,
        "ticket": _text,
        "queue_page": _page_number,
        "section": _one_of(
            tuple(section_of(name, column.key) for name, kind in KINDS.items() for column in kind.columns)
        ),
    }


def _one_of(known: tuple[str, ...]) -> Callable[[str], str | None]:
    return lambda value: value if value in known else None


def _text(value: str) -> str | None:
    return value if len(value) <= MAX_VALUE_LENGTH else None


def _page_number(value: str) -> int | None:
    is_page = value.isascii() and value.isdigit() and len(value) < 6 and int(value) > 0
    return int(value) if is_page else None
