"""Intervals of means and shares, and of paired differences: how far they could move if other items had been asked.

A unit (an item, a question, an example) counts with everything it contains, for what it contains hangs together. Three
ways, none of them below `MIN_UNITS` (docs/metrics.md#interval):

- A figure between two ends (a share, a score of 0-5) has Gaffke's bounds (`ratio_interval`, `mean_bounds`): those of a
  bootstrap to which one unit at the end of the scale was added. A bootstrap alone sees nothing that did not happen yet:
  of 50 rows none of which broke, every resample has none, and its interval is [0, 0], though 1 row of 20 may break.
- A paired difference has the interval of Student's t (`difference_interval`).
- A figure that is neither is bootstrapped: 2,000 draws of units, fixed seed, percentiles of the resampled means,
  expanded. The plain percentile interval of 15 means covers the truth 92 times in 100 instead of 95, because it lacks
  the factor sqrt(n / (n - 1)) of the sample variance and the wider quantiles of Student's t. Taking percentiles further
  out mends both (Hesterberg 2015, "What Teachers Should Know About the Bootstrap", The American Statistician 69(4),
  section 5.3; arXiv 1411.5279). Units are sorted by id before drawing, so neither the order they are given in nor the
  process changes an interval, and two systems judged on the same units are resampled by the same draws.

`make bench-coverage` measures what is reached.
"""

# Why not scipy.stats.bootstrap: it takes arrays, not units with an identity, and draws anew for every figure. With
# counts per draw a resampled mean is one matrix product.

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil, fsum, log2
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtr, stdtrit

from evaluator.statistics.mean_bounds import lower_bound, upper_bound
from evaluator.values import MetricValue

DRAWS = 2_000
SEED = 3740
"""Arbitrary but fixed for good: the number of the CEUR-WS volume of the 2024 paper."""
MIN_UNITS = 6
"""Fewer units (items, questions, reviewers, dialogues) have no interval and no rank: that five of them all favour the
same of two equal systems has a chance of 2^-4, more than 5 %, so that no method could tell any two apart."""
TAIL = 0.025
"""What a 95% interval leaves out on either side."""
SEPARATION_TOLERANCE = 1e-9
"""A difference this close to 0 is rounding, not a difference."""
BLOCK_NUMBERS = 4_000_000
"""Counts of draws held at a time: 32 MB, those of 2,000 draws of 2,000 units."""
_BLOCK_DRAWS = 8
"""Blocks are whole multiples of it, where they can: matrix products take so many rows at a time, and a block with
another number of rows may differ in a last digit from the product of all."""
MOST_CORRELATED = 0.999
"""Where artanh is cut: at 1 it has no value."""

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
    counts = _drawn(np.random.default_rng(seed), units, draws)
    counts.flags.writeable = False  # shared by every caller
    return counts


