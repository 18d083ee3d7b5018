"""A Ray cluster and the actors on it: cores and graphics cards of one machine or many, with a model in each actor.

Ray starts the actors, sends them their work, and starts anew the ones that die. Judges (`ray_actors`), embedding models
(`ray_embedder`) and generators (`evaluator.generators.ray_actors`) run there. Ray is imported where it is used: it is
no requirement of Plumbline (requirements-ray.txt).
"""

from __future__ import annotations

import math
import os
import secrets
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from evaluator.judge_loading.ray_spread import RETRIES, Places, Spread
from evaluator.judges.kind import Loading, UnknownJudge
from evaluator.judges.protocol import JudgeUnavailable, Told, UnsuitableJudge
from evaluator.values import Pin

LOCAL = "local"
"""The address of a cluster that is started on this machine and ends with the process that started it."""

BATCHES_PER_ACTOR = 2
"""Of each call: more of them divide the work more evenly, fewer leave together what shares a beginning."""

START_WITHIN_S = 900.0
"""How long the actors may take to load their model, weights that come from the Hub included."""

TELLING = "telling"
"""The group of the methods that an actor answers while it works."""

OBJECT_STORE_BYTES = 100 * 2**20
"""Of a cluster on this machine: what is sent is text, and vectors of texts."""

INSTALL = "pip install -r requirements-ray.txt"

Model = TypeVar("Model")


@dataclass(frozen=True, slots=True)
class RaySetting:
    """Which cluster, which model, and how many of it."""

    address: str
    """`local`, `auto` (the cluster this machine belongs to), or `ray://HOST:PORT`."""
    name: str
    """Of the judge, embedding model or generator, as a setting writes it."""
    actors: int | None = None
    """None = one for each graphics card where the model runs on one and there is any, else one for each CPU."""

    @classmethod
    def from_text(cls, text: str, what: str = "judge") -> RaySetting:
        """Reads `ADDRESS[;actors=N]#NAME`, what follows `ray:` in a name.

        Args:
            what: Is named there.

        Raises:
            UnknownJudge: says what cannot be read.

        >>> RaySetting.from_text("ray://head:10001;actors=4#http:http://gpu:8000#model;frame=chatml")
        RaySetting(address='ray://head:10001', name='http:http://gpu:8000#model;frame=chatml', actors=4)
        """
        where, _, name = text.partition("#")
        address, *options = where.split(";")
        if address not in (LOCAL, "auto") and not (address.startswith("ray://") and address != "ray://"):
            raise UnknownJudge(
                f"ray: found the address {address!r}, expected local, auto or ray://HOST:PORT before '#'"
            )
        if not name or name.startswith("ray:"):
            raise UnknownJudge(f"ray: found {name!r} behind '#', expected the name of another {what}")
        actors = None
        for option in options:
            key, _, value = option.partition("=")
            if key != "actors" or not (value.isascii() and value.isdigit() and int(value) > 0):
                raise UnknownJudge(f"ray: found the option {option!r}, expected actors=N, a number from 1")
            actors = int(value)
        return cls(address, name, actors)


class Cancelled(Exception):
    """Raised inside an actor when nobody waits for its batch any more."""


class RayActor(Generic[Model]):
    """One model in a process of its own; Ray calls its methods.

    It answers `heard` and `stop` in a thread of their own while it works.

    Args:
        name: Of the model.
        loading: What it is loaded with.
        load: Loads the model of that name. A function of a module, or a partial of one: it travels to the actor.
    """

    what: ClassVar[str]
    """In a sentence about it."""
    groups: ClassVar[Mapping[str, int]] = {TELLING: 1}
    """Groups of methods, and how many calls of each are answered at once beside the others."""
    in_groups: ClassVar[Mapping[str, str]] = {"heard": TELLING, "stop": TELLING}
    """Method -> its group."""

    def __init__(self, name: str, loading: Loading, load: Callable[[str, Loading], Model]) -> None:
        # Nothing is loaded yet: what fails here has lost its type when it reaches the one who asks.
        self._name = name
        self._loading = loading
        self._load = load
        self._model: Model | None = None
        self._is_loading = False
        self._call = -1
        self._signs = 0
        self._at: int | None = None
        self._cancelled = -1

    def card(self) -> tuple[Pin, Any]:
        """Pin of the model, which must be the same everywhere, and what else is to be known of it."""
        raise NotImplementedError

    def heard(self) -> tuple[int, int, int | None]:
        """Which call it is at, or was last, how many signs of getting on there were, and the place of the last one."""
        self._signs += self._is_loading  # after a restart: to load the model is to get on
        return self._call, self._signs, self._at

    def stop(self, call: int) -> None:
        """Ends what is left of that call."""
        self._cancelled = call

    def begun(self, call: int, places: Sequence[int]) -> Told:
        """What a model is to call each time it gets on with its part of a call, at these places of the whole.

        It raises `Cancelled` once nobody waits any more.
        """
        self._call, self._at = call, None

        def told(place: int | None) -> None:
            if self._cancelled == call:
                raise Cancelled
            self._at = None if place is None else places[place]
            self._signs += 1

        return told

    def loaded(self) -> Model:
        if self._model is None:
            self._is_loading = True
            try:
                self._model = self._load(self._name, self._loading)
            finally:
                self._is_loading = False
        return self._model

    def require(self, pin: Pin, expected: Pin) -> None:
        """Lets only the model of the other actors through.

        Raises:
            UnsuitableJudge: after a restart where it is another, as on a machine with other libraries.
        """
        if pin != expected:
            raise UnsuitableJudge(differing_pins(pin, expected, self.what))


