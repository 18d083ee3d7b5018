"""GGUF files, the format of llama.cpp: what they say of a model, and its weights, with as little work as possible.

The package `gguf` reads them, too, but makes an array of numpy for every word of a vocabulary, which takes ten seconds.
Only the kinds of values are read that a chat model in 4 or 8 bits has.
Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float32]

_MAGIC = b"GGUF"
_VERSION = 3
_ALIGNMENT = 32
_STRING, _ARRAY = 8, 9
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
"""Kind of a value -> how its bytes are read."""


class UnreadableGguf(ValueError):
    """Raised when a file is no GGUF of version 3, or holds a kind of value or weight that is not read here."""


@dataclass(frozen=True, slots=True)
class GgufFile:
    """What a file holds."""

    facts: dict[str, Any]
    """What it says of the model: `llama.block_count`, `tokenizer.ggml.tokens` and so on."""
    tensors: dict[str, tuple[tuple[int, ...], int, int]]
    """Name -> shape (rows first), kind, and where its bytes begin."""
    data: memoryview

    def weights(self) -> Iterator[tuple[str, Weights]]:
        """Every tensor by its name, in float32, one after another.

        Raises:
            UnreadableGguf: when one is of another kind than F32, Q4_1 and Q8_0.
        """
        for name, (shape, kind, begin) in self.tensors.items():
            if kind not in _KINDS:
                raise UnreadableGguf(f"the weights {name} are of kind {kind}, expected one of {sorted(_KINDS)}")
            per_block, size, read = _KINDS[kind]
            length = math.prod(shape) // per_block * size
            yield name, read(np.frombuffer(self.data[begin : begin + length], np.uint8)).reshape(shape)


def read_gguf(path: Path) -> GgufFile:
    """Reads a file into memory.

    Raises:
        UnreadableGguf: when it is no GGUF of version 3, or says something of a kind that is not read here.
        OSError: when the disk refuses.
    """
    data = path.read_bytes()
    reader = _Reader(data)
    magic, version, n_tensors, n_facts = data[:4], *struct.unpack_from("<IQQ", data, 4)
    if magic != _MAGIC or version != _VERSION:
        raise UnreadableGguf(f"{path.name} begins with {magic!r}, version {version}, expected {_MAGIC!r}, {_VERSION}")
    reader.place = 24
    facts = {reader.text(): reader.value(reader.number("<I")) for _ in range(n_facts)}
    stated = [reader.tensor() for _ in range(n_tensors)]
    begin = -(-reader.place // _ALIGNMENT) * _ALIGNMENT
    tensors = {name: (shape, kind, begin + offset) for name, shape, kind, offset in stated}
    return GgufFile(facts, tensors, memoryview(data))


class _Reader:
    """Reads values one after another; `place` is where the next begins."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def number(self, form: str) -> Any:
        value = struct.unpack_from(form, self._data, self.place)[0]
        self.place += struct.calcsize(form)
        return value

    def text(self) -> str:
        length = self.number("<Q")
        self.place += length
        return self._data[self.place - length : self.place].decode("utf-8")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            inner, count = self.number("<I"), self.number("<Q")
            return [self.value(inner) for _ in range(count)]
        if kind not in _NUMBERS:
            raise UnreadableGguf(f"a value is of kind {kind}, which no GGUF of version {_VERSION} has")
        return self.number(_NUMBERS[kind])

    def tensor(self) -> tuple[str, tuple[int, ...], int, int]:
        """Name, shape, kind, and where it begins behind the last of these."""
        name, n_dimensions = self.text(), self.number("<I")
        shape = tuple(self.number("<Q") for _ in range(n_dimensions))[::-1]
        return name, shape, self.number("<I"), self.number("<Q")


def _float32(data: NDArray[np.uint8]) -> Weights:
    return data.view(np.float32).copy()


def _q8_0(data: NDArray[np.uint8]) -> Weights:
    """Blocks of 32: a scale in float16, then 32 whole numbers; weight = scale x number."""
    blocks = data.reshape(-1, 34)
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    return scale * blocks[:, 2:].view(np.int8).astype(np.float32)


def _q4_1(data: NDArray[np.uint8]) -> Weights:
    """Blocks of 32: scale and smallest weight in float16, then 32 numbers of 4 bits, the lower halves of the bytes
    first; weight = scale x number + smallest."""
    blocks = data.reshape(-1, 20)
    scale, smallest = (blocks[:, at : at + 2].copy().view(np.float16).astype(np.float32) for at in (0, 2))
    numbers = np.concatenate((blocks[:, 4:] & 15, blocks[:, 4:] >> 4), axis=1).astype(np.float32)
    return scale * numbers + smallest


_KINDS: dict[int, tuple[int, int, Callable[[NDArray[np.uint8]], Weights]]] = {
    0: (1, 4, _float32),
    3: (32, 20, _q4_1),
    8: (32, 34, _q8_0),
}
"""Kind of a tensor -> weights of a block, its bytes, and what reads them: F32, Q4_1, Q8_0."""
