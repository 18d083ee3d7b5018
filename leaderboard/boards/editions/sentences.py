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


def distance_sentence(cd: float | None, cr: float | None, cd_gated: float | None, cr_gated: float | None) -> str:
    """Return how far answers to one base question lie apart between languages, without a named culture and with one.

    Args:
        cd: Mean distance where no culture is named.
        cr: 1 - mean distance where one is.
        cd_gated, cr_gated: The same after the relevance check.
    """
    if cd is None and cr is None:
        return "Not scored: no two languages have answers that can be compared."
    apart = "Answers in different languages lie"
    if cr is None:
        said = f"{apart} {cd:.2f} apart where no culture is named; where one is, there is nothing to compare"
    elif cd is None:
        said = f"{apart} {1 - cr:.2f} apart where a culture is named; where none is, there is nothing to compare"
    else:
        left_open, named = f"{cd:.2f}", f"{1 - cr:.2f}"
        effect = "changes nothing" if left_open == named else "brings them closer"
        if float(named) > float(left_open):
            effect = "drives them apart"
        said = f"{apart} {left_open} apart where no culture is named and {named} where one is: naming it {effect}"
    raw = [f"{value:.2f}" for value in (cd, cr) if value is not None]
    gated = [f"{value:.2f}" for value in (cd_gated, cr_gated) if value is not None]
    if not gated or raw == gated:
        return f"{said}."
    return f"{said}. Some answers fail the relevance check, so less of this counts."
