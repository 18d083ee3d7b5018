"""What a board tells the rest of the site: a line in `leaderboard.boards.BOARDS` is all it takes to add one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar, cast

import gradio as gr

from evaluator.canary.record import canary_folder
from evaluator.results import Pin
from leaderboard.page.board_table import BoardTable
from leaderboard.page.canaries import Canaries
from leaderboard.page.frame import ViewLink
from leaderboard.page.judge_card import JudgeReport, PositionReport
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.published_reports import PublishedReports
from leaderboard.page.region import LivePage
from leaderboard.page.services import Services
from leaderboard.page.state import PageState
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.chart import Chart
from leaderboard.parts.published import Mark
from leaderboard.parts.tables import TableValue
from submissions.store.queue import Ticket
from submissions.store.store import Store

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of one board, for the card of the system it belongs to."""

    board: str
    """The board with what was chosen on it."""
    row: str
    headline: str
    """The board's headline figure with its interval, written out."""
    rank: str
    link: str


@dataclass(frozen=True, slots=True)
class PublishedLead:
    """Who stands first in what others published and no row of a table is made of, for the Overview."""

    name: str
    text: str
    """The figure with what it is of."""
    mark: Mark
    among: str
    """The others, and where: "5 systems in Table 2 of 2024"."""
    link: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A finding in one sentence, computed from real data, for the Overview."""

    claim: str
    interval: str
    """The 95% interval of the figure in the claim, written out."""
    source: str
    """What the figure is of, and who gave the data."""
    link: str
    """Query of the page that proves it."""


def _nothing_published() -> None:
    return None


def _no_facts() -> Sequence[Fact]:
    return ()


@dataclass(frozen=True)
class BoardTools:
    """What boards are opened with; whatever several of them need is made once."""

    services: Services
    _made: dict[Callable[[BoardTools], Any], Any] = field(default_factory=dict)
    _opened: dict[str, OpenBoard] = field(default_factory=dict)

    def shared(self, make: Callable[[BoardTools], Made]) -> Made:
        """What `make` gives, which is called the first time only."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(Made, self._made[make])

    def open(self, boards: Sequence[Board]) -> dict[str, OpenBoard]:
        """The boards over the stored results, by key, in their order."""
        for board in boards:
            self._opened[board.key] = board.open(self)
        return self._opened

    @property
    def opened(self) -> dict[str, OpenBoard]:
        """The boards that were opened, by key, in their order."""
        return self._opened

    def standings(self, tickets: Set[str]) -> Iterator[Standing]:
        """The rows of these tickets on every opened board."""
        for board in self._opened.values():
            yield from board.standings(tickets)

    def report_of(self, judge: Pin) -> PositionReport | None:
        """What the boards that measure judges know of this one."""
        reports = (board.report_of(judge) for board in self._opened.values() if board.report_of)
        return next((report for report in reports if report), None)

    @property
    def qualities(self) -> JudgeQualities:
        """How well judges are measured to judge."""
        return self.shared(_qualities)

    @property
    def reports(self) -> PublishedReports:
        """The reports on judges that stand published."""
        return self.shared(_reports)

    @property
    def tickets(self) -> StoredTickets:
        """Every submission."""
        return self.shared(_tickets)

    def marker(self) -> int:
        """Changes whenever a board or a ticket may have changed."""
        return self.services.store.change_marker()


class StoredTickets:
    """Every submission, read once per change and not per visitor."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._marker: int | None = None
        self._tickets: tuple[Ticket, ...] = ()

    def __call__(self) -> tuple[Ticket, ...]:
        with self._lock:
            marker = self._store.change_marker()
            if marker != self._marker:
                self._tickets = tuple(self._store.tickets())
                self._marker = marker
            return self._tickets


def _qualities(tools: BoardTools) -> JudgeQualities:
    return JudgeQualities(tools.services.store, Canaries(canary_folder(tools.services.settings.data)))


def _reports(tools: BoardTools) -> PublishedReports:
    return PublishedReports(tools.services.store)


def _tickets(tools: BoardTools) -> StoredTickets:
    return StoredTickets(tools.services.store)


def _nothing_unknown(state: Any) -> tuple[Any, Sequence[str]]:
    return state, ()


def _stands_nowhere(tickets: Set[str]) -> Iterable[Standing]:
    return ()


@dataclass(frozen=True, slots=True)
class RowItems:
    """The items of a board's opened row, of which one may be opened."""

    noun: str
    """What one is called, as a heading begins: "Item"."""
    opened: Callable[[Any], str]
    """Id of the opened one in `table`; blank = none."""
    table: Callable[[Any], TableValue | None]
    """All of them with their figures, a page at a time; None where no row is opened."""


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """A board over the stored results."""

    table: BoardTable[Any, Any]
    page: Callable[[gr.State, ViewLink], LivePage[Any]]
    """Builds its page."""
    understood: Callable[[Any], tuple[Any, Sequence[str]]] = _nothing_unknown
    """The state of a link with every choice made that it leaves open, and what of it is unknown here, in words."""
    exported: Callable[[], Iterable[PageState]] | None = None
    """What of it an export writes; None = the board as at first."""
    standings: Callable[[Set[str]], Iterable[Standing]] = _stands_nowhere
    """The rows of tickets."""
    report_of: JudgeReport | None = None
    """What it knows of a judge, where it measures judges."""
    published: Callable[[], PublishedLead | None] = _nothing_published
    """Who leads in what others published, where that is no row of its table."""
    facts: Callable[[], Sequence[Fact]] = _no_facts
    """Findings on real data that a visitor who never saw the board would be surprised by."""
    items: RowItems | None = None
    """The items of its rows; None where they have no page."""
    charts: Sequence[Chart[Any]] = ()
    """Charts of its page besides those that its kind declares."""
    takes_rows: bool = True
    """Whether anybody can add a row; the Overview shows of other boards what was found, not who leads."""

    def exports(self) -> Iterable[PageState]:
        """The states of its page that an export writes."""
        return self.exported() if self.exported else [self.table.state()]


@dataclass(frozen=True, slots=True)
class Board:
    """A registered board."""

    state: type[PageState]
    """What a visitor of its page looks at: the choices of the board, and what is declared about it (`kind`)."""
    entry: str
    """The entry of the masthead that leads to it; pages of one entry are told apart below the masthead."""
    open: Callable[[BoardTools], OpenBoard]
    row_of: Callable[[Ticket], PageState | None]
    """The view of what a ticket's run scored; None = it stands on another board."""
    short_name: str = ""
    """What it is called among the pages of its entry; blank = as the board is."""
    sets: tuple[str, ...] = ()
    """The prompt sets and kinds of files whose runs stand on it: what the seasons on its page are of."""

    @property
    def key(self) -> str:
        """Of the board, its page and its links."""
        return self.state().tab

    @property
    def name(self) -> str:
        """What it is called among the pages of its entry."""
        return self.short_name or self.kind.title

    @property
    def kind(self) -> BoardKind[Any]:
        """What is declared about it.

        Raises:
            TypeError: its state declares none.
        """
        if self.state.kind is None:
            raise TypeError(f"the state of the board {self.key} declares no kind")
        return self.state.kind
