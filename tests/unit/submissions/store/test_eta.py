"""Waiting times: every figure is worked out by hand beside it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from submissions.schema import Names
from submissions.store.eta import Estimate, Pace, Work, estimate, estimates, needs_by_set, pace, worker_paces
from submissions.store.queue import FinishedRun, JobStatus, Ticket, WorkerStatus

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def ticket(
    name: str, status: JobStatus, *, position: int | None = None, judged: int = 0, need: int | None = None
) -> Ticket:
    return Ticket(
        id=name,
        owner="local",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(),
        file_name="a.json",
        file_sha256="0",
        received_at=NOW,
        status=status,
        status_at=NOW,
        reason=None,
        position=position,
        judged=judged,
        to_judge=need,
        attempts=1,
        log=(),
    )


def worker(name: str, *, rate: float | None = None, is_alive: bool = True, judge: str = "pair") -> WorkerStatus:
    return WorkerStatus(name, judge, NOW, is_alive, rate)


def test_the_speed_leaves_out_a_tenth_of_the_measurements_at_either_end() -> None:
    assert pace([]) is None
    assert pace([0.0]) is None
    assert pace([4.0]) == Pace(4.0, 4.0)
    # 11 rates: a tenth of 10 steps is one, so the second lowest and the second highest stay.
    assert pace([1.0, 90.0, *[float(rate) for rate in range(10, 19)]]) == Pace(10.0, 18.0)


def test_soonest_all_share_everything_latest_one_works_alone() -> None:
    # Soonest (300 + 60) / (20 + 40) = 6 s; latest 300 / (10 + 20) + 90 / 10 = 19 s.
    assert estimate(Work(300, 300), Work(60, 90), [Pace(10, 20), Pace(20, 40)]) == Estimate(6.0, 19.0)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.4, 3.2, "0 s to 4 s"),
        (5.0, 5.0, "about 5 s"),
        (12.7, 100.0, "12 s to 2 min"),
        (5_000.0, 9_000.0, "83 min to 3 h"),
    ],
)
def test_an_interval_is_rounded_outwards(low: float, high: float, words: str) -> None:
    assert Estimate(low, high).words == words


def test_a_run_is_measured_over_its_whole_time_and_by_its_judge() -> None:
    finished = [
        FinishedRun("demonstration", "one", 100, 100, 10.0),  # 10 a second
        FinishedRun("demonstration", "one", 100, 49, 0.1),  # most of it was stored before
        FinishedRun("demonstration", "gone", 100, 100, 1.0),  # nobody knows its judge
        FinishedRun("demonstration", "old", 80, 60, 2.0),  # 30 a second, of the same judge
        FinishedRun("judges:own", "one", 0, 0, 0.5),  # asked nobody
    ]
    workers = [worker("one", rate=20.0), worker("old", is_alive=False), worker("other", judge="http")]
    assert worker_paces(workers, finished) == [Pace(10.0, 30.0)]


def test_what_others_of_a_prompt_set_needed_stands_for_what_is_not_counted_yet() -> None:
    finished = [FinishedRun("demonstration", "one", need, need, 1.0) for need in (40, 60, 50)]
    assert needs_by_set(finished) == {"demonstration": Work(40, 60)}


FINISHED = [FinishedRun("demonstration", "one", need, need, 4.0) for need in (40, 60)]
"""10 and 15 judgements a second, 40 to 60 of them."""


def test_work_ahead_is_what_runs_and_what_was_queued_before() -> None:
    waiting = [
        ticket("second", JobStatus.QUEUED, position=2),
        ticket("first", JobStatus.QUEUED, position=1),
        ticket("running", JobStatus.RUNNING, judged=70, need=100),
    ]
    found = estimates(waiting, [worker("one")], FINISHED)
    assert found["running"] == Estimate(30 / 15, 30 / 10)
    assert found["first"] == Estimate((30 + 40) / 15, (30 + 60) / 10)
    assert found["second"] == Estimate((70 + 40) / 15, (90 + 60) / 10)


def test_without_a_figure_the_reason_is_told() -> None:
    waiting = [ticket("first", JobStatus.QUEUED, position=1)]
    assert estimates(waiting, [], FINISHED)["first"].words == "— no worker is running"
    silent = [worker("one", is_alive=False)]
    assert estimates(waiting, silent, FINISHED)["first"].words == "— no worker is running"
    assert "not known yet" in estimates(waiting, [worker("one")], [])["first"].words
    counted = [replace(waiting[0], to_judge=30)]
    assert estimates(counted, [worker("one")], [])["first"].words == "— nothing was measured yet"
    received = [ticket("new", JobStatus.RECEIVED)]
    assert estimates(received, [worker("one")], FINISHED)["new"].words == "— it is not queued yet"


def test_one_that_cannot_be_foreseen_leaves_those_behind_it_open_too() -> None:
    waiting = [ticket("first", JobStatus.QUEUED, position=1), ticket("second", JobStatus.QUEUED, position=2, need=10)]
    found = estimates([replace(waiting[0], set_id="other"), waiting[1]], [worker("one")], FINISHED)
    assert found["second"].low_s is None
