"""A generator in the actors of a Ray cluster (`judge_loading.ray_cluster`): each text is written by the idlest.

An actor is asked again and again for what was written since, and told when nobody listens any more: so a text streams,
and ends when it is stopped, also from a cluster that is reached through `ray://`.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any

from evaluator.generators.protocol import (
    MAX_NEW_TOKENS,
    Chunk,
    GeneratorUnavailable,
    Message,
    TextGenerator,
    UnsuitableGenerator,
)
from evaluator.judge_loading.ray_cluster import TELLING, RayActor, RaySetting, own_error, start
from evaluator.judge_loading.ray_spread import RETRIES
from evaluator.judges.kind import Loading, UnknownJudge
from evaluator.judges.protocol import JudgeUnavailable, UnsuitableJudge
from evaluator.values import Pin

POLL_S = 0.05
"""How often it is looked whether to stop, while an actor says nothing."""

MORE_WITHIN_S = 0.2
"""How long an actor waits for the next token before it says that there is none yet."""

WRITING = "writing"
TEXTS_AT_ONCE = 8
"""In one actor; more of them wait."""


class GeneratorActor(RayActor[TextGenerator]):
    """One generator."""

    what = "generator"
    groups = {TELLING: 1, WRITING: TEXTS_AT_ONCE}  # noqa: RUF012 - as the base class states it
    in_groups = {"heard": TELLING, "stop": TELLING, "leave": TELLING, "more": WRITING}  # noqa: RUF012

    def __init__(self, name: str, loading: Loading, load: Callable[[str, Loading], TextGenerator]) -> None:
        super().__init__(name, loading, load)
        self._texts: dict[int, tuple[SimpleQueue[Chunk | Exception], threading.Event]] = {}

    def card(self) -> tuple[Pin, None]:
        return self.loaded().pin, None

    def begin(self, number: int, pin: Pin, messages: Sequence[Message], limit: int) -> None:
        """Begins a text.

        Raises:
            UnsuitableJudge: as `require`.
        """
        generator = self.loaded()
        self.require(generator.pin, pin)
        arrived, stop = SimpleQueue[Chunk | Exception](), threading.Event()
        self._texts[number] = arrived, stop

        def write() -> None:
            try:
                for chunk in generator.stream(messages, stop=stop, max_new_tokens=limit):
                    arrived.put(chunk)
            except Exception as error:  # raised where the text is read
                arrived.put(error)

        threading.Thread(target=write, name="writing", daemon=True).start()

    def more(self, number: int) -> list[Chunk]:
        """What was written since the last time; nothing where there is nothing yet.

        Raises:
            Exception: any that the generator raises, once all before it was read.
        """
        arrived, _ = self._texts[number]
        chunks: list[Chunk] = []
        try:
            said = arrived.get(timeout=MORE_WITHIN_S)
            while not isinstance(said, Exception):
                chunks.append(said)
                said = arrived.get_nowait()
        except Empty:
            return chunks
        if not chunks:
            raise said
        arrived.put(said)
        return chunks

    def leave(self, number: int) -> None:
        """Ends a text, or forgets one that has ended."""
        if number in self._texts:
            self._texts.pop(number)[1].set()


class RayGenerator(TextGenerator):
    """The generator of some actors; made by `connect`.

    Args:
        setting: Where they are.
        actors: Handles of `GeneratorActor`, one or more, ready.
        pin: Of their generator.
    """

    def __init__(self, setting: RaySetting, actors: Sequence[Any], pin: Pin) -> None:
        self._setting = setting
        self._actors = actors
        self._pin = pin
        self._numbers = count()
        self._lock = threading.Lock()
        self._busy: Counter[int] = Counter()
        """Texts that each actor is writing."""

    @property
    def pin(self) -> Pin:
        return self._pin

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """See `TextGenerator`. A text whose actor dies before its first token is begun again by another."""
        import ray

        tokens, deaths = 0, 0
        while True:
            try:
                for chunk in self._written(messages, stop, max_new_tokens):
                    tokens = chunk.tokens
                    yield chunk
                return
            except ray.exceptions.RayActorError as error:
                deaths += 1
                if tokens or deaths > RETRIES:
                    raise GeneratorUnavailable(
                        f"the generator's actor at {self._setting.address} died while it was writing; run it again: it "
                        "is started anew"
                    ) from error
            except (ray.exceptions.RayError, ConnectionError) as error:
                own = own_error(self._setting, error)
                raise GeneratorUnavailable(str(own)) if isinstance(own, JudgeUnavailable) else own from error

    def _written(self, messages: Sequence[Message], stop: threading.Event, limit: int) -> Iterator[Chunk]:
        """A text by one actor.

        Raises:
            RayError: as Ray does.
        """
        number, place = next(self._numbers), self._idlest()
        actor, tokens = self._actors[place], 0
        try:
            self._answer(actor.begin.remote(number, self._pin, list(messages), limit), stop)
            while not stop.is_set():
                for chunk in self._answer(actor.more.remote(number), stop) or ():
                    tokens = chunk.tokens
                    yield chunk
                    if chunk.finish_reason is not None:
                        return
            yield Chunk("", tokens, "cancelled")
        finally:
            actor.leave.remote(number)
            with self._lock:
                self._busy[place] -= 1

    def _idlest(self) -> int:
        with self._lock:
            place = min(range(len(self._actors)), key=self._busy.__getitem__)
            self._busy[place] += 1
            return place

    def _answer(self, reference: Any, stop: threading.Event) -> Any:
        """What an actor answers; None where `stop` was set first."""
        import ray

        while not stop.is_set():
            answered, _ = ray.wait([reference], timeout=POLL_S)
            if answered:
                return ray.get(reference)
        return None


def connect(setting: RaySetting, loading: Loading, load: Callable[[str, Loading], TextGenerator]) -> RayGenerator:
    """The generator over the actors of a cluster, ready to write.

    Args:
        load: Loads the generator of an actor.

    Raises:
        UnsuitableGenerator: without ray; or the model cannot be loaded, or is not the same everywhere.
        GeneratorUnavailable: no cluster answers, or it has no room for the actors.
    """
    on_gpu = setting.name.startswith("transformers:")
    try:
        actors, (pin, _) = start(setting, GeneratorActor, loading, load, on_gpu=on_gpu)
    except (UnknownJudge, UnsuitableJudge) as error:
        raise UnsuitableGenerator(str(error)) from error
    except JudgeUnavailable as error:
        raise GeneratorUnavailable(str(error)) from error
    return RayGenerator(setting, actors, pin)
