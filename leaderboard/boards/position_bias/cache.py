"""The Judges boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from threading import Lock

from evaluator.position_bias.own_judges import own_judges_result
from evaluator.results import Pin, RobustnessResult, judges_results
from leaderboard.boards.position_bias.cards import position_facts
from leaderboard.boards.position_bias.kind import JUDGES
from leaderboard.boards.position_bias.published import published_tables
from leaderboard.boards.position_bias.rows import JudgeRow, ScoredTable, judge_rows, row_id
from leaderboard.boards.position_bias.state import AGREEMENTS, Agreement
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.rows import ScoredTicket
from leaderboard.page.benchmarks import BENCHMARKS, BoardKey
from leaderboard.page.judge_card import PositionReport
from leaderboard.page.ledger import Ledger
from leaderboard.page.registered import BoardTools
from leaderboard.parts.tables import column_of, ordered
from leaderboard.parts.team_names import TeamNames
from submissions.formats.judge_verdicts.submission import is_verdict_set
from submissions.store.queue import Ticket
from submissions.store.store import Store

Matrix = Mapping[tuple[str, str], float | None]
"""Row and row -> how far they agree; absent where no table holds both."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How often judges of one table stand against the majority."""

    label: str
    """The table it comes from, in words."""
    histogram: Mapping[int, int]
    """Votes against the most frequent verdict -> prompts and orders."""
    hardest: tuple[str, ...]
    """Queries with the most disagreement, hardest first."""


@dataclass(frozen=True, slots=True)
class JudgeBoard:
    """Everything known about the judges of one benchmark."""

    key: BoardKey
    rows: tuple[JudgeRow, ...] = ()
    """Judges, then baselines; blank where no table has been scored."""
    agreement: Mapping[Agreement, Matrix] = field(default_factory=dict)
    """By way of comparing."""
    disagreements: tuple[Disagreement, ...] = ()

    @property
    def judges(self) -> list[JudgeRow]:
        """Rows of judges that were asked, here or elsewhere, in the order the board has at first: the most consistent
        on top."""
        by_name = sorted((row for row in self.rows if not row.is_baseline), key=lambda row: (row.judge, row.id))
        return ordered(by_name, column_of(JUDGES.columns, JUDGES.headline), descending=True)

    @property
    def entries(self) -> list[JudgeRow]:
        """Those without the published ones."""
        return [row for row in self.judges if row.is_entry]

    @property
    def baselines(self) -> list[JudgeRow]:
        """Rows of judges that do not read."""
        return [row for row in self.rows if row.is_baseline]

    def row(self, row_id: str) -> JudgeRow | None:
        """The row of that id."""
        return next((row for row in self.rows if row.id == row_id), None)


Stamp = tuple[tuple[str, datetime, bool, str], ...]
"""Which submissions, in which state, a board was computed from, which are primary runs, and whose they are."""


class JudgeBoards:
    """The boards by `BoardKey.id`, kept until a submission is scored or withdrawn.

    Args:
        robustness: our own judges stand on the board with the preferences they stated there.
    """

    @classmethod
    def of(cls, tools: BoardTools) -> JudgeBoards:
        """Over the stored results."""
        return cls(tools.services.store, tools.shared(Boards.of))

    def __init__(self, store: Store, robustness: Boards) -> None:
        self._store = store
        self._robustness = robustness
        self._lock = Lock()
        self._marker: int | None = None
        self._stamp: Stamp = ()
        self._teams = TeamNames(store)
        self._ranked: dict[str, JudgeBoard] = {}
        self._boards: dict[str, JudgeBoard] = {}
        """With the counts of the ledger."""

    def boards(self) -> Mapping[str, JudgeBoard]:
        """Every board, registered benchmarks first; those without a table have no rows."""
        with self._lock:
            marker = self._store.change_marker()
            if marker != self._marker:
                self._renew()
                self._marker = marker
            return self._boards

    def stamp(self) -> str:
        """Changes whenever a board has changed, and only then."""
        self.boards()
        return str(hash(self._stamp))

    def report_of(self, judge: Pin) -> PositionReport | None:
        """What the boards know of exactly this judge; the benchmark with the most pairs speaks for it."""
        rows = [(board.key, row) for board in self.boards().values() for row in board.entries if is_same(row, judge)]
        if not rows:
            return None
        key, row = max(rows, key=lambda found: found[1].count("n_valid"))
        return PositionReport(key.title, row.count("n_valid"), tuple(position_facts(row)))

    def _renew(self) -> None:
        entered = self._store.tickets()
        self._rank([ticket for ticket in entered if ticket.is_on_boards])
        # Attempts count whatever became of them: they change more often than ranks.
        ledger = Ledger((ticket for ticket in entered if is_verdict_set(ticket.set_id)), _team_of)
        self._boards = {
            id_: replace(board, rows=ledger.counted(board.rows, "ticket_id")) for id_, board in self._ranked.items()
        }

    def _rank(self, tickets: Sequence[Ticket]) -> None:
        teams = self._teams.shown(tickets)
        stamp = tuple((one.id, one.status_at, one.is_primary, teams[one.id]) for one in tickets)
        if self._ranked and stamp == self._stamp:
            return
        sent = [table for one in tickets if is_verdict_set(one.set_id) for table in self._tables(one)]
        own = [table for scored in self._robustness.scored().items() for table in own_tables(*scored)]
        self._ranked = {
            id_: replace(board, rows=self._teams.named(board.rows, tickets, "ticket_id"))
            for id_, board in boards_of([*published_tables(), *sent, *own]).items()
        }
        self._stamp = stamp

    def _tables(self, ticket: Ticket) -> list[ScoredTable]:
        """What one submission says, by benchmark; nothing when it was withdrawn meanwhile."""
        text = self._store.result(ticket.id)
        return [ScoredTable.submitted(ticket, result) for result in judges_results(text)] if text else []


