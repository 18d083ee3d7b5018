"""Costly answers take turns, and who waits holds no thread."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from leaderboard.web.turns import NoTurn, Turns


def test_one_is_made_at_a_time_and_who_waits_holds_no_thread() -> None:
    at_work, most, threads = 0, 0, 0

    def work() -> str:
        nonlocal at_work, most, threads
        at_work += 1
        most, threads = max(most, at_work), max(threads, threading.active_count() - before)
        time.sleep(0.01)
        at_work -= 1
        return "made"

    async def ask() -> list[str]:
        turns = Turns()
        return await asyncio.gather(*(turns.make(work) for _ in range(20)))

    before = threading.active_count()
    assert asyncio.run(ask()) == 20 * ["made"]
    assert most == 1
    # A pool of threads grows where all of its threads are taken: twenty that waited inside would have made more.
    assert threads <= 2


def test_who_waits_too_long_is_told_and_the_next_has_its_turn() -> None:
    async def ask() -> str:
        turns, ends = Turns(), threading.Event()
        first = asyncio.create_task(turns.make(ends.wait))
        await asyncio.sleep(0)
        with pytest.raises(NoTurn):
            await turns.make(lambda: "early", wait_s=0.01)
        ends.set()
        await first
        return await turns.make(lambda: "late")

    assert asyncio.run(ask()) == "late"
