"""Does a judge like the systems of its family better than it likes others, system by system?

Another judge's verdicts say how good a system is only up to how decided that judge is: beside one that often guesses, a
decided judge gives every good system more, whoever made it. So the question is asked of systems: of those that are not
of the family, how does a judge's liking follow that of the others, and how far do the systems of its family lie beside
that line, by the measure of as many of the others? The test draws the others at random in the family's place
(randomization inference for few treated units: MacKinnon and Webb 2020, *Journal of Econometrics* 218(2)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import combinations
from math import comb

import numpy as np

from evaluator.statistics.clustered_slopes import POWER, Slope
from evaluator.statistics.intervals import FloatArray
from submissions.verdicts.items import BoolArray

LEAST_SETS = 20
"""Sets of other systems that stand in the family's place; with fewer nothing could be found at 5%."""
MOST_SETS = 2_000
"""More are drawn at random, with a fixed seed."""
LEAST_OTHERS = 6
"""Systems that are not of the family: the line through them needs some."""
_SEED = 20


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
    """Return how much more the judge likes its family than the line through the other systems says.

    Args:
        by_judge: System -> how much the judge likes it (`likings`).
        by_others: The same systems -> how much other judges do.
        family: Systems of the judge's family.

    Returns:
        Value, with an interval and a p over systems; None where the others are too few.
    """
    systems = sorted(by_judge, key=lambda system: (system not in family, system))
    own = sum(system in family for system in systems)
    others = len(systems) - own
    if not own or others < max(LEAST_OTHERS, own + 3) or comb(others, own) < LEAST_SETS:
        return None
    judge, usual = (np.array([likes[system] for system in systems]) for likes in (by_judge, by_others))
    if np.ptp(usual[own:]) == 0:
        return None
    value = float(_above_the_line(judge, usual, np.arange(len(systems))[None, :] < own)[0])
    drawn = np.abs(_above_the_line(judge[own:], usual[own:], _sets(others, own)))
    reach = float(np.quantile(drawn, 0.95, method="higher"))
    # Half of what lies beyond the 60% quantile of the sizes is above 0: the 80% quantile of one side.
    seen = reach + float(np.quantile(drawn, 2 * POWER - 1))
    p = (1 + int((drawn >= abs(value) - 1e-12).sum())) / (1 + len(drawn))
    return Slope(value, value - reach, value + reach, p, seen)


def _above_the_line(judge: FloatArray, usual: FloatArray, sets: BoolArray) -> FloatArray:
    """Of each set (rows of `sets`): how far its systems lie, on average, above the line through all others."""
    own, rest = sets.astype(np.float64), (~sets).astype(np.float64)
    own, rest = own / own.sum(1, keepdims=True), rest / rest.sum(1, keepdims=True)
    x, y = rest @ usual, rest @ judge
    spread = rest @ usual**2 - x**2
    slope = np.where(spread > 1e-12, (rest @ (usual * judge) - x * y) / np.maximum(spread, 1e-12), 0.0)
    return np.asarray(own @ judge - y - slope * (own @ usual - x))


def _sets(systems: int, own: int) -> BoolArray:
    """Sets of `own` of the systems, as rows of truth values: all, or as many as are drawn."""
    number = comb(systems, own)
    marks = np.zeros((min(number, MOST_SETS), systems), bool)
    if number <= MOST_SETS:
        for row, chosen in enumerate(combinations(range(systems), own)):
            marks[row, list(chosen)] = True
    else:
        generator = np.random.default_rng(_SEED)
        np.put_along_axis(marks, generator.random(marks.shape).argsort(axis=1)[:, :own], values=True, axis=1)
    return marks
