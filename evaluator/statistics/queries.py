"""How sure a judge's figures are: intervals and tests that resample whole queries (docs/position_bias.md#how-sure).

Verdicts on one query belong together: every model answers it and the same flaw may turn them all. A query is therefore
drawn with everything it contains, and signs are flipped query by query. Intervals that draw single pairs were up to
2.7 times too narrow on real verdicts.
"""

# Why not scipy.stats.bootstrap and permutation_test: they index every query in every draw. Queries with equal sums are
# exchangeable, so drawing how often each *distinct* row of sums occurs gives the same distribution in a fraction of
# the time and memory (10,000 queries with one pair each have three distinct rows), and no order of rows can matter.

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from evaluator.statistics.intervals import SEPARATION_TOLERANCE, TAIL, expanded_percentiles

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

DRAWS = 10_000
SEED = 240607791
"""Arbitrary but fixed for good: the arXiv number of *Judging the Judges*."""
MIN_QUERIES = 10
"""Fewer queries have no interval, as the definition of the figures asks: more than `intervals.MIN_UNITS`."""
UNSEEN_QUERIES = 2.0
"""How many queries that were not seen are counted as scattering as far as shares can."""
UNSEEN_OF_FEW = 40.0
"""The same divided by the queries, where that is more."""
Z = 1.959964
"""97.5th percentile of the normal distribution, as the specification rounds it."""
MOST_EXACT_QUERIES = 16
"""Up to so many queries with a preference, all 2^m sign vectors are looked at."""
SIGN_VECTORS = 50_000
_MULTINOMIAL_COST = 10
"""A multinomial takes as long per distinct row as about ten single draws (measured)."""
_BLOCK_NUMBERS = 1_000_000
"""Numbers drawn at a time: 8 MB."""
_ZERO_WIDTH = 1e-12
"""Narrower than this is rounding."""


