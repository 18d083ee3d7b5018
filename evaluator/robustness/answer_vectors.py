"""Embeddings of all the texts of a submission, in chunks: bounded memory, progress, and nothing lost to a kill."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evaluator.embeddings.protocol import Embedder, Vectors, text_vectors
from evaluator.judges.protocol import reads_language
from evaluator.robustness.relevance import Vector

TEXTS_PER_CHUNK = 256
"""Texts whose windows are in memory at once; progress is told after each chunk."""


class Tell(Protocol):
    """Told of every chunk, as `RecordedJudge.tell`; may raise to stop."""

    def __call__(self, done: int, total: int, *, stored: int = 0, seconds: float = 0.0) -> None: ...


@dataclass(frozen=True, slots=True)
class TextVectors:
    """One unit vector for each distinct text."""

    rows: dict[str, int]
    vectors: Vectors
    """Shape (texts, dimension)."""

    def of(self, text: str) -> Vector:
        """The vector of one of the texts."""
        return np.asarray(self.vectors[self.rows[text]])


def embedded(texts: Iterable[tuple[str, str]], embedder: Embedder, tell: Tell) -> TextVectors:
    """The vectors of all texts in languages the model declares; others have none.

    Args:
        texts: Text and its language, in any number of repetitions.
        embedder: Keeps what it computes, so that the same texts cost nothing the next time.
        tell: Told of progress, in texts.
    """
    distinct = list(dict.fromkeys(text for text, language in texts if reads_language(embedder.pin, language)))
    vectors: list[Vectors] = []
    for start in range(0, len(distinct), TEXTS_PER_CHUNK):
        began, before = time.monotonic(), embedder.texts_embedded
        chunk = distinct[start : start + TEXTS_PER_CHUNK]
        vectors.append(text_vectors(embedder, chunk))
        computed = embedder.texts_embedded - before
        seconds = time.monotonic() - began if computed else 0.0
        tell(start + len(chunk), len(distinct), stored=computed, seconds=seconds)
    matrix = np.concatenate(vectors) if vectors else np.zeros((0, 1), dtype=np.float32)
    return TextVectors({text: row for row, text in enumerate(distinct)}, matrix)
