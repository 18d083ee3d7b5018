"""An embedding model whose texts are spread over the actors of a Ray cluster (`ray_cluster`).

Every actor loads the same model; pin and keys are that model's, so that vectors which are kept stay valid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from evaluator.embeddings.protocol import Embedder, EmbeddingCache, UnsuitableEmbedder, Vectors
from evaluator.embeddings.sentence_embedder import TEXTS_PER_SAVE, CachedEmbedder
from evaluator.judge_loading.ray_cluster import BATCHES_PER_ACTOR, Cancelled, RayActor, RaySetting, spread, start
from evaluator.judges.kind import Loading, UnknownJudge
from evaluator.judges.protocol import UnsuitableJudge
from evaluator.values import Pin


class EmbedderActor(RayActor[Embedder]):
    """One embedding model."""

    what = "embedding model"

    def card(self) -> tuple[Pin, None]:
        return self.loaded().pin, None

    def windows(
        self, call: int, pin: Pin, places: Sequence[int], texts: Sequence[str]
    ) -> tuple[Sequence[int], list[Vectors]]:
        """The windows of each text with its place in the whole call.

        Raises:
            UnsuitableJudge: as `require`.
        """
        told = self.begun(call, places)
        embedder = self.loaded()
        self.require(embedder.pin, pin)
        embedder.on_batch = lambda: told(None)
        try:
            return places, embedder.windows(texts)
        except Cancelled:
            return places, []  # which nobody reads


class RayEmbedder(CachedEmbedder):
    """The embedding model of some actors; made by `connect`. What is known is kept here, by the store of this process.

    Args:
        setting: Where they are.
        actors: Handles of `EmbedderActor`, one or more, ready.
        pin: Of their model.
        cache: Where vectors are kept.
    """

    def __init__(self, setting: RaySetting, actors: Sequence[Any], pin: Pin, cache: EmbeddingCache | None) -> None:
        super().__init__(cache)
        self.setting = setting
        self._actors = actors
        self._pin = pin
        self._calls = count()

    @property
    def pin(self) -> Pin:
        return self._pin

    @property
    def width(self) -> int:
        """How many actors there are."""
        return len(self._actors)

    @property
    def _texts_per_save(self) -> int:
        return TEXTS_PER_SAVE * len(self._actors)

    def _embed(self, texts: Sequence[str]) -> list[Vectors]:
        """See `CachedEmbedder`.

        Raises:
            JudgeUnavailable: where actors died again and again at the same texts, or the cluster is gone.
        """
        self.texts_embedded += len(texts)
        call = next(self._calls)
        size = math.ceil(len(texts) / (BATCHES_PER_ACTOR * len(self._actors)))
        batches = [range(begin, min(begin + size, len(texts))) for begin in range(0, len(texts), size or 1)]

        def ask(actor: Any, places: Sequence[int]) -> Any:
            return actor.windows.remote(call, self._pin, places, [texts[place] for place in places])

        embedded = spread(self.setting, self._actors, call, batches, ask, lambda _: self.on_batch())
        return [embedded[place] for place in range(len(texts))]


def connect(option: str, loading: Loading, load: Callable[[str, Loading], Embedder]) -> RayEmbedder:
    """The embedding model over the actors of a cluster, ready to read.

    Args:
        option: `ADDRESS[;actors=N]#NAME`.
        loading: What they are loaded with, and where vectors are kept.
        load: Loads the model of an actor.

    Raises:
        UnsuitableEmbedder: for an option that cannot be read, without ray, and where the model cannot be loaded.
        JudgeUnavailable: no cluster answers, or it has no room for the actors.
    """
    try:
        setting = RaySetting.from_text(option, "embedding model")
        on_gpu = setting.name.startswith("transformers:")
        actors, (pin, _) = start(setting, EmbedderActor, loading, load, on_gpu=on_gpu)
    except (UnknownJudge, UnsuitableJudge) as error:
        raise UnsuitableEmbedder(str(error)) from error
    return RayEmbedder(setting, actors, pin, loading.cache)
