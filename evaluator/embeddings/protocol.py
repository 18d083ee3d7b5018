"""Sentence embeddings: the protocol, and a scripted one for tests and demonstrations."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from evaluator.values import Pin

Vectors = npt.NDArray[np.float32]


class UnsuitableEmbedder(Exception):
    """Raised when a setting names an embedding model that cannot be, or a model cannot be used as one."""


class EmbeddingCache(Protocol):
    """Where embeddings are kept by content key, so that no text is embedded twice."""

    def load_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]: ...

    def save_embeddings(self, embeddings: dict[str, bytes]) -> None: ...


def unheard() -> None:
    """Where nobody listens to how far an embedding model is."""


class Embedder(Protocol):
    """Turns texts into window vectors: one row of unit length per window of the text."""

    texts_embedded: int
    """Texts that were really computed, neither repeated nor found in a cache."""
    on_batch: Callable[[], None] = staticmethod(unheard)
    """Called each time it gets on: a worker that hears nothing for long is ended."""

    @property
    def pin(self) -> Pin: ...

    def windows(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text an array (number of windows, dimension); long texts are cut into overlapping windows."""
        ...


def text_vectors(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """One unit vector per text, the normalised mean of its windows; shape (number of texts, dimension)."""
    means = np.stack([windows.mean(axis=0) for windows in embedder.windows(texts)])
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    return np.asarray(means / np.maximum(norms, 1e-12), dtype=np.float32)


def text_cosines(embedder: Embedder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the cosine of each pair's sentence embeddings, -1 to 1; each distinct text is embedded once."""
    row = {text: place for place, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
    if not row:
        return []
    vectors = text_vectors(embedder, list(row)).astype(np.float64)
    return [float(vectors[row[first]] @ vectors[row[second]]) for first, second in pairs]


class ScriptedEmbedder(Embedder):
    """Bag-of-words embeddings by hashing: similar words, similar vectors. `texts_embedded` counts its work."""

    def __init__(self, dimension: int = 256, languages: tuple[str, ...] | None = None) -> None:
        self._dimension = dimension
        self._pin = Pin(
            name="scripted",
            model="hashed bag of words",
            revision=f"dimension-{dimension}",
            tokenizer="-",
            prompt="-",
            dtype="float32",
            engine="plumbline",
            languages=languages,
        )
        self.texts_embedded = 0

    @property
    def pin(self) -> Pin:
        return self._pin

    def windows(self, texts: Sequence[str]) -> list[Vectors]:
        windows = []
        for text in texts:
            self.on_batch()
            windows.append(self._embed(text))
        return windows

    def _embed(self, text: str) -> Vectors:
        self.texts_embedded += 1
        vector = np.zeros(self._dimension, dtype=np.float32)
        for word in text.casefold().split():
            digest = hashlib.sha256(word.encode()).digest()
            vector[int.from_bytes(digest[:4], "big") % self._dimension] += 1.0
        norm = float(np.linalg.norm(vector))
        return (vector / norm if norm else vector)[np.newaxis, :]
