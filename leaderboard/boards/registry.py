"""Every board, one line each, in the order of the pages (docs/add_a_board.md)."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.boards.behavior_alignment.board import BEHAVIOR_BOARD
from leaderboard.boards.editions.board import CONSISTENCY_BOARD, CULTURAL_BOARD
from leaderboard.boards.judge_quality.board import JUDGE_QUALITY_BOARD
from leaderboard.boards.own_tasks.board import ENTRY, own_task_board
from leaderboard.boards.personalization.board import PERSONALIZATION_BOARD
from leaderboard.boards.personalized_evaluation.board import PAIRS_BOARD, RATINGS_BOARD
from leaderboard.boards.position_bias.board import JUDGES_BOARD
from leaderboard.boards.public_record.board import ALPACA_EVAL_BOARD, LLM_BAR_BOARD
from leaderboard.boards.robustness.board import ROBUSTNESS_BOARD
from leaderboard.page.registered import Board
from submissions.own_tasks.task import OwnTask

BOARDS: tuple[Board, ...] = (
    ROBUSTNESS_BOARD,
    CONSISTENCY_BOARD,
    CULTURAL_BOARD,
    JUDGES_BOARD,
    JUDGE_QUALITY_BOARD,
    LLM_BAR_BOARD,
    ALPACA_EVAL_BOARD,
    PERSONALIZATION_BOARD,
    RATINGS_BOARD,
    PAIRS_BOARD,
    BEHAVIOR_BOARD,
)


def add_own_tasks(tasks: Sequence[OwnTask]) -> None:
    """Puts the boards of installed tasks behind the others, in the place of earlier ones, before any page is made."""
    global BOARDS  # noqa: PLW0603 - what is installed is known when the settings are
    BOARDS = (*(board for board in BOARDS if board.entry != ENTRY), *map(own_task_board, tasks))
