"""Sentence embeddings by any encoder: windows, batches of fixed shapes, vectors kept by content.

Vectors do not depend on which texts are embedded together: every forward pass has the same number of rows and one of a
few lengths (rounded up to `LENGTH_STEP`), so the same kernels add the same numbers in the same order.
"""

from __future__ import annotations

import hashlib
import struct
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluator.embeddings.protocol import Embedder, EmbeddingCache, Vectors
from evaluator.values import Pin

if TYPE_CHECKING:
    import torch

WINDOW_TOKENS = 256
"""What is read at once at most, special tokens included."""

OVERLAP_TOKENS = 64
"""Tokens that two neighbouring windows share; at most a third of narrow windows."""

LENGTH_STEP = 16
"""Row lengths are padded to multiples of this."""

TEXTS_PER_SAVE = 256
"""Vectors are kept after so many texts: what a killed process may have to compute again."""

Pooling = Literal["mean", "cls"]
"""What of an encoder's output is the sentence: the mean of its tokens, or the first of them."""

_SHAPE = struct.Struct("<II")


class CachedEmbedder(Embedder):
    """An embedding model whose vectors are kept by content key.

    Args:
        cache: where they are kept; None keeps nothing between calls.
    """

    def __init__(self, cache: EmbeddingCache | None) -> None:
        self._cache = cache
        self.texts_embedded = 0
        """Texts that were really computed, neither repeated nor found in the cache."""

    @property
    @abstractmethod
    def pin(self) -> Pin: ...

    @abstractmethod
    def _embed(self, texts: Sequence[str]) -> list[Vectors]:
        """The windows of texts that are not known yet, each of them once."""

    def windows(self, texts: Sequence[str]) -> list[Vectors]:
        """One array (windows, dimension) of unit rows per text, in order; each distinct text is computed once."""
        keys = {text: self._key(text) for text in texts}
        known = self._cached(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in known]
        for start in range(0, len(missing), self._texts_per_save):
            part = missing[start : start + self._texts_per_save]
            computed = dict(zip((keys[text] for text in part), self._embed(part), strict=True))
            if self._cache is not None:
                self._cache.save_embeddings({key: pack_vectors(vectors) for key, vectors in computed.items()})
            known.update(computed)
        return [known[keys[text]] for text in texts]

    @property
    def _texts_per_save(self) -> int:
        return TEXTS_PER_SAVE

    @cached_property
    def _pin_digest(self) -> str:
        return hashlib.sha256(self.pin.model_dump_json().encode()).hexdigest()

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self._pin_digest}\n{text}".encode()).hexdigest()

    def _cached(self, keys: Sequence[str]) -> dict[str, Vectors]:
        if self._cache is None:
            return {}
        return {key: unpack_vectors(stored) for key, stored in self._cache.load_embeddings(keys).items()}


