"""A judge whose questions are spread over the actors of a Ray cluster: cores and graphics cards of one machine or many.

Ray starts the actors, sends them the questions, and starts anew the ones that die. Every actor loads the same judge;
pin and verdict keys are that judge's, so that a verdict is the same wherever it was made. Ray is imported where it is
used: it is no requirement of Plumbline (requirements-ray.txt).
"""

from __future__ import annotations

import math
import os
import secrets
import signal
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from evaluator.judges.embedders import load_embedder
from evaluator.judges.kind import Loading, Scorer, UnknownJudge
from evaluator.judges.prompt_layout import prompt_text
from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, Judgment, RequestKind, UnsuitableJudge
from evaluator.judges.ray_spread import LOOK_S, RETRIES, Spread, lost
from evaluator.values import Pin

LOCAL = "local"
"""The address of a cluster that is started on this machine and ends with the process that started it."""

BATCHES_PER_ACTOR = 2
"""Of each call: more of them divide the work more evenly, fewer leave together what shares a beginning."""

START_WITHIN_S = 900.0
"""How long the actors may take to load their judge, weights that come from the Hub included."""

KEY_WITHIN_S = 10.0
"""How long one actor may take for a verdict key before another one is asked."""

TELLING = "telling"
"""The group of the methods that an actor answers while it judges."""

OBJECT_STORE_BYTES = 100 * 2**20
"""Of a cluster on this machine: what is sent is text."""

INSTALL = "pip install -r requirements-ray.txt"


@dataclass(frozen=True, slots=True)
class RaySetting:
    """Which cluster, which judge, and how many of it."""

    address: str
    """`local`, `auto` (the cluster this machine belongs to), or `ray://HOST:PORT`."""
    judge: str
    """As a setting names it."""
    actors: int | None = None
    """None = one for each graphics card where the judge runs on one and there is any, else one for each CPU."""

    @classmethod
    def from_text(cls, text: str) -> RaySetting:
        """Reads `ADDRESS[;actors=N]#JUDGE`, the part of a judge's name after `ray:`.

        Raises:
            UnknownJudge: says what cannot be read.

        >>> RaySetting.from_text("ray://head:10001;actors=4#http:http://gpu:8000#model;frame=chatml")
        RaySetting(address='ray://head:10001', judge='http:http://gpu:8000#model;frame=chatml', actors=4)
        """
        where, _, judge = text.partition("#")
        address, *options = where.split(";")
        if address not in (LOCAL, "auto") and not (address.startswith("ray://") and address != "ray://"):
            raise UnknownJudge(
                f"ray: found the address {address!r}, expected local, auto or ray://HOST:PORT before '#'"
            )
        if not judge or judge.startswith("ray:"):
            raise UnknownJudge(f"ray: found {judge!r} behind '#', expected the name of another judge")
        actors = None
        for option in options:
            name, _, value = option.partition("=")
            if name != "actors" or not (value.isascii() and value.isdigit() and int(value) > 0):
                raise UnknownJudge(f"ray: found the option {option!r}, expected actors=N, a number from 1")
            actors = int(value)
        return cls(address, judge, actors)


class JudgingCancelled(Exception):
    """Raised inside an actor when nobody waits for its batch any more."""


