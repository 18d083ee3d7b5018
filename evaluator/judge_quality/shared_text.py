"""The same words in both answers of a pair: a judge that compares what answers say should not be moved by them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from evaluator.judge_quality.added_text import SIDES, Outcome, Place, Trial, mean_shift
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import format_metric
from evaluator.judge_quality.trial_values import SharedTextEffect

ENDS: tuple[Place, ...] = ("before", "after")
SEED = 1218

ALL_SHARED = "all shared texts"


def shared_texts() -> list[str]:
    """The texts, one to a line of the shipped file: three each of 12, 40 and 90 words."""
    text = files("evaluator.judge_quality").joinpath("shared_texts.txt").read_text(encoding="utf-8")
    return [line for line in text.split("\n") if line]


def words(text: str) -> int:
    """Its length.

    >>> words("Thank you for asking.")
    4
    """
    return len(text.split())


def shared_trials(
    pairs: Sequence[LabelledPair], texts: Sequence[str], *, pairs_per_text: int, seed: int = SEED
) -> list[Trial]:
    """Every text at either end of both answers, of as many pairs that say the same as of pairs that do not."""
    dice = random.Random(seed)
    kinds = [[pair for pair in pairs if pair.is_equivalent is is_same] for is_same in (False, True)]
    return [
        Trial(pair, SIDES, place, text)
        for text in texts
        for place in ENDS
        for kind in kinds
        for pair in dice.sample(kind, min(pairs_per_text, len(kind)))
    ]


def shared_effects(trial_outcomes: Sequence[Outcome]) -> dict[str, SharedTextEffect]:
    """Over all trials, and by length and place, the shortest first."""
    lengths = sorted({words(outcome.trial.text) for outcome in trial_outcomes})
    parts = {
        f"{length} words {place}": [
            outcome
            for outcome in trial_outcomes
            if words(outcome.trial.text) == length and outcome.trial.place == place
        ]
        for length in lengths
        for place in ENDS
    }
    return {ALL_SHARED: _effect(trial_outcomes), **{name: _effect(part) for name, part in parts.items()}}


def _effect(trial_outcomes: Iterable[Outcome]) -> SharedTextEffect:
    kept = list(trial_outcomes)
    return SharedTextEffect(
        different=mean_shift([outcome for outcome in kept if not outcome.trial.pair.is_equivalent]),
        same=mean_shift([outcome for outcome in kept if outcome.trial.pair.is_equivalent]),
    )


def shared_table(by_name: Mapping[str, SharedTextEffect]) -> str:
    """The effects as a Markdown table."""
    rows = [
        f"| {name} | {effect.different.n + effect.same.n} | {format_metric(effect.different)} | "
        f"{format_metric(effect.same)} |"
        for name, effect in by_name.items()
    ]
    head = "| shared text | trials | shift of pairs that differ | shift of pairs that say the same |"
    return "\n".join([head, "|---|---|---|---|", *rows])
