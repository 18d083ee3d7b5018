"""Least squares on observations that stand in clusters, with what could have been found, and false discovery rates.

Errors leave out one cluster at a time (the jackknife of clusters, CR3: Cameron and Miller 2015, *A Practitioner's Guide
to Cluster-Robust Inference*, Journal of Human Resources 50(2), section VI), intervals and p use Student's t with one
degree of freedom less than there are clusters. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from evaluator.statistics.intervals import TAIL, FloatArray

MIN_CLUSTERS = 10
"""With fewer a test of bias would rest on a handful of questions."""
POWER = 0.8


class Slope(NamedTuple):
    """One coefficient."""

    value: float
    low: float
    """Of the 95% interval."""
    high: float
    p: float
    """Two-sided, of 0."""
    detectable: float
    """The size that a test at 5% finds with a power of 80%: (t_.975 + t_.8) x standard error (Bloom 1995, *Minimum
    Detectable Effects*, Evaluation Review 19(5))."""


def clustered_slopes(outcomes: FloatArray, design: FloatArray, clusters: Sequence[str]) -> list[Slope] | None:
    """Return the coefficients of a linear model, one per column.

    Args:
        outcomes: One per observation.
        design: (observations, columns).
        clusters: Of each observation.

    Returns:
        None with fewer than `MIN_CLUSTERS` clusters, and where the columns do not tell the coefficients apart, without
        any one cluster too.

    A mean of clusters of one: the error is that of Student's t.

    >>> [mean] = clustered_slopes(np.arange(10.0), np.ones((10, 1)), [str(n) for n in range(10)])
    >>> round(mean.value, 9), round((mean.high - mean.low) / 2, 4)  # 2.2622 x 3.0277 / sqrt(10)
    (4.5, 2.1659)
    """
    names, place = np.unique(np.asarray(clusters), return_inverse=True)
    if len(names) < MIN_CLUSTERS or np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    order = np.argsort(place, kind="stable")
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    squares = np.add.reduceat((design[:, :, np.newaxis] * design[:, np.newaxis, :])[order], starts)
    products = np.add.reduceat((design * outcomes[:, np.newaxis])[order], starts)
    left = squares.sum(axis=0) - squares
    if np.linalg.matrix_rank(left, hermitian=True).min() < design.shape[1]:
        return None
    value = np.linalg.solve(squares.sum(axis=0), products.sum(axis=0))
    without = np.linalg.solve(left, (products.sum(axis=0) - products)[..., np.newaxis])[..., 0]
    freedom = len(names) - 1
    errors = np.sqrt(((without - value) ** 2).sum(axis=0) * freedom / len(names))
    return [slope_of(float(size), float(error), freedom) for size, error in zip(value, errors, strict=True)]


def slope_of(value: float, error: float, freedom: int) -> Slope:
    """Return a coefficient with Student's interval, p and detectable size, from its standard error."""
    reach = float(stdtrit(freedom, 1 - TAIL)) * error
    # Where no cluster differs from another there is nothing that chance could have done.
    p = float(2 * stdtr(freedom, -abs(value) / error)) if error > 0 else float(not value)
    return Slope(value, value - reach, value + reach, p, reach + float(stdtrit(freedom, POWER)) * error)


def bracketed(held: Slope, subtracted: Slope) -> Slope:
    """Return what is safe to say of an effect beside a reference that is only known coarsely.

    Held fixed as a column of the model, a coarse reference (which answer people found better, not by how much) leaves
    some of the quality that goes with the effect; subtracted from the outcome, it takes off more than a judge that errs
    has. The two lie on both sides of the truth (Ding and Li 2019, *A Bracketing Relationship between
    Difference-in-Differences and Lagged-Dependent-Variable Adjustment*, Political Analysis 27(4)), so that an effect is
    told from 0 only where both are, on the same side.

    Returns:
        The value nearer to 0, the interval that holds both, the larger p (1 where the signs differ), the larger
        detectable size.

    >>> bracketed(Slope(0.3, 0.1, 0.5, 0.01, 0.2), Slope(0.1, -0.1, 0.3, 0.3, 0.3))
    Slope(value=0.1, low=-0.1, high=0.5, p=0.3, detectable=0.3)
    """
    return Slope(
        min(held.value, subtracted.value, key=abs),
        min(held.low, subtracted.low),
        max(held.high, subtracted.high),
        max(held.p, subtracted.p) if held.value * subtracted.value > 0 else 1.0,
        max(held.detectable, subtracted.detectable),
    )


def false_discovery_rates(p_values: Sequence[float]) -> list[float]:
    """Return q of each p: whoever believes all with q up to 5% errs in 5% of them on average.

    Source: Benjamini and Hochberg 1995, *Controlling the False Discovery Rate*, Journal of the Royal Statistical
    Society B 57(1); it holds for tests that rise and fall together, too (Benjamini and Yekutieli 2001, Annals of
    Statistics 29(4)).

    >>> [round(q, 6) for q in false_discovery_rates([0.01, 0.04, 0.03])]  # 3 x 0.01; 3/2 x 0.03, but at most the next
    [0.03, 0.04, 0.04]
    >>> false_discovery_rates([])
    []
    """
    if not p_values:
        return []
    values = np.asarray(p_values, np.float64)
    order = np.argsort(-values, kind="stable")
    scaled = values[order] * len(values) / np.arange(len(values), 0, -1)
    rates = np.empty(len(values))
    rates[order] = np.minimum.accumulate(np.minimum(scaled, 1.0))
    return [float(rate) for rate in rates]
