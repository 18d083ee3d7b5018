"""The board of judges that run here, for the register."""

from __future__ import annotations

from functools import partial

from leaderboard.boards.judge_quality.facts import baseline_facts
from leaderboard.boards.judge_quality.page import judge_quality_page
from leaderboard.boards.judge_quality.screen import JudgeQualityScreen
from leaderboard.boards.judge_quality.state import JudgeQualityState
from leaderboard.page.canary_chart import CANARY
from leaderboard.page.quality_chart import CALIBRATION
from leaderboard.page.registered import Board, BoardTools, OpenBoard


def _opened(tools: BoardTools) -> OpenBoard:
    screen = tools.shared(JudgeQualityScreen.of)
    return OpenBoard(
        screen.board,
        partial(judge_quality_page, screen, lambda: f"{tools.marker()} {screen.marker()}"),
        screen.understood,
        facts=lambda: baseline_facts(screen.rows()),
        charts=(CALIBRATION, CANARY),
    )


JUDGE_QUALITY_BOARD: Board = Board(JudgeQualityState, "Judges", _opened, lambda ticket: None)
