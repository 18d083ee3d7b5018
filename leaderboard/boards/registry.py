"""Every board, one line each, in the order of the pages (docs/add_a_board.md)."""

from __future__ import annotations

from leaderboard.boards.behavior_alignment.board import BEHAVIOR_BOARD
from leaderboard.boards.editions.board import CONSISTENCY_BOARD, CULTURAL_BOARD
from leaderboard.boards.judge_quality.board import JUDGE_QUALITY_BOARD
from leaderboard.boards.personalization.board import PERSONALIZATION_BOARD
from leaderboard.boards.personalized_evaluation.board import PAIRS_BOARD, RATINGS_BOARD
from leaderboard.boards.position_bias.board import JUDGES_BOARD
from leaderboard.boards.public_record.board import ALPACA_EVAL_BOARD, LLM_BAR_BOARD
from leaderboard.boards.robustness.board import ROBUSTNESS_BOARD
from leaderboard.page.registered import Board

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