class JudgeActor:
    """One judge in a process of its own; Ray calls its methods.

    It answers `heard` and `stop` in a thread of their own while it judges.
    """

    def __init__(self, name: str, loading: Loading) -> None:
        # Nothing is loaded yet: what fails here has lost its type when it reaches the one who asks.
        self._name = name
        self._loading = loading
        self._scorer: Scorer | None = None
        self._is_loading = False
        self._call = -1
        self._signs = 0
        self._at: int | None = None
        self._cancelled = -1

    def card(self) -> tuple[Pin, Pin, frozenset[RequestKind], str]:
        """Pin, gate pin and kinds of the judge, and the name of the embedding model beside it."""
        judge = self._loaded().judge
        return judge.pin, judge.gate_pin, judge.kinds, self._loaded().embedder.pin.name

    def key(self, request: JudgeRequest) -> str:
        return self._loaded().judge.key(request)

    def judge(
        self, call: int, pin: Pin, places: Sequence[int], requests: Sequence[JudgeRequest]
    ) -> tuple[Sequence[int], list[Judgment]]:
        """The judgments with their places in the whole call.

        Raises:
            UnsuitableJudge: after a restart where the judge is another, as on a machine with other libraries.
        """
        self._call, self._at = call, None
        judge = self._loaded().judge
        if judge.pin != pin:
            raise UnsuitableJudge(differing_pins(judge.pin, pin))

        def told(place: int | None) -> None:
            if self._cancelled == call:
                raise JudgingCancelled
            self._at = None if place is None else places[place]
            self._signs += 1

        judge.on_request = told
        try:
            return places, judge.judge(requests)
        except JudgingCancelled:
            return places, []  # which nobody reads

    def heard(self) -> tuple[int, int, int | None]:
        """Which call it is at, or was last, how many signs of getting on there were, and the place of the last one."""
        self._signs += self._is_loading  # after a restart: to load the judge is to get on
        return self._call, self._signs, self._at

    def stop(self, call: int) -> None:
        """Ends what is left of that call."""
        self._cancelled = call

    def _loaded(self) -> Scorer:
        from evaluator.judges.loading import load_scorer

        if self._scorer is None:
            self._is_loading = True
            try:
                loading = self._loading
                self._scorer = load_scorer(self._name, threads=loading.threads, api_key=loading.api_key)
            finally:
                self._is_loading = False
        return self._scorer


class RayJudge(Judge):
    """The judge of some actors; made by `connect`.

    Args:
        setting: Where they are.
        actors: Handles of `JudgeActor`, one or more, ready.
        card: What each of them says of its judge.
    """

    def __init__(
        self, setting: RaySetting, actors: Sequence[Any], card: tuple[Pin, Pin, frozenset[RequestKind], str]
    ) -> None:
        self.setting = setting
        self._actors = actors
        self._pin, self._gate_pin, self._kinds, _ = card
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

        found: dict[int, Judgment] = {}
        try:
            for places, judgments in Spread(
                self._actors, call, batches(requests, size), ask, self.on_request
            ).answers():
                found |= zip(places, judgments, strict=True)
                self.on_request(None)
        except BaseException as error:
            for actor in self._actors:
                actor.stop.remote(call)
            if (own := own_error(self.setting, error)) is error:
                raise
            raise own from error
        return [found[place] for place in range(len(requests))]

    def beside(self, judge: str, loading: Loading) -> Scorer:
        """Another judge over as many actors of the same cluster.

        Raises:
            UnsuitableJudge, JudgeUnavailable: as `connect`.
        """
        return connect(replace(self.setting, judge=judge, actors=self.width), loading, on_gpu=False)


def batches(requests: Sequence[JudgeRequest], size: int) -> list[list[int]]:
    """Places of the requests, so many in a batch; those whose prompts begin alike stand together, so that what the
    engine computes once for all of them is computed by few actors.
    """
    alike = sorted(
        range(len(requests)), key=lambda place: (requests[place].rubric.labels, prompt_text(requests[place]))
    )
    return [sorted(alike[start : start + size]) for start in range(0, len(alike), size or 1)]


def connect(setting: RaySetting, loading: Loading, *, on_gpu: bool) -> Scorer:
    """The judge over the actors of a cluster, ready to judge, with its embedding model, which runs here.

    Args:
        loading: Threads and key go to the actors; the cache of embeddings stays here.
        on_gpu: Does the judge run on a graphics card where there is one? Each actor then asks for its share.

    Raises:
        UnsuitableJudge: without ray; or the judge cannot be loaded, or is not the same everywhere.
        JudgeUnavailable: no cluster answers, or it has no room for the actors.
    """
    ray = connected(setting)
    has = ray.cluster_resources()
    gpus = int(has.get("GPU", 0)) if on_gpu else 0
    wanted = setting.actors or gpus or max(1, int(has.get("CPU", 1)))
    for method in (JudgeActor.heard, JudgeActor.stop):
        ray.method(concurrency_group=TELLING)(method)  # which marks it
    ray.method(max_task_retries=RETRIES)(JudgeActor.card)
    # A batch is not ray's to send again: that would wait for the actor that died, while others are there.
    actor = ray.remote(
        max_restarts=-1,
        **gpu_share(wanted, gpus),
        scheduling_strategy="SPREAD",
        concurrency_groups={TELLING: 1},
    )(JudgeActor)
    # The store of the embeddings is this process's: an actor keeps its own in memory.
    actors = [actor.remote(setting.judge, replace(loading, cache=None)) for _ in range(wanted)]
    asked = [actor.card.remote() for actor in actors]
    ready, waiting = ray.wait(asked, num_returns=wanted, timeout=START_WITHIN_S)
    cards = [_answer(setting, one) for one in ready]
    if waiting:
        raise JudgeUnavailable(
            f"{len(ready)} of {wanted} actors were ready within {START_WITHIN_S:.0f} s at {setting.address} "
            f"({has.get('CPU', 0):g} CPUs, {has.get('GPU', 0):g} GPUs): ask for fewer with ;actors=N"
        )
    for other in cards[1:]:
        if other[0] != cards[0][0]:
            raise UnsuitableJudge(differing_pins(other[0], cards[0][0]))
    embedder = load_embedder(cards[0][3], loading.cache, threads=loading.threads)
    return Scorer(RayJudge(setting, actors, cards[0]), embedder)


