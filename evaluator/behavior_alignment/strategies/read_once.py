"""A trained head that reads every sentence once, however often it is asked, and tells how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from evaluator.behavior_alignment.implicit import Rates, StrategyEstimator
from evaluator.behavior_alignment.strategies.head import HeadEstimator, pair_similarities
from evaluator.statistics.intervals import FloatArray
from submissions.formats.behavior_alignment.submission import STRATEGIES

SENTENCES_PER_BLOCK = 64
"""Progress is told after so many: a second or two with the sentence encoder."""


class ReadOnce(StrategyEstimator):
    """A head as it is, whose sentences are read before the figures are made of them.

    Args:
        head: Reads the sentences.
    """

    def __init__(self, head: HeadEstimator) -> None:
        self._head = head
        self._known: dict[str, FloatArray] = {}

    def read(self, sentences: Iterable[str], told: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Reads the sentences that are not known yet.

        Args:
            sentences: In any number, repeated or not.
            told: Called with how many are read and how many there are, first of all and after every block; may raise
                to stop.
        """
        missing = [text for text in dict.fromkeys(sentences) if text not in self._known]
        told(0, len(missing))
        for start in range(0, len(missing), SENTENCES_PER_BLOCK):
            block = missing[start : start + SENTENCES_PER_BLOCK]
            self._known |= zip(block, self._head.probabilities(block), strict=True)
            told(start + len(block), len(missing))

    @property
    def name(self) -> str:
        return self._head.name

    @property
    def threshold(self) -> float:
        return self._head.threshold

    @property
    def rates(self) -> Rates | None:
        return self._head.rates

    @property
    def pair_accuracy(self) -> float | None:
        return self._head.pair_accuracy

    def probabilities(self, texts: Sequence[str]) -> FloatArray:
        """Shape (texts, 13)."""
        self.read(texts)
        if not texts:
            return np.zeros((0, len(STRATEGIES)))
        return np.stack([self._known[text] for text in texts])

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """s of each pair; symmetric."""
        first, second = (self.probabilities([pair[side] for pair in pairs]) for side in (0, 1))
        return pair_similarities(first, second)
