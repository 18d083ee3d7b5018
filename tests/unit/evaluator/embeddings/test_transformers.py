"""Embedding models from the Hub or a folder, on a tiny multilingual one made on the spot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.random_models import tiny_encoder
from evaluator.embeddings.protocol import UnsuitableEmbedder
from evaluator.embeddings.sentence_embedder import TEXTS_PER_SAVE
from evaluator.embeddings.transformers import EmbeddingModel, TransformersEmbedder
from evaluator.judge_loading.loading import load_embedder
from submissions.settings import Settings

COMMIT = "989aa7980e4cf806f80c7fef2b1adb7bc71aa306"
TEXTS = ["Kissa nukkuu.", "The cat sleeps.", "Katten sover nu.", "Η γάτα κοιμάται.", "Brot backen"]


class MemoryCache:
    """An embedding cache in a dictionary that remembers how it was filled, and can fail."""

    def __init__(self, fail_after: int | None = None) -> None:
        self.stored: dict[str, bytes] = {}
        self.saves: list[int] = []
        self._fail_after = fail_after

    def load_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]:
        return {key: self.stored[key] for key in keys if key in self.stored}

    def save_embeddings(self, embeddings: dict[str, bytes]) -> None:
        if len(self.saves) == self._fail_after:
            raise KeyboardInterrupt  # the process is killed here
        self.stored.update(embeddings)
        self.saves.append(len(embeddings))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-multilingual"
    tiny_encoder(folder, languages=("de", "en", "fi", "uk"))
    return folder


@pytest.fixture(scope="module")
def embedder(folder: Path) -> TransformersEmbedder:
    return made(folder)


def made(folder: Path, options: str = "", cache: MemoryCache | None = None) -> TransformersEmbedder:
    return TransformersEmbedder(EmbeddingModel.from_text(f"{folder}{options}"), cache, device="cpu")


def changed(folder: Path, to: Path, name: str, content: Any) -> Path:
    """A copy of the model with one file that says something else; None = without the file."""
    to.mkdir()
    for path in folder.rglob("*"):
        target = to / path.relative_to(folder)
        if path.is_dir():
            target.mkdir()
        else:
            target.write_bytes(path.read_bytes())
    if content is None:
        (to / name).unlink()
    else:
        (to / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return to


def test_vectors_are_those_of_the_model_pooled_by_hand(folder: Path, embedder: TransformersEmbedder) -> None:
    from transformers import AutoModel, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModel.from_pretrained(folder).eval()
    for text, windows in zip(TEXTS, embedder.windows(TEXTS), strict=True):
        with torch.inference_mode():
            hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        expected = hidden.mean(dim=0)
        assert windows.shape == (1, 32)
        assert windows[0] == pytest.approx((expected / expected.norm()).numpy(), abs=1e-5)


def test_first_token_pooling_is_taken_from_the_files_of_the_model_or_from_the_option(
    folder: Path, embedder: TransformersEmbedder, tmp_path: Path
) -> None:
    said = changed(folder, tmp_path / "cls", "1_Pooling/config.json", {"pooling_mode_cls_token": True})
    by_file, by_option = made(said), made(folder, ";pooling=cls")
    assert (by_file.pooling, by_option.pooling, embedder.pooling) == ("cls", "cls", "mean")
    assert np.array_equal(by_file.windows(TEXTS[:1])[0], by_option.windows(TEXTS[:1])[0])
    assert not np.array_equal(by_file.windows(TEXTS[:1])[0], embedder.windows(TEXTS[:1])[0])
    assert by_option.pin.prompt == "cls pooling, 48 tokens"


def test_a_vector_does_not_depend_on_its_neighbours(embedder: TransformersEmbedder) -> None:
    together = embedder.windows([*TEXTS, *(f"{text} {text}" for text in TEXTS)])
    for text, windows in zip(TEXTS, together, strict=False):
        assert np.array_equal(embedder.windows([text])[0], windows)


def test_a_long_text_is_read_in_windows_no_longer_than_the_model_was_made_for(embedder: TransformersEmbedder) -> None:
    assert embedder.window_tokens == 48  # max_seq_length of its files
    (windows,) = embedder.windows([" ".join(f"cat {number}" for number in range(60))])
    assert len(windows) > 1
    assert np.isfinite(windows).all()


def test_the_prefix_of_a_model_stands_before_every_text(folder: Path, embedder: TransformersEmbedder) -> None:
    prefixed = made(folder, ';prefix="query: "')
    assert np.array_equal(prefixed.windows(["kissa"])[0], embedder.windows(["query: kissa"])[0])
    assert "prefix 'query: '" in prefixed.pin.prompt


def test_a_killed_run_asks_for_no_vector_again_that_it_had_saved(folder: Path) -> None:
    texts = [f"vastaus {number}" for number in range(2 * TEXTS_PER_SAVE + 10)]
    cache = MemoryCache(fail_after=1)
    with pytest.raises(KeyboardInterrupt):
        made(folder, cache=cache).windows(texts)
    assert cache.saves == [TEXTS_PER_SAVE]
    again = MemoryCache()
    again.stored = cache.stored
    second = made(folder, cache=again)
    second.windows(texts)
    assert second.texts_embedded == TEXTS_PER_SAVE + 10
    third = made(folder, cache=again)
    third.windows(texts)
    assert third.texts_embedded == 0


def test_the_pin_names_weights_tokenizer_way_and_languages(embedder: TransformersEmbedder) -> None:
    pin = embedder.pin
    assert pin.model == "tiny-multilingual"
    assert len(pin.revision) == len(pin.tokenizer) == 64
    assert pin.prompt == "mean pooling, 48 tokens"
    # The card says uk, the 2026 files say ua.
    assert pin.languages == ("de", "en", "fi", "ua", "uk")


def test_the_languages_of_the_setting_win_over_the_card(folder: Path) -> None:
    assert made(folder, ";languages=en, sv").pin.languages == ("en", "sv")


def test_a_card_that_says_multilingual_alone_declares_every_language(folder: Path, tmp_path: Path) -> None:
    card = changed(folder, tmp_path / "any", "README.md", "---\nlanguage: multilingual\n---\n")
    assert made(card).pin.languages is None


def test_a_model_that_declares_no_language_is_refused(folder: Path, tmp_path: Path) -> None:
    silent = changed(folder, tmp_path / "silent", "README.md", "A model.")
    with pytest.raises(UnsuitableEmbedder, match="does not say which languages it reads"):
        made(silent)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        (
            "modules.json",
            [{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}],
            "a layer that is not read here: Dense",
        ),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "pools by pooling_mode_max_tokens"),
        ("model.safetensors", None, "only safetensors"),
        ("tokenizer.json", None, "only safetensors and fast tokenizers"),
        ("config.json", {"model_type": "one-with-its-own-code", "auto_map": {"AutoModel": "m.M"}}, "cannot be loaded"),
    ],
)
def test_a_model_that_cannot_be_used_as_it_is_pinned_is_refused_with_the_reason(
    folder: Path, tmp_path: Path, name: str, content: Any, fault: str
) -> None:
    with pytest.raises(UnsuitableEmbedder, match=fault):
        made(changed(folder, tmp_path / "changed", name, content))


def test_every_fault_of_a_name_is_told_at_once() -> None:
    with pytest.raises(UnsuitableEmbedder) as caught:
        EmbeddingModel.from_text("org/model@main;speed=3;pooling=max")
    for fault in ("neither a folder nor a repository at a full commit", "'speed=3'", "found 'max'"):
        assert fault in str(caught.value)


def test_a_repository_is_named_at_a_full_commit() -> None:
    named = EmbeddingModel.from_text(f"org/model@{COMMIT};languages=en,fi")
    assert (named.model, named.commit, named.languages) == ("org/model", COMMIT, ("en", "fi"))


def test_a_repository_that_cannot_be_fetched_is_refused_with_the_reason() -> None:
    with pytest.raises(UnsuitableEmbedder, match="cannot be fetched"):
        TransformersEmbedder(EmbeddingModel.from_text(f"org/never-fetched@{COMMIT}"), device="cpu")


def test_embedding_models_are_had_by_name(folder: Path) -> None:
    assert Settings.from_env({}).embedding == "auto"
    assert load_embedder("minilm").pin.languages == ("en",)
    assert load_embedder("scripted").pin.name == "scripted"
    assert load_embedder(f"transformers:{folder}").pin.model == "tiny-multilingual"
    with pytest.raises(UnsuitableEmbedder, match="choose one of auto, e5, minilm"):
        load_embedder("word2vec")
