"""A local generator of a ZeroGPU Space: each text is written on a graphics card that is lent for it."""

from __future__ import annotations

import math
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from contextvars import copy_context
from queue import Empty, SimpleQueue

from evaluator.generators.background import POLL_S
from evaluator.generators.protocol import (
    MAX_NEW_TOKENS,
    Chunk,
    GeneratorUnavailable,
    Message,
    TextGenerator,
)
from evaluator.values import Pin
from evaluator.zero_gpu import START_S, TOKEN_S, CardRefused, Fault, ZeroGpu, refusals_in_words


class ZeroGpuGenerator(TextGenerator):
    """A generator that is in memory here and writes in forks of this process.

    Args:
        inner: Loaded, and never asked to write here.
        zero_gpu: Who lends the card.
        longest: Most tokens of a text, whatever is asked for.
    """

    def __init__(self, inner: TextGenerator, zero_gpu: ZeroGpu, longest: int = MAX_NEW_TOKENS) -> None:
        self._inner = inner
        self._longest = longest
        self._on_card = zero_gpu.lent(self._written, writing_s)

    @property
    def pin(self) -> Pin:
        return self._inner.pin

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """See `TextGenerator`. What comes after `stop` was set is not waited for, nor is a card."""
        arrived: SimpleQueue[Chunk | GeneratorUnavailable | Exception] = SimpleQueue()
        unwanted = threading.Event()
        limit = min(max_new_tokens, self._longest)

        def feed() -> None:
            try:
                with refusals_in_words(), closing(self._on_card(list(messages), limit)) as written:
                    for said in written:
                        arrived.put(GeneratorUnavailable(said.message) if isinstance(said, Fault) else said)
                        if unwanted.is_set():
                            return
            except CardRefused as refused:
                arrived.put(GeneratorUnavailable(str(refused)))
            except Exception as error:  # raised where the text is read
                arrived.put(error)

        # In the context of the event: the card is lent to the visitor whose request it holds.
        threading.Thread(target=copy_context().run, args=(feed,), name="zero-gpu", daemon=True).start()
        tokens = 0
        try:
            while not stop.is_set():
                try:
                    said = arrived.get(timeout=POLL_S)
                except Empty:
                    continue
                if isinstance(said, Exception):
                    raise said
                tokens = said.tokens
                yield said
                if said.finish_reason is not None:
                    return
            yield Chunk("", tokens, "cancelled")
        finally:
            unwanted.set()

    def _written(self, messages: list[Message], limit: int) -> Generator[Chunk | Fault]:
        """In the fork, on the card."""
        try:
            yield from self._inner.stream(messages, stop=threading.Event(), max_new_tokens=limit)
        except GeneratorUnavailable as error:
            yield Fault(str(error))


def writing_s(messages: Sequence[Message], limit: int) -> int:
    """Seconds that a text may take, from its longest length; to read the question takes none worth counting.

    >>> writing_s([Message("user", "Which is a planet?")], 160)
    18
    """
    return START_S + math.ceil(limit * TOKEN_S)
