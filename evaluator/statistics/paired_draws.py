"""Which of many systems are significantly better than which: draws of paired differences, counted instead of sorted.

The answer is that of `intervals.paired_difference` for every pair. Nearly all pairs are told from resampled means that
are rounded down to one of 65,000 levels: many from a few order statistics of them, most others from the quarter of the
draws in which the better one does worst. Only where that leaves a doubt is a pair looked at in full, so the answer is
exact, and found two to five times faster than by counting every draw. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluator.statistics.intervals import (
    DRAWS,
    SEPARATION_TOLERANCE,
    FloatArray,
    draw_counts,
    draws_outside,
    resampled_means,
    significantly_better,
)

BLOCK = 256
"""Systems resampled at a time: 256 x 2,000 means are 4 MB, however many systems there are."""
FEW = 64
"""With fewer systems on a side, rounding the other side takes longer than it saves."""
LEVELS = 65_000
"""Levels of the scale that means are rounded down to, of the 65,536 that two bytes can tell apart."""
LOWEST_LEVEL = -32_500
LOWEST_DRAWS = 500
"""Draws that are looked at before all of them."""
ADDED_DRAWS = 250
"""Draws whose outcomes are added up in one byte."""
RANKS_FROM_THE_TOP = (0, 1, 2, 4, 8, 16, 32, 48)
"""Order statistics of a system's means that are kept, counted from the highest."""

BoolArray = npt.NDArray[np.bool_]
IndexArray = npt.NDArray[np.intp]
IntArray = npt.NDArray[np.int64]
LevelArray = npt.NDArray[np.int16]


class Wins(NamedTuple):
    """How often one side is significantly better than the other."""

    of_first: IntArray
    """For each first system, the number of second systems it is significantly better than."""
    over_second: IntArray
    """For each second system, the number of first systems that are significantly better than it."""


def wins(first: FloatArray, second: FloatArray) -> Wins:
    """Compares every first system with every second one; item values of the same sorted units, shape (systems, units).

    A system is significantly better than another iff the interval of their paired difference lies above 0
    (`intervals.is_above_zero`). Time grows with the product of the systems, memory with their sum (4 kB each).
    """
    if min(len(first), len(second)) < FEW:
        return _all_counted(first, second)
    units = first.shape[1]
    counts, outside = draw_counts(units), draws_outside(units)
    # What all systems have in common on an item changes no difference; without it, their means overlap less.
    centre = (first.sum(axis=0) + second.sum(axis=0)) / (len(first) + len(second))
    scale = _Scale.over(first - centre, second - centre)
    some = _rounded(first - centre, scale)
    others = some if second is first else _rounded(second - centre, scale)
    of_first, over_second = np.zeros(len(first), dtype=np.int64), np.zeros(len(second), dtype=np.int64)
    for place, system in enumerate(some.systems):
        better, unsure = _verdicts(some.levels[:, place].copy(), others, outside)
        unsure[unsure] = (second[others.systems[unsure]] != first[system]).any(axis=1)  # equal ones are many: null rows
        if unsure.any():
            own, doubtful = first[system : system + 1], second[others.systems[unsure]]
            better[unsure] = significantly_better(
                resampled_means(own, counts), resampled_means(doubtful, counts), units
            )[0]
        of_first[system] = better.sum()
        over_second[others.systems] += better
    return Wins(of_first, over_second)


def _all_counted(first: FloatArray, second: FloatArray) -> Wins:
    """Every draw of every pair, a block of systems at a time."""
    of_first, over_second = np.zeros(len(first), dtype=np.int64), np.zeros(len(second), dtype=np.int64)
    counts = draw_counts(first.shape[1])
    for rows in _blocks(np.arange(len(first))):
        means = resampled_means(first[rows], counts)
        for columns in _blocks(np.arange(len(second))):
            better = significantly_better(means, resampled_means(second[columns], counts), first.shape[1])
            of_first[rows] += better.sum(axis=1)
            over_second[columns] += better.sum(axis=0)
    return Wins(of_first, over_second)


def _blocks(systems: IndexArray) -> Iterator[IndexArray]:
    for start in range(0, len(systems), BLOCK):
        yield systems[start : start + BLOCK]


# --- means rounded down ----------------------------------------------------------------------------------------------


class _Scale(NamedTuple):
    low: float
    step: float
    """Wider than the tolerance: a mean two levels above another is above it by more than rounding."""

    @classmethod
    def over(cls, *values: FloatArray) -> _Scale:
        """Of item values, between whose ends all resampled means lie."""
        low = min(float(some.min(initial=np.inf)) for some in values)
        high = max(float(some.max(initial=-np.inf)) for some in values)
        return cls(low, max((high - low) / LEVELS, 2.0 * SEPARATION_TOLERANCE))


