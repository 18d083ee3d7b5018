"""Which systems of a board differ by more than chance: the largest regularised difference, step by step.

Of two systems each unit (an item, a query, a reviewer) contributes a difference d. Their regularised difference is
T = |sum of d| / sqrt(sum of d^2 + lambda), lambda the sum of d^2 that 97 % of the pairs of the board do not
exceed (`usual_square`), more with few units (`regulariser`). If neither system is better, d might as well have had the
other sign on any unit. So signs are drawn, one per unit and the same for all systems, and in each draw the largest T
over all pairs of systems is taken: 95 % of these lie below the critical value, hence with 95 % no pair of equal
systems exceeds it. Up to 96 % are asked for where pairs scatter very unequally (`level_for`).

- Without lambda a pair would win that hardly scatters: a system that will lose items whole, and has not lost one yet,
  is ahead of one that is always in the middle on every item, by nearly the same. Lambda asks for a difference that is
  large beside what other pairs scatter (Tusher, Tibshirani and Chu 2001, PNAS 98(9), equation 1). The median would do
  where half of the systems are of such a kind; of 20 systems of which 2 to 5 are, it fails on one board in ten.
- Where a few systems lose items whole, few units show too little of it: one of two such systems has lost none of 15 on
  7 % of the boards. Lambda grows there, and the higher level leaves room for differences that are not symmetric.
- Signs change no d^2, so that lambda is the same in every draw, and nothing is divided by a spread that a draw happened
  to make small.
- It needs no spread: of n differences that are all the same the chance is 2^(1-n), so that five never tell two systems
  apart, however alike they are, and six do (one pair) only because 2^-5 is below 5 %.
- Pairs that were told apart are left out, and the largest of the others is taken anew, until no further pair exceeds it
  (step-down): an error needs a pair of equal systems that exceeds the largest of all equal pairs.

Exact where differences of equal systems are symmetric (they are where both answer alike, however skewed the answers);
close to it otherwise, as the t-test is. Sources: Efron 1969, Student's t-Test under Symmetry Conditions, Journal of
the American Statistical Association 64(328); Romano and Wolf 2005, Exact and Approximate Stepdown Methods for Multiple
Hypothesis Testing, the same 100(469), algorithm 1; for ranks Mogstad, Romano, Shaikh and Wilhelm 2024, Inference for
Ranks, Review of Economic Studies 91(1), section 3. Pure; memory grows with the systems, not their pairs.
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
LEVEL_OF_UNLIKE_PAIRS = 0.96
"""The same where pairs scatter very unequally; measured to make up for differences that are not symmetric there."""
UNEQUAL = 5.0
"""How many times the median the scatter that 97 % do not exceed may be at `LEVEL`. Systems of one kind reach 1.4 to 4,
two odd ones among 20 make it 8 to 20."""
FEW_UNITS = 15
"""With so many, lambda is doubled; with 30, 1/16 is added. Measured on boards of 8 to 50 items."""
DRAWS = 1_999
"""Of signs. Any number gives a valid critical value, since what is seen counts as one draw more; more of them only make
it less random (Phipson and Smyth 2010, Permutation P-values Should Never Be Zero, section 4)."""
MANY_PAIRS = 100_000
DRAWS_OF_MANY = 399
"""For more pairs than that: 1,000 systems are half a million."""
SEED = 20_240
"""Arbitrary but fixed for good: from the year of *Inference for Ranks*."""
ROUNDING = 1e-6
"""Two systems whose contributions differ by less, as a share of the largest, are the same."""
TIE = 1.0 + 1e-9
"""What is larger by no more is the same number."""

USUAL = 0.97
"""Share of the pairs whose scatter is usual. Boards of unlike systems need more than one half (docs/metrics.md), and on
boards of alike systems as many pairs are told apart with it as with one half."""
MOST_STEPS = 20
MOST_DIFFERENCES = 1_000_000_000
"""Differences that all further steps may draw together: later ones seldom tell another pair apart, and to stop early
errs on the safe side."""
MOST_MEASURED = 1_500
"""Systems of a comparison whose pairs say what is usual; of more, as many from the least to the most scattered."""

_TILE = (64, 1_024)
"""Systems compared at a time: half a megabyte stays near the processor."""
_SIGNS_AT_A_TIME = 4_000_000

IntArray = npt.NDArray[np.intp]


class Comparison(NamedTuple):
    """Systems that are compared on the same units: each of `first` with each of `second`, or all of `first` in pairs.

    Contributions have the shape (systems, units): what every unit adds to the figure of every system. The figures of
    two systems differ by the sum of their differences.
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


