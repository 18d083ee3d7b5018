"""Behavior alignment estimated from texts: what an estimator counts as same, corrected for how often it errs.

An estimator that takes different strategies for the same one in 40 of 100 cases gives a system that never matches .40.
Its raw share is therefore corrected by its measured rates (Rogan and Gladen 1978), with a range for what they leave
open, and carries the word "estimated" wherever it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypedDict

import numpy as np

from evaluator.statistics.dialogues import (
    Draws,
    StrategyMix,
    dialogue_interval,
    mean_over_dialogues,
    mix_distance,
    quantile_interval,
)
from evaluator.statistics.intervals import FloatArray
from submissions.formats.behavior_alignment.submission import STRATEGIES, Answer, Dialogue

MIN_SEPARATION = 0.1
"""An estimator that says "same" hardly more often of equal strategies than of different ones cannot be corrected."""

RATE_DRAWS = 200
"""Resamples of the calibration dialogues that are stored with an estimator."""

TurnId = tuple[str, int]
"""Dialogue and number of the turn."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[\r\n]+")


@dataclass(frozen=True, slots=True, eq=False)
class Rates:
    """How often an estimator says "same": of pairs with equal strategies, and of pairs with different ones."""

    tpr: float
    fpr_cross: float
    """Of different strategies in turns of different dialogues."""
    fpr_adjacent: float
    """Of different strategies in neighbouring turns of one dialogue, which share titles and wording as two answers to
    one context do."""
    n_cross: int
    """Pairs behind `tpr` and `fpr_cross`."""
    n_adjacent: int
    """Pairs behind `fpr_adjacent`."""
    draws: FloatArray
    """(tpr, fpr_cross, fpr_adjacent) in each resample of the calibration dialogues, shape (draws, 3)."""
    source: str
    """What they were measured on."""

    @property
    def fpr(self) -> float:
        return (self.fpr_cross + self.fpr_adjacent) / 2


class StrategyEstimator(Protocol):
    """Says how likely two sentences have one strategy."""

    @property
    def name(self) -> str: ...

    @property
    def threshold(self) -> float:
        """Two sentences count as same above it."""
        ...

    @property
    def rates(self) -> Rates | None:
        """None where nobody measured them: nothing is corrected then."""
        ...

    @property
    def pair_accuracy(self) -> float | None:
        """Share of right answers on balanced pairs it was not trained on."""
        ...

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """s of each (human, system) pair, 0-1."""
        ...

    def probabilities(self, texts: Sequence[str]) -> FloatArray | None:
        """Of each of the 13 strategies for each text; None for an estimator that reads pairs only."""
        ...


@dataclass(frozen=True, slots=True)
class TurnEstimate:
    """What an estimator says of one turn."""

    similarity: float | None
    """s; None where the system said nothing."""
    is_same: bool


class ImplicitFigures(TypedDict):
    """The implicit part of the report."""

    status: Literal["estimated"]
    estimator: str
    pair_accuracy: float | None
    threshold: float
    raw: float | None
    raw_ci: list[float] | None
    tpr: float | None
    fpr: float | None
    corrected: float | None
    corrected_range: list[float] | None
    corrected_ci: list[float] | None
    strategy_mix: StrategyMix | None


def last_sentence(answer: Answer) -> str:
    """The sentence an estimator reads: the last one said, "" where nothing was.

    >>> last_sentence(Answer("Fine. Do watch it!", None, None, None))
    'Do watch it!'
    """
    parts = answer.sentences if answer.sentences is not None else _SENTENCE_END.split(answer.text)
    return next((part.strip() for part in reversed(parts) if part.strip()), "")


def corrected_share(raw: float, tpr: float, fpr: float) -> float | None:
    """The share of equal strategies behind a raw share of "same": (raw - fpr) / (tpr - fpr), cut to 0-1.

    None where the rates differ by less than 0.1. Source: Rogan and Gladen 1978, Estimating prevalence from the results
    of a screening test.

    >>> corrected_share(0.5, tpr=0.9, fpr=0.1)
    0.5
    >>> corrected_share(0.4, tpr=0.55, fpr=0.5) is None
    True
    """
    if tpr - fpr < MIN_SEPARATION:
        return None
    return min(1.0, max(0.0, (raw - fpr) / (tpr - fpr)))


