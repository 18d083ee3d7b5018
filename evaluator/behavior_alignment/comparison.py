"""Recommenders of one collection beside each other, under the same draws of dialogues and of an estimator's rates.

A difference counts where its 95 % interval lies on one side of 0 (docs/behavior_alignment.md#ci). Two systems
that answer one collection have the same dialogues, so that their draws are paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

import numpy as np

from evaluator.behavior_alignment.implicit import corrected_draws
from evaluator.behavior_alignment.result import BehaviorResult, ReferenceName
from evaluator.statistics.dialogues import DRAWS, quantile_interval
from evaluator.statistics.intervals import SEPARATION_TOLERANCE, FloatArray
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
    same.

    Systems of one collection are ranked by their means, estimated ones too: the correction stretches the shares of all
    systems of one estimator alike, so that it changes no order.
    """
    turns = result.per_turn
    marks: dict[str, list[bool]] = {}
    for dialogue, mark in zip(turns.dialogue, turns.equal if result.is_annotated else turns.same, strict=True):
        marks.setdefault(dialogue, []).append(bool(mark))
    return {dialogue: fmean(of_dialogue) for dialogue, of_dialogue in marks.items()}


def headline_draws(result: BehaviorResult) -> FloatArray | None:
    """The headline in each draw; None with fewer than `MIN_UNITS` dialogues, or where there is none."""
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


def is_separated(draws: FloatArray, other: FloatArray, dialogues: int) -> bool:
    """Does the interval of the difference of two headlines, from their paired draws of so many dialogues, exclude 0?"""
    low, high = quantile_interval(0.0, draws - other, dialogues) or (0.0, 0.0)
    return low > SEPARATION_TOLERANCE or high < -SEPARATION_TOLERANCE


def paired_difference(first: BehaviorResult, second: BehaviorResult) -> MetricValue:
    """Headline of the first minus that of the second, with the interval of that difference; n = common dialogues.

    Range -1 to 1, positive = the first is nearer to the human. None with a reason where the two cannot be compared.
    """
    value, other_value = headline(first), headline(second)
    if first.collection != second.collection:
        return MetricValue(value=None, n=0, reason=OTHER_COLLECTION)
    if measured_by(first) != measured_by(second):
        return MetricValue(value=None, n=0, reason=OTHER_KIND)
    if value is None or other_value is None:
        return MetricValue(value=None, n=0, reason=NO_HEADLINE)
    draws, other_draws = headline_draws(first), headline_draws(second)
    paired = None if draws is None or other_draws is None else draws - other_draws
    low, high = quantile_interval(value - other_value, paired, first.scored_dialogues) or (None, None)
    return MetricValue(value=value - other_value, low=low, high=high, n=first.scored_dialogues)
