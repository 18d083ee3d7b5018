"""Our encoder beside the one of transformers, and what a process that judges imports."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from evaluator.embeddings.bert import BertModel
from evaluator.embeddings.bert_shape import Attention, BertShape
from evaluator.embeddings.minilm import MiniLMTokenizer, minilm_encoder, weights_folder

TINY = BertShape(width=8, layers=2, heads=2, feed_forward=12, vocabulary=5, positions=16, token_types=2, epsilon=1e-12)


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize(("rows", "length"), [(4, 16), (4, 48), (8, 96), (1, 512)])
def test_states_are_those_of_transformers_to_the_bit(attention: Attention, rows: int, length: int) -> None:
    ours = minilm_encoder(attention).eval()
    theirs = AutoModel.from_pretrained(
        weights_folder(), local_files_only=True, attn_implementation=attention, dtype=torch.float32
    ).eval()
    tokens = torch.randint(1_000, 30_000, (rows, length), generator=torch.Generator().manual_seed(length))
    visible, types = torch.ones_like(tokens), torch.zeros_like(tokens)
    types[:, length // 2 :] = 1
    for row in range(rows):
        visible[row, length - row // 2 :] = 0
    with torch.inference_mode():
        state = ours(tokens, visible, types).last_hidden_state
        other = theirs(input_ids=tokens, attention_mask=visible, token_type_ids=types).last_hidden_state
        of_one_text = ours(tokens, visible).last_hidden_state
    assert torch.equal(state, other)
    assert not torch.equal(of_one_text, state)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The ferry leaves at 9:40.",
        "[CLS] a [SEP] b [MASK][PAD] [sep]",
        "##ing İstanbul ẞ ß naïve – “quoted” 東京 ไทย",
        "a\x00b\u200d\ufeff\ttabs\nlines",
        "word " * 700,
    ],
)
def test_tokens_are_those_of_transformers(text: str) -> None:
    ours = MiniLMTokenizer()
    theirs = AutoTokenizer.from_pretrained(weights_folder(), local_files_only=True)
    for framed in (True, False):
        asked = {"add_special_tokens": framed, "split_special_tokens": True, "truncation": False, "verbose": False}
        assert ours(text, add_special_tokens=framed)["input_ids"] == theirs(text, **asked)["input_ids"]
    assert (ours.pad_token_id, ours.cls_token_id, ours.sep_token_id) == (
        theirs.pad_token_id,
        theirs.cls_token_id,
        theirs.sep_token_id,
    )


def test_weights_that_are_missing_or_left_over_are_named() -> None:
    weights = BertModel(TINY, "eager").state_dict()
    del weights["encoder.layer.1.output.dense.bias"]
    weights["pooler.dense.bias"] = torch.zeros(8)
    with pytest.raises(RuntimeError, match=r"(?s)encoder\.layer\.1\.output\.dense\.bias.*pooler\.dense\.bias"):
        BertModel.with_weights(TINY, weights, "eager")


def test_a_process_judges_without_transformers_and_without_the_compiler_of_torch() -> None:
    code = """
import sys
from evaluator.embeddings.e5 import E5Embedder
from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judges.answers.network import untrained
from evaluator.judges.multilingual_pair.network import untrained_network
from evaluator.judges.pair.network import PairTokenizer, logits
texts = ["The ferry leaves at nine.", "Die Fähre fährt um neun."]
MiniLMEmbedder().windows(texts)
embedder = E5Embedder(("en", "de"))
embedder.windows(texts)
untrained_network(embedder.encoder)
logits(untrained().eval(), PairTokenizer(), [tuple(texts)])
print({"transformers", "torch._dynamo", "sympy"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