def _team_of(ticket: Ticket) -> tuple[str, str | None, str]:
    """What the tables of one team have in common: each may hold any of its judges."""
    return (ticket.owner, ticket.names.team, ticket.set_id)


def own_tables(set_id: str, scored: Sequence[ScoredTicket]) -> list[ScoredTable]:
    """How our judges did on one prompt set: nothing where none of them compared anything.

    Null rows are left out, being easy to tell from any answer, and so are identical answers, which no judge was asked
    about: both would make a judge look more consistent than it is.
    """
    compared = {entry.ticket: asked_only(entry.result) for entry in scored if entry.ticket.role != "baseline"}
    names = {ticket.id: f"{ticket.names.system or ticket.file_name} ({ticket.id[:8]})" for ticket in compared}
    found = own_judges_result(set_id, {names[ticket.id]: result for ticket, result in compared.items()})
    return [ScoredTable.own(found, max(ticket.received_at for ticket in compared))] if found else []


def asked_only(result: RobustnessResult) -> RobustnessResult:
    """The result with those comparisons only that a judge was asked about."""
    if result.pairwise is None:
        return result
    records = tuple(record for record in result.pairwise.records if record.key_original is not None)
    return result.model_copy(update={"pairwise": result.pairwise.model_copy(update={"records": records})})


def boards_of(tables: Sequence[ScoredTable]) -> dict[str, JudgeBoard]:
    registered = (BoardKey(benchmark.name, benchmark.options) for benchmark in BENCHMARKS)
    found = sorted({_key(table) for table in tables}, key=lambda key: key.id)
    keys = dict.fromkeys([*registered, *found])
    return {key.id: judge_board(key, [table for table in tables if _key(table) == key]) for key in keys}


def _key(table: ScoredTable) -> BoardKey:
    return BoardKey(table.result.benchmark, table.result.options)


def judge_board(key: BoardKey, tables: Sequence[ScoredTable]) -> JudgeBoard:
    """The board of one benchmark from every table that holds verdicts on it."""
    if not tables:
        return JudgeBoard(key)
    rows = judge_rows(tables, key)
    shown = {row.id for row in rows}
    current = [table for table in tables if any(row_id(table, one.judge) in shown for one in table.result.judges)]
    return JudgeBoard(
        key=key,
        rows=rows,
        agreement={way: _agreement(current, way, shown) for way in AGREEMENTS},
        disagreements=tuple(_disagreement(table) for table in current if table.result.disagreement_histogram),
    )


def _agreement(tables: Sequence[ScoredTable], way: Agreement, shown: Set[str]) -> Matrix:
    """Two judges can be compared where one table asked both; of several, the last one says how far they agree."""
    matrix: dict[tuple[str, str], float | None] = {}
    for table in tables:
        for one, others in table.result.agreement.get(way, {}).items():
            for other, value in others.items():
                pair = (row_id(table, one), row_id(table, other))
                if shown >= set(pair):
                    matrix[pair] = value
    return matrix


def _disagreement(table: ScoredTable) -> Disagreement:
    histogram = {int(votes): number for votes, number in table.result.disagreement_histogram.items()}
    return Disagreement(table.label, dict(sorted(histogram.items())), table.result.hardest)


def is_same(row: JudgeRow, judge: Pin) -> bool:
    """Is it the same model in the same revision?"""
    return (row.card.model_id, row.card.revision) == (judge.model, judge.revision)
