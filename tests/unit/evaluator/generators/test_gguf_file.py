"""GGUF files: what they say and their weights, from files written here byte by byte."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from evaluator.generators.gguf_file import UnreadableGguf, read_gguf

F32, Q4_1, Q8_0 = 0, 3, 8
Q5_K = 13


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(path: Path, facts: list[bytes], tensors: list[tuple[str, tuple[int, ...], int, bytes]]) -> Path:
    """A file of version 3; every tensor begins at a multiple of 32 behind the statements."""
    stated, data = b"", b""
    for name, shape, kind, values in tensors:
        stated += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape[::-1], kind, len(data))
        data += values + b"\0" * (-len(values) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts)) + b"".join(facts) + stated
    path.write_bytes(head + b"\0" * (-len(head) % 32) + data)
    return path


def test_numbers_texts_and_lists_are_read_as_they_are_stated(tmp_path: Path) -> None:
    facts = [
        text("heads") + struct.pack("<II", 4, 9),
        text("is_new") + struct.pack("<I?", 7, True),
        text("tokens") + struct.pack("<IIQ", 9, 8, 2) + text("Ġa") + text("火"),
    ]
    assert read_gguf(gguf(tmp_path / "m.gguf", facts, [])).facts == {"heads": 9, "is_new": True, "tokens": ["Ġa", "火"]}


def test_weights_of_every_kind_come_out_as_their_blocks_define_them(tmp_path: Path) -> None:
    plain = struct.pack("<6f", 1, 2, 3, 4, 5, 6)
    # Scale .5: numbers -16 ... 15 are -8 ... 7.5.
    eight = struct.pack("<e32b", 0.5, *range(-16, 16))
    # Scale 2, smallest -1. Byte i holds i below and 15 - i above: weights 2i - 1, then 2 (15 - i) - 1.
    four = struct.pack("<ee16B", 2, -1, *(number | (15 - number) << 4 for number in range(16)))
    file = gguf(
        tmp_path / "m.gguf",
        [],
        [("plain", (2, 3), F32, plain), ("eight", (1, 32), Q8_0, eight), ("four", (2, 16), Q4_1, four)],
    )
    weights = dict(read_gguf(file).weights())
    assert weights["plain"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert weights["eight"].tolist() == [[number / 2 for number in range(-16, 16)]]
    assert weights["four"].tolist() == [list(range(-1, 31, 2)), list(range(29, -2, -2))]
    assert {value.dtype for value in weights.values()} == {np.dtype(np.float32)}


def test_what_is_no_gguf_of_version_3_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGML" + struct.pack("<IQQ", 3, 0, 0))
    with pytest.raises(UnreadableGguf, match="begins with b'GGML', version 3"):
        read_gguf(other)


def test_a_kind_of_weight_or_value_that_is_not_read_here_is_named(tmp_path: Path) -> None:
    file = read_gguf(gguf(tmp_path / "m.gguf", [], [("deep", (1, 32), Q5_K, b"\0" * 64)]))
    with pytest.raises(UnreadableGguf, match=r"the weights deep are of kind 13, expected one of \[0, 3, 8\]"):
        list(file.weights())
    with pytest.raises(UnreadableGguf, match="a value is of kind 99"):
        read_gguf(gguf(tmp_path / "n.gguf", [text("odd") + struct.pack("<I", 99)], []))
