"""What a page is sent with: drawn when something changed, and never waited for."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from leaderboard.web import first_values
from leaderboard.web.first_values import LOOK_S, NOTHING, FirstValues, FirstView
from tests.unit.leaderboard.conftest import in_own_loop


class Board:
    """A page that counts how often it is asked and drawn."""

    def __init__(self) -> None:
        self.marker, self.asked, self.drawn = 1, 0, 0
        self.is_broken = False
        self.may_be_drawn = threading.Event()
        self.may_be_drawn.set()

    def marked(self) -> int:
        self.asked += 1
        return self.marker

    def values(self) -> dict[int, str]:
        self.may_be_drawn.wait(60)
        if self.is_broken:
            raise RuntimeError("no database")
        self.drawn += 1
        return {5: f"rows of {self.marker}"}

    @property
    def view(self) -> FirstView:
        return FirstView(self.marked, self.values)


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1000.0]

    class Time:
        @staticmethod
        def monotonic() -> float:
            return now[0]

    monkeypatch.setattr(first_values, "time", Time)
    return now


def test_it_is_drawn_anew_only_when_something_changed(board: Board, clock: list[float]) -> None:
    async def visits() -> list[bytes]:
        values = FirstValues({"/": board.view})
        sent = [await values.of("/"), await values.of("/")]
        assert (board.asked, board.drawn) == (1, 1)  # the second came at the same moment
        clock[0] += LOOK_S
        sent.append(await values.of("/"))
        assert (board.asked, board.drawn) == (2, 1)  # asked, and nothing had changed
        board.marker = 2
        clock[0] += LOOK_S
        sent.append(await values.of("/"))
        return sent

    assert in_own_loop(visits) == [b'{"5":"rows of 1"}'] * 3 + [b'{"5":"rows of 2"}']
    assert board.drawn == 2


def test_many_at_once_are_answered_by_one_drawing(board: Board, clock: list[float]) -> None:
    async def visits() -> list[bytes]:
        values = FirstValues({"/": board.view})
        return list(await asyncio.gather(*(values.of("/") for _ in range(50))))

    assert in_own_loop(visits) == [b'{"5":"rows of 1"}'] * 50
    assert board.drawn == 1


def test_a_page_goes_without_what_takes_long_and_the_next_one_has_it(
    board: Board, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_values, "PATIENCE_S", 0.01)

    async def visits() -> list[bytes]:
        values = FirstValues({"/": board.view})
        board.may_be_drawn.clear()
        sent = [await values.of("/"), await values.of("/")]
        board.may_be_drawn.set()
        monkeypatch.setattr(first_values, "PATIENCE_S", 60)
        return [*sent, await values.of("/")]

    assert in_own_loop(visits) == [NOTHING, NOTHING, b'{"5":"rows of 1"}']
    assert board.drawn == 1  # by the drawing that the first one began


def test_old_values_are_not_sent_while_new_ones_are_drawn(
    board: Board, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def visits() -> bytes:
        values = FirstValues({"/": board.view})
        await values.of("/")
        board.marker = 2
        clock[0] += LOOK_S
        board.may_be_drawn.clear()
        monkeypatch.setattr(first_values, "PATIENCE_S", 0.01)
        sent = await values.of("/")
        board.may_be_drawn.set()
        return sent

    assert in_own_loop(visits) == NOTHING


def test_what_cannot_be_drawn_is_said_in_the_log_and_tried_again(
    board: Board, clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    async def visits() -> list[bytes]:
        values = FirstValues({"/": board.view})
        board.is_broken = True
        sent = [await values.of("/")]
        board.is_broken = False
        return [*sent, await values.of("/")]

    with caplog.at_level(logging.WARNING):
        assert in_own_loop(visits) == [NOTHING, b'{"5":"rows of 1"}']
    (said,) = caplog.messages
    assert said.startswith("/ is sent without its first values: ")
    assert "no database" in said


def test_a_page_without_a_first_view_has_nothing() -> None:
    assert in_own_loop(lambda: FirstValues({}).of("/submit")) == NOTHING