class SentenceEmbedder(CachedEmbedder):
    """An encoder with mean or first-token pooling and unit length, in fp32; loaded on first use.

    Args:
        cache: where vectors are kept by content key; None keeps nothing between calls.
        threads: compute threads of torch (a setting of the whole process); None leaves them alone.
        batch_rows: rows of every forward pass; short batches are filled up with empty rows.
    """

    pooling: Pooling = "mean"
    window_tokens: int = WINDOW_TOKENS
    prefix: str = ""
    """What stands before every text, where the model was trained so."""

    def __init__(self, cache: EmbeddingCache | None, threads: int | None, *, batch_rows: int) -> None:
        super().__init__(cache)
        self._threads = threads
        self._batch_rows = batch_rows

    @cached_property
    @abstractmethod
    def _tokenizer(self) -> Any: ...

    @cached_property
    @abstractmethod
    def _model(self) -> Any:
        """In evaluation mode, on its device."""

    def _set_threads(self) -> None:
        import torch

        if self._threads is not None:
            torch.set_num_threads(self._threads)

    def _embed(self, texts: Sequence[str]) -> list[Vectors]:
        self.texts_embedded += len(texts)
        cuts = []
        for text in texts:
            self.on_batch()
            cuts.append(self.token_windows(text))
        rows = iter(self._forward([window for windows in cuts for window in windows]))
        return [np.stack([next(rows) for _ in windows]) for windows in cuts]

    def token_windows(self, text: str) -> list[list[int]]:
        """Token ids of each window, with the special tokens around; an empty text has one window without words.

        A "[SEP]" written in the text is plain characters.
        """
        before, after = self._frame
        tokens = self._plain_tokens(text)
        width = self.window_tokens - len(before) - len(after)
        return [[*before, *tokens[start:end], *after] for start, end in window_bounds(len(tokens), width)]

    @cached_property
    def _frame(self) -> tuple[list[int], list[int]]:
        """What stands before and after the tokens of a text; the prefix is part of every window."""
        word = self._plain_tokens("a")
        framed: list[int] = self._tokenizer("a", add_special_tokens=True)["input_ids"]
        places = [place for place in range(len(framed)) if framed[place : place + len(word)] == word]
        if not word or not places:
            return [], []
        before, after = framed[: places[0]], framed[places[0] + len(word) :]
        return [*before, *self._plain_tokens(self.prefix)] if self.prefix else before, after

    def _plain_tokens(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer(
            text, add_special_tokens=False, split_special_tokens=True, truncation=False, verbose=False
        )["input_ids"]
        return tokens

    def _forward(self, rows: Sequence[list[int]]) -> list[Vectors]:
        """One unit vector per row of token ids, computed in batches of fixed shapes."""
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        for position, row in enumerate(rows):
            by_length[min(-(-len(row) // LENGTH_STEP) * LENGTH_STEP, self.window_tokens)].append(position)
        vectors: dict[int, Vectors] = {}
        for length, positions in by_length.items():
            for start in range(0, len(positions), self._batch_rows):
                self.on_batch()
                batch = positions[start : start + self._batch_rows]
                vectors.update(zip(batch, self._batch([rows[position] for position in batch], length), strict=True))
        return [vectors[position] for position in range(len(rows))]

    def _batch(self, rows: Sequence[list[int]], length: int) -> list[Vectors]:
        import torch

        model = self._model
        tokens = torch.full((self._batch_rows, length), self._tokenizer.pad_token_id or 0, dtype=torch.long)
        mask = torch.zeros(self._batch_rows, length, dtype=torch.long)
        mask[:, 0] = 1  # a row without any visible token would divide by zero
        for position, row in enumerate(rows):
            tokens[position, : len(row)] = torch.tensor(row, dtype=torch.long)
            mask[position, : len(row)] = 1
        tokens, mask = tokens.to(model.device), mask.to(model.device)
        with torch.inference_mode():
            hidden = model(input_ids=tokens, attention_mask=mask).last_hidden_state
            pooled = _unit_vectors(hidden, mask, self.pooling).cpu()
        return [np.asarray(pooled[position].numpy(), dtype=np.float32) for position in range(len(rows))]


def window_bounds(length: int, width: int = WINDOW_TOKENS - 2) -> list[tuple[int, int]]:
    """Start and end of each window over `length` tokens: `width` tokens wide, 64 shared, the last one complete.

    >>> window_bounds(100)
    [(0, 100)]
    >>> window_bounds(500)
    [(0, 254), (190, 444), (246, 500)]
    """
    if length <= width:
        return [(0, length)]
    step = width - min(OVERLAP_TOKENS, width // 3)
    starts = [*range(0, length - width, step), length - width]
    return [(start, start + width) for start in starts]


def pack_vectors(vectors: Vectors) -> bytes:
    """Rows and columns as two little-endian uint32, then the float32 values."""
    return _SHAPE.pack(*vectors.shape) + np.ascontiguousarray(vectors, dtype="<f4").tobytes()


def unpack_vectors(stored: bytes) -> Vectors:
    """The array that `pack_vectors` stored."""
    shape = _SHAPE.unpack_from(stored)
    return np.frombuffer(stored, dtype="<f4", offset=_SHAPE.size).reshape(shape).astype(np.float32)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unit_vectors(hidden: torch.Tensor, mask: torch.Tensor, pooling: Pooling) -> torch.Tensor:
    import torch

    if pooling == "cls":
        return torch.nn.functional.normalize(hidden[:, 0].float(), dim=1)
    visible = mask.unsqueeze(-1).to(hidden.dtype)
    return torch.nn.functional.normalize((hidden * visible).sum(dim=1) / visible.sum(dim=1), dim=1)
