"""A stream that is read in the background, so that it can be ended at any moment, also while a server keeps silent."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Generator
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

T = TypeVar("T")

POLL_S = 0.05
"""How often it is looked whether to stop."""
FAREWELL_S = 1.0
"""How long the end of a cancelled stream waits for its connection to be closed."""


class Stopped(Exception):
    """Raised when `stop` was set before the stream ended."""


class _End:
    """Stands in the queue behind the last item."""


def read_in_background(items: Callable[[], AsyncIterator[T]], stop: threading.Event) -> Generator[T]:
    """What an asynchronous iterator gives, as a plain iterator.

    It runs in an event loop and a thread of its own. When `stop` is set, or this iterator closed, the asynchronous one
    is cancelled wherever it waits, and so its connection closed.

    Raises:
        Stopped: when `stop` was set first.
        Exception: whatever the asynchronous iterator raised.
    """
    feed = _Feed(items)
    feed.start()
    try:
        while True:
            if stop.is_set():
                raise Stopped
            try:
                item = feed.arrived.get(timeout=POLL_S)
            except Empty:
                continue
            if isinstance(item, _End):
                return
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        feed.unwanted.set()
        feed.join(FAREWELL_S)


class _Feed(threading.Thread, Generic[T]):
    """Puts what an asynchronous iterator gives into a queue, until it ends or is no longer wanted."""

    def __init__(self, items: Callable[[], AsyncIterator[T]]) -> None:
        super().__init__(name="generator-stream", daemon=True)
        self.arrived: SimpleQueue[T | BaseException | _End] = SimpleQueue()
        self.unwanted = threading.Event()
        self._items = items

    def run(self) -> None:
        asyncio.run(self._until_unwanted())

    async def _until_unwanted(self) -> None:
        feeding = asyncio.ensure_future(self._feed())
        while not feeding.done():
            await asyncio.wait({feeding}, timeout=POLL_S)
            if self.unwanted.is_set():
                feeding.cancel()
        fault = None if feeding.cancelled() else feeding.exception()
        self.arrived.put(fault or _End())

    async def _feed(self) -> None:
        async for item in self._items():
            self.arrived.put(item)
