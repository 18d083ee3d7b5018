"""Recommenders of one collection beside each other, under the same draws of dialogues and of an estimator's rates.

A difference counts where its 95 % interval lies on one side of 0 (specs: behavior_alignment section 10). Two systems
that answer one collection have the same dialogues, so that their draws are paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

import numpy as np
import numpy.typing as npt

from evaluator.behavior_alignment.implicit import corrected_draws
from evaluator.behavior_alignment.result import BehaviorResult, ReferenceName
from evaluator.statistics.dialogues import DRAWS, quantile_interval
from evaluator.statistics.intervals import SEPARATION_TOLERANCE, TAIL, FloatArray
from evaluator.statistics.rank_bands import RankBand
from evaluator.values import MetricValue

NO_HEADLINE = "one of the two has no figure to compare"
OTHER_KIND = "one is annotated and the other estimated, or estimated by another estimator"
OTHER_COLLECTION = "they answered different collections"


def headline(result: BehaviorResult) -> float | None:
    """What a system is ranked by: explicit where it is annotated, else the corrected estimate."""
    if result.is_annotated or result.implicit is None:
        return result.explicit.ba
    return result.implicit.corrected


def measured_by(result: BehaviorResult) -> str:
    """What made the headline; only figures made by the same are compared."""
    if result.is_annotated or result.implicit is None:
        return "annotation"
    return f"{result.implicit.estimator}, {result.implicit.threshold}, {result.implicit.tpr}, {result.implicit.fpr}"


def dialogue_means(result: BehaviorResult) -> dict[str, float]:
    """Dialogue -> share of its scored turns with equal labels; where not all are annotated, of those that count as
    same."""
    turns = result.per_turn
    marks: dict[str, list[bool]] = {}
    for dialogue, mark in zip(turns.dialogue, turns.equal if result.is_annotated else turns.same, strict=True):
        marks.setdefault(dialogue, []).append(bool(mark))
    return {dialogue: fmean(found) for dialogue, found in marks.items()}


def headline_draws(result: BehaviorResult) -> FloatArray | None:
    """The headline in each draw; None with fewer than 5 dialogues, or where there is none."""
    return _draws(result, dialogue_means(result))


def reference_draws(result: BehaviorResult, name: ReferenceName) -> FloatArray | None:
    """The same of what stands beside the result, paired with `headline_draws` of every system of its collection."""
    reference = result.references.get(name)
    means = (reference.hits if result.is_annotated else reference.same) if reference else None
    if means is None:
        return None
    return _draws(result, dict(zip(sorted(set(result.per_turn.dialogue)), means, strict=True)))


def _draws(result: BehaviorResult, means: Mapping[str, float]) -> FloatArray | None:
    draws = DRAWS.means({dialogue: [mean] for dialogue, mean in means.items()})
    if draws is None or result.is_annotated:
        return draws
    return corrected_draws(draws, np.array(result.rate_draws)) if result.rate_draws else None


def is_separated(draws: FloatArray, other: FloatArray) -> bool:
    """Does the interval of the difference of two headlines, from their paired draws, exclude 0?"""
    low, high = quantile_interval(0.0, draws - other) or (0.0, 0.0)
    return low > SEPARATION_TOLERANCE or high < -SEPARATION_TOLERANCE


def paired_difference(first: BehaviorResult, second: BehaviorResult) -> MetricValue:
    """Headline of the first minus that of the second, with the interval of that difference; n = common dialogues.

    Range -1 to 1, positive = the first is nearer to the human. None with a reason where the two cannot be compared.
    """
    one, other = headline(first), headline(second)
    if first.collection != second.collection:
        return MetricValue(value=None, n=0, reason=OTHER_COLLECTION)
    if measured_by(first) != measured_by(second):
        return MetricValue(value=None, n=0, reason=OTHER_KIND)
    if one is None or other is None:
        return MetricValue(value=None, n=0, reason=NO_HEADLINE)
    draws, other_draws = headline_draws(first), headline_draws(second)
    paired = None if draws is None or other_draws is None else draws - other_draws
    low, high = quantile_interval(one - other, paired) or (None, None)
    return MetricValue(value=one - other, low=low, high=high, n=first.scored_dialogues)


def headline_bands(draws: Mapping[str, FloatArray]) -> dict[str, RankBand]:
    """The ranks each system may hold by its headline, given only significant differences.

    One system is better than another iff the 95 % interval of its headline minus the other's lies above 0. A draw in
    which a figure is undefined separates nobody. No system: {}.

    Args:
        draws: System -> its headline in each draw, all of one collection and made by the same.

    >>> headline_bands({"low": np.full(40, 0.2), "high": np.full(40, 0.8), "level": np.full(40, 0.8)})
    {'low': RankBand(low=3, high=3), 'high': RankBand(low=1, high=2), 'level': RankBand(low=1, high=2)}
    """
    if not draws:
        return {}
    names, values = list(draws), np.stack(list(draws.values()))
    better = np.array([_is_better(row, values) for row in values])
    ahead, behind = better.sum(axis=0).tolist(), better.sum(axis=1).tolist()
    return {name: RankBand(low=1 + ahead[place], high=len(names) - behind[place]) for place, name in enumerate(names)}


def _is_better(row: FloatArray, others: FloatArray) -> npt.NDArray[np.bool_]:
    """Does the interval of the row's draws minus those of each other row lie above 0?"""
    differences = row - others
    not_above = differences.shape[1] - np.count_nonzero(differences > SEPARATION_TOLERANCE, axis=1)
    # The low end is interpolated between the sorted draws number `below` and `below + 1` (from 0): only where just one
    # of the two is not above 0 does it have to be computed. Counting is 20 times faster on a board of many systems.
    below = int(TAIL * (differences.shape[1] - 1))
    better: npt.NDArray[np.bool_] = not_above <= below
    for place in np.flatnonzero(not_above == below + 1):
        known = np.nan_to_num(differences[place], nan=0.0)
        better[place] = np.quantile(known, TAIL) > SEPARATION_TOLERANCE
    return better
