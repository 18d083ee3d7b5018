"""Which judge and embedding model score: the configured names, and what is loaded for them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluator.embeddings.language_codes import with_set_codes
from evaluator.embeddings.protocol import Embedder, EmbeddingCache, ScriptedEmbedder, UnsuitableEmbedder
from evaluator.embeddings.transformers import EmbeddingModel, TransformersEmbedder
from evaluator.judges.protocol import Judge, UnsuitableJudge
from evaluator.judges.scripted import ScriptedJudge
from submissions.promptsets.cultural import ELOQUENT_2025, ELOQUENT_2026

logger = logging.getLogger(__name__)

AUTO = "auto"
DEFAULT_GPU_JUDGE = "transformers:Qwen/Qwen2.5-1.5B-Instruct@989aa7980e4cf806f80c7fef2b1adb7bc71aa306"
"""What `auto` means where there is a GPU; without one it means `pair`."""

HUB_E5 = ("intfloat/multilingual-e5-small", "fd1525a9fd15316a2d503bf26ab031a61d056e98")
"""Repository and commit of the embedding model where the wheel that brings it has no build for the machine."""

JUDGE_NAMES = (
    AUTO,
    "pair",
    "pair:FOLDER",
    "embedding",
    "multilingual",
    "transformers:REPO@COMMIT",
    "transformers:FOLDER",
    "http:URL#MODEL",
    "scripted",
)

EMBEDDING_NAMES = (AUTO, "e5", "minilm", "transformers:REPO@COMMIT", "transformers:FOLDER", "scripted")

MANY_LANGUAGES = frozenset({ELOQUENT_2025, ELOQUENT_2026})
"""The sets whose answers are compared across languages."""

_PINNED = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})")
_DURATION = re.compile(r"\d+(\.\d+)?|")


class UnknownJudge(Exception):
    """Raised when a setting or flag names a judge that does not exist, or one without a pinned revision."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A judge with the embedding model that checks relevance, and alone judges the 2026 edition."""

    judge: Judge
    embedder: Embedder
    between_languages: Scorer | None = None
    """What scores the editions of many languages; None = this one scores all."""

    def of_set(self, set_id: str) -> Scorer:
        """What scores a submission to that set: every board has one, so that no board mixes two."""
        return self.between_languages or self if set_id in MANY_LANGUAGES else self

    @property
    def every(self) -> tuple[Scorer, ...]:
        """This one, and the one of the editions of many languages where that is another."""
        return (self, self.between_languages) if self.between_languages else (self,)


def load_embedder(name: str, cache: EmbeddingCache | None = None, *, threads: int | None = None) -> Embedder:
    """Loads an embedding model by its configured name (`EMBEDDING_NAMES`).

    Raises:
        UnsuitableEmbedder: for any other name, and when the model cannot be used as it is pinned.
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
    raise UnsuitableEmbedder(f"no embedding model is called {name!r}: choose one of {', '.join(EMBEDDING_NAMES)}")


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
    from evaluator.judges.multilingual.measurement import shipped_quality

    return with_set_codes(shipped_quality().read_within)


def with_embedding(
    scorer: Scorer, name: str, cache: EmbeddingCache | None = None, *, threads: int | None = None
) -> Scorer:
    """A scorer with the configured embedding model.

    `auto` leaves the judge of 2024 its own model, on which its relevance check and its figures rest, and gives the
    editions of many languages multilingual-e5-small, if that can be had. Any other name takes the place of both. A
    judge that reads English only cannot compare two languages: the multilingual judge takes its place there.

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
    between = Scorer(_judge_between_languages(scorer.judge, embedder), embedder)
    return Scorer(scorer.judge, scorer.embedder if name == AUTO else embedder, between)


def _judge_between_languages(judge: Judge, embedder: Embedder) -> Judge:
    if embedder.pin.name != "e5" or judge.pin.languages != ("en",):
        return judge
    return _multilingual_judge(embedder)


def _multilingual_judge(embedder: Embedder) -> Judge:
    from evaluator.judges.multilingual.judge import MultilingualJudge
    from evaluator.judges.multilingual.measurement import shipped_quality

    return MultilingualJudge(embedder, shipped_quality().read_between)