def resampled_sums(sums: FloatArray, *, draws: int = DRAWS, seed: int = SEED) -> FloatArray:
    """Column sums of resamples of whole queries: (queries, columns) -> (draws, columns).

    Each draw takes as many queries as there are, with replacement. The same rows give the same draws in any order, and
    columns stay together: the draws of two columns are paired.

    >>> resampled_sums(np.array([[1.0, 2.0], [1.0, 2.0]])).shape
    (10000, 2)
    """
    distinct, counts = np.unique(sums, axis=0, return_counts=True)
    generator = np.random.default_rng(seed)
    totals = np.empty((draws, sums.shape[1]))
    draws_of = _multinomial_draws if len(distinct) * _MULTINOMIAL_COST < len(sums) else _single_draws
    block = max(1, _BLOCK_NUMBERS // len(sums))
    for start in range(0, draws, block):
        totals[start : start + block] = draws_of(generator, counts, min(block, draws - start)) @ distinct
    return totals


def _multinomial_draws(generator: np.random.Generator, counts: IntArray, draws: int) -> IntArray:
    """How often each distinct row occurs, drawn at once: fast where there are few."""
    queries = int(counts.sum())
    return generator.multinomial(queries, counts / queries, size=draws)


def _single_draws(generator: np.random.Generator, counts: IntArray, draws: int) -> IntArray:
    """The same, drawn query by query: fast where most rows differ."""
    rows, queries = len(counts), int(counts.sum())
    row_of_query = np.repeat(np.arange(rows), counts)
    drawn = row_of_query[generator.integers(queries, size=(draws, queries))]
    drawn += rows * np.arange(draws)[:, np.newaxis]
    return np.bincount(drawn.reshape(-1), minlength=draws * rows).reshape(draws, rows)


def share_interval(parts: FloatArray, wholes: FloatArray) -> tuple[float, float] | None:
    """95 % interval of a share of sums over queries; fewer than `MIN_QUERIES`: None.

    Of n effective trials (`effective_trials`) and x = n times the share, the quantiles of Beta(x, n - x + 1) and
    Beta(x + 1, n - x). Of pairs within queries it holds the truth as often as it says (docs/metrics.md); Gaffke's
    bounds, which do not look at how alike the pairs of a query are, would be wider.
    Sources: Clopper and Pearson 1934, Biometrika 26; with effective trials Korn and Graubard 1998, Survey Methodology
    24.

    Args:
        parts: One number per query, between 0 and its whole.
        wholes: 0 or more; queries of 0 are none.

    >>> [round(end, 4) for end in share_interval(np.ones(20), np.ones(20))]  # 0.025^(1/20)
    [0.8316, 1.0]
    """
    counted = wholes > 0
    if len(parts) < MIN_QUERIES or not counted.any():
        return None
    parts, wholes = parts[counted], wholes[counted]
    n = effective_trials(parts, wholes)
    yes = n * float(parts.sum() / wholes.sum())
    no = n - yes
    # Less than rounding is nothing: Beta(0, b) is 0.
    lower = 0.0 if yes <= SEPARATION_TOLERANCE * n else float(betaincinv(yes, no + 1.0, TAIL))
    upper = 1.0 if no <= SEPARATION_TOLERANCE * n else float(betaincinv(yes + 1.0, no, 1.0 - TAIL))
    return lower, upper


def effective_trials(parts: FloatArray, wholes: FloatArray) -> float:
    """How many independent yes-or-no trials a ratio of sums is worth; parts between 0 and the whole of their query.

    n / r, with n = (sum of wholes)^2 / sum of squared wholes, the queries counted by their weight, and r = sum of (part
    - p whole)^2 / (p (1 - p) sum of squared wholes), their scatter as a share of what it were if each were wholly yes
    or wholly no. r is seen from these queries alone, so it is mixed with 1, as if `UNSEEN_QUERIES` more had been seen
    that scatter so; where all are yes or all no, r is 1. Source: Kish 1965, Survey Sampling, section 8.2.

    >>> effective_trials(np.array([1.0, 0.0] * 10), np.ones(20))  # yes or no: r = 20 / 19, mixed 22 / 21
    19.09090909090909
    >>> effective_trials(np.full(10, 0.5), np.ones(10))  # no scatter: r = 0, mixed 4 / 13
    32.5
    """
    queries = len(parts)
    share = parts.sum() / wholes.sum()
    most = share * (1.0 - share) * (wholes**2).sum()
    is_at_an_end = share <= SEPARATION_TOLERANCE or share >= 1.0 - SEPARATION_TOLERANCE
    scatter = 1.0 if is_at_an_end else ((parts - share * wholes) ** 2).sum() / most * queries / (queries - 1)
    unseen = max(UNSEEN_QUERIES, UNSEEN_OF_FEW / queries)
    mixed = ((queries - 1) * scatter + unseen) / (queries - 1 + unseen)
    return float(wholes.sum() ** 2 / (wholes**2).sum() / mixed)


def percentile_interval(
    resampled: FloatArray, queries: int, *, lowest: float, highest: float
) -> tuple[float, float] | None:
    """95 % interval of a figure from its resampled values, at percentiles expanded for few queries.

    Fewer than `MIN_QUERIES` queries: None. Where all resamples agree, the data say nothing about the spread; then the
    interval is [x - u, x + u] cut to the figure's range, u = z² / (G + z²) with G queries.

    Args:
        resampled: the figure in each draw.
        queries: G.
        lowest: of the figure's range.
        highest: of the figure's range.

    >>> percentile_interval(np.ones(DRAWS), 9, lowest=0.0, highest=1.0) is None
    True
    >>> [round(end, 4) for end in percentile_interval(np.ones(DRAWS), 20, lowest=0.0, highest=1.0)]  # u = 3.84 / 23.84
    [0.8389, 1.0]
    """
    if queries < MIN_QUERIES:
        return None
    low, high = expanded_percentiles(resampled, queries)
    if high - low < _ZERO_WIDTH:
        reach = Z**2 / (queries + Z**2)
        return max(lowest, low - reach), min(highest, high + reach)
    return low, high


def sign_flip_p(preferences: Sequence[int] | IntArray) -> float:
    """Probability of a preference for one place at least this strong if each query favoured either place by chance.

    `preferences` are the recency flips minus the primacy flips of each query. p = share of the sign vectors with
    |sum| >= |observed sum|: of all of them with up to 16 queries that are not 0, else of 50,000 random ones,
    (1 + hits) / 50,001. Range 0-1; no flip at all, or no query: 1.

    A binomial test on the pooled flips would reject 9-46 % of fair judges at a nominal 5 %.

    >>> sign_flip_p([3, 3, 3, 3, 3, -3])  # 15 recency, 3 primacy flips: 14 of 64 sign vectors reach 12
    0.21875
    >>> sign_flip_p([1, 1, -2]), sign_flip_p([0])
    (1.0, 1.0)
    """
    sizes = np.abs(np.asarray(preferences, np.int64))
    sizes = sizes[sizes > 0]
    observed = abs(int(np.sum(preferences)))
    if len(sizes) <= MOST_EXACT_QUERIES:
        return float(np.mean(np.abs(_all_signed_sums(sizes)) >= observed))
    hits = int(np.count_nonzero(np.abs(_random_signed_sums(sizes)) >= observed))
    return (1 + hits) / (1 + SIGN_VECTORS)


def _all_signed_sums(sizes: IntArray) -> IntArray:
    sums = np.zeros(1, np.int64)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _random_signed_sums(sizes: IntArray) -> IntArray:
    """`SIGN_VECTORS` random sums: m queries of one size add size x (2 x binomial(m, 1/2) - m)."""
    generator = np.random.default_rng(SEED)
    sums = np.zeros(SIGN_VECTORS, np.int64)
    for size, number in zip(*np.unique(sizes, return_counts=True), strict=True):
        sums += size * (2 * generator.binomial(number, 0.5, SIGN_VECTORS) - number)
    return sums


def holm_adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment: compare each with 5 % and the chance of any false alarm on the map is at most 5 %.

    Range 0-1, never below the p given; None stays None and is not counted as a test. Empty: empty.
    Source: Holm 1979, A simple sequentially rejective multiple test procedure.

    >>> holm_adjusted([0.01, 0.04, None, 0.03])  # sorted: 3 x 0.01, then 2 x 0.03, then at least that
    [0.03, 0.06, None, 0.06]
    """
    ordered = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - rank) * p))
        adjusted[place] = highest
    return adjusted
