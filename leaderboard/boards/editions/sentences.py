"""What the figures of a run of 2025 or 2026 mean, in one sentence."""

from __future__ import annotations

from evaluator.results import MetricValue
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
from evaluator.statistics.intervals import interval_side
from leaderboard.page.kept_points import kept_points_sentence
from leaderboard.parts.columns import text_of


def edition_sentence(name: str, result: ConsistencyResult | CulturalResult, *, is_null: bool = False) -> str:
    """Return what the headline of a run says of its system.

    Args:
        name: What the system is called.
        is_null: Is it a baseline?
    """
    if isinstance(result, ConsistencyResult):
        score, before = result.figures.get("consistency_gated"), result.figures.get("consistency")
        return kept_points_sentence(name, score, before, changes="language", is_null=is_null)
    return culture_sentence(f"{name}, a baseline," if is_null else name, result.figures.get("culture_gated"))


def culture_sentence(who: str, culture: MetricValue | None) -> str:
    """Return how far the culture decides what a system answers: called more or less than by chance only where the
    interval leaves out 0, and not set beside chance where there is no interval."""
    if culture is None or culture.value is None:
        reason = culture.reason if culture and culture.reason else "nothing was judged"
        return f"{who} has no score: {reason}."
    scale = "where 1 is always and 0 is chance"
    side = interval_side(culture)
    if side == "unknown":
        answers = f"How far what {who} answers depends on the culture, and not on the language"
        return f"{answers}: {text_of(culture, 'interval')}, {scale}; too few for an interval to say more."
    beside = {"above": "more than", "below": "less than", "around": "no more than"}[side]
    answers = f"What {who} answers depends on the culture, and not on the language, {beside} by chance"
    return f"{answers}: {text_of(culture, 'interval')}, {scale}."
