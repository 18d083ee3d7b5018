"""Which judge and embedding model score: the configured names, and what is loaded for them."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.embeddings import Embedder, EmbeddingCache, ScriptedEmbedder
from evaluator.judges.protocol import Judge
from evaluator.judges.scripted import ScriptedJudge

JUDGE_NAMES = ("embedding", "scripted")


class UnknownJudge(Exception):
    """Raised when a setting or flag names a judge that does not exist."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A judge with the embedding model that checks relevance."""

    judge: Judge
    embedder: Embedder


def load_scorer(name: str, cache: EmbeddingCache | None = None, *, threads: int | None = None) -> Scorer:
    """Loads a judge by its configured name.

    `embedding` is the embedded default. `scripted` rates by word overlap and serves tests and demonstrations, never a
    board that people read; `scripted:0.01` takes that many seconds for each call, to stand for a slow judge.

    Args:
        name: One of `JUDGE_NAMES`.
        cache: Where embeddings are kept; None = in memory only.
        threads: CPU threads of the model; None = the library's choice.

    Raises:
        UnknownJudge: for any other name.
    """
    kind, _, option = name.partition(":")
    if kind == "scripted" and _is_duration(option):
        return Scorer(ScriptedJudge(seconds_per_call=float(option or 0)), ScriptedEmbedder())
    if name == "embedding":
        # Imported here: torch and transformers take seconds, and only this judge needs them.
        from evaluator.judges.embedding import EmbeddingJudge
        from evaluator.minilm import MiniLMEmbedder

        embedder = MiniLMEmbedder(cache=cache, threads=threads)
        return Scorer(EmbeddingJudge(embedder), embedder)
    raise UnknownJudge(f"no judge is called {name!r}: choose one of {', '.join(JUDGE_NAMES)}")


def _is_duration(text: str) -> bool:
    return not text or text.replace(".", "", 1).isdigit()
