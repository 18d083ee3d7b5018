"""Two evaluators on the same predictions to make: how far one is above the other, and the ranks each may hold.

Their headlines were resampled by the same draws of reviewers (`headline_draws` of a result), so they are compared draw
by draw. Source: specs, personalized_evaluation section 10.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evaluator.personalized_evaluation.reviewer_correlations import TAIL, interval_of
from evaluator.statistics.intervals import SEPARATION_TOLERANCE
from evaluator.statistics.rank_bands import RankBand

Draws = npt.NDArray[np.float64]
"""A headline in every draw of reviewers, NaN where it is undefined; empty where there is no interval."""


def draws_of(headline_draws: Sequence[float | None]) -> Draws:
    """The draws of a stored result."""
    return np.array([np.nan if value is None else value for value in headline_draws], np.float64)


def difference_interval(one: Draws, other: Draws) -> list[float] | None:
    """The 95 % interval of one headline less another; None where either has no draws, or too few are defined.

    >>> difference_interval(np.full(100, 0.5), np.full(100, 0.25))
    [0.25, 0.25]
    """
    if not len(one) or len(one) != len(other):
        return None
    return interval_of((one - other).tolist())


def headline_bands(runs: Mapping[str, Draws]) -> dict[str, RankBand]:
    """The ranks each run may hold; higher is better. One is better than another iff the interval of its headline less
    the other's lies above 0. No run: {}.

    >>> low, high = np.linspace(0.1, 0.2, 100), np.linspace(0.3, 0.4, 100)
    >>> headline_bands({"low": low, "high": high})
    {'low': RankBand(low=2, high=2), 'high': RankBand(low=1, high=1)}
    >>> headline_bands({"low": low, "also low": low[::-1]})["low"]
    RankBand(low=1, high=2)
    """
    above: Counter[str] = Counter()
    below: Counter[str] = Counter()
    for better, worse in _separated({name: draws for name, draws in runs.items() if len(draws)}):
        below[better] += 1
        above[worse] += 1
    return {name: RankBand(low=1 + above[name], high=len(runs) - below[name]) for name in runs}


def _separated(runs: Mapping[str, Draws]) -> Iterator[tuple[str, str]]:
    """Pairs (better, worse). Whether a quantile lies above 0 is counted, not computed, but for the closest cases."""
    names, draws = list(runs), np.array(list(runs.values()))
    for place, name in enumerate(names[:-1]):
        differences = draws[place] - draws[place + 1 :]
        most = math.floor(TAIL * (differences.shape[1] - 1))
        not_above = (differences <= SEPARATION_TOLERANCE).sum(axis=1)
        not_below = (differences >= -SEPARATION_TOLERANCE).sum(axis=1)
        has_gaps = np.isnan(differences).any(axis=1)
        for other, ahead, behind, gaps in zip(names[place + 1 :], not_above, not_below, has_gaps, strict=True):
            if gaps or most + 1 in (ahead, behind):
                found = difference_interval(runs[name], runs[other])
                is_ahead = found is not None and found[0] > SEPARATION_TOLERANCE
                is_behind = found is not None and found[1] < -SEPARATION_TOLERANCE
            else:
                is_ahead, is_behind = ahead <= most, behind <= most
            if is_ahead or is_behind:
                yield (name, other) if is_ahead else (other, name)