class _Rounded(NamedTuple):
    """Systems in rising order of their means, so that those a system cannot easily be told from lie together."""

    systems: IndexArray
    levels: LevelArray
    """(`DRAWS`, systems)"""
    upper: LevelArray
    """The sorted levels of each system at `RANKS_FROM_THE_TOP`: (ranks, systems)."""
    middle: LevelArray
    """The median of the levels of each system."""

    def most_draws_reaching(self, level: int, near: slice) -> IntArray:
        """For some of the systems, a number that its draws on this level or above do not exceed."""
        upper = self.upper[:, near]
        most = np.full(upper.shape[1], DRAWS, dtype=np.int64)
        for rank, reached in zip(reversed(RANKS_FROM_THE_TOP), upper[::-1], strict=True):
            most[reached < level] = rank
        return most


def _rounded(values: FloatArray, scale: _Scale) -> _Rounded:
    systems = np.argsort(values.mean(axis=1), kind="stable")
    levels = np.empty((DRAWS, len(values)), dtype=np.int16)
    upper = np.empty((len(RANKS_FROM_THE_TOP), len(values)), dtype=np.int16)
    middle = np.empty(len(values), dtype=np.int16)
    for block in _blocks(np.arange(len(values))):
        means = resampled_means(values[systems[block]], draw_counts(values.shape[1]))
        found = (np.clip(np.floor((means - scale.low) / scale.step), 0, LEVELS) + LOWEST_LEVEL).astype(np.int16)
        levels[:, block] = found.T
        found.sort(axis=1)
        upper[:, block] = found[:, [DRAWS - 1 - rank for rank in RANKS_FROM_THE_TOP]].T
        middle[block] = found[:, DRAWS // 2]
    return _Rounded(systems, levels, upper, middle)


# --- what levels tell ------------------------------------------------------------------------------------------------
#
# A draw tells against a system where its mean is not above the other's: for certain where the other's level is higher,
# possibly where it is at most one level lower. With `outside` draws against it the system is better, with two more it
# is not.


def _verdicts(own: LevelArray, others: _Rounded, outside: int) -> tuple[BoolArray, BoolArray]:
    """One system beside many others: is it better for certain, and is that left open?"""
    order = np.argsort(own, kind="stable")
    better = np.zeros(len(others.systems), dtype=np.bool_)
    # Half of the other's draws reach its median. So many of the system's own lie below it that `outside + 2` must meet.
    unsure = np.asarray(own[order[DRAWS // 2 + outside + 1]] >= others.middle)
    for looked_at in (outside // 2, LOWEST_DRAWS):
        near = _window(unsure)
        lowest, next_lowest = order[:looked_at], own[order[looked_at]]
        # Of all other draws, only those can tell against it in which the other reaches its lowest.
        reaching = others.most_draws_reaching(int(next_lowest) - 1, near)
        _count(own[lowest], others.levels[lowest, near], reaching, outside, better[near], unsure[near])
    left = np.flatnonzero(unsure)
    still, proven = unsure[left], better[left]
    _count(own, others.levels[:, left], 0, outside, proven, still)
    better[left], unsure[left] = proven, still
    return better, unsure


def _count(
    own: LevelArray, others: LevelArray, rest: IntArray | int, outside: int, better: BoolArray, unsure: BoolArray
) -> None:
    """Settles in place what some draws tell, (draws,) beside (draws, systems), if at most `rest` others are against."""
    against = _number_of(others > own[:, None])
    possibly = _number_of(others >= own[:, None] - np.int16(1)) + rest
    better |= unsure & (possibly <= outside)
    unsure &= (against < outside + 2) & (possibly > outside)


def _window(places: BoolArray) -> slice:
    """From the first to the last place that is true: nearly all between them are."""
    true = np.flatnonzero(places)
    return slice(int(true[0]), int(true[-1]) + 1) if len(true) else slice(0, 0)


def _number_of(draws: BoolArray) -> IntArray:
    """For each system, the number of draws that are true; shape (draws, systems)."""
    number = np.zeros(draws.shape[1], dtype=np.int64)
    for start in range(0, len(draws), ADDED_DRAWS):
        number += draws[start : start + ADDED_DRAWS].view(np.uint8).sum(axis=0, dtype=np.uint8)
    return number
