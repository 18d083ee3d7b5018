"""Bounds of a mean or a share on a scale with two ends that rare losses do not break (Gaffke 2005).

Of n values, the upper bound adds one more at the upper end of the scale, gives all n + 1 random weights that add up to
1 (Dirichlet(1, ..., 1)) and takes the 97.5% point of the weighted mean; the lower bound adds one at the lower end and
takes the 2.5% point. What has not been seen yet may lie as far away as the scale allows: of fifteen values near 5 the
lower bound says how many may still be 0. Of yes or no these are the bounds of Clopper and Pearson (1934), exactly.

That such a bound errs in at most 2.5% of cases is proven for yes or no; for any other values it is Gaffke's conjecture,
against which no example is known (Learned-Miller and Thomas 2020 show it to be tighter than every bound of Anderson
1969, which is proven). Units may have several cases each: then the ratio of two weighted sums is bounded, and the unit
that is added has as many cases as the unit of a random case.

The weights are independent exponential numbers divided by their sum, so that the weighted mean lies above c where the
sum of E_i (value_i - c) is above 0. The chance of that is one integral (Imhof 1961, Biometrika 48, equation 3.2),
summed here at fixed points: no draws, the same ends everywhere.

Sources: Gaffke 2005, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
variable, Mathematical Methods of Statistics 14(4); Learned-Miller and Thomas 2020, A New Confidence Interval for the
Mean of a Bounded Random Variable, arXiv 1905.06208.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import betaincinv

FloatArray = npt.NDArray[np.float64]

_SURE = 7.0
"""A sum whose mean lies so many standard deviations from 0 has the other sign in less than 1 / (1 + 49) = 2 % of cases
(Cantelli), less than any bound here asks for."""
_POINTS, _POINTS_OF_MANY = 192, 64
"""Of the integral: with 192 and without the closed form, the bounds of Clopper and Pearson of up to 100 units come out
to a millionth. Many different values are smooth enough for fewer points (a test)."""
MANY = 500
_DIGITS_OF_MANY = 4
"""Of many different values, of a scale of 1: 100,000 of them are then 10,000 at most."""
_ACCURACY = 1e-10


@cache
def _quadrature(points: int) -> tuple[FloatArray, FloatArray]:
    """Places from 0 to infinity and their weights: Gauss and Legendre's of u, at u / (1 - u)."""
    places, weights = np.polynomial.legendre.leggauss(points)
    u = (places + 1.0) / 2.0
    return np.asarray(u / (1.0 - u)), np.asarray(weights / 2.0 / (1.0 - u) ** 2)


def chance_above_zero(factors: FloatArray, copies: FloatArray) -> float:
    """The chance that a sum of independent exponential numbers, each times its factor, is above 0.

    1/2 + 1/pi x the integral over t > 0 of sin(sum of arctan(t f)) / (t x product of sqrt(1 + t^2 f^2)). Exactly 0 or 1
    where it is within 2 % of them.

    Args:
        factors: At least seven that are not 0, counted by copies: with fewer the integral is not this accurate.
        copies: How often each factor occurs.

    >>> round(chance_above_zero(np.array([1.0, -1.0]), np.array([4.0, 4.0])), 9)
    0.5
    """
    spread = math.sqrt(float((copies * factors**2).sum()))
    if not spread:
        return 0.0
    mean = float((copies * factors).sum()) / spread
    if abs(mean) > _SURE:
        return float(mean > 0)
    places, weights = _quadrature(_POINTS if len(factors) <= MANY else _POINTS_OF_MANY)
    scaled = np.outer(places, factors / spread)
    angles, shrinkage = np.arctan(scaled) @ copies, np.log1p(scaled**2) @ copies / 2.0
    return float(0.5 + (weights * np.sin(angles) * np.exp(-shrinkage) / places).sum() / math.pi)


def lower_bound(parts: FloatArray, wholes: FloatArray, tail: float) -> float:
    """The lower bound of a ratio of sums that lies between 0 and 1; `tail` is how often it may lie above the truth.

    Args:
        parts: One number per unit, between 0 and its whole.
        wholes: Above 0; the cases of each unit.
        tail: 2 % or more.

    >>> round(lower_bound(np.ones(20), np.ones(20), 0.025), 9)  # 0.025^(1/20)
    0.831566529
    """
    total = float(wholes.sum())
    most = float((parts / wholes).max())
    if most <= 0.0:
        return 0.0
    if wholes.min() == wholes.max() and ((parts == 0.0) | (parts == wholes)).all():  # yes or no
        yes = np.count_nonzero(parts)
        return float(betaincinv(yes, len(parts) - yes + 1.0, tail))
    rows, copies = _distinct(parts, wholes)
    own, of = np.append(rows[:, 0], 0.0), np.append(rows[:, 1], float((wholes**2).sum()) / total)
    counted = np.append(copies, 1.0)

    def missed(ratio: float) -> float:
        return 1.0 - chance_above_zero(own - ratio * of, counted) - tail

    return float(brentq(missed, 0.0, most, xtol=_ACCURACY)) if missed(most) > 0 else most


def _distinct(parts: FloatArray, wholes: FloatArray) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Different units, shape (units, 2), and how often each occurs."""
    rows, copies = np.unique(np.stack([parts, wholes], axis=1), axis=0, return_counts=True)
    if len(rows) > MANY:
        rounded = np.round(parts / wholes, _DIGITS_OF_MANY) * wholes
        rows, copies = np.unique(np.stack([rounded, wholes], axis=1), axis=0, return_counts=True)
    return rows, copies


def upper_bound(parts: FloatArray, wholes: FloatArray, tail: float) -> float:
    """The upper bound, as `lower_bound` of what is missing from each whole.

    >>> round(upper_bound(np.zeros(50), np.ones(50), 0.025), 6)  # 1 - 0.025^(1/50)
    0.071122
    """
    return 1.0 - lower_bound(wholes - parts, wholes, tail)
