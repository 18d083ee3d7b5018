"""The largest studentised difference of many systems, and how large it gets where no two of them differ.

Of two systems each unit (an item, a query, a reviewer) contributes a difference d. Their studentised difference is
T = |sum of d| / |d|, |d| the root of the sum of squares: with n units it is t sqrt(n / (n - 1 + t^2)), t that of the
paired t-test, and never above sqrt(n). If neither system is better, d might as well have had the other sign on any
unit. So signs are drawn, one per unit and the same for all systems, and in each draw the largest T over all pairs of
systems is taken: 95 % of these lie below the critical value, hence with 95 % no pair of equal systems exceeds it.

- It needs no spread: of n differences that are all the same the chance is 2^(1-n), so that five never tell two systems
  apart, however alike they are, and six do (one pair) only because 2^-5 is below 5 %.
- Signs change no |d|, so nothing is divided by a spread that a draw happened to make small.
- Pairs that do differ only raise the largest T: the critical value holds for the others whatever these do.

Exact where differences of equal systems are symmetric (they are where both answer alike, however skewed the answers);
close to it otherwise, as the t-test is. Sources: Efron 1969, Student's t-Test under Symmetry Conditions, Journal of
the American Statistical Association 64(328); Romano and Wolf 2005, Exact and Approximate Stepdown Methods for Multiple
Hypothesis Testing, the same 100(469), the single step of section 3; for ranks Mogstad, Romano, Shaikh and Wilhelm 2024,
Inference for Ranks, Review of Economic Studies 91(1), section 3. Pure; memory grows with the systems, not their pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluator.statistics.intervals import FloatArray

LEVEL = 0.95
"""All bands of a board hold together in so many of 100 boards."""
DRAWS = 1_999
"""Of signs. Any number gives a valid critical value, since what is seen counts as one draw more; more of them only make
it less random (Phipson and Smyth 2010, Permutation P-values Should Never Be Zero, section 4)."""
MANY_PAIRS = 1_000_000
DRAWS_OF_MANY = 399
"""For more pairs than that: 10,000 systems are 50 million."""
SEED = 20_240
"""Arbitrary but fixed for good: from the year of *Inference for Ranks*."""
ROUNDING = 1e-6
"""Two systems whose contributions differ by less, as a share of the largest, are the same."""
TIE = 1.0 + 1e-9
"""What is larger by no more is the same number."""

_TILE = (64, 1_024)
"""Systems compared at a time: half a megabyte stays near the processor."""
_SIGNS_AT_A_TIME = 4_000_000

IntArray = npt.NDArray[np.intp]


class Comparison(NamedTuple):
    """Systems that are compared on the same units: each of `first` with each of `second`, or all of `first` in pairs.

    Contributions have the shape (systems, units): what every unit adds to the figure of every system.
    """

    first: FloatArray
    second: FloatArray | None
    """None: the first are compared with each other."""
    columns: IntArray
    """The place of each unit among all units of the board, by which signs are drawn."""

    @property
    def pairs(self) -> int:
        """How many are compared."""
        if self.second is None:
            return len(self.first) * (len(self.first) - 1) // 2
        return len(self.first) * len(self.second)


class Outcomes(NamedTuple):
    """How often systems of one comparison are significantly better and worse."""

    wins: IntArray
    """Of each first system over the others."""
    losses: IntArray
    second_wins: IntArray
    """The same of each second system; empty where there are none."""
    second_losses: IntArray


def studentised(differences: Sequence[float]) -> float:
    """The studentised difference of two systems from their differences on common units, 0 where these are all 0.

    >>> round(studentised([1.0, 1.0, 0.0]), 4)  # 2 / sqrt(2)
    1.4142
    """
    size = math.sqrt(math.fsum(difference * difference for difference in differences))
    return abs(math.fsum(differences)) / size if size else 0.0


def draws_for(pairs: int) -> int:
    """How many draws of signs a board with so many pairs gets.

    >>> draws_for(190), draws_for(49_995_000)
    (1999, 399)
    """
    return DRAWS if pairs <= MANY_PAIRS else DRAWS_OF_MANY


def largest_by_draw(comparisons: Sequence[Comparison], units: int, draws: int) -> FloatArray:
    """The largest studentised difference in each draw of signs, shape (draws,); 0 without a pair that differs.

    The same number of units and draws gives the same signs, so that of two calls the larger of each draw is that of
    one call with all comparisons.

    >>> apart = Comparison(np.array([[1.0, 1.0], [0.0, 0.0]]), None, np.array([0, 1]))
    >>> drawn = largest_by_draw([apart], 2, 199)  # |1 + 1| / sqrt(2) or |1 - 1| / sqrt(2)
    >>> sorted({round(abs(float(one)), 6) for one in drawn})
    [0.0, 1.414214]
    """
    largest = np.zeros(draws)
    for start, signs in _signs(units, draws):
        part = largest[start : start + len(signs)]
        for comparison in comparisons:
            _raise_to_largest(part, comparison, signs)
    return largest


def critical_value(largest: FloatArray) -> float:
    """What 95 % of the draws do not exceed, the data as seen counted as one of them.

    >>> critical_value(np.arange(1.0, 200.0))  # 190 of 199, the 0.95 x 200th
    190.0
    """
    place = math.ceil(LEVEL * (len(largest) + 1)) - 1
    return float(np.sort(largest)[place])


def outcomes(comparison: Comparison, critical: float) -> Outcomes:
    """Who is better than whom, counted: a studentised difference above the critical value."""
    centred = _centred(comparison)
    sums = centred.first.sum(axis=1)
    others = sums if centred.second is None else centred.second.sum(axis=1)
    wins, losses, second_wins, second_losses = (np.zeros(len(side), np.intp) for side in (sums, sums, others, others))
    for rows, columns, scale in _tiles(centred):
        studentised = (sums[rows, None] - others[None, columns]) * scale
        better, worse = studentised > critical * TIE, studentised < -critical * TIE
        wins[rows] += better.sum(axis=1)
        losses[rows] += worse.sum(axis=1)
        second_wins[columns] += worse.sum(axis=0)
        second_losses[columns] += better.sum(axis=0)
    if centred.second is None:
        return Outcomes(wins + second_wins, losses + second_losses, second_wins[:0], second_losses[:0])
    return Outcomes(wins, losses, second_wins, second_losses)


def _signs(units: int, draws: int) -> Iterator[tuple[int, FloatArray]]:
    """Where a block of draws begins, and its signs, shape (draws, units)."""
    step = max(1, _SIGNS_AT_A_TIME // max(1, units))
    generator = np.random.default_rng(SEED)
    for start in range(0, draws, step):
        drawn = generator.integers(0, 2, (min(step, draws - start), units))
        yield start, np.asarray(2.0 * drawn - 1.0, dtype=np.float64)


def _raise_to_largest(largest: FloatArray, comparison: Comparison, signs: FloatArray) -> None:
    """Raises in place what a comparison exceeds in each draw."""
    centred = _centred(comparison)
    own = signs[:, centred.columns]
    first = own @ centred.first.T
    second = first if centred.second is None else own @ centred.second.T
    for rows, columns, scale in _tiles(centred):
        step = max(1, _TILE[0] * _TILE[1] // scale.size)  # a board of few systems takes many draws at once
        for start in range(0, len(signs), step):
            draws = slice(start, start + step)
            differences = first[draws, rows, None] - second[draws, None, columns]
            differences *= scale
            highest = np.maximum(differences.max(axis=(1, 2)), -differences.min(axis=(1, 2)))
            np.maximum(largest[draws], highest, out=largest[draws])


def _centred(comparison: Comparison) -> Comparison:
    """Without what all have in common on a unit, which changes no difference but costs digits."""
    first, second = comparison.first, comparison.second
    middle = (first if second is None else np.concatenate([first, second])).mean(axis=0)
    return comparison._replace(first=first - middle, second=None if second is None else second - middle)


def _tiles(comparison: Comparison) -> Iterator[tuple[slice, slice, FloatArray]]:
    """Rows, columns, and 1 / |d| of every pair of them: 0 for those that are the same, or that another tile holds."""
    first = comparison.first
    second = first if comparison.second is None else comparison.second
    squares, other_squares = ((side**2).sum(axis=1) for side in (first, second))
    least = ROUNDING**2 * max(squares.max(initial=0.0), other_squares.max(initial=0.0))
    for top in range(0, len(first), _TILE[0]):
        rows = slice(top, min(top + _TILE[0], len(first)))
        # Among each other, every pair once: what lies right of the diagonal.
        for left in range(0 if comparison.second is not None else top, len(second), _TILE[1]):
            columns = slice(left, min(left + _TILE[1], len(second)))
            apart = squares[rows, None] + other_squares[None, columns] - 2.0 * first[rows] @ second[columns].T
            if comparison.second is None and left < rows.stop:
                apart[np.arange(columns.start, columns.stop)[None, :] <= np.arange(rows.start, rows.stop)[:, None]] = (
                    0.0
                )
            apart[apart <= least] = np.inf
            yield rows, columns, 1.0 / np.sqrt(apart)