def load_scorer(
    name: str, cache: EmbeddingCache | None = None, *, threads: int | None = None, api_key: str | None = None
) -> Scorer:
    """Loads a judge by its configured name.

    `pair` is the embedded default, trained on our labelled pairs, and `pair:FOLDER` one that `train-pair-judge` made
    anew; `embedding` compares sentence embeddings, `multilingual` those of many languages. `transformers:` names a
    local causal language model by repository and full commit hash, or by folder; `http:` a model behind an
    OpenAI-compatible server (docs/judges.md). `auto` is a small pinned instruct model on a GPU and `pair` elsewhere.
    `scripted` rates by word overlap and serves tests and demonstrations, never a board that people read;
    `scripted:0.01` takes that many seconds for each call, to stand for a slow judge.

    Args:
        name: One of `JUDGE_NAMES`.
        cache: Where embeddings are kept; None = in memory only.
        threads: CPU threads of the models; None = the library's choice.
        api_key: Of the server of an `http:` judge.

    Raises:
        UnknownJudge: for any other name.
        UnsuitableJudge: when a model cannot be loaded as a judge.
        JudgeUnavailable: when the server of an `http:` judge does not answer.
    """
    kind, _, option = name.partition(":")
    if kind == "scripted" and _DURATION.fullmatch(option):
        return Scorer(ScriptedJudge(seconds_per_call=float(option or 0)), ScriptedEmbedder())
    if name == AUTO:
        return _default_scorer(cache, threads)
    if name == "multilingual":
        try:
            embedder = load_embedder("e5", cache, threads=threads)
        except UnsuitableEmbedder as error:
            raise UnsuitableJudge(str(error)) from error
        return Scorer(_multilingual_judge(embedder), embedder)
    loaded = _loader(name, api_key)
    if loaded is None:
        raise UnknownJudge(f"no judge is called {name!r}: choose one of {', '.join(JUDGE_NAMES)}")
    # Imported here: torch and transformers take seconds, and the scripted judge needs neither.
    from evaluator.embeddings.minilm import MiniLMEmbedder

    minilm = MiniLMEmbedder(cache=cache, threads=threads)
    return Scorer(loaded(minilm), minilm)


def _default_scorer(cache: EmbeddingCache | None, threads: int | None) -> Scorer:
    """The GPU's judge where there is a GPU and the model can be had, else the embedded one; the pin says which."""
    if _has_gpu():
        try:
            return load_scorer(DEFAULT_GPU_JUDGE, cache, threads=threads)
        except UnsuitableJudge as error:
            logger.warning("judging with the embedded judge: %s", error)
    return load_scorer("pair", cache, threads=threads)


def _loader(name: str, api_key: str | None) -> Callable[[Embedder], Judge] | None:
    """What makes the judge of that name; None for an unknown name."""
    kind, _, option = name.partition(":")
    if name == "pair" or (kind == "pair" and option):
        return lambda embedder: _pair_judge(embedder, option)
    if name == "embedding":
        return _embedding_judge
    if kind == "http" and option:
        return lambda _embedder: _http_judge(option, api_key)
    if kind != "transformers" or not option:
        return None
    if Path(option).is_dir():
        return lambda _embedder: _transformers_judge(option, None)
    pinned = _PINNED.fullmatch(option)
    if pinned is None:
        raise UnknownJudge(
            f"{name!r} is neither a folder nor a repository at a full commit (transformers:REPO@COMMIT): "
            "a branch or tag may change under a board"
        )
    return lambda _embedder: _transformers_judge(pinned["repository"], pinned["commit"])


def _embedding_judge(embedder: Embedder) -> Judge:
    from evaluator.judges.answers.judge import GatedJudge, load_answer_head
    from evaluator.judges.embedding import EmbeddingJudge

    return GatedJudge(EmbeddingJudge(embedder), load_answer_head(embedder))


def _pair_judge(embedder: Embedder, folder: str) -> Judge:
    from evaluator.judges.answers.judge import GatedJudge, load_answer_head
    from evaluator.judges.pair.judge import load_pair_judge

    return GatedJudge(load_pair_judge(embedder, Path(folder) if folder else None), load_answer_head(embedder))


def _transformers_judge(model_id: str, revision: str | None) -> Judge:
    from evaluator.judges.transformers import load_transformers_judge

    return load_transformers_judge(model_id, revision)


def _http_judge(option: str, api_key: str | None) -> Judge:
    from evaluator.judges.http.judge import connect
    from evaluator.judges.http.settings import HttpJudgeSettings

    return connect(HttpJudgeSettings.from_text(option, api_key=api_key))


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
