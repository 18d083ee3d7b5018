"""Ranks by robustness error, in bands of what the examples two runs have in common can tell apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product

import numpy as np

from evaluator.personalization import MIN_QSTAR
from evaluator.personalization.bootstrap import MAX_UNDEFINED_SHARE
from evaluator.personalization.outcome_rows import UnitId
from evaluator.statistics.intervals import DRAWS, SEED, SEPARATION_TOLERANCE, TAIL, FloatArray
from evaluator.statistics.queries import resampled_sums
from evaluator.statistics.rank_bands import RankBand

RobustnessUnits = Mapping[UnitId, tuple[int, int]]
"""Example -> its rows in Q*, and those of them that are not robust."""


def robustness_bands(runs: Mapping[str, RobustnessUnits]) -> dict[str, RankBand]:
    """The ranks each run may hold by robustness error (lower is better), given only significant differences.

    One run is better than another iff the 95 % interval of its error minus the other's lies below 0; both are
    resampled by the same draws of their common examples. With fewer than `MIN_QSTAR` common examples nobody is told
    apart. No run: {}. Source: specs, personalization sections 8 and 9.

    >>> units = [("d", str(number)) for number in range(60)]
    >>> robustness_bands({"bad": dict.fromkeys(units, (1, 1)), "good": dict.fromkeys(units, (1, 0))})
    {'bad': RankBand(low=2, high=2), 'good': RankBand(low=1, high=1)}
    >>> robustness_bands({"bad": {("d", "1"): (1, 1)}, "good": {("d", "1"): (1, 0)}})
    {'bad': RankBand(low=1, high=2), 'good': RankBand(low=1, high=2)}
    """
    above: Counter[str] = Counter()
    below: Counter[str] = Counter()
    for better, worse in _separated(runs):
        below[better] += 1
        above[worse] += 1
    return {name: RankBand(low=1 + above[name], high=len(runs) - below[name]) for name in runs}


def _separated(runs: Mapping[str, RobustnessUnits]) -> set[tuple[str, str]]:
    """Pairs (better, worse) whose paired difference is significant."""
    names_of: dict[frozenset[UnitId], list[str]] = {}
    for name, units in runs.items():
        names_of.setdefault(frozenset(units), []).append(name)
    found: set[tuple[str, str]] = set()
    # Runs on the same examples are resampled together: on a full board that is most of them.
    for one, other in combinations_with_replacement(names_of, 2):
        common = sorted(one & other, key=lambda unit: (unit[0] or "", unit[1]))
        if len(common) < MIN_QSTAR:
            continue
        names = list(dict.fromkeys([*names_of[one], *names_of[other]]))
        errors = dict(zip(names, _resampled_errors([runs[name] for name in names], common).T, strict=True))
        for first, second in product(names_of[one], names_of[other]):
            if first != second:
                found |= _order(first, second, errors[first] - errors[second])
    return found


def _resampled_errors(runs: Sequence[RobustnessUnits], common: Sequence[UnitId]) -> FloatArray:
    """Robustness error of each run in every draw of the common examples: (draws, runs); NaN where Q* is empty."""
    counts = np.array([[number for run in runs for number in run[unit]] for unit in common], np.float64)
    sums = resampled_sums(counts, draws=DRAWS, seed=SEED)
    qstar, errors = sums[:, 0::2], sums[:, 1::2]
    return np.divide(errors, qstar, out=np.full_like(qstar, np.nan), where=qstar > 0)


def _order(first: str, second: str, differences: FloatArray) -> set[tuple[str, str]]:
    known = differences[~np.isnan(differences)]
    if len(known) < (1.0 - MAX_UNDEFINED_SHARE) * len(differences):
        return set()
    low, high = np.quantile(known, [TAIL, 1.0 - TAIL])
    if high < -SEPARATION_TOLERANCE:
        return {(first, second)}
    return {(second, first)} if low > SEPARATION_TOLERANCE else set()
