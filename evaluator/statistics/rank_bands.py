"""Ranks as honest bands: 1 + systems that are significantly better, up to n - systems that are significantly worse.

All bands of a board hold together: with 95 % no system is placed above another that is as good. Every board delivers
what each unit of evidence adds to the figure of each system; `max_difference` says how far apart two must lie. Units
that share a topic count as one piece of evidence. See docs/metrics.md#rank_band. Pure; time
grows with the pairs compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluator.statistics.intervals import MIN_UNITS, FloatArray
from evaluator.statistics.max_difference import Comparison, draws_for, outcomes, separation, usual_square

ItemValues = Mapping[str, float]
"""Item id -> value: `ViewResult.item_values[figure]` of one system."""

Contributions = Callable[[Sequence[str], Sequence[str]], FloatArray]
"""Systems and units -> what each unit adds to each system's figure on these units, shape (systems, units): the figures
of two systems differ by the sum of their differences. NaN where a system has no figure on them."""


class RankBand(NamedTuple):
    """Ranks a system may hold, counted from 1: printed as "2" or "2-5"."""

    low: int
    """1 + number of systems significantly better."""
    high: int
    """Number of systems - number significantly worse."""


def rank_bands(values: Mapping[str, ItemValues], topics: Mapping[str, str] | None = None) -> dict[str, RankBand]:
    """The ranks each system may hold by its mean over items; higher is better.

    Two systems are told apart where their mean difference over common items, regularised, exceeds what the largest
    among all pairs of the board does in 95 % of the draws (`max_difference`). Pairs with fewer than six common items
    are not compared. No system: {}. Time grows with the square of the systems.

    Args:
        values: System -> item -> value.
        topics: Item -> what it shares with others of the same topic, where there are topics; signs are then drawn by
            topic, and six common topics are needed.

    >>> easy, middle, hard = ({str(item): score + item / 10 for item in range(12)} for score in (3.0, 2.0, 1.0))
    >>> rank_bands({"hard": hard, "easy": easy, "middle": middle})
    {'hard': RankBand(low=3, high=3), 'easy': RankBand(low=1, high=1), 'middle': RankBand(low=2, high=2)}
    >>> rank_bands({"one": {"001": 5.0}, "other": {"001": 0.0}})
    {'one': RankBand(low=1, high=2), 'other': RankBand(low=1, high=2)}
    """
    return simultaneous_bands(values, _item_values(values), topics=topics)


def simultaneous_bands(
    units: Mapping[str, Collection[str]],
    contributions: Contributions,
    *,
    min_units: int = MIN_UNITS,
    topics: Mapping[str, str] | None = None,
) -> dict[str, RankBand]:
    """The ranks each system may hold by any figure that units add up to; higher is better.

    Args:
        units: system -> the units its figure rests on.
        contributions: of some of the systems to a difference on the units they have in common, in sorted order.
        min_units: fewer common units than these, or fewer common topics, tell nobody apart.
        topics: of units; one that has none is a topic of its own.

    >>> simultaneous_bands({"a": {"1"}, "b": {"1"}}, lambda systems, common: np.array([[1.0], [0.0]]))
    {'a': RankBand(low=1, high=2), 'b': RankBand(low=1, high=2)}
    """
    systems = list(units)
    comparisons = list(_comparisons(units, contributions, min_units, topics or {}))
    signed = 1 + max((int(named.comparison.columns.max()) for named in comparisons), default=-1)
    bar = separation(
        [named.comparison for named in comparisons], signed, draws_for(len(systems) * (len(systems) - 1) // 2)
    )
    better: Counter[str] = Counter()
    """System -> number of systems significantly better than it."""
    worse: Counter[str] = Counter()
    for first, second, comparison in comparisons:
        counted = outcomes(comparison, bar)
        for names, wins, losses in (
            (first, counted.wins, counted.losses),
            (second, counted.second_wins, counted.second_losses),
        ):
            better.update(dict(zip(names, losses.tolist(), strict=True)))
            worse.update(dict(zip(names, wins.tolist(), strict=True)))
    return {system: RankBand(low=1 + better[system], high=len(systems) - worse[system]) for system in systems}


def usual_square_of(values: Mapping[str, ItemValues]) -> float:
    """What `rank_bands` divides differences by beside their own scatter (`max_difference.usual_square`).

    >>> items = {name: dict.fromkeys("123456", value) for name, value in (("a", 1.0), ("b", 0.0))}
    >>> round(usual_square_of(items), 9)  # 6 x 6 x (1/6)^2
    1.0
    """
    comparisons = _comparisons(values, _item_values(values), MIN_UNITS, {})
    return usual_square([named.comparison for named in comparisons])


class Ranking:
    """Rank bands of a board that is shown again and again: made anew only where a value changed.

    One more system moves what is usual among all pairs, so that all are compared again. Not safe to share between
    threads.
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[str, float]] = {}
        self._bands: dict[str, RankBand] = {}

    def bands(self, values: Mapping[str, ItemValues]) -> dict[str, RankBand]:
        """The bands of exactly these systems, equal to `rank_bands(values)`."""
        if values != self._values:
            self._values = {system: dict(own) for system, own in values.items()}
            self._bands = rank_bands(values)
        return {system: self._bands[system] for system in values}


