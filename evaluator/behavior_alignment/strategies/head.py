"""The head: from what a sentence looks like to a probability of each of the 13 strategies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.behavior_alignment.implicit import Rates, StrategyEstimator
from evaluator.behavior_alignment.strategies.features import TermCounts, TextFeatures, term_counts
from evaluator.embeddings.protocol import Embedder, text_vectors
from evaluator.statistics.intervals import FloatArray
from submissions.formats.behavior_alignment.submission import STRATEGIES

EMBEDDING_WEIGHT = 2.0
"""The embedding counts twice beside the two blocks of terms (docs/behavior_alignment.md#the-estimator)."""

TEXT_ONLY, WITH_ENCODER = "tfidf", "tfidf+minilm"


@dataclass(frozen=True, eq=False)
class ReadSentences:
    """Sentences as a head reads them."""

    terms: tuple[TermCounts, ...]
    vectors: FloatArray
    """Unit embeddings times their weight, shape (sentences, dimension); dimension 0 without an encoder."""

    def __len__(self) -> int:
        return len(self.terms)

    def __getitem__(self, places: Sequence[int]) -> ReadSentences:
        return ReadSentences(tuple(self.terms[place] for place in places), self.vectors[list(places)])


def read_sentences(texts: Sequence[str], encoder: Embedder | None) -> ReadSentences:
    """Counts terms and embeds; without an encoder the embeddings have no dimensions."""
    terms = tuple(term_counts(text) for text in texts)
    if encoder is None or not texts:
        return ReadSentences(terms, np.zeros((len(texts), 0)))
    return ReadSentences(terms, EMBEDDING_WEIGHT * text_vectors(encoder, texts).astype(np.float64))


@dataclass(frozen=True, eq=False)
class StrategyHead:
    """Multinomial logistic regression on terms and embedding."""

    features: TextFeatures
    weights: FloatArray
    """Shape (terms + dimension, 13)."""
    intercept: FloatArray
    """Shape (13,)."""

    @property
    def dimension(self) -> int:
        """Of the embeddings it was trained with; 0 = none."""
        return len(self.weights) - len(self.features)

    def probabilities(self, sentences: ReadSentences) -> FloatArray:
        """Of each strategy for each sentence, shape (sentences, 13); rows sum to 1."""
        logits = sentences.vectors @ self.weights[len(self.features) :] + self.intercept
        for place, terms in enumerate(sentences.terms):
            row = self.features.row(terms)
            logits[place] += row.values @ self.weights[row.places]
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(exponents / exponents.sum(axis=1, keepdims=True), dtype=np.float64)


class HeadEstimator(StrategyEstimator):
    """A trained head that compares sentences: s is the chance that both have one strategy, p · p.

    Args:
        name: Of the model.
        head: What was trained.
        encoder: What it was trained with; None for a head on terms alone.
        threshold: Above it two sentences count as same.
        rates: How often it errs.
        pair_accuracy: On balanced pairs that it was not trained on.
    """

    def __init__(
        self,
        name: str,
        head: StrategyHead,
        encoder: Embedder | None,
        threshold: float,
        rates: Rates | None,
        pair_accuracy: float | None,
    ) -> None:
        self._name, self._head, self._encoder = name, head, encoder
        self._threshold, self._rates, self._pair_accuracy = threshold, rates, pair_accuracy

    @property
    def name(self) -> str:
        return f"{self._name} {WITH_ENCODER if self._head.dimension else TEXT_ONLY}"

    @property
    def threshold(self) -> float:
        return self._threshold

    @property
    def rates(self) -> Rates | None:
        return self._rates

    @property
    def pair_accuracy(self) -> float | None:
        return self._pair_accuracy

    def probabilities(self, texts: Sequence[str]) -> FloatArray:
        """Shape (texts, 13); each distinct text is computed once."""
        if not texts:
            return np.zeros((0, len(STRATEGIES)))
        distinct = list(dict.fromkeys(texts))
        probabilities = self._head.probabilities(read_sentences(distinct, self._encoder))
        place = {text: number for number, text in enumerate(distinct)}
        return probabilities[[place[text] for text in texts]]

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """s of each pair; symmetric."""
        first, second = (self.probabilities([pair[side] for pair in pairs]) for side in (0, 1))
        return pair_similarities(first, second)


def pair_similarities(first: FloatArray, second: FloatArray) -> list[float]:
    """p · p of each row of two matrices of probabilities."""
    return [float(s) for s in (first * second).sum(axis=1)]
