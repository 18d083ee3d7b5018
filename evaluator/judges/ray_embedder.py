"""An embedding model whose texts are spread over the actors of a Ray cluster (`ray_cluster`).

Every actor loads the same model; pin and keys are that model's, so that vectors which are kept stay valid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from evaluator.embeddings.protocol import Embedder, UnsuitableEmbedder, Vectors
from evaluator.embeddings.sentence_embedder import TEXTS_PER_SAVE, CachedEmbedder
from evaluator.judges.kind import Loading, Scorer, UnknownJudge
from evaluator.judges.protocol import UnsuitableJudge
from evaluator.judges.ray_cluster import BATCHES_PER_ACTOR, Cancelled, RayActor, RaySetting, spread, start
from evaluator.values import Pin


class EmbedderActor(RayActor[Embedder]):
    """One embedding model."""

    what = "embedding model"

    def load(self, name: str, loading: Loading) -> Embedder:
        from evaluator.judges.embedders import load_embedder

        return load_embedder(name, threads=loading.threads)

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
        loading: What they were loaded with, and where vectors are kept.
    """

    def __init__(self, setting: RaySetting, actors: Sequence[Any], pin: Pin, loading: Loading) -> None:
        super().__init__(loading.cache)
        self._setting = setting
        self._actors = actors
        self._pin = pin
        self._loading = loading
        self._calls = count()

    @property
    def pin(self) -> Pin:
        return self._pin

    @property
    def _texts_per_save(self) -> int:
        return TEXTS_PER_SAVE * len(self._actors)

    def judge_beside(self, judge: str) -> Scorer:
        """A judge over as many actors of the same cluster: one that reads more of the model than its vectors.

        Raises:
            UnsuitableJudge, JudgeUnavailable: as `ray_cluster.start`.
        """
        from evaluator.judges.ray_actors import connect as connect_judge

        setting = replace(self._setting, name=judge, actors=len(self._actors))
        return connect_judge(setting, self._loading, on_gpu=False)

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

        found = spread(self._setting, self._actors, call, batches, ask, lambda _: self.on_batch())
        return [found[place] for place in range(len(texts))]


def connect(option: str, loading: Loading) -> RayEmbedder:
    """The embedding model over the actors of a cluster, ready to read.

    Args:
        option: `ADDRESS[;actors=N]#NAME`.

    Raises:
        UnsuitableEmbedder: for an option that cannot be read, without ray, and where the model cannot be loaded.
        JudgeUnavailable: no cluster answers, or it has no room for the actors.
    """
    try:
        setting = RaySetting.from_text(option, "embedding model")
        actors, (pin, _) = start(setting, EmbedderActor, loading, on_gpu=setting.name.startswith("transformers:"))
    except (UnknownJudge, UnsuitableJudge) as error:
        raise UnsuitableEmbedder(str(error)) from error
    return RayEmbedder(setting, actors, pin, loading)
