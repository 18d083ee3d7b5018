"""Which embedding model reads: what is loaded for the configured names."""

from __future__ import annotations

import logging
from pathlib import Path

from evaluator.embeddings.language_codes import with_set_codes
from evaluator.embeddings.protocol import Embedder, EmbeddingCache, ScriptedEmbedder, UnsuitableEmbedder
from evaluator.embeddings.transformers import EmbeddingModel, TransformersEmbedder
from evaluator.judges.kind import AUTO, Loading
from evaluator.judges.protocol import Judge

logger = logging.getLogger(__name__)

HUB_E5 = ("intfloat/multilingual-e5-small", "fd1525a9fd15316a2d503bf26ab031a61d056e98")
"""Repository and commit of the embedding model where the wheel that brings it has no build for the machine."""

EMBEDDING_NAMES = (
    AUTO,
    "e5",
    "minilm",
    "transformers:REPO@COMMIT",
    "transformers:FOLDER",
    "ray:ADDRESS#NAME",
    "scripted",
)


def load_embedder(name: str, cache: EmbeddingCache | None = None, *, threads: int | None = None) -> Embedder:
    """Loads an embedding model by its configured name (`EMBEDDING_NAMES`).

    Raises:
        UnsuitableEmbedder: for any other name, and when the model cannot be used as it is pinned.
        JudgeUnavailable: when no Ray cluster can be had for a `ray:` model.
    """
    kind, _, option = name.partition(":")
    if name == "scripted":
        return ScriptedEmbedder()
    if name == AUTO:
        return _default_embedder(cache, threads)
    if name == "e5":
        from evaluator.embeddings.e5 import E5Embedder

        return E5Embedder(_read_within(), cache, threads)
    if name == "minilm":
        from evaluator.embeddings.minilm import MiniLMEmbedder

        return MiniLMEmbedder(cache=cache, threads=threads)
    if kind == "transformers" and option:
        return TransformersEmbedder(EmbeddingModel.from_text(option), cache, threads)
    if kind == "ray" and option:
        from evaluator.judge_loading.ray_embedder import connect

        return connect(option, Loading(cache, threads), _load)
    raise UnsuitableEmbedder(f"no embedding model is called {name!r}: choose one of {', '.join(EMBEDDING_NAMES)}")


def _load(name: str, loading: Loading) -> Embedder:
    return load_embedder(name, loading.cache, threads=loading.threads)


def _default_embedder(cache: EmbeddingCache | None, threads: int | None) -> Embedder:
    """multilingual-e5-small from its wheel; where there is no build of that, from the Hub. The pin says which."""
    try:
        return load_embedder("e5", cache, threads=threads)
    except UnsuitableEmbedder as missing:
        logger.warning("%s; trying the Hub", missing)
    repository, commit = HUB_E5
    return TransformersEmbedder(EmbeddingModel(repository, commit, _read_within(), "mean", "query:"), cache, threads)


def _read_within() -> tuple[str, ...]:
    """The languages in which multilingual-e5-small passed the bar."""
    from evaluator.embeddings.e5_quality import shipped_quality

    return with_set_codes(shipped_quality().read)


def multilingual_pair_judge(embedder: Embedder, minilm: Embedder, folder: Path | None = None) -> Judge:
    """The judge that reads both answers at once, in the languages in which it passed its bar, with what says which of
    them answer.

    Args:
        embedder: multilingual-e5-small.
        minilm: What the answer head reads English with.
        folder: Of another trained part; None = the one that comes along.
    """
    from evaluator.judges.answers.judge import GatedJudge, load_answer_head
    from evaluator.judges.answers.other_languages import load_heads
    from evaluator.judges.multilingual_pair.judge import load_multilingual_pair_judge

    heads = load_heads(load_answer_head(minilm), embedder, _read_within())
    return GatedJudge(load_multilingual_pair_judge(embedder, folder), heads)
