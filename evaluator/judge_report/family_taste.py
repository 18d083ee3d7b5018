"""Does a judge like the systems of its family better than it likes others, system by system?

Another judge's verdicts say how good a system is only up to how decided that judge is: beside one that often guesses, a
decided judge gives every good system more, whoever made it. So the question is asked of systems: how does a judge's
liking of a system follow that of the others, and how far does its family lie above that line? This is an analysis of
covariance with systems as units (Cochran 1957, *Analysis of Covariance: Its Nature and Uses*, Biometrics 13(3)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from evaluator.statistics.clustered_slopes import Slope, slope_of
from evaluator.statistics.intervals import FloatArray

LEAST_OTHERS = 7
"""Systems that are not of the family: fewer say little of how far apart a judge's likings lie by taste alone."""

DIGITS = 12
"""Decimals beyond which a value is a rounding of 0."""


def likings(shown: Sequence[tuple[str, ...]], points: FloatArray) -> dict[str, float]:
    """Return how much more than half of its comparisons each system wins, whatever its place.

    Args:
        shown: Two systems of each comparison, in the order they were shown.
        points: 1 where the first won, 1/2 for a tie, 0 where it lost.

    >>> likings([("a", "b"), ("b", "a"), ("a", "b"), ("b", "a")], np.array([1.0, 0.5, 1.0, 0.5]))  # first +1/4
    {'a': 0.25, 'b': -0.25}
    """
    centred = points - points.mean()
    sums: dict[str, list[float]] = {}
    for systems, point in zip(shown, centred.tolist(), strict=True):
        sums.setdefault(systems[0], []).append(point)
        sums.setdefault(systems[1], []).append(-point)
    return {system: sum(own) / len(own) for system, own in sums.items()}


def family_taste(by_judge: Mapping[str, float], by_others: Mapping[str, float], family: Set[str]) -> Slope | None:
    """Return how much more the judge likes its family than other systems that others like as much.

    Args:
        by_judge: System -> how much the judge likes it (`likings`).
        by_others: The same systems -> how much other judges do.
        family: Systems of the judge's family.

    Returns:
        Value, interval and p over systems; None where systems of other families are too few or all liked alike.
    """
    systems = sorted(by_judge)
    is_own = np.array([system in family for system in systems], np.float64)
    judge, usual = (np.array([likes[system] for system in systems]) for likes in (by_judge, by_others))
    if not is_own.any() or (is_own == 0).sum() < LEAST_OTHERS or np.ptp(usual[is_own == 0]) == 0:
        return None
    design = np.column_stack([is_own, usual, np.ones(len(systems))])
    coefficients = np.linalg.lstsq(design, judge, rcond=None)[0]
    freedom = len(systems) - design.shape[1]
    variance = float(((judge - design @ coefficients) ** 2).sum()) / freedom
    error = float(np.sqrt(variance * np.linalg.inv(design.T @ design)[0, 0]))
    # Judges of whom one follows the other exactly differ by roundings, of which nothing follows.
    return slope_of(round(float(coefficients[0]), DIGITS), round(error, DIGITS), freedom)
