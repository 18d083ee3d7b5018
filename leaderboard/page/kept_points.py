"""How far the answers of a system agree when only one thing about the question changes, in one sentence."""

from __future__ import annotations

from evaluator.results import MetricValue
from leaderboard.parts.columns import RATING_SCALE, text_of

LEAST_TOLD = 0.005
"""Points below it are written 0.00."""


def kept_points_sentence(
    name: str, score: MetricValue | None, before: MetricValue | None, *, changes: str, is_null: bool = False
) -> str:
    """Return how far the answers of a system agree when only one thing changes, and what the relevance check took.

    Args:
        name: What the system is called.
        score: 0-5, after the relevance check; None = nothing was judged.
        before: The same before the check; None where it is not known.
        changes: What alone changes: the style, the language.
        is_null: Is it a baseline?
    """
    who = f"{name}, a baseline," if is_null else name
    if score is None or score.value is None:
        reason = score.reason if score and score.reason else "nothing was judged"
        return f"{who} has no score: {reason}."
    points = f"{who} keeps {text_of(score, 'interval')} of {RATING_SCALE[1]} points when only the {changes} changes"
    if before is None or before.value is None:
        return f"{points}."
    lost = before.value - score.value
    if lost < LEAST_TOLD:
        return f"{points}; the relevance check took nothing."
    return f"{points}; answers that may not answer their question cost {lost:.2f} points."
