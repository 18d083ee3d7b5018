"""A judge whose questions are spread over the actors of a Ray cluster (`ray_cluster`).

Every actor loads the same judge; pin and verdict keys are that judge's, so that a verdict is the same wherever it was
made.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from evaluator.judge_loading.embedders import load_embedder
from evaluator.judge_loading.ray_cluster import (
    BATCHES_PER_ACTOR,
    START_WITHIN_S,
    Cancelled,
    RayActor,
    RaySetting,
    own_error,
    spread,
    start,
)
from evaluator.judge_loading.ray_spread import LOOK_S, lost
from evaluator.judges.kind import Loading, Scorer
from evaluator.judges.prompt_layout import prompt_text
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind
from evaluator.values import Pin

KEY_WITHIN_S = 10.0
"""How long one actor may take for a verdict key before another one is asked."""

JudgeCard = tuple[Pin, frozenset[RequestKind], str]
"""Gate pin and kinds of a judge, and the name of the embedding model beside it."""


class JudgeActor(RayActor[Scorer]):
    """One judge."""

    what = "judge"

    def card(self) -> tuple[Pin, JudgeCard]:
        judge = self.loaded().judge
        return judge.pin, (judge.gate_pin, judge.kinds, self.loaded().embedder.pin.name)

    def key(self, request: JudgeRequest) -> str:
        return self.loaded().judge.key(request)

    def judge(
        self, call: int, pin: Pin, places: Sequence[int], requests: Sequence[JudgeRequest]
    ) -> tuple[Sequence[int], list[Judgment]]:
        """The judgments with their places in the whole call.

        Raises:
            UnsuitableJudge: as `require`.
        """
        told = self.begun(call, places)
        judge = self.loaded().judge
        self.require(judge.pin, pin)
        judge.on_request = told
        try:
            return places, judge.judge(requests)
        except Cancelled:
            return places, []  # which nobody reads


class RayJudge(Judge):
    """The judge of some actors; made by `connect`.

    Args:
        setting: Where they are.
        actors: Handles of `JudgeActor`, one or more, ready.
        pin: Of their judge.
        card: What else each of them says of it.
    """

    def __init__(self, setting: RaySetting, actors: Sequence[Any], pin: Pin, card: JudgeCard) -> None:
        self.setting = setting
        self._actors = actors
        self._pin = pin
        self._gate_pin, self._kinds, _ = card
        self._calls = count()
        self._asks_for_keys = 0
        """The actor that is asked for keys: another one once this one does not answer."""

    @property
    def pin(self) -> Pin:
        return self._pin

    @property
    def gate_pin(self) -> Pin:
        return self._gate_pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return self._kinds

    @property
    def width(self) -> int:
        return len(self._actors)

    def key(self, request: JudgeRequest) -> str:
        """By an actor: this machine need not have the judge.

        Raises:
            JudgeUnavailable: where no actor answered within `START_WITHIN_S`.
            JudgeLost: where none ever will.
        """
        import ray

        deadline = time.monotonic() + START_WITHIN_S
        # How often in a row an actor was found dead for good: once may be of the moment it died.
        dead: Counter[int] = Counter()
        while True:
            asked = self._actors[self._asks_for_keys].key.remote(request)
            try:
                return str(ray.get(asked, timeout=KEY_WITHIN_S))
            except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError) as error:
                is_for_good = isinstance(error, ray.exceptions.ActorDiedError)
                dead[self._asks_for_keys] = dead[self._asks_for_keys] + 1 if is_for_good else 0
                if all(dead[number] > 1 for number in range(self.width)):
                    raise lost(self.width) from error
                if time.monotonic() > deadline:
                    raise own_error(self.setting, error) from error
                if isinstance(error, ray.exceptions.RayActorError):
                    self.on_request(None)  # ray knows, and starts it anew
                    time.sleep(LOOK_S)
            except ray.exceptions.RayError as error:
                raise own_error(self.setting, error) from error
            self._asks_for_keys = (self._asks_for_keys + 1) % self.width

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order.

        Raises:
            JudgeUnavailable: where actors died again and again at the same batch, none came back, or the cluster is
                gone.
            Exception: any that the judge raises in an actor, as its own type.
        """
        call = next(self._calls)
        size = math.ceil(len(requests) / (BATCHES_PER_ACTOR * self.width))

        def ask(actor: Any, places: Sequence[int]) -> Any:
            return actor.judge.remote(call, self._pin, places, [requests[place] for place in places])

        judgments = spread(self.setting, self._actors, call, batches(requests, size), ask, self.on_request)
        return [judgments[place] for place in range(len(requests))]


def batches(requests: Sequence[JudgeRequest], size: int) -> list[list[int]]:
    """Places of the requests, so many in a batch; those whose prompts begin alike stand together, so that what the
    engine computes once for all of them is computed by few actors.
    """
    alike = sorted(
        range(len(requests)), key=lambda place: (requests[place].rubric.labels, prompt_text(requests[place]))
    )
    return [sorted(alike[start : start + size]) for start in range(0, len(alike), size or 1)]


def connect(setting: RaySetting, loading: Loading, load: Callable[[str, Loading], Scorer], *, on_gpu: bool) -> Scorer:
    """The judge over the actors of a cluster, ready to judge, with its embedding model, which runs here.

    Args:
        load: Loads the judge of an actor.

    Raises:
        UnsuitableJudge, JudgeUnavailable: as `start`.
    """
    actors, (pin, card) = start(setting, JudgeActor, loading, load, on_gpu=on_gpu)
    return Scorer(RayJudge(setting, actors, pin, card), load_embedder(card[2], loading.cache, threads=loading.threads))
