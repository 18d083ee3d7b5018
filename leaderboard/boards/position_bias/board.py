"""The board of judges, for the register."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from functools import partial

from evaluator.results import MetricValue
from leaderboard.boards.position_bias.cache import JudgeBoard, JudgeBoards
from leaderboard.boards.position_bias.charts import CHARTS
from leaderboard.boards.position_bias.page import judges_page
from leaderboard.boards.position_bias.rows import JudgeRow
from leaderboard.boards.position_bias.screen import JudgesScreen
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.benchmarks import BoardKey
from leaderboard.page.links import address_of
from leaderboard.page.quality_chart import CALIBRATION
from leaderboard.page.registered import Board, BoardTools, Fact, OpenBoard, Standing
from leaderboard.parts.columns import text_of
from leaderboard.parts.published import SHORT_MARK
from submissions.formats.judge_verdicts.submission import is_verdict_set
from submissions.seasons.season_file import VERDICTS
from submissions.store.queue import Ticket


def judge_standings(boards: JudgeBoards, tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, on every benchmark."""
    for board in boards.boards().values():
        for row in board.rows:
            if row.ticket_id in tickets:
                yield Standing(
                    f"Position bias, {board.key.title}",
                    row.name,
                    f"position consistency {text_of(row.metric('position_consistency'), 'interval')}",
                    text_of(row.rank, "rank"),
                    address_of(JudgesState(benchmark=board.key.id, judge=row.id)),
                )


_TOWARDS = {"recency": ", mostly towards the second", "primacy": ", mostly towards the first"}


def swap_facts(boards: Mapping[str, JudgeBoard]) -> Iterator[Fact]:
    """Yield the most and the least consistent published judge of each benchmark, of those that judged all of it."""
    for board in boards.values():
        whole = [row for row in board.judges if row.published and not row.unranked and _has_interval(row)]
        for row in whole[:1] + whole[1:][-1:]:
            yield swap_fact(row, board.key)


def family_facts(boards: Mapping[str, JudgeBoard]) -> Iterator[Fact]:
    """Yield the published judges that were found to favour systems of their own family."""
    for board in boards.values():
        for row in board.judges:
            for effect in row.effects:
                if effect.kind == "family" and effect.is_found and (effect.size.value or 0) > 0:
                    yield _family_fact(row, effect.size, board.key)


def _family_fact(row: JudgeRow, size: MetricValue, key: BoardKey) -> Fact:
    points, low, high = (f"{100 * (end or 0.0):.0f}" for end in (size.value, size.low, size.high))
    return Fact(
        claim=f"{row.name} lets systems of its own family win {points} points more often than others that judges of "
        "other families like as much",
        interval=f"95% interval {low} to {high} points",
        source=f"{_title(key)}, {size.n} comparisons, {row.published and SHORT_MARK[row.published]}",
        link=address_of(JudgesState(benchmark=key.id, judge=row.id)),
    )


def position_bias_facts(boards: Mapping[str, JudgeBoard]) -> tuple[Fact, ...]:
    """Return the findings, the one that most readers should see first."""
    swaps = tuple(swap_facts(boards))
    return (*swaps[:1], *family_facts(boards), *swaps[1:])


def swap_fact(row: JudgeRow, key: BoardKey) -> Fact:
    """Return what a swap of the answers does to the verdicts of a judge whose consistency has an interval."""
    consistency = row.metric("position_consistency")
    changed, low, high = (_rest(end) for end in (consistency.value, consistency.high, consistency.low))
    towards = _TOWARDS.get(row.direction or "", "")
    return Fact(
        claim=f"{row.name} changes {changed} of its verdicts when the two answers swap places{towards}",
        interval=f"95% interval {low} to {high}",
        source=f"{_title(key)}, {consistency.n} questions, {row.published and SHORT_MARK[row.published]}",
        link=address_of(JudgesState(benchmark=key.id, judge=row.id)),
    )


def _title(key: BoardKey) -> str:
    return key.registered.title if key.registered else key.benchmark


def _has_interval(row: JudgeRow) -> bool:
    consistency: MetricValue = row.metric("position_consistency")
    return None not in (consistency.value, consistency.low, consistency.high)


def _rest(share: float | None) -> str:
    """What is left of a share, in percent.

    >>> _rest(0.8154)
    '18%'
    """
    return "" if share is None else f"{1 - share:.0%}"


def _opened(tools: BoardTools) -> OpenBoard:
    screen, boards = tools.shared(JudgesScreen.of), tools.shared(JudgeBoards.of)

    def exported() -> Iterator[JudgesState]:
        for benchmark in screen.benchmark_ids():
            yield JudgesState(benchmark=benchmark)

    return OpenBoard(
        screen.board,
        partial(judges_page, screen, tools.marker),
        screen.understood,
        exported,
        partial(judge_standings, boards),
        boards.report_of,
        facts=lambda: position_bias_facts(boards.boards()),
        charts=(*CHARTS, CALIBRATION),
    )


def _row_of(ticket: Ticket) -> JudgesState | None:
    """The board of a verdict table; the first one where it holds several benchmarks."""
    if not is_verdict_set(ticket.set_id):
        return None
    _, _, benchmark = ticket.set_id.partition(":")
    options = ticket.choices.options
    return JudgesState(benchmark=BoardKey(benchmark, options).id if benchmark and options else "")


JUDGES_BOARD: Board = Board(JudgesState, "Judges", _opened, _row_of, sets=(VERDICTS,))