class _Named(NamedTuple):
    """A comparison with the names of its systems."""

    first: list[str]
    second: list[str]
    """Empty where the first are compared with each other."""
    comparison: Comparison


def _comparisons(
    units: Mapping[str, Collection[str]], contributions: Contributions, min_units: int, topics: Mapping[str, str]
) -> Iterator[_Named]:
    """Every pair of systems; those on the same units share a matrix."""
    signs = {
        topic: place for place, topic in enumerate(sorted({_topic(unit, topics) for unit in _sorted_units(units)}))
    }
    groups = list(_by_units(units).items())
    for number, (own, names) in enumerate(groups):
        others: list[tuple[list[str], list[str] | None, list[str]]] = [(names, None, sorted(own))]
        others += [(names, other, sorted(own & other_units)) for other_units, other in groups[number + 1 :]]
        for first, second, common in others:
            columns, topic_of = np.unique([signs[_topic(unit, topics)] for unit in common], return_inverse=True)
            if len(columns) < min_units:
                continue
            matrix = contributions([*first, *(second or ())], common)
            if len(columns) < len(common):
                matrix = matrix @ np.eye(len(columns))[topic_of]
            left, right = _defined(first, matrix[: len(first)]), _defined(second or [], matrix[len(first) :])
            comparison = Comparison(left[1], None if second is None else right[1], columns)
            if comparison.pairs:
                yield _Named(left[0], right[0], comparison)


def _topic(unit: str, topics: Mapping[str, str]) -> tuple[str, str]:
    return ("topic", topics[unit]) if unit in topics else ("unit", unit)


def _defined(systems: list[str], matrix: FloatArray) -> tuple[list[str], FloatArray]:
    """The systems that have a figure on these units, with their rows."""
    known = np.flatnonzero(~np.isnan(matrix).any(axis=1))
    return [systems[place] for place in known.tolist()], matrix[known]


# --- what units add to a figure --------------------------------------------------------------------------------------


def share_contributions(parts: FloatArray, wholes: FloatArray) -> FloatArray:
    """What each unit adds to a share of sums, its sum of parts by its sum of wholes.

    (part - p whole) / sum of wholes, p the share of all these systems together: the sums of two systems differ by
    exactly their shares' difference, and a unit that is as good as p adds nothing, however many cases it has. Shapes
    (systems, units), as is the result; NaN for a system without any case. Source: the linearised ratio estimator,
    Cochran 1977, Sampling Techniques, section 6.3.

    >>> share_contributions(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([[2.0, 2.0], [2.0, 2.0]]))  # p = 4 / 8
    array([[ 0.25, -0.25],
           [ 0.  ,  0.  ]])
    """
    totals = wholes.sum(axis=1, keepdims=True)
    together = parts.sum() / max(wholes.sum(), 1.0)
    left_over = parts - together * wholes
    return np.asarray(np.divide(left_over, totals, out=np.full_like(parts, np.nan), where=totals > 0), dtype=np.float64)


def _item_values(values: Mapping[str, ItemValues]) -> Contributions:
    def matrix(systems: Sequence[str], items: Sequence[str]) -> FloatArray:
        rows = np.array([[values[system][item] for item in items] for system in systems], dtype=np.float64)
        return np.asarray(rows / max(1, len(items)))

    return matrix


def _sorted_units(units: Mapping[str, Collection[str]]) -> list[str]:
    return sorted({unit for own in units.values() for unit in own})


def _by_units(units: Mapping[str, Collection[str]]) -> dict[frozenset[str], list[str]]:
    """Systems with the same units are compared in one matrix; on a full board that is all of them."""
    systems_of: dict[frozenset[str], list[str]] = {}
    for system, own in units.items():
        systems_of.setdefault(frozenset(own), []).append(system)
    return systems_of
