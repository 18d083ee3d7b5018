"""Costly answers, made one at a time: a file that somebody asks for, never what a page shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

WAIT_S = 10.0
"""How long somebody waits for a turn."""

Made = TypeVar("Made")


class NoTurn(Exception):
    """Raised where others have had the turn for too long."""


class Turns:
    """Work that is done in a thread, one piece at a time. Who waits holds no thread: no page waits with them."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def make(self, work: Callable[[], Made], wait_s: float = WAIT_S) -> Made:
        """Return what the work returns, when its turn has come.

        Raises:
            NoTurn: it did not come in time.
        """
        try:
            await asyncio.wait_for(self._turn.acquire(), wait_s)
        except TimeoutError as error:
            raise NoTurn from error
        try:
            return await asyncio.to_thread(work)
        finally:
            self._turn.release()