def gpu_share(actors: int, gpus: int) -> dict[str, float]:
    """What each actor asks for: a graphics card, or a part of one where some must share it.

    Where there is none it asks for nothing, not even for a CPU of its own: ray then starts it wherever there is a CPU,
    so that the judges of a panel find room beside each other.

    >>> gpu_share(2, 4), gpu_share(3, 2), gpu_share(2, 0)
    ({'num_cpus': 0, 'num_gpus': 1}, {'num_cpus': 0, 'num_gpus': 0.5}, {})
    """
    return {"num_cpus": 0, "num_gpus": 1 if actors <= gpus else 1 / math.ceil(actors / gpus)} if gpus else {}


def connected(setting: RaySetting) -> Any:
    """The module ray, connected to the cluster; a process has one cluster only.

    Raises:
        UnsuitableJudge: it is not installed, or this process has another cluster.
        JudgeUnavailable: no cluster answers.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_raylet_start_wait_time_s", "150")  # the default gives up on a busy machine
    try:
        import ray
    except ImportError as missing:
        raise UnsuitableJudge(f"a judge on ray needs the package ray, which is not installed: {INSTALL}") from missing
    # The name of the namespace remembers to which cluster this process is connected.
    namespace = f"plumbline {setting.address}"
    if ray.is_initialized():
        if ray.get_runtime_context().namespace != namespace:
            raise UnsuitableJudge(f"this process is at another Ray cluster than {setting.address}: name one for all")
        return ray
    options: dict[str, Any] = {"address": setting.address, "namespace": namespace, "log_to_driver": False}
    if setting.address == LOCAL:
        # Some of its ports listen on every interface: only who has this token may give it work, and ray sees to that.
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        options |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        options |= {"object_store_memory": OBJECT_STORE_BYTES}
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(logging_level="WARNING", **options)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise JudgeUnavailable(f"no Ray cluster can be had at {setting.address}: {_first_line(error)}") from error
    finally:
        # ray takes the signal for itself; how this process ends is not its business.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)
    return ray


def _answer(setting: RaySetting, reference: Any) -> Any:
    """What an actor returned; what it raised, as its own type."""
    import ray

    try:
        return ray.get(reference)
    except ray.exceptions.RayError as error:
        raise own_error(setting, error) from error


def own_error(setting: RaySetting, error: BaseException) -> BaseException:
    """The error as one who asks a judge knows it; the cause keeps the traceback of the actor."""
    import ray

    if isinstance(error, ray.exceptions.RayTaskError):
        cause: BaseException = error.cause
        return cause
    if isinstance(error, (ray.exceptions.RayError, ConnectionError)):
        return JudgeUnavailable(
            f"the judge's actors at {setting.address} died, {RETRIES} restarts included, or the cluster is gone: "
            f"{_first_line(error)}"
        )
    return error


def differing_pins(pin: Pin, expected: Pin) -> str:
    fields = [name for name in Pin.model_fields if getattr(pin, name) != getattr(expected, name)]
    differing = "; ".join(f"{name}: {getattr(pin, name)} and {getattr(expected, name)}" for name in fields)
    return f"the judge is not the same on every machine of the cluster ({differing}): install the same everywhere"


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]
