"""Training the head on labelled dialogues, and measuring it on dialogues it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Literal, TypedDict

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evaluator.behavior_alignment.implicit import Rates
from evaluator.behavior_alignment.strategies.features import TextFeatures
from evaluator.behavior_alignment.strategies.head import (
    TEXT_ONLY,
    WITH_ENCODER,
    ReadSentences,
    StrategyHead,
    read_sentences,
)
from evaluator.behavior_alignment.strategies.inspired import LabelledDialogues
from evaluator.behavior_alignment.strategies.pair_sets import (
    NO_PAIRS,
    ClassFigures,
    PairFigures,
    Pairs,
    PairSetName,
    best_threshold,
    class_figures,
    hard_classes,
    pair_figures,
    pair_sets,
    similarities_of,
)
from evaluator.behavior_alignment.strategies.rates import labelled_turns, measured_rates
from evaluator.embeddings.protocol import Embedder
from evaluator.statistics.intervals import FloatArray
from submissions.formats.behavior_alignment.submission import STRATEGIES, Strategy, TurnLabel

FOLDS = 5
SEED = 0
REGULARISATION = 10.0
"""C of the logistic regression: inverse strength of L2."""
MIN_CLASSES = 3
UNSEEN = -40.0
"""Intercept of a strategy without training sentences: its probability is nil."""

Negatives = Literal["original", "mixed_hard"]

IntArray = npt.NDArray[np.int64]


class CannotTrain(ValueError):
    """Raised when labelled dialogues are too few to train and measure on."""


class ClassAccuracy(TypedDict):
    """Share of sentences given their own strategy, over the folds."""

    mean: float
    std: float


class RateFigures(TypedDict):
    """Rates as a report prints them."""

    tpr: float
    fpr_cross: float
    fpr_adjacent: float
    fpr: float
    n_cross: int
    n_adjacent: int
    source: str


class Measured(TypedDict):
    """How a head does on dialogues of another source."""

    source: str
    sentences: int
    dialogues: int
    class_accuracy: float
    pairs: PairFigures


class TrainingReport(TypedDict):
    """What training prints; every number is out of fold."""

    sentences: int
    dialogues: int
    folds: int
    features: str
    negatives: Negatives
    class_accuracy: ClassAccuracy
    per_class: dict[Strategy, ClassFigures]
    pairs: dict[PairSetName, PairFigures]
    threshold: float
    rates: RateFigures | None
    measured: Measured | None


@dataclass(frozen=True, eq=False)
class TrainedHead:
    """A head with all that is known of it."""

    head: StrategyHead
    threshold: float
    rates: Rates | None
    pair_accuracy: float | None
    report: TrainingReport


def train(
    data: LabelledDialogues,
    encoder: Embedder | None,
    *,
    negatives: Negatives,
    calibration: LabelledDialogues | None = None,
) -> TrainedHead:
    """Trains on all labelled sentences, and measures by leaving out one fifth of the dialogues at a time.

    Args:
        data: What to train on.
        encoder: For the embeddings; None trains on terms alone.
        negatives: The set of pairs on which the threshold is chosen.
        calibration: Dialogues of another source to measure rates and pair accuracy on instead.

    Raises:
        CannotTrain: fewer than 5 dialogues or 3 strategies, or no pair of one strategy across dialogues.
    """
    from threadpoolctl import threadpool_limits

    import_module("sklearn.linear_model")  # only libraries that are loaded can be limited
    # Thirteen columns are too few to share between threads; they would only wait for one another.
    with threadpool_limits(1):
        return _trained(data, encoder, negatives, calibration)


def _trained(
    data: LabelledDialogues, encoder: Embedder | None, negatives: Negatives, calibration: LabelledDialogues | None
) -> TrainedHead:
    examples = _Examples.of(data, encoder)
    folds = _folds(examples)
    probabilities = _out_of_fold(examples, folds)
    labels, dialogues = examples.labels[examples.strategic], examples.dialogues[examples.strategic]
    strategic = probabilities[examples.strategic]
    predicted = strategic.argmax(axis=1)
    per_class = class_figures(labels, predicted)
    sets = pair_sets(labels, dialogues, hard_classes(per_class))
    chosen = sets[negatives]
    if chosen is None:
        raise CannotTrain("no two dialogues have a sentence of one strategy; pairs cannot be compared")
    threshold = best_threshold(similarities_of(chosen, strategic), chosen.is_same)
    pairs = {name: _figures(pair_set, strategic, threshold) for name, pair_set in sets.items()}
    head = fitted_head(examples.read[examples.strategic.tolist()], labels)
    rates = measured_rates(labelled_turns(data), probabilities, threshold, "own dialogues, out of fold")
    pair_accuracy = pairs[negatives]["accuracy"]
    measured = None
    if calibration is not None:
        rates, measured = _measured_elsewhere(head, threshold, calibration, encoder)
        pair_accuracy = measured["pairs"]["accuracy"]
    accuracies = [float(np.mean((labels == predicted)[folds[examples.strategic] == fold])) for fold in range(FOLDS)]
    report = TrainingReport(
        sentences=len(labels),
        dialogues=len(data.dialogue_ids),
        folds=FOLDS,
        features=WITH_ENCODER if encoder else TEXT_ONLY,
        negatives=negatives,
        class_accuracy=ClassAccuracy(mean=float(np.mean(accuracies)), std=float(np.std(accuracies))),
        per_class=per_class,
        pairs=pairs,
        threshold=threshold,
        rates=rate_figures(rates),
        measured=measured,
    )
    return TrainedHead(head, threshold, rates, pair_accuracy, report)


def rate_figures(rates: Rates | None) -> RateFigures | None:
    """Rates without their resamples."""
    if rates is None:
        return None
    return RateFigures(
        tpr=rates.tpr,
        fpr_cross=rates.fpr_cross,
        fpr_adjacent=rates.fpr_adjacent,
        fpr=rates.fpr,
        n_cross=rates.n_cross,
        n_adjacent=rates.n_adjacent,
        source=rates.source,
    )


@dataclass(frozen=True, eq=False)
class _Examples:
    """Labelled sentences with what a head reads of them."""

    read: ReadSentences
    labels: IntArray
    """Strategy id; -1 for none of the 13."""
    dialogues: IntArray

    @classmethod
    def of(cls, data: LabelledDialogues, encoder: Embedder | None) -> _Examples:
        place = {dialogue_id: number for number, dialogue_id in enumerate(data.dialogue_ids)}
        identity: dict[TurnLabel, int] = {strategy: number for number, strategy in enumerate(STRATEGIES)}
        return cls(
            read=read_sentences([sentence.text for sentence in data.sentences], encoder),
            labels=np.array([identity.get(sentence.label, -1) for sentence in data.sentences], dtype=np.int64),
            dialogues=np.array([place[sentence.dialogue_id] for sentence in data.sentences], dtype=np.int64),
        )

    @property
    def strategic(self) -> IntArray:
        """Places of the sentences that train."""
        return np.flatnonzero(self.labels >= 0)


def _folds(examples: _Examples) -> IntArray:
    """The fold of every sentence: dialogues with a strategy are dealt out, whole."""
    dialogues = np.unique(examples.dialogues[examples.strategic])
    if len(dialogues) < FOLDS:
        raise CannotTrain(f"{len(dialogues)} labelled dialogues; cross-validation by dialogue needs {FOLDS} or more")
    n_dialogues = int(examples.dialogues.max()) + 1
    fold_of = np.zeros(n_dialogues, np.int64)
    fold_of[np.random.default_rng(SEED).permutation(dialogues)] = np.arange(len(dialogues)) % FOLDS
    return fold_of[examples.dialogues]


def _out_of_fold(examples: _Examples, folds: IntArray) -> FloatArray:
    """Probabilities of every sentence by the head that has not seen its dialogue."""
    probabilities = np.zeros((len(examples.read), len(STRATEGIES)))
    is_strategic = examples.labels >= 0
    for fold in range(FOLDS):
        training = np.flatnonzero(is_strategic & (folds != fold))
        head = fitted_head(examples.read[training.tolist()], examples.labels[training])
        left_out = np.flatnonzero(folds == fold)
        probabilities[left_out] = head.probabilities(examples.read[left_out.tolist()])
    return probabilities


def fitted_head(sentences: ReadSentences, labels: Sequence[int] | IntArray) -> StrategyHead:
    """Multinomial logistic regression with L2 on the given sentences; strategies without any get probability 0.

    Raises:
        CannotTrain: fewer than three strategies occur.
    """
    from sklearn.linear_model import LogisticRegression

    features = TextFeatures.of(sentences.terms)
    present = np.unique(labels)
    if len(present) < MIN_CLASSES:
        raise CannotTrain(f"{len(present)} strategies in the training sentences; {MIN_CLASSES} or more are needed")
    regression = LogisticRegression(C=REGULARISATION, max_iter=1000)
    regression.fit(_matrix(features, sentences), labels)
    weights = np.zeros((len(features) + sentences.vectors.shape[1], len(STRATEGIES)))
    intercept = np.full(len(STRATEGIES), UNSEEN)
    weights[:, present] = regression.coef_.T
    intercept[present] = regression.intercept_
    return StrategyHead(features, weights, intercept)


def _matrix(features: TextFeatures, sentences: ReadSentences) -> sparse.csr_array:
    rows = [features.row(terms) for terms in sentences.terms]
    ends = np.cumsum([0, *(len(row.places) for row in rows)])
    places, values = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    terms = sparse.csr_array((values, places, ends), shape=(len(rows), len(features)))
    return sparse.csr_array(sparse.hstack([terms, sparse.csr_array(sentences.vectors)]))


def _figures(pairs: Pairs | None, probabilities: FloatArray, threshold: float) -> PairFigures:
    if pairs is None:
        return NO_PAIRS
    return pair_figures(similarities_of(pairs, probabilities), pairs.is_same, threshold)


def _measured_elsewhere(
    head: StrategyHead, threshold: float, data: LabelledDialogues, encoder: Embedder | None
) -> tuple[Rates | None, Measured]:
    """Rates and quality on dialogues that neither the head nor its threshold has seen."""
    examples = _Examples.of(data, encoder)
    source = ", ".join(name for name, _ in data.files)
    probabilities = head.probabilities(examples.read)
    labels, strategic = examples.labels[examples.strategic], probabilities[examples.strategic]
    pairs = pair_sets(labels, examples.dialogues[examples.strategic], [])["original"]
    measured = Measured(
        source=source,
        sentences=len(labels),
        dialogues=len(data.dialogue_ids),
        class_accuracy=float(np.mean(strategic.argmax(axis=1) == labels)),
        pairs=_figures(pairs, strategic, threshold),
    )
    return measured_rates(labelled_turns(data), probabilities, threshold, source), measured
