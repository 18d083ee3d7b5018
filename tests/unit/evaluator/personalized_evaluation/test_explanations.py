"""How close explanations come to the reviewers' own words, with the libraries themselves and tiny models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.random_models import small_tokenizer
from evaluator.personalized_evaluation.explanations import ExplanationModels, explanation_quality

TEXTS = [("a warm story", "a warm and strange story"), ("the end is cold", "cold")]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    tokenizer, folder = small_tokenizer(), tmp_path_factory.mktemp("models") / "tiny-bert"
    shape: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=400, intermediate_size=16, max_position_embeddings=64, **shape)).save_pretrained(
        folder
    )
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def encoder_decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BartConfig, BartForConditionalGeneration

    torch.manual_seed(0)
    tokenizer, folder = small_tokenizer(), tmp_path_factory.mktemp("models") / "tiny-bart"
    sides: dict[str, Any] = {f"{side}_{what}": size for side in ("encoder", "decoder") for what, size in _SIDE.items()}
    config = BartConfig(
        vocab_size=400,
        d_model=16,
        max_position_embeddings=64,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=0,
        eos_token_id=0,
        decoder_start_token_id=0,
        forced_eos_token_id=None,
        **sides,
    )
    BartForConditionalGeneration(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


_SIDE = {"layers": 1, "attention_heads": 2, "ffn_dim": 16}


def test_words_shared_need_no_model() -> None:
    found = explanation_quality(TEXTS)
    # F of 3 shared of 3 and 5 words: 2 * 1 * .6 / 1.6 = .75; of 1 shared of 4 and 1: 2 * .25 / 1.25 = .4
    assert found["rouge1"] == pytest.approx((0.75 + 0.4) / 2)
    assert found["n"] == 2
    assert (found["bertscore"], found["bertscore_model"]) == (None, None)
    assert (found["bartscore"], found["bartscore_model"]) == (None, None)


def test_equal_texts_have_the_highest_figures(encoder: Path) -> None:
    long = "one two three four five"
    found = explanation_quality([(long, long)], ExplanationModels(bertscore=encoder))
    assert found["bleu"] == pytest.approx(100)
    assert found["rouge1"] == 1.0
    assert found["bertscore"] == pytest.approx(1.0, abs=1e-5)
    assert found["bertscore_model"] == "tiny-bert"


def test_texts_longer_than_the_encoder_reads_are_cut(encoder: Path) -> None:
    found = explanation_quality([("word " * 200, "other " * 200)], ExplanationModels(bertscore=encoder))
    assert found["bertscore"] is not None
    assert -1 <= found["bertscore"] < 1


def test_the_likelihood_is_that_of_the_reference_token_by_token(encoder_decoder: Path) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    found = explanation_quality(TEXTS, ExplanationModels(bartscore=encoder_decoder))
    tokenizer: Any = AutoTokenizer.from_pretrained(encoder_decoder)
    model: Any = AutoModelForSeq2SeqLM.from_pretrained(encoder_decoder).eval()
    means = []
    for explanation, reference in TEXTS:  # one by one and without padding
        labels = tokenizer(reference, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            loss = model(input_ids=tokenizer(explanation, return_tensors="pt")["input_ids"], labels=labels).loss
        means.append(-float(loss))
    assert found["bartscore"] == pytest.approx(math.fsum(means) / 2, abs=1e-5)
    assert found["bartscore_model"] == "tiny-bart"
