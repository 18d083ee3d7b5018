"""The board of judges, for the register."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.position_bias.charts import CHARTS
from leaderboard.boards.position_bias.facts import swap_facts
from leaderboard.boards.position_bias.page import judges_page
from leaderboard.boards.position_bias.screen import JudgesScreen
from leaderboard.boards.position_bias.standings import judge_standings
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.benchmarks import BoardKey
from leaderboard.page.quality_chart import CALIBRATION
from leaderboard.page.registered import Board, BoardTools, OpenBoard
from submissions.formats.judge_verdicts.submission import is_verdict_set
from submissions.seasons.season_file import VERDICTS
from submissions.store.queue import Ticket


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
        facts=lambda: tuple(swap_facts(boards.boards())),
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
