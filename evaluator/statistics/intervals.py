"""Bootstrap intervals: how far a mean could move if other items had been asked (specs: eloquent, "Uncertainty").

A unit (an item, a question) is drawn with everything it contains: 2,000 draws, fixed seed, percentiles of the resampled
means, none below `MIN_UNITS`. Units are sorted by id before drawing, so neither the order they are given in nor the
process changes an interval, and two systems judged on the same units are resampled by the same draws.

Which percentiles:

- Expanded, always. The plain percentile interval of 15 means covers the truth 92 times in 100 instead of 95, because it
  lacks the factor sqrt(n / (n - 1)) of the sample variance and the wider quantiles of Student's t. Taking percentiles
  further out mends both (Hesterberg 2015, "What Teachers Should Know About the Bootstrap", The American Statistician
  69(4), section 5.3; arXiv 1411.5279).
- Bias-corrected and accelerated (BCa) besides, for a score. Values that pile up at an end of the scale are skewed, and
  the interval misses on the side of their tail (Efron 1987, "Better Bootstrap Confidence Intervals", Journal of the
  American Statistical Association 82(397)).
- Not so for a paired difference: those of like systems are symmetric, so that their skewness is chance; correcting for
  it tells equal systems apart too often.

`make bench-coverage` measures what is reached.
"""

# Why not scipy.stats.bootstrap: it takes arrays, not units with an identity, and draws anew for every figure. With
# counts per draw a resampled mean is one matrix product.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import ceil, fsum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

from evaluator.values import MetricValue

DRAWS = 2_000
SEED = 3740
"""Arbitrary but fixed for good: the number of the CEUR-WS volume of the 2024 paper."""
MIN_UNITS = 6
"""Fewer units (items, questions, reviewers, dialogues) have no interval and no rank: that five of them all favour the
same of two equal systems has a chance of 2^-4, more than 5 %, so that no method could tell any two apart."""
TAIL = 0.025
"""Share of the draws below (and above) a plain 95% percentile interval, which other boards' definitions fix."""
SEPARATION_TOLERANCE = 1e-9
"""A difference this close to 0 is rounding, not a difference."""
NORMAL_QUANTILE = 1.96
"""A normal 95% interval reaches this many standard errors to either side."""

FloatArray = npt.NDArray[np.float64]


class Interval(NamedTuple):
    """Ends of a 95% interval."""

    low: float
    high: float


@lru_cache(maxsize=64)
def draw_counts(units: int, draws: int = DRAWS, seed: int = SEED) -> FloatArray:
    """How often each of `units` units occurs in each draw, shape (draws, units); every row sums to `units`.

    Same number of units, same draws. A resampled mean of values v is `draw_counts(len(v)) @ v / len(v)`.

    >>> draw_counts(7).shape, float(draw_counts(7)[0].sum())
    ((2000, 7), 7.0)
    """
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(units, np.full(units, 1.0 / units), size=draws).astype(np.float64)
    counts.flags.writeable = False  # shared by every caller
    return counts


@lru_cache(maxsize=256)
def expanded_tail(units: int) -> float:
    """Share of the draws below (and above) a 95% interval of the mean of so many units; near `TAIL` for many.

    Phi(-sqrt(n / (n - 1)) t), t the 97.5% point of Student's t with n - 1 degrees of freedom. For values of a normal
    distribution the percentiles at these shares are the ends of the t interval. Source: Hesterberg 2015, section 5.3.

    >>> round(expanded_tail(15), 4), round(expanded_tail(100), 4)  # t 2.1448 x sqrt(15 / 14) = 2.2201; Phi(-2.2201)
    (0.0132, 0.0231)
    """
    return float(ndtr(-_reach(units)))


def _reach(units: int) -> float:
    """How many standard deviations of the resampled means a t interval reaches to either side."""
    return float(np.sqrt(units / (units - 1)) * stdtrit(units - 1, 1.0 - TAIL))


def acceleration(deviations: FloatArray) -> float:
    """How fast the standard error of a mean grows with the mean itself: the skewness of the mean / 6.

    Sum of d^3 / (6 (sum of d^2)^1.5) of the deviations d from the mean. Between -1/6 and 1/6: positive with a tail
    upwards, 0 for symmetric deviations and where there are none. Source: Efron 1987, section 7.

    >>> round(acceleration(np.array([-1.0, -1.0, -1.0, -1.0, 4.0])), 4)  # 60 / (6 x 20^1.5)
    0.1118
    """
    if np.abs(deviations).max() <= SEPARATION_TOLERANCE:
        return 0.0
    return float((deviations**3).sum() / (6.0 * (deviations**2).sum() ** 1.5))


def corrected_tails(units: int, skew: float) -> tuple[float, float]:
    """Shares of the draws below the low and below the high end of the 95% interval of a score; `skew` its acceleration.

    The levels of the BCa interval, Phi(z0 + (z0 + z) / (1 - a (z0 + z))), with z expanded as in `expanded_tail`, and
    with z0 = a: resampled means lie below their mean with probability Phi(skewness / 6) (first term of the Edgeworth
    expansion), so nothing has to be counted in draws that are full of ties.

    >>> corrected_tails(15, 0.0) == (expanded_tail(15), 1.0 - expanded_tail(15))
    True
    >>> low, high = corrected_tails(15, 0.05)  # z -+2.2201: Phi(0.05 - 2.1701 / 1.1085), Phi(0.05 + 2.2701 / 0.8865)
    >>> round(low, 4), round(high, 4)
    (0.0282, 0.9955)
    """
    # The denominator is above 0.6: |a| is below 1/6, and the reach at most 3.11 where |a| is below 0.12 (five units).
    low, high = (skew + z / (1.0 - skew * z) for z in (skew - _reach(units), skew + _reach(units)))
    return float(ndtr(low)), float(ndtr(high))


