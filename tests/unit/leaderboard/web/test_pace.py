from __future__ import annotations

import pytest

from leaderboard.web.pace import AT_ONCE, LONGEST_WAIT_S, Pace, TooFast

ANNA, BEN = "address 192.0.2.1", "address 192.0.2.2"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_first_come_at_once_and_the_others_one_after_the_other() -> None:
    pace = Pace(120, Clock())
    assert [pace.turn(ANNA) for _ in range(AT_ONCE)] == [0.0] * AT_ONCE
    assert [pace.turn(ANNA) for _ in range(4)] == [0.5, 1.0, 1.5, 2.0]
    assert pace.turn(BEN) == 0.0


def test_a_program_that_waits_for_each_answer_is_slowed_down_and_never_refused() -> None:
    clock = Clock()
    pace = Pace(120, clock)
    for _ in range(200):
        clock.now += pace.turn(ANNA) + 0.1
    # 20 at once, and from then on two within a second.
    assert clock.now - 100.0 == pytest.approx((200 - AT_ONCE) * 0.5, abs=1.0)


def test_whoever_would_wait_too_long_is_told_when_to_come_back() -> None:
    clock = Clock()
    pace = Pace(120, clock)
    for _ in range(AT_ONCE + int(2 * LONGEST_WAIT_S)):
        pace.turn(ANNA)
    with pytest.raises(
        TooFast, match=r"^You send more than 120 files a minute: send this one again in 1 s\.$"
    ) as refused:
        pace.turn(ANNA)
    assert refused.value.after_s == 1
    clock.now += 1.0
    assert pace.turn(ANNA) == pytest.approx(LONGEST_WAIT_S - 0.5)


def test_who_was_away_for_a_while_begins_anew_and_is_forgotten() -> None:
    clock = Clock()
    pace = Pace(120, clock)
    for _ in range(AT_ONCE):
        pace.turn(ANNA)
    clock.now += 0.5 * AT_ONCE
    pace.turn(BEN)
    assert list(pace._taken_until) == [BEN]
    assert [pace.turn(ANNA) for _ in range(AT_ONCE)] == [0.0] * AT_ONCE


def test_an_organiser_may_take_the_pace_away() -> None:
    pace = Pace(0, Clock())
    assert {pace.turn(ANNA) for _ in range(1_000)} == {0.0}