def draw_blocks(units: int, draws: int = DRAWS, seed: int = SEED) -> Iterator[FloatArray]:
    """The rows of `draw_counts` in order, in blocks of at most `BLOCK_NUMBERS` counts or `_BLOCK_DRAWS` draws.

    Whoever needs each draw once holds no more of them than that, however many units there are: 2,000 draws of 60,000
    units take a gigabyte. Draws that fit into one block are those that `draw_counts` keeps.

    >>> [block.shape for block in draw_blocks(1_500_000, 20)]
    [(8, 1500000), (8, 1500000), (4, 1500000)]
    """
    if units * draws <= BLOCK_NUMBERS:
        yield draw_counts(units, draws, seed)
        return
    step = max(1, BLOCK_NUMBERS // units // _BLOCK_DRAWS) * _BLOCK_DRAWS
    generator = np.random.default_rng(seed)
    for start in range(0, draws, step):
        yield _drawn(generator, units, min(step, draws - start))


def drawn_sums(values: FloatArray) -> FloatArray:
    """`draw_counts(len(values)) @ values` without holding all counts: (units, columns) -> (draws, columns)."""
    return np.concatenate([counts @ values for counts in draw_blocks(len(values))])


def _drawn(generator: np.random.Generator, units: int, draws: int) -> FloatArray:
    return generator.multinomial(units, np.full(units, 1.0 / units), size=draws).astype(np.float64)


@lru_cache(maxsize=256)
def expanded_tail(units: int, tail: float = TAIL) -> float:
    """Share of the draws below (and above) an interval of the mean of so many units; near `tail` for many.

    Phi(-sqrt(n / (n - 1)) t), t the point of Student's t with n - 1 degrees of freedom that `tail` lies above. For
    values of a normal distribution the percentiles at these shares are the ends of the t interval. Source: Hesterberg
    2015, section 5.3.

    >>> round(expanded_tail(15), 4), round(expanded_tail(100), 4)  # t 2.1448 x sqrt(15 / 14) = 2.2201; Phi(-2.2201)
    (0.0132, 0.0231)
    """
    return float(ndtr(-np.sqrt(units / (units - 1)) * stdtrit(units - 1, 1.0 - tail)))


def ratio_interval(parts: FloatArray, wholes: FloatArray, ends: tuple[float, float] = (0.0, 1.0)) -> Interval | None:
    """95% interval of the sum of parts by the sum of wholes, each unit's part by its whole lying between two ends.

    Gaffke's bounds (`mean_bounds`): never empty, never beyond the ends, and mirrored where the scale is turned round.
    Fewer than `MIN_UNITS` units with a whole: None.

    Args:
        parts: one number per unit, between `ends` times its whole.
        wholes: 0 or more; units of 0 are none.
        ends: of the scale.

    >>> low, high = ratio_interval(np.zeros(50), np.ones(50))
    >>> low, round(high, 4)  # 1 - 0.025^(1/50)
    (0.0, 0.0711)
    """
    counted = wholes > 0
    if np.count_nonzero(counted) < MIN_UNITS:
        return None
    low, high = ends
    wholes = wholes[counted]
    shares = np.clip((parts[counted] - low * wholes) / (high - low), 0.0, wholes)
    # Less than rounding is nothing.
    shares[shares <= SEPARATION_TOLERANCE * wholes] = 0.0
    is_whole = shares >= (1.0 - SEPARATION_TOLERANCE) * wholes
    shares[is_whole] = wholes[is_whole]
    lower, upper = lower_bound(shares, wholes, TAIL), upper_bound(shares, wholes, TAIL)
    return Interval(low + (high - low) * lower, low + (high - low) * upper)


def mean_interval(clusters: Mapping[str, Sequence[float]], ends: tuple[float, float] = (0.0, 1.0)) -> Interval | None:
    """95% interval of the mean of all values, which lie between two ends; whole clusters are the units.

    Clusters without values are no units; fewer than `MIN_UNITS` units: None. See `ratio_interval`.

    >>> mean_interval({"a": [1.0], "b": [2.0]}, (0.0, 5.0)) is None
    True
    """
    units = sorted(unit for unit, values in clusters.items() if values)
    sums = np.array([fsum(clusters[unit]) for unit in units])
    return ratio_interval(sums, np.array([float(len(clusters[unit])) for unit in units]), ends)


def bootstrap_interval(values: Mapping[str, float]) -> Interval | None:
    """95% interval of the mean of values far from any end of a scale (unit id -> value).

    Expanded percentiles of a bootstrap of units; fewer than `MIN_UNITS`: None.
    """
    if len(values) < MIN_UNITS:
        return None
    drawn = np.array([values[unit] for unit in sorted(values)])
    return expanded_percentiles(draw_counts(len(drawn)) @ drawn / len(drawn), len(drawn))


def difference_interval(differences: Sequence[float], tail: float = TAIL) -> Interval | None:
    """The interval of a mean of paired differences, one per unit, that leaves out `tail` on either side: Student's t.

    Of two systems that both lose a few items whole it holds the truth where a bootstrap does not, which draws only from
    what was lost so far; of a steady one beside one that loses items it does not (docs/metrics.md). Fewer than
    `MIN_UNITS`: None. `rank_bands` asks for more: that all pairs of a board hold together.

    >>> low, high = difference_interval([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    >>> round(low, 4), round(high, 4)  # 0.5 -+ 2.5706 x sqrt(0.3 / 6)
    (-0.0748, 1.0748)
    """
    units = len(differences)
    if units < MIN_UNITS:
        return None
    values = np.array(differences)
    reach = -float(stdtrit(units - 1, tail)) * float(values.std(ddof=1)) / units**0.5
    mean = fsum(differences) / units
    return Interval(mean - reach, mean + reach)


def jackknife_interval(value: float, left_out: FloatArray) -> Interval | None:
    """95% interval of a share of won contests between units from the share without each: a jackknife of log odds.

    The log odds of (n^2 share + 1/2) / (n^2 + 1), n^2 the contests of n units, -+ t s / sqrt(n), s the standard
    deviation of their pseudo-values, t that of Student with n - 1 degrees of freedom; turned back, and cut to 0-1. Near
    1 the share itself scatters to one side, and a jackknife of it held 0.96 in 86 to 91 cases of 100. At 0 or 1 nothing
    scatters: then the bounds of as many units of which all, or none, are right. Fewer than `MIN_UNITS` units: None.

    Args:
        value: Of all units.
        left_out: Without each; NaN where it is undefined, which moves nothing.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 11; log odds of an AUC as in Pepe 2003,
    The Statistical Evaluation of Medical Tests for Classification and Prediction, section 5.2.

    >>> jackknife_interval(1.0, np.ones(20)).low == 0.025 ** (1 / 20)
    True
    """
    units = len(left_out)
    if units < MIN_UNITS:
        return None
    if not SEPARATION_TOLERANCE < value < 1.0 - SEPARATION_TOLERANCE:
        return ratio_interval(np.full(units, round(value)).astype(np.float64), np.ones(units))
    contests = units**2
    known = np.append(np.where(np.isnan(left_out), value, left_out), value)
    odds = logit((contests * known + 0.5) / (contests + 1.0))
    pseudo = units * odds[-1] - (units - 1) * odds[:-1]
    reach = -float(stdtrit(units - 1, TAIL)) * float(pseudo.std(ddof=1)) / units**0.5
    ends = (expit(odds[-1] + np.array([-reach, reach])) * (contests + 1.0) - 0.5) / contests
    return Interval(max(0.0, float(ends[0])), min(1.0, float(ends[1])))


def correlation_interval(value: float, left_out: FloatArray) -> Interval | None:
    """95% interval of a correlation, or an agreement from -1 to 1, from the one without each unit: of Fisher's z.

    tanh(z -+ t s), z = artanh(value), s the jackknife's standard error of z, t that of Student with one degree of
    freedom fewer than units: the scale on which a correlation scatters alike wherever it lies. At 1 nothing scatters:
    then from the correlation of as many units of which each is in order, 2 x 0.025^(1 / units) - 1; at -1 likewise.
    Fewer than `MIN_UNITS` units: None.

    Args:
        value: Of all units.
        left_out: Without each; NaN where it is undefined, which moves nothing.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 11; z as Fisher 1921, Metron 1.

    >>> [round(end, 6) for end in correlation_interval(1.0, np.ones(20))]  # 2 x 0.025^(1 / 20) - 1
    [0.663133, 1.0]
    >>> [round(end, 6) for end in correlation_interval(0.5, np.full(20, 0.5))]
    [0.5, 0.5]
    """
    units = len(left_out)
    if units < MIN_UNITS:
        return None
    if abs(value) > 1.0 - SEPARATION_TOLERANCE:
        least = 2.0 * TAIL ** (1.0 / units) - 1.0
        return Interval(least, 1.0) if value > 0 else Interval(-1.0, -least)
    low, high = fisher_ends(value, left_out)
    return Interval(min(value, low), max(value, high))


def fisher_ends(value: float, left_out: FloatArray) -> tuple[float, float]:
    """The ends of `correlation_interval` of units of any number; a value of 1 counts as a little less."""
    units = len(left_out)
    moved = np.arctanh(np.clip(np.where(np.isnan(left_out), value, left_out), -MOST_CORRELATED, MOST_CORRELATED))
    error = float(np.sqrt((units - 1) / units * ((moved - moved.mean()) ** 2).sum()))
    middle = float(np.arctanh(np.clip(value, -MOST_CORRELATED, MOST_CORRELATED)))
    reach = -float(stdtrit(units - 1, TAIL)) * error
    return float(np.tanh(middle - reach)), float(np.tanh(middle + reach))


def expanded_percentiles(draws: FloatArray, units: int) -> Interval:
    """The ends of the 95% interval of a figure from its draws of so many units, at `expanded_tail`."""
    tail = expanded_tail(units)
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return Interval(float(low), float(high))


def least_units(intervals: int) -> int:
    """How many units intervals that hold together need, of so many; at least `MIN_UNITS`.

    The chance that all n equal units favour the same of two sides is 2^(1 - n), and must not exceed an interval's share
    of 5 %.

    >>> least_units(1), least_units(5)  # 2^-5 = 0.031; 2^-7 = 0.0078 is below 0.05 / 5 = 0.01, 2^-6 = 0.0156 is not
    (6, 8)
    """
    return max(MIN_UNITS, 1 + ceil(log2(intervals / (2 * TAIL))))


def simultaneous_metric(values: Mapping[str, float], intervals: int) -> MetricValue:
    """The mean of one difference per unit, with one of so many intervals that hold together with 95 %.

    Each leaves out its share of the 5 % (Bonferroni; `difference_interval`). Fewer than `least_units`: no interval.

    >>> simultaneous_metric({"a": 1.0, "b": 2.0}, 5)
    MetricValue(value=1.5, low=None, high=None, n=2, unscored=0, reason=None)
    """
    differences = [values[unit] for unit in sorted(values)]
    is_enough = len(differences) >= least_units(intervals)
    interval = difference_interval(differences, TAIL / intervals) if is_enough else None
    return _metric(differences, interval, 0, "no common unit")


def mean_metric(
    clusters: Mapping[str, Sequence[float]],
    ends: tuple[float, float] = (0.0, 1.0),
    *,
    unscored: int = 0,
    reason: str = "nothing was judged",
) -> MetricValue:
    """The mean of all values with its interval; `n` counts values, the units of the interval are clusters.

    Range and direction: those of the values, which lie between two ends. No values: value None, n 0, with `reason`.

    >>> mean_metric({"001": [4.0], "002": [2.0]}, (0.0, 5.0), unscored=1)
    MetricValue(value=3.0, low=None, high=None, n=2, unscored=1, reason=None)
    >>> mean_metric({}, (0.0, 5.0)).value is None
    True
    """
    values = [value for cluster in clusters.values() for value in cluster]
    return _metric(values, mean_interval(clusters, ends), unscored, reason)


def bootstrap_metric(
    values: Mapping[str, float], *, unscored: int = 0, reason: str = "nothing was judged"
) -> MetricValue:
    """The mean of one value per unit with its `bootstrap_interval`; else as `mean_metric`."""
    return _metric(list(values.values()), bootstrap_interval(values), unscored, reason)


def bootstrap_mean_metric(
    clusters: Mapping[str, Sequence[float]], *, unscored: int = 0, reason: str = "nothing was judged"
) -> MetricValue:
    """The mean of all values far from any end of a scale, as differences are; whole clusters are drawn.

    `n` counts values. Interval: expanded percentiles; fewer than `MIN_UNITS` clusters with a value have none.

    >>> bootstrap_mean_metric({"a": [1.0, 1.0], "b": [4.0]})
    MetricValue(value=2.0, low=None, high=None, n=3, unscored=0, reason=None)
    """
    units = sorted(unit for unit, values in clusters.items() if values)
    values = [value for unit in units for value in clusters[unit]]
    if len(units) < MIN_UNITS:
        return _metric(values, None, unscored, reason)
    counts = draw_counts(len(units))
    sums = counts @ np.array([fsum(clusters[unit]) for unit in units])
    sizes = counts @ np.array([float(len(clusters[unit])) for unit in units])
    return _metric(values, expanded_percentiles(sums / sizes, len(units)), unscored, reason)


def _metric(values: Sequence[float], interval: Interval | None, unscored: int, reason: str) -> MetricValue:
    if not values:
        return MetricValue(value=None, n=0, unscored=unscored, reason=reason)
    low, high = interval if interval is not None else (None, None)
    return MetricValue(value=fsum(values) / len(values), low=low, high=high, n=len(values), unscored=unscored)


def paired_difference(
    first: Mapping[str, float], second: Mapping[str, float], attempts: tuple[int, int] = (1, 1)
) -> MetricValue:
    """Mean of first minus second over the units both have, with the interval of that difference.

    Whoever shows the best of k attempts is better by chance in up to k times as many cases. So the end that says the
    first is better leaves out 2.5 % by its attempts, the other end by those of the second (Bonferroni).

    Args:
        first: Unit -> value.
        second: The same.
        attempts: With either, from which the one shown may have been chosen; 1 or more.

    Range: minus to plus the width of the scale; positive = the first is higher. `n` = common units, `unscored` = units
    only one of them has. No common unit: None. Pairing removes what makes an item hard for everybody, so two systems
    can differ although their own intervals overlap.

    >>> paired_difference({"a": 3.0, "b": 4.0}, {"a": 2.0, "b": 1.0, "c": 5.0})
    MetricValue(value=2.0, low=None, high=None, n=2, unscored=1, reason=None)
    """
    differences = {unit: first[unit] - second[unit] for unit in first.keys() & second.keys()}
    unscored = len(first.keys() ^ second.keys())
    values = [differences[unit] for unit in sorted(differences)]
    below, above = (difference_interval(values, TAIL / number) for number in attempts)
    interval = None if below is None or above is None else Interval(below.low, above.high)
    return _metric(values, interval, unscored, "no common unit")


Side = Literal["above", "below", "around", "unknown"]


def interval_side(figure: MetricValue, point: float = 0.0) -> Side:
    """On which side of a point the whole interval of a figure lies; around it where it holds the point.

    Without an interval the side is unknown: nothing may be claimed, not even that the two cannot be told apart.

    >>> interval_side(MetricValue(value=0.4, low=0.1, high=0.7, n=15))
    'above'
    >>> interval_side(MetricValue(value=0.5, low=0.4, high=0.5, n=15), 0.5), interval_side(MetricValue(value=0.4, n=4))
    ('around', 'unknown')
    """
    if figure.low is None or figure.high is None:
        return "unknown"
    if figure.low > point + SEPARATION_TOLERANCE:
        return "above"
    return "below" if figure.high < point - SEPARATION_TOLERANCE else "around"


def excludes_zero(difference: MetricValue) -> bool:
    """Is a difference separated from 0? Never without an interval (fewer than `MIN_UNITS` units).

    >>> excludes_zero(MetricValue(value=0.4, low=0.1, high=0.7, n=15))
    True
    >>> excludes_zero(MetricValue(value=0.4, n=4))
    False
    """
    return interval_side(difference) in ("above", "below")


def is_above_zero(difference: MetricValue) -> bool:
    """Does the whole interval of a difference lie above 0?

    >>> is_above_zero(MetricValue(value=0.4, low=-0.1, high=0.9, n=15))
    False
    """
    return interval_side(difference) == "above"
