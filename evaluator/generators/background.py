"""A stream that is read in the background, so that it can be ended at any moment, also while a server keeps silent."""

from __future__ import annotations

import asyncio
import os
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

    It runs in the event loop that all streams of the process share, in a thread of its own. When `stop` is set, or this
    iterator closed, the asynchronous one is cancelled wherever it waits, and so its connection closed.

    Raises:
        Stopped: when `stop` was set first.
        Exception: whatever the asynchronous iterator raised.
    """
    feed, loop = _Feed(items), _loop(os.getpid())
    loop.call_soon_threadsafe(feed.begin)
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
        loop.call_soon_threadsafe(feed.cancel)
        feed.ended.wait(FAREWELL_S)


class _Feed(Generic[T]):
    """Puts what an asynchronous iterator gives into a queue, until it ends or is cancelled."""

    def __init__(self, items: Callable[[], AsyncIterator[T]]) -> None:
        self.arrived: SimpleQueue[T | BaseException | _End] = SimpleQueue()
        self.ended = threading.Event()
        """Set when nothing of it runs any more."""
        self._items = items
        self._reading: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Called within the loop."""
        self._reading = asyncio.ensure_future(self._read())
        self._reading.add_done_callback(lambda _: self.ended.set())

    def cancel(self) -> None:
        """Called within the loop, after `begin`."""
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self) -> None:
        try:
            async for item in self._items():
                self.arrived.put(item)
        except Exception as fault:  # raised again where the items are read
            self.arrived.put(fault)
        finally:
            self.arrived.put(_End())


_LOOPS: dict[int, asyncio.AbstractEventLoop] = {}
"""The loop of this process, by its id; a process that was forked finds its parent's here, too."""


def _loop(process: int) -> asyncio.AbstractEventLoop:
    """The event loop of this process; one that was forked has none of its parent's threads, and makes its own.

    A thread and a loop for each stream took a third of the processor's time that an answer of a server costs.
    """
    loop = _LOOPS.get(process)
    if loop is None:
        made = asyncio.new_event_loop()
        # Several streams may begin at once. No lock: another thread could hold it while the process is forked.
        loop = _LOOPS.setdefault(process, made)
        if loop is made:
            threading.Thread(target=loop.run_forever, name=f"generator-streams-{process}", daemon=True).start()
        else:
            made.close()
    return loop
