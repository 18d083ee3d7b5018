"""The ranks each system may hold: honest ranking of many systems, kept up to date as systems come and go.

Source: specs, pages "Rank honestly"; eloquent section 5 "Uncertainty". Pure; time grows with the systems compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from evaluator.statistics.intervals import MIN_UNITS, FloatArray
from evaluator.statistics.paired_draws import wins

ItemValues = Mapping[str, float]
"""Item id -> value: `ViewResult.item_values[figure]` of one system."""


class RankBand(NamedTuple):
    """Ranks a system may hold, counted from 1: printed as "2" or "2-5"."""

    low: int
    """1 + number of systems significantly better."""
    high: int
    """Number of systems - number significantly worse."""


def rank_bands(values: Mapping[str, ItemValues]) -> dict[str, RankBand]:
    """The ranks each system may hold, given only differences that are significant on common items.

    A system is significantly better than another iff the interval of their paired difference lies above 0
    (`intervals.paired_difference`). Bands overlap where the items cannot tell systems apart; pairs with fewer than five
    common items are never told apart. No system: {}. Time grows with the square of the systems, memory with
    their number.

    >>> easy, middle, hard = ({str(item): score + item / 10 for item in range(6)} for score in (3.0, 2.0, 1.0))
    >>> rank_bands({"hard": hard, "easy": easy, "middle": middle})
    {'hard': RankBand(low=3, high=3), 'easy': RankBand(low=1, high=1), 'middle': RankBand(low=2, high=2)}
    >>> rank_bands({"one": {"001": 5.0}, "other": {"001": 0.0}})
    {'one': RankBand(low=1, high=2), 'other': RankBand(low=1, high=2)}
    """
    return Ranking().bands(values)


class Ranking:
    """Rank bands of a board that changes: only systems that are new, changed or gone are compared again.

    Who is significantly better than whom is kept as two counts a system, so one more system among n costs n
    comparisons instead of n squared. Not safe to share between threads.
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[str, float]] = {}
        self._above: defaultdict[str, int] = defaultdict(int)
        """System -> number of systems significantly better than it."""
        self._below: defaultdict[str, int] = defaultdict(int)

    def bands(self, values: Mapping[str, ItemValues]) -> dict[str, RankBand]:
        """The bands of exactly these systems, equal to `rank_bands(values)`."""
        changed = [system for system, found in self._values.items() if values.get(system) != found]
        self._remove(changed)
        self._add({system: dict(found) for system, found in values.items() if system not in self._values})
        return {
            system: RankBand(low=1 + self._above[system], high=len(values) - self._below[system]) for system in values
        }

    def _remove(self, systems: Sequence[str]) -> None:
        gone = {system: self._values.pop(system) for system in systems}
        if len(gone) > len(self._values):  # comparing those that stay anew is less work
            kept, self._values = self._values, {}
            self._above.clear()
            self._below.clear()
            self._add(kept)
            return
        self._count(gone, self._values, by=-1)
        self._count(self._values, gone, by=-1)
        for system in gone:
            del self._above[system], self._below[system]

    def _add(self, systems: dict[str, dict[str, float]]) -> None:
        self._count(systems, self._values, by=1)
        self._count(self._values, systems, by=1)
        self._count(systems, systems, by=1)
        self._values |= systems
        for system in systems:  # also those that were compared with nobody
            self._above[system] += 0
            self._below[system] += 0

    def _count(self, first: Mapping[str, ItemValues], second: Mapping[str, ItemValues], by: int) -> None:
        """Adds every case of one of `first` being significantly better than one of `second` to both counts."""
        others_of = _systems_by_items(second)
        for items, winners in _systems_by_items(first).items():
            for other_items, losers in others_of.items():
                common = sorted(items & other_items)
                if len(common) < MIN_UNITS:
                    continue
                matrix = _matrix(first, winners, common)
                other_matrix = matrix if second is first and losers == winners else _matrix(second, losers, common)
                found = wins(matrix, other_matrix)
                _increase(self._below, winners, by * found.of_first)
                _increase(self._above, losers, by * found.over_second)


def _systems_by_items(values: Mapping[str, ItemValues]) -> dict[frozenset[str], list[str]]:
    """Systems judged on the same items share one matrix; on a full board that is all of them."""
    systems_of: dict[frozenset[str], list[str]] = {}
    for system, item_values in values.items():
        systems_of.setdefault(frozenset(item_values), []).append(system)
    return systems_of


def _matrix(values: Mapping[str, ItemValues], systems: Sequence[str], items: Sequence[str]) -> FloatArray:
    return np.array([[values[system][item] for item in items] for system in systems], dtype=np.float64)


def _increase(totals: defaultdict[str, int], systems: Sequence[str], numbers: Iterable[int]) -> None:
    for system, number in zip(systems, numbers, strict=True):
        totals[system] += int(number)
