"""What the figures of a recommender mean, in one sentence."""

from __future__ import annotations

from leaderboard.boards.behavior_alignment.rows import BehaviorRow
from leaderboard.parts.columns import text_of


def strategy_sentence(row: BehaviorRow) -> str:
    """Return in how many turns a system chooses the recommendation strategy of the human, and whether that is counted
    or estimated."""
    share = row.alignment
    if share.value is None:
        return f"How often {row.name} chooses the strategy of the human is not known: {share.reason}."
    chooses = f"{row.name} chooses the strategy of the human in {text_of(share, 'percent')} of its turns"
    return f"{chooses}, estimated from its words." if row.is_measured_here else f"{chooses}."