def turn_estimates(dialogues: Sequence[Dialogue], estimator: StrategyEstimator) -> dict[TurnId, TurnEstimate]:
    """What an estimator says of every scored turn, from the last sentence of each side."""
    sides = {
        (dialogue.dialogue_id, turn.number): (last_sentence(turn.human), last_sentence(turn.system))
        for dialogue in dialogues
        for turn in dialogue.scored_turns
    }
    asked = [turn_id for turn_id, pair in sides.items() if all(pair)]
    similarities = dict(zip(asked, estimator.similarities([sides[turn_id] for turn_id in asked]), strict=True))
    return {
        turn_id: TurnEstimate(similarities[turn_id], similarities[turn_id] > estimator.threshold)
        if turn_id in similarities
        else TurnEstimate(None, is_same=False)
        for turn_id in sides
    }


def implicit_figures(
    dialogues: Sequence[Dialogue],
    estimator: StrategyEstimator,
    estimates: Mapping[TurnId, TurnEstimate],
    draws: Draws,
) -> ImplicitFigures:
    """Raw and corrected share of turns whose strategies are the same, by an estimator.

    Both are 0-1, higher is better, averaged as `ba`; None without a scored turn, and `corrected` also where the
    estimator's rates are unknown or too close to each other.
    """
    same = {
        dialogue.dialogue_id: [
            float(estimates[dialogue.dialogue_id, turn.number].is_same) for turn in dialogue.scored_turns
        ]
        for dialogue in dialogues
        if dialogue.scored_turns
    }
    raw, rates = mean_over_dialogues(same), estimator.rates
    raw_draws = draws.means(same)
    return ImplicitFigures(
        status="estimated",
        estimator=estimator.name,
        pair_accuracy=estimator.pair_accuracy,
        threshold=estimator.threshold,
        raw=raw,
        raw_ci=dialogue_interval(same),
        tpr=rates.tpr if rates else None,
        fpr=rates.fpr if rates else None,
        corrected=corrected_share(raw, rates.tpr, rates.fpr) if raw is not None and rates else None,
        corrected_range=_range(raw, rates) if raw is not None and rates else None,
        corrected_ci=_corrected_interval(raw, raw_draws, rates, len(same)) if raw is not None and rates else None,
        strategy_mix=estimated_mix(dialogues, estimator),
    )


def _range(raw: float, rates: Rates) -> list[float] | None:
    ends = [corrected_share(raw, rates.tpr, fpr) for fpr in (rates.fpr_cross, rates.fpr_adjacent)]
    known = [end for end in ends if end is not None]
    return sorted(known) if len(known) == len(ends) else None


def _corrected_interval(raw: float, raw_draws: FloatArray | None, rates: Rates, dialogues: int) -> list[float] | None:
    """Each resample of the dialogues takes one resample of the rates: both are known from a sample only."""
    value = corrected_share(raw, rates.tpr, rates.fpr)
    if raw_draws is None:
        return None
    return quantile_interval(value, corrected_draws(raw_draws, rates.draws), dialogues)


def corrected_draws(raw_draws: FloatArray, rate_draws: FloatArray) -> FloatArray:
    """`corrected_share` in each draw of the dialogues, NaN where it is undefined.

    Args:
        raw_draws: The raw share in each draw.
        rate_draws: (tpr, fpr_cross, fpr_adjacent) in each resample of the rates; draw number i takes resample i, and
            begins anew after the last one.
    """
    tpr, cross, adjacent = rate_draws[np.arange(len(raw_draws)) % len(rate_draws)].T
    fpr = (cross + adjacent) / 2
    separation = np.where(tpr - fpr < MIN_SEPARATION, np.nan, tpr - fpr)
    return np.asarray(np.clip((raw_draws - fpr) / separation, 0.0, 1.0), dtype=np.float64)


def estimated_mix(dialogues: Sequence[Dialogue], estimator: StrategyEstimator) -> StrategyMix | None:
    """Mean probability of each strategy per side over the scored turns; None for an estimator of pairs only."""
    turns = [turn for dialogue in dialogues for turn in dialogue.scored_turns]
    sides = []
    for texts in ([last_sentence(turn.human) for turn in turns], [last_sentence(turn.system) for turn in turns]):
        said = [text for text in texts if text]
        probabilities = estimator.probabilities(said) if said else None
        if probabilities is None:
            return None
        sides.append(dict(zip(STRATEGIES, probabilities.mean(axis=0).tolist(), strict=True)))
    human, system = sides
    return StrategyMix(human=dict(human), system=dict(system), distance=mix_distance(human, system))
