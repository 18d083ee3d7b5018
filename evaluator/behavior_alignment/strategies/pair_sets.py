"""Pairs of labelled sentences on which an estimator is measured: half of one strategy, half of two.

Sentences of a pair come from different dialogues and their predictions are out of fold. Splitting pairs at random
instead would show sentences of the test to the training: joining known positives then scores .998 without any reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypedDict, get_args

import numpy as np
import numpy.typing as npt

from evaluator.statistics.agreement import kappa_of
from evaluator.statistics.intervals import FloatArray
from submissions.formats.behavior_alignment.submission import STRATEGIES, Strategy

PairSetName = Literal["original", "mixed_hard", "all_hard"]
PAIR_SETS: tuple[PairSetName, ...] = get_args(PairSetName)

PAIRS = 10_000
HARD_SHARE = 0.2
"""Of the negatives of `mixed_hard`."""
HARD_RECALL = 0.7
"""Classes found less often than this make hard negatives."""
MIN_CONFUSED = 20
"""A class with fewer sentences takes its confusion from the paper's Table 2."""
PUBLISHED_CONFUSIONS: dict[Strategy, Strategy] = {
    "personal_experience": "credibility",
    "rephrase_preference": "preference_confirmation",
    "self_modeling": "personal_experience",
    "similarity": "acknowledgment",
    "transparency": "opinion_inquiry",
}

_ROUNDS = 1_000

IntArray = npt.NDArray[np.int64]


class Pairs(NamedTuple):
    """Places of two sentences each, and whether their strategies are equal."""

    first: IntArray
    second: IntArray
    is_same: npt.NDArray[np.bool_]


class PairFigures(TypedDict):
    """An estimator on one set of pairs; None where there are no such pairs."""

    n: int
    accuracy: float | None
    kappa: float | None
    tpr: float | None
    fpr: float | None


class ClassFigures(TypedDict):
    """How one strategy is recognised."""

    n: int
    recall: float | None
    confused_with: Strategy | None
    """The other strategy it is most often taken for."""


def class_figures(labels: IntArray, predicted: IntArray) -> dict[Strategy, ClassFigures]:
    """Recall and strongest confusion of each strategy, from ids 0-12."""
    confusion = np.zeros((len(STRATEGIES), len(STRATEGIES)), np.int64)
    np.add.at(confusion, (labels, predicted), 1)
    return {strategy: _class_figures(confusion[place], place) for place, strategy in enumerate(STRATEGIES)}


def _class_figures(row: IntArray, place: int) -> ClassFigures:
    n, right = int(row.sum()), int(row[place])
    others = row.copy()
    others[place] = 0
    confused = STRATEGIES[int(others.argmax())] if others.any() else None
    return ClassFigures(n=n, recall=right / n if n else None, confused_with=confused)


def hard_classes(figures: dict[Strategy, ClassFigures]) -> list[tuple[int, int]]:
    """Ids of the strategies that are hard to recognise, each with the one it is taken for."""
    classes = []
    for strategy, of_class in figures.items():
        if of_class["recall"] is None or of_class["recall"] >= HARD_RECALL:
            continue
        taken_for = of_class["confused_with"]
        if of_class["n"] < MIN_CONFUSED:
            taken_for = PUBLISHED_CONFUSIONS.get(strategy, taken_for)
        if taken_for is not None:
            classes.append((STRATEGIES.index(strategy), STRATEGIES.index(taken_for)))
    return classes


