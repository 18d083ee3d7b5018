"""The Judges boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from evaluator.position_bias.own_judges import own_judges_result
from evaluator.results import Pin, RobustnessResult, judges_results
from leaderboard.boards.position_bias.cards import position_facts
from leaderboard.boards.position_bias.kind import JUDGES
from leaderboard.boards.position_bias.published import published_tables
from leaderboard.boards.position_bias.rows import JudgeRow, ScoredTable, judge_rows, row_id
from leaderboard.boards.position_bias.state import AGREEMENTS, Agreement
from leaderboard.boards.robustness.cache import Boards, has_prompts
from leaderboard.boards.robustness.rows import ScoredTicket
from leaderboard.page.benchmarks import BENCHMARKS, BoardKey
from leaderboard.page.judge_card import PositionReport
from leaderboard.page.registered import BoardTools
from leaderboard.page.scored_runs import ScoredRuns
from leaderboard.parts.tables import column_of, ordered
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
        by_name = sorted((row for row in self.rows if not row.is_null), key=lambda row: (row.name, row.id))
        return ordered(by_name, column_of(JUDGES.columns, JUDGES.headline), descending=True)

    @property
    def entries(self) -> list[JudgeRow]:
        """Those without the published ones."""
        return [row for row in self.judges if row.is_entry]

    @property
    def baselines(self) -> list[JudgeRow]:
        """Rows of judges that do not read."""
        return [row for row in self.rows if row.is_null]

    def row(self, row_id: str) -> JudgeRow | None:
        """The row of that id."""
        return next((row for row in self.rows if row.id == row_id), None)


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
        self._runs = ScoredRuns(store, _is_read, _tables, system_of=_team_of)
        self._robustness = robustness
        self.stamp = self._runs.stamp

    def boards(self) -> Mapping[str, JudgeBoard]:
        """Every board, registered benchmarks first; those without a table have no rows."""
        return {
            id_: replace(board, rows=self._runs.rows(id_, partial(self._rows, id_)))
            for id_, board in self._ranked().items()
        }

    def report_of(self, judge: Pin) -> PositionReport | None:
        """What the boards know of exactly this judge; the benchmark with the most pairs speaks for it."""
        rows = [(board.key, row) for board in self.boards().values() for row in board.entries if is_same(row, judge)]
        if not rows:
            return None
        key, row = max(rows, key=lambda keyed_row: keyed_row[1].count("n_valid"))
        return PositionReport(key.title, row.count("n_valid"), tuple(position_facts(row)))

    def _ranked(self) -> dict[str, JudgeBoard]:
        """The boards without what changes more often than ranks."""
        return self._runs.kept("boards", self._computed)

    def _rows(self, id_: str) -> tuple[JudgeRow, ...]:
        return self._ranked()[id_].rows

    def _computed(self) -> dict[str, JudgeBoard]:
        verdicts = [ticket for ticket in self._runs.on_boards() if is_verdict_set(ticket.set_id)]
        sent = [table for tables in self._runs.of(verdicts) for table in tables]
        own = [table for scored in self._robustness.scored().items() for table in own_tables(*scored)]
        return boards_of([*published_tables(), *sent, *own])


def _is_read(set_id: str) -> bool:
    """Do submissions to a set say anything of judges? Those to prompt sets hold what our own judges preferred."""
    return is_verdict_set(set_id) or has_prompts(set_id)


def _tables(ticket: Ticket, text: str) -> list[ScoredTable]:
    """What one submission says, by benchmark."""
    return [ScoredTable.submitted(ticket, result) for result in judges_results(text)]


def _team_of(ticket: Ticket) -> tuple[str, str | None, str]:
    """What the tables of one team have in common: each may hold any of its judges."""
    return (ticket.owner, ticket.names.team, ticket.set_id)


def own_tables(set_id: str, scored: Sequence[ScoredTicket]) -> list[ScoredTable]:
    """How our judges did on one prompt set: nothing where none of them compared anything.

    Baselines are left out, being easy to tell from any answer, and so are identical answers, which no judge was asked
    about: both would make a judge look more consistent than it is.
    """
    compared = {entry.ticket: asked_only(entry.result) for entry in scored if entry.ticket.role != "baseline"}
    names = {ticket.id: f"{ticket.names.system or ticket.file_name} ({ticket.id[:8]})" for ticket in compared}
    own_result = own_judges_result(set_id, {names[ticket.id]: result for ticket, result in compared.items()})
    return [ScoredTable.own(own_result, max(ticket.received_at for ticket in compared))] if own_result else []


def asked_only(result: RobustnessResult) -> RobustnessResult:
    """The result with those comparisons only that a judge was asked about."""
    if result.pairwise is None:
        return result
    records = tuple(record for record in result.pairwise.records if record.key_original is not None)
    return result.model_copy(update={"pairwise": result.pairwise.model_copy(update={"records": records})})


def boards_of(tables: Sequence[ScoredTable]) -> dict[str, JudgeBoard]:
    registered = (BoardKey(benchmark.name, benchmark.options) for benchmark in BENCHMARKS)
    table_keys = sorted({_key(table) for table in tables}, key=lambda key: key.id)
    keys = dict.fromkeys([*registered, *table_keys])
    return {key.id: judge_board(key, [table for table in tables if _key(table) == key]) for key in keys}


def _key(table: ScoredTable) -> BoardKey:
    return BoardKey(table.result.benchmark, table.result.options)


def judge_board(key: BoardKey, tables: Sequence[ScoredTable]) -> JudgeBoard:
    """The board of one benchmark from every table that holds verdicts on it."""
    if not tables:
        return JudgeBoard(key)
    rows = judge_rows(tables, key)
    shown = {row.id for row in rows}
    current = [table for table in tables if any(row_id(table, judge.judge) in shown for judge in table.result.judges)]
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
        for judge, others in table.result.agreement.get(way, {}).items():
            for other, value in others.items():
                pair = (row_id(table, judge), row_id(table, other))
                if shown >= set(pair):
                    matrix[pair] = value
    return matrix


def _disagreement(table: ScoredTable) -> Disagreement:
    histogram = {int(votes): number for votes, number in table.result.disagreement_histogram.items()}
    return Disagreement(table.label, dict(sorted(histogram.items())), table.result.hardest)


def is_same(row: JudgeRow, judge: Pin) -> bool:
    """Is it the same model in the same revision?"""
    return (row.card.model_id, row.card.revision) == (judge.model, judge.revision)
