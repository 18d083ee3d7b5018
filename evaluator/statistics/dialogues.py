"""Figures averaged over dialogues, and their intervals: a dialogue is drawn with all its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TypedDict

import numpy as np

from evaluator.statistics.intervals import (
    MIN_UNITS,
    FloatArray,
    draw_counts,
    expanded_percentiles,
    ratio_interval,
)

RESAMPLES = 2_000
SEED = 0
MAX_UNDEFINED_SHARE = 0.05
"""A figure that is undefined in more of the draws than this has no interval."""

ByDialogue = Mapping[str, Sequence[float]]
"""Dialogue id -> one number per turn that counts."""


class StrategyMix(TypedDict):
    """How often each strategy is used, per side."""

    human: dict[str, float]
    system: dict[str, float]
    distance: float
    """Half the sum of the differences: 0 = the same mix, 1 = nothing in common."""


def mix_distance(human: Mapping[str, float], system: Mapping[str, float]) -> float:
    """Half the sum of absolute differences of two mixes with the same keys, 0-1.

    >>> mix_distance({"a": 0.5, "b": 0.5}, {"a": 1.0, "b": 0.0})
    0.5
    """
    return fsum(abs(human[label] - system[label]) for label in human) / 2


def mean_over_dialogues(values: ByDialogue) -> float | None:
    """The mean over dialogues of the mean over their turns: a long dialogue counts no more than a short one.

    Dialogues without turns are left out; None without any.

    >>> mean_over_dialogues({"a": [1.0, 0.0, 0.0, 0.0], "b": [1.0], "c": []})
    0.625
    """
    means = _dialogue_means(values)
    return fsum(means) / len(means) if means else None


def pooled_mean(values: ByDialogue) -> float | None:
    """The mean over all turns of all dialogues; None without any.

    >>> pooled_mean({"a": [1.0, 0.0, 0.0, 0.0], "b": [1.0]})
    0.4
    """
    turns = [value for dialogue in values.values() for value in dialogue]
    return fsum(turns) / len(turns) if turns else None


def quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """A quotient in each draw, NaN where its denominator is 0."""
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


def quantile_interval(value: float | None, draws: FloatArray | None, units: int) -> list[float] | None:
    """95 % interval of a figure from its draws of so many units (NaN = undefined there), at expanded percentiles.

    None where the figure is None, was not resampled, or is undefined in more than 5 % of the draws.
    """
    if value is None or draws is None:
        return None
    known = draws[~np.isnan(draws)]
    if len(known) < (1.0 - MAX_UNDEFINED_SHARE) * len(draws):
        return None
    return list(expanded_percentiles(known, units))


@dataclass(frozen=True, slots=True)
class Draws:
    """A bootstrap of dialogues: the same number of dialogues gets the same draws."""

    resamples: int = RESAMPLES
    seed: int = SEED

    def means(self, values: ByDialogue) -> FloatArray | None:
        """`mean_over_dialogues` in each draw, by dialogue id in order; None with fewer than `MIN_UNITS` dialogues."""
        means = _dialogue_means(values)
        if len(means) < MIN_UNITS:
            return None
        counts = draw_counts(len(means), self.resamples, self.seed)
        return np.asarray(counts @ np.array(means) / len(means), dtype=np.float64)


def dialogue_interval(values: ByDialogue) -> list[float] | None:
    """95 % interval of `mean_over_dialogues` of marks between 0 and 1, by dialogue (`intervals.ratio_interval`)."""
    means = np.array(_dialogue_means(values))
    ends = ratio_interval(means, np.ones(len(means)))
    return None if ends is None else list(ends)


DRAWS = Draws()


def _dialogue_means(values: ByDialogue) -> list[float]:
    return [fsum(values[dialogue]) / len(values[dialogue]) for dialogue in sorted(values) if values[dialogue]]
