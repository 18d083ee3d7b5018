"""Streams that are read in the background: one event loop for all of a process."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from evaluator.generators import background

AT_ONCE = 4


def test_streams_that_begin_at_once_are_read_in_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    make, together = asyncio.new_event_loop, Barrier(AT_ONCE)

    def made_together() -> asyncio.AbstractEventLoop:
        together.wait(20)
        return make()

    monkeypatch.setattr(asyncio, "new_event_loop", made_together)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        loop, *others = pool.map(lambda _: background._loop(-1), range(AT_ONCE))
    loop.call_soon_threadsafe(loop.stop)
    assert others == [loop] * (AT_ONCE - 1)