class Separation(NamedTuple):
    """From which regularised difference on two systems of a board are told apart."""

    critical: float
    square: float
    """Of `usual_square`."""


def usual_square(comparisons: Sequence[Comparison]) -> float:
    """What units x sum of d^2 does not exceed in 97 % of the pairs that differ; 0 where none does.

    `regulariser` makes the lambda of a pair from it.

    >>> round(usual_square([Comparison(np.array([[1.0, 1.0], [0.0, 0.0]]), None, np.array([0, 1]))]), 9)  # 2 x (1 + 1)
    4.0
    """
    squares = _measured_scatter(comparisons).squares
    return float(np.quantile(squares, USUAL)) if squares.size else 0.0


def level_for(comparisons: Sequence[Comparison]) -> float:
    """The level of a board: 1 - 0.25 / r, at least 95 % and at most 96 %.

    r is the scatter that 97 % of the pairs do not exceed, divided by the median scatter. The scatter of a pair is its
    units x sum of (d - mean of d)^2, so that systems that lie far apart do not count as unlike.

    >>> alike = np.array([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
    >>> level_for([Comparison(alike, None, np.arange(4))])  # every pair scatters alike: r = 1
    0.95
    """
    scatters = _measured_scatter(comparisons).around_means
    if not scatters.size:
        return LEVEL
    middle, unusual = np.quantile(scatters, [0.5, USUAL])
    risk = (1.0 - LEVEL) * UNEQUAL * float(middle / unusual) if unusual > 0.0 else 1.0
    return min(LEVEL_OF_UNLIKE_PAIRS, max(LEVEL, 1.0 - risk))


def regulariser(square: float, units: int) -> float:
    """The lambda of a pair: square / units x (1 + (15 / units)^4).

    Args:
        square: Of `usual_square`.
        units: That the pair has in common.

    >>> regulariser(60.0, 15), regulariser(60.0, 30)  # 60 / 15 x 2; 60 / 30 x (1 + 1/16)
    (8.0, 2.125)
    """
    return square / max(1, units) * (1.0 + (FEW_UNITS / max(1, units)) ** 4)


def regularised(differences: Sequence[float], square: float) -> float:
    """The regularised difference of two systems from what they differ by on common units; 0 where that is nothing.

    Args:
        differences: One per unit, with the sum by which the figures differ.
        square: Of `usual_square`.

    >>> round(regularised([1.0] * 15, 37.5), 9)  # 15 / sqrt(15 + 37.5 / 15 x 2)
    3.354101966
    """
    size = math.fsum(difference * difference for difference in differences)
    added = regulariser(square, len(differences))
    return abs(math.fsum(differences)) / math.sqrt(size + added) if size else 0.0