def start(
    setting: RaySetting,
    kind: type[RayActor[Model]],
    loading: Loading,
    load: Callable[[str, Loading], Model],
    *,
    on_gpu: bool,
) -> tuple[list[Any], tuple[Pin, Any]]:
    """Actors of that kind, ready, and the card that all of them have.

    Args:
        loading: Threads and key go to the actors; the cache of embeddings stays here.
        load: As in `RayActor`.
        on_gpu: Does the model run on a graphics card where there is one? Each actor then asks for its share.

    Raises:
        UnsuitableJudge: without ray; or the model cannot be loaded, or is not the same everywhere.
        JudgeUnavailable: no cluster answers, or it has no room for the actors.
    """
    ray = connected(setting)
    has = ray.cluster_resources()
    gpus = int(has.get("GPU", 0)) if on_gpu else 0
    wanted = setting.actors or gpus or max(1, int(has.get("CPU", 1)))
    for method, group in kind.in_groups.items():
        ray.method(concurrency_group=group)(getattr(kind, method))  # which marks it
    # No work is ray's to send again: that would wait for the actor that died, while others are there.
    actor = ray.remote(
        max_restarts=-1,
        **gpu_share(wanted, gpus),
        scheduling_strategy="SPREAD",
        concurrency_groups=dict(kind.groups),
    )(kind)
    # The store of the embeddings is this process's: an actor keeps its own in memory.
    actors = [actor.remote(setting.name, replace(loading, cache=None), load) for _ in range(wanted)]
    asked = [started.card.remote() for started in actors]
    ready, waiting = ray.wait(asked, num_returns=wanted, timeout=START_WITHIN_S)
    cards = [_card(setting, actors[asked.index(answer)], answer) for answer in ready]
    if waiting:
        raise JudgeUnavailable(
            f"{len(ready)} of {wanted} actors were ready within {START_WITHIN_S:.0f} s at {setting.address} "
            f"({has.get('CPU', 0):g} CPUs, {has.get('GPU', 0):g} GPUs): ask for fewer with ;actors=N"
        )
    for other in cards[1:]:
        if other[0] != cards[0][0]:
            raise UnsuitableJudge(differing_pins(other[0], cards[0][0], kind.what))
    return actors, cards[0]


def spread(
    setting: RaySetting,
    actors: Sequence[Any],
    call: int,
    batches: Sequence[Places],
    ask: Callable[[Any, Places], Any],
    told: Told,
) -> dict[int, Any]:
    """What the actors answer to one call, by place; each answer of theirs is places with what is found there.

    Args:
        call: Its number.
        batches: Places, together as an actor is asked them.
        ask: Sends a batch to an actor; returns the reference to its answer.
        told: Hears how far the actors are.

    Raises:
        JudgeUnavailable: where actors died again and again at the same batch, none came back, or the cluster is gone.
        Exception: any that the model raises in an actor, as its own type.
    """
    answers: dict[int, Any] = {}
    try:
        for places, values in Spread(actors, call, batches, ask, told).answers():
            answers |= zip(places, values, strict=True)
            told(None)
    except BaseException as error:
        for actor in actors:
            actor.stop.remote(call)
        if (own := own_error(setting, error)) is error:
            raise
        raise own from error
    return answers


def gpu_share(actors: int, gpus: int) -> dict[str, float]:
    """What each actor asks for: a graphics card, or a part of one where some must share it.

    Where there is none it asks for nothing, not even for a CPU of its own: ray then starts it wherever there is a CPU,
    so that the models of a panel find room beside each other.

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
        raise UnsuitableJudge(f"what runs on ray needs the package ray, which is not installed: {INSTALL}") from missing
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


def _card(setting: RaySetting, actor: Any, asked: Any) -> Any:
    """The card of an actor; what it raised, as its own type. One that died is asked again: ray starts it anew.

    (`max_task_retries` of a single method is unknown to ray's client, and so to `ray://`.)
    """
    import ray

    for remaining in reversed(range(RETRIES + 1)):
        try:
            return ray.get(asked, timeout=START_WITHIN_S)
        except ray.exceptions.RayActorError as error:
            if not remaining:
                raise own_error(setting, error) from error
            asked = actor.card.remote()
        except ray.exceptions.RayError as error:
            raise own_error(setting, error) from error
    raise AssertionError("the last attempt returns or raises")


def own_error(setting: RaySetting, error: BaseException) -> BaseException:
    """The error as one who asks a model knows it; the cause keeps the traceback of the actor."""
    import ray

    if isinstance(error, ray.exceptions.RayTaskError):
        cause: BaseException = error.cause
        return cause
    if isinstance(error, (ray.exceptions.RayError, ConnectionError)):
        return JudgeUnavailable(
            f"the actors at {setting.address} died, {RETRIES} restarts included, or the cluster is gone: "
            f"{_first_line(error)}"
        )
    return error


def differing_pins(pin: Pin, expected: Pin, what: str = "judge") -> str:
    fields = [name for name in Pin.model_fields if getattr(pin, name) != getattr(expected, name)]
    differing = "; ".join(f"{name}: {getattr(pin, name)} and {getattr(expected, name)}" for name in fields)
    return f"the {what} is not the same on every machine of the cluster ({differing}): install the same everywhere"


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]