def pair_sets(
    labels: IntArray, dialogues: IntArray, hard: Sequence[tuple[int, int]], *, pairs: int = PAIRS, seed: int = 0
) -> dict[PairSetName, Pairs | None]:
    """The three sets over the same positives; None where sentences or hard classes are lacking.

    Args:
        labels: Strategy id of each sentence.
        dialogues: Dialogue number of each sentence.
        hard: From `hard_classes`.
        pairs: Size of each set.
        seed: Of the drawing.
    """
    generator = np.random.default_rng(seed)
    half = pairs // 2
    everything = np.arange(len(labels))
    positives = _drawn(generator, [(everything, everything)], labels, dialogues, half, same=True)
    random = _drawn(generator, [(everything, everything)], labels, dialogues, half, same=False)
    of_classes = [
        (np.flatnonzero(labels == strategy), np.flatnonzero(labels == taken_for)) for strategy, taken_for in hard
    ]
    hard_pairs = _drawn(generator, of_classes, labels, dialogues, half, same=False)
    if positives is None or random is None:
        return dict.fromkeys(PAIR_SETS)
    n_hard = round(HARD_SHARE * half) if hard_pairs is not None else 0
    mixed = random if hard_pairs is None else np.vstack([hard_pairs[:n_hard], random[n_hard:]])
    return {
        "original": _joined(positives, random),
        "mixed_hard": _joined(positives, mixed),
        "all_hard": None if hard_pairs is None else _joined(positives, hard_pairs),
    }


def _drawn(
    generator: np.random.Generator,
    choices: Sequence[tuple[IntArray, IntArray]],
    labels: IntArray,
    dialogues: IntArray,
    number: int,
    *,
    same: bool,
) -> IntArray | None:
    """Pairs drawn from the choices, of different dialogues and of one label or of two; None where there are none."""
    usable = [(first, second) for first, second in choices if len(first) and len(second)]
    if not usable:
        return None
    pairs: list[IntArray] = []
    left = number
    for _ in range(_ROUNDS):
        chosen = generator.integers(len(usable), size=number)
        drawn = np.empty((number, 2), np.int64)
        for place, sides in enumerate(usable):
            rows = np.flatnonzero(chosen == place)
            for side, members in enumerate(sides):
                drawn[rows, side] = members[generator.integers(len(members), size=len(rows))]
        first, second = drawn.T
        fits = (dialogues[first] != dialogues[second]) & ((labels[first] == labels[second]) == same)
        pairs.append(drawn[fits][:left])
        left -= len(pairs[-1])
        if left == 0:
            return np.vstack(pairs)
    return None


def _joined(positives: IntArray, negatives: IntArray) -> Pairs:
    both = np.vstack([positives, negatives])
    is_same = np.arange(len(both)) < len(positives)
    return Pairs(both[:, 0], both[:, 1], is_same)


def similarities_of(pairs: Pairs, probabilities: FloatArray) -> FloatArray:
    """s = p · p of each pair."""
    return np.asarray((probabilities[pairs.first] * probabilities[pairs.second]).sum(axis=1), dtype=np.float64)


def best_threshold(similarities: FloatArray, is_same: npt.NDArray[np.bool_]) -> float:
    """The threshold t with the most right answers by s > t; the middle between two neighbouring values.

    >>> best_threshold(np.array([0.1, 0.2, 0.6, 0.8]), np.array([False, False, True, True]))
    0.4
    """
    order = np.argsort(similarities, kind="stable")
    ordered, same = similarities[order], is_same[order]
    right = np.concatenate([[same.sum()], same.sum() - np.cumsum(same) + np.cumsum(~same)])
    # Equal values cannot be told apart: a threshold lies only where the next value is larger.
    is_step = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])
    best = int(np.argmax(np.where(is_step, right, -1)))
    below = ordered[best - 1] if best else 0.0
    above = ordered[best] if best < len(ordered) else 1.0
    return float((below + above) / 2)


def pair_figures(similarities: FloatArray, is_same: npt.NDArray[np.bool_], threshold: float) -> PairFigures:
    """Accuracy, kappa and rates of s > t; accuracy and kappa higher, fpr lower is better."""
    said = similarities > threshold
    confusion = np.array(
        [[np.sum(~is_same & ~said), np.sum(~is_same & said)], [np.sum(is_same & ~said), np.sum(is_same & said)]],
        dtype=np.int64,
    )
    (tn, fp), (fn, tp) = confusion.tolist()
    return PairFigures(
        n=len(said), accuracy=(tn + tp) / len(said), kappa=kappa_of(confusion), tpr=tp / (tp + fn), fpr=fp / (fp + tn)
    )


NO_PAIRS = PairFigures(n=0, accuracy=None, kappa=None, tpr=None, fpr=None)