def separation(comparisons: Sequence[Comparison], units: int, draws: int) -> Separation:
    """The critical value of the last step.

    Args:
        comparisons: Every pair of the board.
        units: How many the board has.
        draws: Of signs.
    """
    square, level = usual_square(comparisons), level_for(comparisons)
    every_pair = Separation(math.inf, square)
    bar = Separation(critical_value(largest_by_draw(comparisons, units, draws, every_pair), level), square)
    pairs = sum(comparison.pairs for comparison in comparisons)
    steps = min(MOST_STEPS, MOST_DIFFERENCES // max(1, pairs * draws))
    apart = _told_apart(comparisons, bar)
    for _ in range(steps):
        if apart in (0, pairs):
            break
        bar = Separation(critical_value(largest_by_draw(comparisons, units, draws, bar), level), square)
        before, apart = apart, _told_apart(comparisons, bar)
        if apart == before:
            break
    return bar


def draws_for(pairs: int) -> int:
    """How many draws of signs a board with so many pairs gets.

    >>> draws_for(190), draws_for(499_500)
    (1999, 399)
    """
    return DRAWS if pairs <= MANY_PAIRS else DRAWS_OF_MANY


def largest_by_draw(comparisons: Sequence[Comparison], units: int, draws: int, left: Separation) -> FloatArray:
    """The largest regularised difference in each draw of signs, shape (draws,); 0 without a pair that differs.

    The same number of units and draws gives the same signs, so that of two calls the larger of each draw is that of
    one call with all comparisons.

    Args:
        comparisons: Pairs of systems.
        units: Of the board.
        draws: Of signs.
        left: Pairs that it tells apart are left out.

    >>> apart = Comparison(np.array([[1.0, 1.0], [0.0, 0.0]]), None, np.array([0, 1]))
    >>> drawn = largest_by_draw([apart], 2, 199, Separation(math.inf, 0.0))  # |1 + 1| or |1 - 1| / sqrt(2)
    >>> sorted({round(abs(float(one)), 6) for one in drawn})
    [0.0, 1.414214]
    """
    largest = np.zeros(draws)
    for start, signs in _signs(units, draws):
        part = largest[start : start + len(signs)]
        for comparison in comparisons:
            _raise_to_largest(part, comparison, signs, left)
    return largest


def critical_value(largest: FloatArray, level: float = LEVEL) -> float:
    """What 95 % of the draws do not exceed, or another share; the data as seen counted as one of them.

    >>> critical_value(np.arange(1.0, 200.0))  # 190 of 199, the 0.95 x 200th
    190.0
    """
    place = math.ceil(level * (len(largest) + 1)) - 1
    return float(np.sort(largest)[place])


def outcomes(comparison: Comparison, bar: Separation) -> Outcomes:
    """Who is better than whom, counted: a regularised difference above the critical value."""
    centred = _centred(comparison)
    sums, others = _sums(centred)
    wins, losses, second_wins, second_losses = (np.zeros(len(side), np.intp) for side in (sums, sums, others, others))
    for rows, columns, scale in _tiles(centred, bar.square):
        regular = (sums[rows, None] - others[None, columns]) * scale
        better, worse = regular > bar.critical * TIE, regular < -bar.critical * TIE
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


def _sums(comparison: Comparison) -> tuple[FloatArray, FloatArray]:
    """Of each first system, and of those they are compared with."""
    sums = comparison.first.sum(axis=1)
    return sums, sums if comparison.second is None else comparison.second.sum(axis=1)


def _told_apart(comparisons: Sequence[Comparison], bar: Separation) -> int:
    """How many pairs are."""
    counted = (outcomes(comparison, bar) for comparison in comparisons)
    return sum(
        int(outcome.wins.sum() + outcome.losses.sum()) // (2 - bool(outcome.second_wins.size)) for outcome in counted
    )


class _Scatter(NamedTuple):
    """Of every pair that differs."""

    squares: FloatArray
    """Units x sum of d^2."""
    around_means: FloatArray
    """Units x sum of (d - mean of d)^2."""


def _measured_scatter(comparisons: Sequence[Comparison]) -> _Scatter:
    """Of all comparisons together."""
    parts = [_scatter(_measured(comparison)) for comparison in comparisons]
    none = np.zeros(0)
    return _Scatter(
        np.concatenate([none, *(part.squares for part in parts)]),
        np.concatenate([none, *(part.around_means for part in parts)]),
    )


def _measured(comparison: Comparison) -> Comparison:
    """At most `MOST_MEASURED` systems on either side, evenly from the least to the most scattered."""

    def some(systems: FloatArray) -> FloatArray:
        if len(systems) <= MOST_MEASURED:
            return systems
        order = np.argsort((systems**2).sum(axis=1), kind="stable")
        return systems[order[np.linspace(0, len(order) - 1, MOST_MEASURED).round().astype(np.intp)]]

    centred = _centred(comparison)
    second = centred.second
    return centred._replace(first=some(centred.first), second=None if second is None else some(second))


def _scatter(comparison: Comparison) -> _Scatter:
    """Of one comparison, already centred."""
    units = comparison.first.shape[1]
    sums, others = _sums(comparison)
    squares, around_means = [np.zeros(0)], [np.zeros(0)]
    for rows, columns, scale in _tiles(comparison, 0.0):
        differ = scale > 0
        own = 1.0 / scale[differ] ** 2
        rest = own - (sums[rows, None] - others[None, columns])[differ] ** 2 / units
        squares.append(units * own)
        around_means.append(units * np.where(rest > ROUNDING * own, rest, 0.0))
    return _Scatter(np.concatenate(squares), np.concatenate(around_means))


def _raise_to_largest(largest: FloatArray, comparison: Comparison, signs: FloatArray, left: Separation) -> None:
    """Raises in place what a comparison exceeds in each draw."""
    centred = _centred(comparison)
    sums, others = _sums(centred)
    own = signs[:, centred.columns]
    first = own @ centred.first.T
    second = first if centred.second is None else own @ centred.second.T
    for rows, columns, scale in _tiles(centred, left.square):
        scale[np.abs((sums[rows, None] - others[None, columns]) * scale) > left.critical * TIE] = 0.0
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


def _tiles(comparison: Comparison, square: float) -> Iterator[tuple[slice, slice, FloatArray]]:
    """Rows, columns, and what the sum of d is multiplied by of every pair; 0: they are the same, or in another tile."""
    first = comparison.first
    second = first if comparison.second is None else comparison.second
    squares, other_squares = ((side**2).sum(axis=1) for side in (first, second))
    usual = regulariser(square, first.shape[1])
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
            yield rows, columns, 1.0 / np.sqrt(apart + usual)
