"""What a judge is to a configuration: how it is named, what people must know of it, and what loads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluator.embeddings.protocol import Embedder, EmbeddingCache
from evaluator.judges.protocol import Judge
from submissions.promptsets import SETS_OF_2025, SETS_OF_2026

AUTO = "auto"
"""Of a judge or an embedding model: the best that this machine can have."""

MANY_LANGUAGES = frozenset({*SETS_OF_2025, *SETS_OF_2026})
"""The sets whose answers are compared across languages."""


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


@dataclass(frozen=True, slots=True)
class Loading:
    """What a judge is loaded with."""

    cache: EmbeddingCache | None = None
    """Where embeddings are kept; None = in memory only."""
    threads: int | None = None
    """CPU threads of the models; None = the library's choice."""
    api_key: str | None = None
    """Of the server of a judge behind one."""
    compiles: bool = True
    """May a language model compile its attention on a graphics card? Not where every call is a process of its own."""

    is_measured: bool = False
    """Is the judge loaded to find out how good it is? Then one that answers with labels need not tell cases apart."""

    def minilm(self) -> Embedder:
        """The embedded English embedding model, beside judges that bring none."""
        # Imported here: torch and transformers take seconds, and some judges need neither.
        from evaluator.embeddings.minilm import MiniLMEmbedder

        return MiniLMEmbedder(cache=self.cache, threads=self.threads)


@dataclass(frozen=True, slots=True)
class JudgeKind:
    """A judge, or all judges of a sort: one line of `evaluator.judge_loading.registry.JUDGES`."""

    key: str
    """Its name, or what stands before the colon of one."""
    written: tuple[str, ...]
    """How a configuration may write it: "pair", "pair:FOLDER"."""
    words: str
    """What a reader must know of it, for About."""
    load: Callable[[str, Loading], Scorer]
    """From what stands after the colon ("" for nothing) to the judge with its embedding model. Imports what is heavy
    itself. Raises UnknownJudge, UnsuitableJudge and, of a server, JudgeUnavailable."""
    accepts: Callable[[str], bool] = lambda option: not option
    """Whether what stands after the colon may."""
    on_gpu: bool = False
    """Does it run on a graphics card where there is one? Elsewhere such a judge asks for none."""

    @property
    def is_of_its_name(self) -> bool:
        """Is it a judge of this program, which a manifest from anywhere may name? Folders and addresses are not."""
        return self.key in self.written
