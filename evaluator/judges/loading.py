"""Which judge and embedding model score: what is loaded for the configured names."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from evaluator.embeddings.protocol import Embedder, EmbeddingCache, UnsuitableEmbedder
from evaluator.judges import registry
from evaluator.judges.embedders import load_embedder as load_embedder
from evaluator.judges.embedders import multilingual_pair_judge
from evaluator.judges.kind import AUTO, Loading
from evaluator.judges.kind import Scorer as Scorer
from evaluator.judges.kind import UnknownJudge as UnknownJudge
from evaluator.judges.protocol import Judge, UnsuitableJudge
from evaluator.judges.ray_actors import RayJudge
from evaluator.judges.ray_embedder import RayEmbedder

logger = logging.getLogger(__name__)

DEFAULT_GPU_JUDGE = "transformers:Qwen/Qwen2.5-1.5B-Instruct@989aa7980e4cf806f80c7fef2b1adb7bc71aa306"
"""What `auto` means where there is a GPU; without one it means `pair`."""

DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")
"""What Linux shows where a driver of NVIDIA, of AMD, or of either under WSL is loaded. ZeroGPU shows none, but has
imported torch by then."""


def with_embedding(
    scorer: Scorer, name: str, cache: EmbeddingCache | None = None, *, threads: int | None = None
) -> Scorer:
    """A scorer with the configured embedding model.

    `auto` leaves the judge of 2024 its own model, on which its relevance check and its figures rest, and gives the
    editions of many languages multilingual-e5-small, if that can be had. Any other name takes the place of both. A
    judge that reads English only cannot compare two languages: the multilingual pair judge takes its place there.

    Raises:
        UnsuitableEmbedder: for an unknown name, and when the model cannot be used as it is pinned.
    """
    if name == scorer.embedder.pin.name or (name == AUTO and scorer.judge.pin.name == "scripted"):
        return scorer
    try:
        embedder = load_embedder(name, cache, threads=threads)
    except UnsuitableEmbedder as error:
        if name != AUTO:
            raise
        logger.warning("%s; the editions of 2025 and 2026 are scored in English only", error)
        return scorer
    between = Scorer(_judge_between_languages(scorer, embedder, Loading(cache, threads)), embedder)
    return Scorer(scorer.judge, scorer.embedder if name == AUTO else embedder, between)


def _judge_between_languages(scorer: Scorer, embedder: Embedder, loading: Loading) -> Judge:
    if embedder.pin.name != "e5" or scorer.judge.pin.languages != ("en",):
        return scorer.judge
    if isinstance(scorer.judge, RayJudge):
        return scorer.judge.beside("multilingual_pair", loading).judge
    if isinstance(embedder, RayEmbedder):
        return embedder.judge_beside("multilingual_pair").judge
    return multilingual_pair_judge(embedder, scorer.embedder)


def load_scorer(
    name: str,
    cache: EmbeddingCache | None = None,
    *,
    threads: int | None = None,
    api_key: str | None = None,
    compiles: bool = True,
) -> Scorer:
    """Loads a judge by its configured name.

    Args:
        name: As one of `evaluator.judges.registry.JUDGES` is written, or `auto`: a small pinned instruct model where
            there is a GPU and it can be had, `pair` elsewhere.
        cache: Where embeddings are kept; None = in memory only.
        threads: CPU threads of the models; None = the library's choice.
        api_key: Of the server of an `http:` judge.
        compiles: As in `Loading`.

    Raises:
        UnknownJudge: for any other name.
        UnsuitableJudge: when a model cannot be loaded as a judge.
        JudgeUnavailable: when the server of an `http:` judge does not answer.
    """
    if name == AUTO:
        return _default_scorer(cache, threads, compiles)
    kind, option = registry.kind_of(name)
    return kind.load(option, Loading(cache, threads, api_key, compiles))


def _default_scorer(cache: EmbeddingCache | None, threads: int | None, compiles: bool) -> Scorer:
    """The GPU's judge where there is a GPU and the model can be had, else the embedded one; the pin says which."""
    if _has_gpu():
        try:
            return load_scorer(DEFAULT_GPU_JUDGE, cache, threads=threads, compiles=compiles)
        except UnsuitableJudge as error:
            logger.warning("judging with the embedded judge: %s", error)
    return load_scorer("pair", cache, threads=threads)


def _has_gpu() -> bool:
    """Whether torch could compute on one; where no driver is, nobody imports torch to be told."""
    if sys.platform == "linux" and "torch" not in sys.modules and not any(Path(driver).exists() for driver in DRIVERS):
        return False
    import torch

    return torch.cuda.is_available()
