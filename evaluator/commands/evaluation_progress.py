"""Where the evaluation of one file stands, for whoever waits at a terminal."""

from __future__ import annotations

import json

from evaluator.embeddings.protocol import Embedder
from evaluator.judges.recorded import Batch
from evaluator.steps import Steps


class EvaluationProgress:
    """Hears what an evaluation tells.

    Args:
        embedder: Reads the texts.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._read_before = embedder.texts_embedded
        self._step = "reading the file"
        self._batch: Batch | None = None
        self.steps = Steps(self._hear)
        """To be told the steps."""

    def batch(self, batch: Batch) -> None:
        """Takes what one batch of judgements added."""
        self._batch = batch

    def words(self) -> str:
        """What is being done, and how much of it is done.

        >>> from evaluator.embeddings.protocol import ScriptedEmbedder
        >>> progress = EvaluationProgress(ScriptedEmbedder())
        >>> progress.batch(Batch(judged=64, to_judge=1200, newly_stored=64, seconds=2.0))
        >>> progress.words()
        'reading the file: 64 of 1,200 questions judged'
        """
        done = []
        if self._batch and self._batch.to_judge:
            done.append(f"{self._batch.judged:,} of {self._batch.to_judge:,} questions judged")
        if texts := self._embedder.texts_embedded - self._read_before:
            done.append(f"{texts:,} texts read")
        return f"{self._step}: {', '.join(done)}" if done else self._step

    def _hear(self, line: str) -> None:
        self._step = json.loads(line).get("step", self._step)
