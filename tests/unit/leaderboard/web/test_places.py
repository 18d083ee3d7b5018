from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import HTTPException, Request
from gradio.events import api as endpoint

from leaderboard.web.pace import AT_ONCE, Pace
from leaderboard.web.pages import Pages
from leaderboard.web.places import FILES, OF_KINDS, READS, RETRY_AFTER_S
from tests.unit.leaderboard.conftest import in_own_loop

BOARD, SUBMIT = 0, 1
"""Events of the page below."""
LATER = {"retry-after": str(RETRY_AFTER_S)}
READING, HANDING_IN = OF_KINDS[READS], OF_KINDS[FILES]


def request_of(visitor: str) -> Request:
    return Request({"type": "http", "headers": [], "client": (visitor, 1), "state": {}})


def pushed(*calls: tuple[str, int], pace: Pace | None = None) -> list[Any]:
    """What each call (visitor, event) is answered, none of which is ever done: True, or its refusal."""
    pace = pace or Pace(0)

    async def all_pushed() -> list[Any]:
        with Pages() as pages:
            endpoint(lambda: "", api_name="board", concurrency_id=READS)
            endpoint(lambda: "", api_name="submit", concurrency_id=FILES)
        pages.take_turns(at_once=1, pace=pace)
        answers: list[Any] = []
        for visitor, event in calls:
            body: Any = SimpleNamespace(fn_index=event, session_hash=None, event_id=None, request=None)
            try:
                answers.append((await pages._queue.push(body, request_of(visitor), None))[0])
            except HTTPException as refused:
                answers.append((refused.status_code, refused.detail, refused.headers))
        return answers

    answers: list[Any] = in_own_loop(all_pushed)
    return answers


def test_who_reads_boards_two_hundred_times_at_once_keeps_nobody_else_out() -> None:
    answers = pushed(*[("192.0.2.1", BOARD)] * 200, ("192.0.2.1", SUBMIT), ("192.0.2.2", BOARD), ("192.0.2.2", SUBMIT))
    assert answers[: READING.for_one] == [True] * READING.for_one
    said = f"You have {READING.for_one} calls here already: wait for one of them, then ask again."
    assert answers[READING.for_one : 200] == [(429, said, LATER)] * (200 - READING.for_one)
    assert answers[200:] == [True, True, True]


def test_readers_of_many_addresses_together_keep_no_file_out() -> None:
    readers = [(f"192.0.2.{number}", BOARD) for number in range(1, 20) for _ in range(READING.for_one)]
    answers = pushed(*readers, ("198.51.100.1", BOARD), ("198.51.100.1", SUBMIT))
    assert answers.count(True) == READING.in_all + 1
    assert answers[-2:] == [(503, f"{READING.in_all} calls wait here already: ask again in a moment.", LATER), True]


@pytest.mark.parametrize(("event", "places"), [(BOARD, READING), (SUBMIT, HANDING_IN)])
def test_addresses_of_one_household_are_one_visitor(event: int, places: Any) -> None:
    calls = [(f"2001:db8:1:2::{number}", event) for number in range(1, places.for_one + 2)]
    answers = pushed(*calls, ("2001:db8:1:3::1", event))
    assert [answer is True for answer in answers] == [True] * places.for_one + [False, True]


def test_who_sends_file_after_file_waits_and_who_reads_does_not() -> None:
    standing_still = Pace(60, clock=lambda: 0.0)
    for _ in range(AT_ONCE + 10):
        standing_still.turn("address 192.0.2.1")
    said = "You send more than 60 files a minute: send this one again in 1 s."
    answers = pushed(("192.0.2.1", SUBMIT), ("192.0.2.1", BOARD), ("192.0.2.2", SUBMIT), pace=standing_still)
    assert answers == [(429, said, {"retry-after": "1"}), True, True]


def test_the_wait_for_a_turn_comes_before_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("leaderboard.web.places.asyncio", SimpleNamespace(sleep=sleep))
    standing_still = Pace(60, clock=lambda: 0.0)
    for _ in range(AT_ONCE + 2):
        standing_still.turn("address 192.0.2.1")
    assert pushed(("192.0.2.1", SUBMIT), ("192.0.2.1", BOARD), pace=standing_still) == [True, True]
    assert slept == [3.0]
