"""Correlations of predictions with what reviewers said, and how far they could move with other reviewers.

Pearson, Spearman and Kendall's tau-b with two-sided p-values come from scipy. For intervals whole reviewers are drawn
with all their items, so items carry counts: the same three coefficients over counted items, which is what repeating an
item means. See docs/personalized_evaluation.md#metrics and docs/personalized_evaluation.md#intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluator.statistics.intervals import MIN_UNITS, expanded_percentiles

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Statistic = Callable[[FloatArray], float]
"""How often each reviewer was drawn -> a figure; NaN = undefined in this draw."""

RESAMPLES = 2_000
SEED = 0
MIN_REVIEWERS = MIN_UNITS
MOST_UNDEFINED = 0.05
"""With a larger share of undefined draws there is no interval."""
MIN_ITEMS = 3

MOST_CELLS = 4_000_000
"""Of the table of two scores; scipy ranks what would need more."""

_CONSTANT = 1e-12
"""A variance below this share of the squared range is rounding."""


class Correlation(NamedTuple):
    """One coefficient, -1 to 1, and its two-sided p under independence of all items."""

    value: float | None
    p: float | None


class Correlations(NamedTuple):
    """The three of them; None each where fewer than three items stand, or one side is constant."""

    pearson: Correlation
    spearman: Correlation
    kendall: Correlation

    def values(self) -> dict[str, float | None]:
        """Name -> coefficient."""
        return {name: correlation.value for name, correlation in self._asdict().items()}


_UNDEFINED = Correlations(*[Correlation(None, None)] * 3)


def correlations(predicted: Sequence[float], gold: Sequence[float]) -> Correlations:
    """Pearson, Spearman and Kendall's tau-b.

    >>> round(correlations([1, 2, 3, 4], [1, 2, 4, 3]).kendall.value or 0, 6)  # 5 of 6 pairs agree: (5 - 1) / 6
    0.666667
    >>> correlations([5, 5, 5], [1, 2, 3]).pearson.value is None
    True
    """
    from scipy import stats

    if not _can_correlate(predicted, gold):
        return _UNDEFINED
    results = (test(predicted, gold) for test in (stats.pearsonr, stats.spearmanr, stats.kendalltau))
    return Correlations(*(Correlation(_defined(result.statistic), _defined(result.pvalue)) for result in results))


def kendall(predicted: Sequence[float], gold: Sequence[float]) -> float | None:
    """Kendall's tau-b alone, -1 to 1; None where it is undefined.

    >>> kendall([1, 2], [1, 2]) is None
    True
    """
    from scipy import stats

    return _defined(stats.kendalltau(predicted, gold).statistic) if _can_correlate(predicted, gold) else None


def _can_correlate(predicted: Sequence[float], gold: Sequence[float]) -> bool:
    return len(gold) >= MIN_ITEMS and len(set(predicted)) > 1 and len(set(gold)) > 1


def _defined(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


# --- draws of reviewers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reviewers:
    """The reviewers of a file, sorted, so that the order of its items changes no interval."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, reviewers: Sequence[str]) -> Reviewers:
        """The different ones among these."""
        return cls(tuple(sorted(set(reviewers))))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def places(self, reviewers: Sequence[str]) -> IntArray:
        """Whose each item is, as a place in `names`."""
        return np.array([self._places[name] for name in reviewers], dtype=np.int64)

    def draws(self, resamples: int, seed: int) -> Iterator[FloatArray]:
        """How often each reviewer is drawn, draw by draw, with replacement."""
        generator, n = np.random.default_rng(seed), len(self.names)
        for _ in range(resamples):
            yield np.bincount(generator.integers(0, n, n), minlength=n).astype(np.float64)


class Estimate(NamedTuple):
    """A figure whose interval is wanted."""

    value: float | None
    statistic: Statistic
    n_reviewers: int
    """Reviewers that have an item in it."""


def intervals(
    estimates: Mapping[str, Estimate], reviewers: Reviewers, *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, list[float] | None]:
    """95 % intervals of several figures, all on the same draws of reviewers.

    None for a figure that is None, that has fewer than `MIN_REVIEWERS`, or that is undefined in more than 5 % of draws.
    """
    return intervals_of(estimates, drawn_values(estimates, reviewers, resamples=resamples, seed=seed))


def intervals_of(
    estimates: Mapping[str, Estimate], drawn: Mapping[str, Sequence[float]]
) -> dict[str, list[float] | None]:
    """The intervals of several figures from their draws; None for those that were not drawn."""
    return {
        name: interval_of(drawn[name], estimate.n_reviewers) if name in drawn else None
        for name, estimate in estimates.items()
    }


def drawn_values(
    estimates: Mapping[str, Estimate], reviewers: Reviewers, *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, list[float]]:
    """Each figure in every draw, NaN where it is undefined there; without the figures that can have no interval.

    The same reviewers are drawn whenever their names, `resamples` and `seed` are the same: two runs on the same items
    can be compared draw by draw.
    """
    wanted = {
        name: estimate
        for name, estimate in estimates.items()
        if estimate.value is not None and estimate.n_reviewers >= MIN_REVIEWERS
    }
    drawn: dict[str, list[float]] = {name: [] for name in wanted}
    for counts in reviewers.draws(resamples if wanted else 0, seed):
        for name, estimate in wanted.items():
            drawn[name].append(estimate.statistic(counts))
    return drawn


