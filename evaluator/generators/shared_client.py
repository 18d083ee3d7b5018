"""One HTTP client for all streams of a process: the next answer of a server comes over a connection that stands."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx2

UNUSED_S = 5.0
"""So long a client that nobody uses keeps its connections; about as long as servers do."""


class SharedClient:
    """A client made when it is first wanted, and closed when nobody has wanted it for a while.

    To be used within one event loop, as all streams of a process are (`background.read_in_background`). A forked
    process makes a client of its own: its parent's connections are not its to use.

    Args:
        make: Makes a client.
    """

    def __init__(self, make: Callable[[], httpx2.AsyncClient]) -> None:
        self._make = make
        self._client: httpx2.AsyncClient | None = None
        self._process = 0
        self._users = 0
        self._end: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def lent(self) -> AsyncIterator[httpx2.AsyncClient]:
        """The client, kept open while it is lent."""
        if self._process != os.getpid():
            self._process, self._client, self._users, self._end = os.getpid(), None, 0, None
        if self._end is not None:
            self._end.cancel()
        client = self._client = self._client or self._make()
        self._users += 1
        try:
            yield client
        finally:
            self._users -= 1
            if not self._users:
                self._end = asyncio.get_running_loop().call_later(UNUSED_S, self._close)

    def _close(self) -> None:
        if self._client is not None:
            self._closing = asyncio.ensure_future(self._client.aclose())
            self._client = None
