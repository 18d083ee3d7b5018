"""Ranks by robustness error, in bands of what the examples two runs have in common can tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evaluator.personalization import MIN_QSTAR
from evaluator.personalization.outcome_rows import UnitId
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.deciding_units import deciding_shares
from evaluator.statistics.intervals import FloatArray
from evaluator.statistics.rank_bands import RankBand, share_contributions, simultaneous_bands

RobustnessUnits = Mapping[UnitId, tuple[int, int]]
"""Example -> its rows in Q*, and those of them that are not robust."""


def deciding_examples(runs: Mapping[str, RobustnessUnits]) -> DecidingItems | None:
    """The fewest examples without which another run has the lowest robustness error.

    >>> units = {("d", "1"): (1, 0), ("d", "2"): (1, 0), ("d", "3"): (1, 1)}  # 1 of 3, then 2 of 3 and 2 of 2
    >>> deciding_examples({"good": units, "bad": {**units, ("d", "1"): (1, 1)}}).items
    ()
    """
    counts = {
        name: {_unit_name(unit): (failed, rows) for unit, (rows, failed) in units.items()}
        for name, units in runs.items()
    }
    return deciding_shares(counts, lower_is_better=True)


def _unit_name(unit: UnitId) -> str:
    return " ".join(part for part in unit if part)


def robustness_bands(runs: Mapping[str, RobustnessUnits]) -> dict[str, RankBand]:
    """The ranks each run may hold by robustness error (lower is better), all bands together with 95 %.

    Runs are compared on their common examples; with fewer than `MIN_QSTAR` nobody is told apart. No run: {}.
    See docs/personalization.md#the-board.

    >>> units = [("d", str(number)) for number in range(60)]
    >>> robustness_bands({"bad": dict.fromkeys(units, (1, 1)), "good": dict.fromkeys(units, (1, 0))})
    {'bad': RankBand(low=2, high=2), 'good': RankBand(low=1, high=1)}
    >>> robustness_bands({"bad": {("d", "1"): (1, 1)}, "good": {("d", "1"): (1, 0)}})
    {'bad': RankBand(low=1, high=2), 'good': RankBand(low=1, high=2)}
    """
    examples = {name: {repr(unit): counts for unit, counts in units.items()} for name, units in runs.items()}

    def contributions(names: Sequence[str], common: Sequence[str]) -> FloatArray:
        counts = np.array([[examples[name][unit] for unit in common] for name in names], np.float64)
        counts = counts.reshape(len(names), len(common), 2)
        return -share_contributions(counts[..., 1], counts[..., 0])

    return simultaneous_bands(examples, contributions, min_units=MIN_QSTAR)