def interval_of(drawn: Sequence[float], reviewers: int) -> list[float] | None:
    """The 95 % interval of a figure's draws of so many reviewers, at percentiles expanded for few of them; None where
    more than 5 % of the draws are undefined (NaN).

    >>> interval_of([0.25] * 100, 12)
    [0.25, 0.25]
    """
    values = np.array(drawn)
    defined = values[~np.isnan(values)]
    if not len(defined) or len(values) - len(defined) > MOST_UNDEFINED * len(values):
        return None
    return list(expanded_percentiles(defined, reviewers))


# --- counted items ---------------------------------------------------------------------------------------------------


class CountedScores:
    """Two scores per item, ready to be correlated under any counts of the reviewers.

    Args:
        predicted, gold: One of each per item.
        reviewer_places: Whose each item is.
    """

    def __init__(self, predicted: Sequence[float], gold: Sequence[float], reviewer_places: IntArray) -> None:
        self._places = reviewer_places
        self._predicted, self._gold = np.array(predicted, np.float64), np.array(gold, np.float64)
        self._first = np.unique(self._predicted, return_inverse=True)[1]
        self._second = np.unique(self._gold, return_inverse=True)[1]
        self._last_tau: tuple[FloatArray | None, float] = (None, math.nan)

    @property
    def n_reviewers(self) -> int:
        """Reviewers that have an item here."""
        return len(np.unique(self._places))

    def pearson(self, reviewer_counts: FloatArray) -> float:
        """NaN where undefined, as are the others."""
        return _pearson(self._predicted, self._gold, self._counts(reviewer_counts))

    def spearman(self, reviewer_counts: FloatArray) -> float:
        counts = self._counts(reviewer_counts)
        return _pearson(_ranks(self._first, counts), _ranks(self._second, counts), counts)

    def kendall(self, reviewer_counts: FloatArray) -> float:
        # A headline and every gain over something else ask for the same tau of the same draw.
        if reviewer_counts is not self._last_tau[0]:
            self._last_tau = (reviewer_counts, self._kendall(reviewer_counts))
        return self._last_tau[1]

    def _kendall(self, reviewer_counts: FloatArray) -> float:
        counts = self._counts(reviewer_counts)
        if counts.sum() < MIN_ITEMS:
            return math.nan
        shape = int(self._first.max()) + 1, int(self._second.max()) + 1
        if shape[0] * shape[1] > MOST_CELLS:
            return _kendall_by_scipy(self._first, self._second, counts)
        table = np.bincount(self._first * shape[1] + self._second, weights=counts, minlength=shape[0] * shape[1])
        return kendall_of_table(np.asarray(table, dtype=np.float64).reshape(shape))

    def _counts(self, reviewer_counts: FloatArray) -> FloatArray:
        counts: FloatArray = reviewer_counts[self._places]
        return counts


def _pearson(first: FloatArray, second: FloatArray, counts: FloatArray) -> float:
    total = counts.sum()
    if total < MIN_ITEMS:
        return math.nan
    # Sums, not dot products: those start threads at these lengths, which costs more than they save.
    x, y = first - (counts * first).sum() / total, second - (counts * second).sum() / total
    xx, yy = (counts * x * x).sum(), (counts * y * y).sum()
    if xx <= _CONSTANT * total * np.ptp(first) ** 2 or yy <= _CONSTANT * total * np.ptp(second) ** 2:
        return math.nan
    return float((counts * x * y).sum() / math.sqrt(xx * yy))


def _ranks(levels: IntArray, counts: FloatArray) -> FloatArray:
    """The mean rank of each item's score among the counted items."""
    per_level = np.bincount(levels, weights=counts)
    mean_ranks = np.cumsum(per_level) - (per_level - 1) / 2
    ranks: FloatArray = mean_ranks[levels]
    return ranks


def kendall_of_table(table: FloatArray) -> float:
    """Kendall's tau-b of a table of counts, rows and columns in rising order of the two scores; NaN where undefined.

    >>> float(round(kendall_of_table(np.array([[2.0, 0.0], [1.0, 1.0]])), 4))  # 2 / sqrt(4 * 3): 2 agree, 0 do not
    0.5774
    """
    rows, columns, total = table.sum(axis=1), table.sum(axis=0), table.sum()
    untied_rows, untied_columns = (total**2 - (side**2).sum() for side in (rows, columns))  # twice the pairs
    if untied_rows <= 0 or untied_columns <= 0:
        return math.nan
    above = np.cumsum(table, axis=0) - table
    to_the_left = np.cumsum(above, axis=1)
    agreement = 2 * to_the_left - above - above.sum(axis=1, keepdims=True)  # those lower in both minus in one
    return float(2 * (table * agreement).sum() / math.sqrt(untied_rows * untied_columns))


def _kendall_by_scipy(first: IntArray, second: IntArray, counts: FloatArray) -> float:
    from scipy import stats

    times = counts.astype(np.int64)
    return float(stats.kendalltau(np.repeat(first, times), np.repeat(second, times)).statistic)
