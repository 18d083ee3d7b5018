"""What a visitor looks at: each page has a state of its own, which declares its choices and how links read them.

Choosing, opening and closing follow from the declarations: `chosen`, `closed` and `all_closed`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

from leaderboard.parts.board_kind import BoardKind, Direction
from leaderboard.parts.tables import Baselines

MAX_VALUE_LENGTH = 200
"""Longer values in a link are nobody's search or id."""
READ = "read"
"""Where a choice keeps what reads it."""
IS_STEP = "is_step"
"""Where a choice keeps whether another one is a step of the browser's history."""
IS_OPENED = "is_opened"
"""Where a choice keeps whether it is something opened, in place of the board: a row, or an item of a row."""
UNDOES = "undoes"
"""Where a choice keeps the names of the choices that are taken back with every other one ..."""
KEEPS_PAGE = "keeps_page"
"""... and whether the table then stays on its page."""

ChoiceReader = Callable[[str], Any]
"""Value in a link -> the choice; None for what it does not know."""


def one_of(known: Sequence[str]) -> ChoiceReader:
    """Reads a choice among a few."""
    return lambda value: value if value in known else None


def text(value: str) -> str | None:
    """Reads an id or a search."""
    return value if len(value) <= MAX_VALUE_LENGTH else None


def whole_number(value: str) -> int | None:
    """Reads a page or a place, from 1.

    >>> whole_number("12"), whole_number("0"), whole_number("-1"), whole_number("²")
    (12, None, None, None)
    """
    is_number = value.isascii() and value.isdigit() and len(value) < 6 and int(value) > 0
    return int(value) if is_number else None


def choice(at_first: Any, read: ChoiceReader, *, undoes: Sequence[str] = (), keeps_page: bool = False) -> Any:
    """A field of a page's state that links carry under its name, where it is not as at first.

    Args:
        undoes: Names of choices that are taken back when another one is made here.
        keeps_page: Does the table stay on its page then? It does where the choice is not one of rows.
    """
    return field(default=at_first, metadata={READ: read, UNDOES: undoes, KEEPS_PAGE: keeps_page})


def step(at_first: Any, read: ChoiceReader, *, undoes: Sequence[str] = (), keeps_page: bool = False) -> Any:
    """A `choice` of what is looked at: another one is a step of the browser's history, to which Back returns.

    Order, search, filters and the like are no steps.
    """
    metadata = {READ: read, IS_STEP: True, UNDOES: undoes, KEEPS_PAGE: keeps_page}
    return field(default=at_first, metadata=metadata)


def opened(at_first: Any, read: ChoiceReader, *, undoes: Sequence[str] = (), keeps_page: bool = False) -> Any:
    """A `step` into something that is shown in place of the board; as at first, nothing is opened.

    The first one that a state declares is the row, the next one is an item of that row.
    """
    metadata = {READ: read, IS_STEP: True, IS_OPENED: True, UNDOES: undoes, KEEPS_PAGE: keeps_page}
    return field(default=at_first, metadata=metadata)


@dataclass(frozen=True, slots=True)
class TableState:
    """How a visitor looks at the table of a board."""

    sort: str = ""
    direction: Direction = "descending"
    search: str = ""
    page: int = 1
    baselines: Baselines = "folded"
    filters: tuple[tuple[str, str], ...] = ()
    """Key and choice of every filter in use, in the order they are declared."""
    columns: tuple[str, ...] = ()
    """Keys of the columns chosen, in the order they are declared; empty = all of them."""


def first_table(kind: BoardKind[Any]) -> TableState:
    """How a board's table is shown at first: the best on top, the columns that matter most."""
    return TableState(kind.headline, kind.direction, columns=kind.first_columns)


class Drawing(NamedTuple):
    """What a page was drawn from, beside the choices of its visitor."""

    turn: int
    """Of the state (`PageState.turn`)."""
    marker: object
    """What the results were at; another one = what the page shows may have changed."""


