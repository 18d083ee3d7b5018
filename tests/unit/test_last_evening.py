"""The simulation of a last evening against queues of which the waiting time is known in closed form."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable

import pytest

from benchmarks.last_evening import (
    HOUR_S,
    Database,
    Evening,
    Sent,
    evening_arrivals,
    outcome,
    served,
)

MANY = 40_000
TEAMS = 50


def arrivals(rate: float, service: Callable[[random.Random], float], teams: int = TEAMS) -> list[Sent]:
    """So many, at random moments, each of a team by chance."""
    dice = random.Random(7)
    now, found = 0.0, []
    for _ in range(MANY):
        now += dice.expovariate(rate)
        found.append(Sent(now, dice.randrange(teams), service(dice)))
    return found


def mean_wait(sent: list[Sent], workers: int) -> float:
    return statistics.fmean(one.wait_s for one in served(sent, workers))


@pytest.mark.parametrize(
    ("workers", "rate", "expected"),
    [
        # M/M/1: rho / (mu - lambda) = .8 / (1 - .8) = 4
        (1, 0.8, 4.0),
        # Erlang C, a = 1.5 offered to c = 2: (a^2/2 x 1/(1 - .75)) / (1 + a + that) = 4.5 / 7; / (2 - 1.5)
        (2, 1.5, 4.5 / 7 / 0.5),
        # a = 3 to c = 4: a^4/24 x 4 = 13.5; 13.5 / (1 + 3 + 4.5 + 4.5 + 13.5) = 13.5 / 26.5; / (4 - 3)
        (4, 3.0, 13.5 / 26.5),
    ],
)
def test_random_arrivals_and_durations_wait_as_erlang_says(workers: int, rate: float, expected: float) -> None:
    found = mean_wait(arrivals(rate, lambda dice: dice.expovariate(1.0)), workers)
    assert found == pytest.approx(expected, rel=0.08)


def test_equal_durations_wait_half_as_long() -> None:
    # M/D/1 (Pollaczek and Khinchine): rho / (2 mu (1 - rho)) = .8 / (2 x .2) = 2
    assert mean_wait(arrivals(0.8, lambda _: 1.0), 1) == pytest.approx(2.0, rel=0.08)


def test_turns_among_teams_change_who_waits_and_not_how_long_all_do() -> None:
    # Whoever is next, a worker is never idle while somebody waits: with equal durations the sum of waits is the same.
    by_turns, in_order = (arrivals(0.8, lambda _: 1.0, teams) for teams in (TEAMS, 1))
    assert mean_wait(by_turns, 1) == pytest.approx(mean_wait(in_order, 1), rel=0.08)
    many = [Sent(0.0, 1, 10.0) for _ in range(20)]
    (late,) = [one for one in served([*many, Sent(5.0, 2, 10.0)], 1) if one.sent.team == 2]
    assert late.wait_s == 5.0  # the one under way ends at 10; then it is team 2's turn, 19 of team 1 or not


def test_nobody_is_begun_before_they_come_and_no_worker_has_two() -> None:
    done = served(arrivals(3.5, lambda dice: dice.expovariate(1.0))[:2000], 4)
    assert len({one.sent for one in done}) == 2000
    assert all(one.wait_s >= 0 for one in done)
    edges = sorted([(one.began_s, 1) for one in done] + [(one.done_s, -1) for one in done])
    at_work = most = 0
    for _, change in edges:
        at_work += change
        most = max(most, at_work)
    assert most == 4


def test_arrivals_grow_towards_the_deadline_as_stated() -> None:
    evening = Evening(teams=20_000, attempts=1, hours=6.0, growth_h=1.0)
    sent = evening_arrivals(evening, 1, Database(0.0, 0.0), random.Random(1))
    assert all(0 <= one.at_s <= 6 * HOUR_S for one in sent)
    last = sum(one.at_s > 5 * HOUR_S for one in sent) / len(sent)
    # (1 - 1/e) / (1 - e^-6) = .6321 / .9975 = .6337; one standard deviation of 20,000 is .0034
    assert last == pytest.approx(0.6337, abs=0.014)


def test_an_attempt_costs_what_is_new_in_it() -> None:
    evening = Evening(teams=1, attempts=2, languages=3, items=10, judges=2, changed=0.5)
    first, second = evening_arrivals(evening, 1, Database(1.0, 0.0), random.Random(1))
    # 3 x 2 ordered pairs x 10 items x 2 judges = 120 -> 2 batches of 64; .75 of them are new again = 90 -> 2
    assert (first.batches, second.batches) == (2, 2)
    # 5 s for the file, 2 batches at 1 s, and 120 or 90 judgements at 83.3 x 1.01 a second
    assert first.service_s == pytest.approx(7 + 120 / 84.133)
    assert second.service_s == pytest.approx(7 + 90 / 84.133)


def test_what_gives_way_first_is_what_is_asked_for_most() -> None:
    evening = Evening(teams=40)
    assert outcome(evening, 1, 1, Database(0.0, 0.0), 1).first_to_give_way == "workers"
    assert outcome(evening, 1000, 1, Database(0.0, 60.0), 1).first_to_give_way == "database"