def mean_interval(clusters: Mapping[str, Sequence[float]]) -> Interval | None:
    """95% interval of the mean of all values, resampling whole clusters (unit id -> its values).

    Range: that of the values. Clusters without values are no units; fewer than `MIN_UNITS` units: None.
    Source: specs, eloquent section 5 "Uncertainty", with `corrected_tails`; percentiles are linear (numpy's default).

    >>> mean_interval({unit: [1.0] for unit in "abcdef"})
    Interval(low=1.0, high=1.0)
    >>> mean_interval({"a": [1.0], "b": [2.0]}) is None
    True
    """
    units = sorted(unit for unit, values in clusters.items() if values)
    if len(units) < MIN_UNITS:
        return None
    sums = np.array([fsum(clusters[unit]) for unit in units])
    sizes = np.array([float(len(clusters[unit])) for unit in units])
    counts = draw_counts(len(units))
    skew = acceleration(sums - sizes * (sums.sum() / sizes.sum()))
    return _percentiles((counts @ sums) / (counts @ sizes), corrected_tails(len(units), skew))


def difference_interval(differences: Mapping[str, float]) -> Interval | None:
    """95% interval of the mean of paired differences (unit id -> difference); fewer than `MIN_UNITS`: None.

    Not corrected for skewness (see the module's text).
    """
    if len(differences) < MIN_UNITS:
        return None
    values = np.array([differences[unit] for unit in sorted(differences)])
    tail = expanded_tail(len(values))
    return _percentiles(draw_counts(len(values)) @ values / len(values), (tail, 1.0 - tail))


def _percentiles(draws: FloatArray, tails: tuple[float, float]) -> Interval:
    low, high = np.quantile(draws, tails)
    return Interval(float(low), float(high))


def mean_metric(
    clusters: Mapping[str, Sequence[float]], *, unscored: int = 0, reason: str = "nothing was judged"
) -> MetricValue:
    """The mean of all values with its interval; `n` counts values, the interval resamples clusters.

    Range and direction: those of the values. No values: value None, n 0, with `reason`.

    >>> mean_metric({"001": [4.0], "002": [2.0]}, unscored=1)
    MetricValue(value=3.0, low=None, high=None, n=2, unscored=1, reason=None)
    >>> mean_metric({}).value is None
    True
    """
    values = [value for cluster in clusters.values() for value in cluster]
    return _metric(values, mean_interval(clusters), unscored, reason)


def _metric(values: Sequence[float], interval: Interval | None, unscored: int, reason: str) -> MetricValue:
    if not values:
        return MetricValue(value=None, n=0, unscored=unscored, reason=reason)
    low, high = interval if interval is not None else (None, None)
    return MetricValue(value=fsum(values) / len(values), low=low, high=high, n=len(values), unscored=unscored)


def paired_difference(first: Mapping[str, float], second: Mapping[str, float]) -> MetricValue:
    """Mean of first minus second over the units both have, with the interval of that difference.

    Range: minus to plus the width of the scale; positive = the first is higher. `n` = common units, `unscored` = units
    only one of them has. No common unit: None. Pairing removes what makes an item hard for everybody, so two systems
    can differ although their own intervals overlap.

    >>> paired_difference({"a": 3.0, "b": 4.0}, {"a": 2.0, "b": 1.0, "c": 5.0})
    MetricValue(value=2.0, low=None, high=None, n=2, unscored=1, reason=None)
    """
    differences = {unit: first[unit] - second[unit] for unit in first.keys() & second.keys()}
    unscored = len(first.keys() ^ second.keys())
    return _metric(list(differences.values()), difference_interval(differences), unscored, "no common unit")


def excludes_zero(difference: MetricValue) -> bool:
    """Is a difference separated from 0? Never without an interval (fewer than `MIN_UNITS` units).

    >>> excludes_zero(MetricValue(value=0.4, low=0.1, high=0.7, n=15))
    True
    >>> excludes_zero(MetricValue(value=0.4, n=4))
    False
    """
    return is_above_zero(difference) or (difference.high is not None and difference.high < -SEPARATION_TOLERANCE)


def is_above_zero(difference: MetricValue) -> bool:
    """Does the whole interval of a difference lie above 0?

    >>> is_above_zero(MetricValue(value=0.4, low=-0.1, high=0.9, n=15))
    False
    """
    return difference.low is not None and difference.low > SEPARATION_TOLERANCE


def units_to_separate(differences: Sequence[float]) -> int | None:
    """How many units two systems must be compared on until the interval of this mean difference excludes 0.

    Normal approximation: n >= (1.96 sd / |mean|)^2, rounded up, with the sample standard deviation (n - 1) of the
    differences seen; it assumes that further units differ by as much and scatter as these do. At least `MIN_UNITS`,
    below which there is no interval. Fewer is better. None where no number is enough (the mean is 0), and with fewer
    than two differences, which show no spread. Source: sample size of a paired z test, without a margin for power:
    at this n a difference of exactly the observed size is found every second time.

    >>> units_to_separate([1.0, 0.0, 1.0, 0.0])  # mean 1/2, variance 1/3: 3.8416 / 3 * 4 = 5.12
    6
    >>> units_to_separate([1.0, -1.0]) is None
    True
    """
    if len(differences) < 2:
        return None
    mean = fsum(differences) / len(differences)
    if abs(mean) <= SEPARATION_TOLERANCE:
        return None
    variance = fsum((difference - mean) ** 2 for difference in differences) / (len(differences) - 1)
    return max(MIN_UNITS, ceil(NORMAL_QUANTILE**2 * variance / mean**2))
