"""Whether one of two systems is ahead, in words."""

from __future__ import annotations

from evaluator.results import MetricValue
from evaluator.statistics.intervals import MIN_UNITS, excludes_zero
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


def _turned(difference: MetricValue) -> MetricValue:
    """The same difference seen from the other side."""
    ends = {"value": difference.value, "low": difference.high, "high": difference.low}
    return difference.model_copy(update={key: None if end is None else -end for key, end in ends.items()})
