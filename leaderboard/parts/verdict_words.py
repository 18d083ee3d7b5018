"""Whether one of two systems is ahead, in words."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.results import MetricValue
from evaluator.statistics.intervals import MIN_UNITS, difference_interval, excludes_zero
from evaluator.statistics.sample_size import EQUAL_BELOW, items_plan
from leaderboard.parts.columns import text_of


def verdict_words(difference: MetricValue, first: str, second: str, units: tuple[str, str] = ("item", "items")) -> str:
    """Whether one of two systems is ahead; `units` is what n counts, one and several.

    >>> verdict_words(MetricValue(value=-0.42, low=-0.75, high=-0.1, n=16), "Keel", "Tide")
    'Tide is ahead of Keel by 0.42 [0.10, 0.75] on 16 items'
    >>> verdict_words(MetricValue(value=0.05, low=-0.2, high=0.3, n=16), "Keel", "Tide")
    'Keel and Tide cannot be told apart: Keel minus Tide is +0.05 [-0.20, +0.30] on 16 items, which covers 0'
    """
    if difference.value is None:
        return f"{first} and {second} cannot be compared: they were judged on no common item in this view"
    if excludes_zero(difference):
        is_first = difference.value > 0
        ahead, behind = (first, second) if is_first else (second, first)
        by = difference if is_first else _turned(difference)
        return f"{ahead} is ahead of {behind} by {text_of(by, 'interval')} on {difference.n} {units[1]}"
    reason = "which covers 0" if difference.low is not None else f"too few for an interval (at least {MIN_UNITS})"
    return (
        f"{first} and {second} cannot be told apart: {first} minus {second} is {text_of(difference, 'signed')} on "
        f"{difference.n} {units[difference.n != 1]}, {reason}"
    )


def planned_words(
    differences: Sequence[float],
    units: tuple[str, str] = ("item", "items"),
    attempts: tuple[int, int] = (1, 1),
) -> str:
    """How many items would tell two systems apart with a power of 80%, planned from those seen.

    Args:
        differences: Of each common unit, first minus second.
        units: What they are, one and several.
        attempts: Submissions of either system; the plan is for one each, whose interval is narrower.

    >>> planned_words([1.0, 0.0] * 3)  # mean 1/2, scatter 0.55
    '12 items would tell them apart with a power of 80%, if others differ by as much and scatter as these 6 do.'
    >>> planned_words([1.0, -1.0] * 3)
    'No number of items would tell them apart: on these 6 they are equal.'
    """
    seen, several = len(differences), units[1]
    if seen < MIN_UNITS:
        return f"How many {several} would tell them apart cannot be planned from {seen}: it takes at least {MIN_UNITS}."
    plan = items_plan(differences)
    if plan.needed is None:
        why = "they are equal" if abs(plan.difference) < EQUAL_BELOW else "they differ by too little"
        return f"No number of {several} would tell them apart: on these {seen:,} {why}."
    again = ""
    if max(attempts) > 1:
        count = f"With one attempt each, {plan.needed:,}"
    else:
        count = f"{plan.needed:,}"
        low, high = difference_interval(differences) or (0.0, 0.0)
        again = " again" if low > 0 or high < 0 else ""
    return (
        f"{count} {several} would tell them apart{again} with a power of {plan.power:.0%}, if others differ by as much "
        f"and scatter as these {seen:,} do."
    )


def _turned(difference: MetricValue) -> MetricValue:
    """The same difference seen from the other side."""
    ends = {"value": difference.value, "low": difference.high, "high": difference.low}
    return difference.model_copy(update={key: None if end is None else -end for key, end in ends.items()})