@dataclass(frozen=True, slots=True)
class PageState:
    """What a visitor of one page looks at; a page with choices has a class of its own, with a `choice` for each.

    Its values without arguments are the page as at first.
    """

    kind: ClassVar[BoardKind[Any] | None] = None
    """The board whose table the page shows; None where it shows none."""
    is_named: ClassVar[bool] = True
    """Public links name the page; else they do so only where they say nothing more."""

    tab: str = "overview"
    """The page."""
    table: TableState = TableState()
    """How its table is looked at."""
    is_dark: bool = False
    """The visitor's browser shows dark colours; never in a link."""
    turn: int = field(default=0, compare=False)
    """How often it was drawn, by which a browser knows a late answer; 0 = never. In no link."""

    visit: int = field(default=0, compare=False)
    """Which of the visitor's moves through the history it answers; 0 = none. In no link."""

    drawing: Drawing | None = field(default=None, compare=False)
    """The drawing that shows exactly this state; None = nothing is known to. In no link."""

    @property
    def written_link(self) -> str:
        """The public link, where the page writes it itself; blank = it is made of the choices."""
        return ""

    @property
    def opened_row(self) -> str:
        """Id of the row of its board that is opened; blank = none."""
        return next((str(getattr(self, opened.name)) for opened in opened_fields(self)), "")

    @classmethod
    def reads_itself(cls, name: str) -> bool:
        """Whether the page reads that parameter of its link when it is opened."""
        return False


State = TypeVar("State", bound=PageState)


def beside_table(state: State) -> State:
    """Return what is looked at, without how its table is: order, search, filters, columns and page."""
    return replace(state, table=TableState())


# What a visitor does to the page state. Values come from the browser: anything unknown changes nothing.


def opened_fields(state: PageState) -> tuple[Field[Any], ...]:
    """The fields that say what is opened, the row first."""
    return tuple(each for each in fields(state) if IS_OPENED in each.metadata)


def chosen(name: str) -> Callable[[State, object], State]:
    """What it does to choose, or to open, what a field declares (`choice`, `step`, `opened`)."""

    def change(state: State, value: object) -> State:
        declared = _field(state, name)
        if value == declared.default:  # True is 1, and stays no number
            return _with(state, declared, declared.default)
        if isinstance(declared.default, int) and isinstance(value, int):
            value = str(value)  # as links carry it
        read = declared.metadata[READ](value) if isinstance(value, str) else None
        return state if read is None else _with(state, declared, read)

    return change


def closed(name: str) -> Callable[[State], State]:
    """What it does to take a choice back, or to close what is opened."""

    def change(state: State) -> State:
        declared = _field(state, name)
        return _with(state, declared, declared.default)

    return change


def all_closed(state: State) -> State:
    """The state with nothing opened."""
    for each in opened_fields(state):
        state = _with(state, each, each.default)
    return state


def _field(state: PageState, name: str) -> Field[Any]:
    return next(each for each in fields(state) if each.name == name)


def _with(state: State, declared: Field[Any], value: Any) -> State:
    """Another choice of a field, with what comes with it."""
    undone = {each.name: each.default for each in fields(state) if each.name in declared.metadata[UNDOES]}
    changes: dict[str, Any] = undone | {declared.name: value}
    if not declared.metadata[KEEPS_PAGE]:
        changes["table"] = replace(state.table, page=1)
    return replace(state, **changes)


@dataclass(frozen=True, slots=True)
class QueueState(PageState):
    """What a visitor of the queue looks at; whatever was submitted leads there."""

    tab: str = "queue"
    ticket: str = step("", text)
    """Opened submission; blank = all of them."""
    queue_page: int = choice(1, whole_number)


@dataclass(frozen=True, slots=True)
class JudgeReportState(PageState):
    """What a visitor of the judge report looks at; what was published leads there."""

    tab: str = "judge_report"
    report: str = choice("", text)
    """Opened published report; blank = none, a log can be dropped."""


@dataclass(frozen=True, slots=True)
class AboutState(PageState):
    """What a visitor of About looks at; every figure leads there."""

    tab: str = "about"
    section: str = choice("", text)
    """Part that is read, "robustness", or a section of it about a figure, "robustness.score"; blank = the contents."""
