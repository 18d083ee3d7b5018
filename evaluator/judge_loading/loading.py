"""Which judge and embedding model score: what is loaded for the configured names."""

from __future__ import annotations

import logging
from dataclasses import replace

from evaluator.embeddings.protocol import Embedder, EmbeddingCache, UnsuitableEmbedder
from evaluator.judge_loading import registry
from evaluator.judge_loading.embedders import load_embedder as load_embedder
from evaluator.judge_loading.embedders import multilingual_pair_judge
from evaluator.judge_loading.ray_actors import RayJudge, connect
from evaluator.judge_loading.ray_embedder import RayEmbedder
from evaluator.judges.kind import AUTO, Loading
from evaluator.judges.kind import Scorer as Scorer
from evaluator.judges.kind import UnknownJudge as UnknownJudge
from evaluator.judges.protocol import Judge

logger = logging.getLogger(__name__)


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
    for spread in (scorer.judge, embedder):
        if isinstance(spread, RayJudge | RayEmbedder):  # over as many actors of the same cluster
            setting = replace(spread.setting, name="multilingual_pair", actors=spread.width)
            return connect(setting, loading, registry.load, on_gpu=False).judge
    return multilingual_pair_judge(embedder, scorer.embedder)


def load_scorer(
    name: str,
    cache: EmbeddingCache | None = None,
    *,
    threads: int | None = None,
    api_key: str | None = None,
    compiles: bool = True,
    is_measured: bool = False,
) -> Scorer:
    """Loads a judge by its configured name.

    Args:
        name: As one of `registry.JUDGES` is written, or `auto`: a small pinned instruct model where
            there is a GPU and it can be had, `pair` elsewhere.
        cache: Where embeddings are kept; None = in memory only.
        threads: CPU threads of the models; None = the library's choice.
        api_key: Of the server of an `http:` judge.
        compiles: As in `Loading`.
        is_measured: As in `Loading`.

    Raises:
        UnknownJudge: for any other name.
        UnsuitableJudge: when a model cannot be loaded as a judge, or fails its proof.
        JudgeUnavailable: when the server of an `http:` judge does not answer.
    """
    return registry.load(name, Loading(cache, threads, api_key, compiles, is_measured))
