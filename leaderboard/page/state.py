"""What a visitor looks at: each page has a state of its own, which declares its choices and how links read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from leaderboard.parts.board_kind import BoardKind, Direction
from leaderboard.parts.tables import Baselines

MAX_VALUE_LENGTH = 200
"""Longer values in a link are nobody's search or id."""
READ = "read"
"""Where a choice keeps what reads it."""
IS_STEP = "is_step"
"""Where a choice keeps whether another one is a step of the browser's history."""

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


def choice(at_first: Any, read: ChoiceReader) -> Any:
    """A field of a page's state that links carry under its name, where it is not as at first."""
    return field(default=at_first, metadata={READ: read})


def step(at_first: Any, read: ChoiceReader) -> Any:
    """A `choice` of what is looked at: another one is a step of the browser's history, to which Back returns.

    Order, search, filters and the like are no steps.
    """
    return field(default=at_first, metadata={READ: read, IS_STEP: True})


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

    @property
    def written_link(self) -> str:
        """The public link, where the page writes it itself; blank = it is made of the choices."""
        return ""

    @property
    def opened_row(self) -> str:
        """Id of the row of its board that is opened; blank = none."""
        return ""

    @classmethod
    def reads_itself(cls, name: str) -> bool:
        """Whether the page reads that parameter of its link when it is opened."""
        return False


State = TypeVar("State", bound=PageState)


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
