"""A published pair classifier, by a tiny one with random weights that has the same form."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from evaluator.behavior_alignment.strategies.model_folder import EstimatorUnusable
from evaluator.behavior_alignment.strategies.pair_checkpoint import MAX_TOKENS, PairCheckpoint

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "have", "you", "seen", "it", "do", "go"]


def tiny(folder: Path, labels: int = 2) -> Path:
    """A BERT sequence classifier of a few thousand weights, as transformers saves it."""
    import torch

    transformers: Any = import_module("transformers")

    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    tokenizer: Any = transformers.BertTokenizerFast(
        vocab_file=str(folder / "vocab.txt"), vocab={w: n for n, w in enumerate(WORDS)}
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=labels,
        max_position_embeddings=160,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> PairCheckpoint:
    folder = tiny(tmp_path_factory.mktemp("hub") / "Own_MixedHard_Binary_Classifier")
    return PairCheckpoint(str(folder), folder.name)


def test_it_reads_one_string_without_token_types(checkpoint: PairCheckpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[dict[str, Any]] = []
    model = checkpoint._model

    def watched(**inputs: Any) -> Any:
        read.append(inputs)
        return model(**inputs)

    monkeypatch.setattr(checkpoint, "_model", watched)
    (probability,) = checkpoint.similarities([("Have you", "do go")])
    assert 0 < probability < 1
    assert "token_type_ids" not in read[0]
    # [CLS] have you [SEP] do go [SEP], as the ids of WORDS.
    assert read[0]["input_ids"].tolist() == [[2, 5, 6, 3, 9, 10, 3]]


def test_long_pairs_are_cut_and_repeated_pairs_read_once(
    checkpoint: PairCheckpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = ("have you seen it " * 100, "do go")
    once = checkpoint.similarities([long])[0]
    monkeypatch.setattr(checkpoint, "_batch", lambda pairs: [once] * len(set(pairs)) if len(pairs) == 1 else [])
    assert checkpoint.similarities([long, long]) == [once, once]
    assert len(checkpoint._tokenizer(long[0], truncation=True, max_length=MAX_TOKENS)["input_ids"]) == MAX_TOKENS


def test_a_published_name_has_published_rates(checkpoint: PairCheckpoint, tmp_path: Path) -> None:
    assert (checkpoint.threshold, checkpoint.pair_accuracy) == (0.5, 0.932)
    assert checkpoint.rates is not None
    assert (checkpoint.rates.tpr, checkpoint.rates.fpr) == (0.968, 0.103)
    assert checkpoint.probabilities(["do go"]) is None
    other = PairCheckpoint(str(tiny(tmp_path / "own")), "own")
    assert (other.rates, other.pair_accuracy) == (None, None)


def test_a_classifier_of_more_classes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EstimatorUnusable, match="13 classes; expected 2"):
        PairCheckpoint(str(tiny(tmp_path / "own", labels=13)), "own")


def test_what_cannot_be_reached_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EstimatorUnusable, match="the estimator hub:x/y cannot be loaded") as unusable:
        PairCheckpoint("plumbline-tests/does-not-exist", "hub:x/y")
    assert "\n" not in str(unusable.value)
