"""Waiting times: every figure is worked out by hand beside it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from submissions.schema import Names
from submissions.store.eta import KindPace, Span, WaitEstimate, estimate, estimates, paces_by_kind, span
from submissions.store.queue import FinishedRun, JobStatus, Role, Ticket, WorkerStatus

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def ticket(
    name: str,
    status: JobStatus,
    *,
    position: int | None = None,
    judged: int = 0,
    need: int | None = None,
    answers: int | None = 100,
    role: Role = "entry",
    newly: int = 0,
) -> Ticket:
    return Ticket(
        id=name,
        owner="local",
        role=role,
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
        answers=answers,
        newly_judged=newly,
    )


def worker(name: str, *, is_alive: bool = True, judge: str = "pair", seen_s: float = 0.0) -> WorkerStatus:
    return WorkerStatus(name, judge, NOW + timedelta(seconds=seen_s), is_alive, None)


def run(seconds: float, *, judgements: int = 200, newly: int = 200, answers: int | None = 100) -> FinishedRun:
    return FinishedRun("demonstration", "one", judgements, newly, seconds, answers)


FINISHED = [run(50.0), run(100.0), run(80.0)] * 3
"""Nine of 100 answers and 200 judgements each: 0.5, 0.8 and 1 s an answer, 0.25, 0.4 and 0.5 s a judgement."""


def test_nine_of_ten_measurements_to_come_stay_within_either_end() -> None:
    # Above the slowest of nine lies the next one with a chance of 1 / 10; of 19, above the second slowest: 2 / 20.
    assert span(float(n) for n in range(1, 10)) == Span(1.0, 5.0, 9.0)
    assert span(float(n) for n in range(1, 20)) == Span(2.0, 10.0, 18.0)


def test_fewer_than_nine_measurements_promise_nothing() -> None:
    assert span([4.0] * 8) is None
    waiting = [ticket("t", JobStatus.QUEUED, position=1)]
    unmeasured = "no estimate yet: fewer than 9 submissions of its kind were judged here lately"
    # A quiet first run of 3 s was followed by one of 100 s under load: one run tells nothing of the next.
    assert estimates(waiting, [worker("one")], [run(3.0)])["t"].words == unmeasured
    assert estimates(waiting, [worker("one")], [run(3.0)] * 8)["t"].words == unmeasured
    assert estimates(waiting, [worker("one")], [run(3.0)] * 9)["t"].words == "about 3 s"


def test_an_estimate_reaches_as_far_as_nine_of_ten_took_from_the_queue() -> None:
    # 8 of 9 waited 20 s for their 3 s; one, overtaken by others, 97 s: the slowest of nine is 100 s.
    finished = [replace(run(3.0), seconds_from_queued=23.0)] * 8 + [replace(run(3.0), seconds_from_queued=100.0)]
    found = estimates([ticket("t", JobStatus.QUEUED, position=1)], [worker("one")], finished)
    assert found["t"] == WaitEstimate(3.0, 3.0, 100.0)


def test_soonest_all_share_everything_latest_one_works_alone() -> None:
    # Of two workers: (30 + 10) / 2 = 20 s; 60 / 2 + 15 = 45 s; 90 / 2 + 20 = 65 s.
    assert estimate(Span(30, 60, 90), Span(10, 15, 20), 2) == WaitEstimate(20.0, 45.0, 65.0)


@pytest.mark.parametrize(
    ("low", "likely", "high", "words"),
    [
        (0.4, 0.6, 3.2, "about 1 s (up to 4 s)"),
        (5.0, 5.0, 5.0, "about 5 s"),
        (12.7, 50.0, 100.0, "about 50 s (12 s to 2 min)"),
        (200.0, 313.0, 400.0, "about 5 min (3 min to 7 min)"),
        (5_000.0, 6_000.0, 9_000.0, "about 2 h (83 min to 3 h)"),
    ],
)
def test_an_estimate_says_about_how_long_and_how_far_it_reaches(
    low: float, likely: float, high: float, words: str
) -> None:
    assert WaitEstimate(low, likely, high).words == words


def test_what_is_queued_takes_as_long_for_each_answer_as_others_of_its_kind() -> None:
    # 626 answers at 0.25, 0.5 and 1 s each, as three runs of 8,000, 1,000 and 100 answers took them.
    finished = [run(2000.0, answers=8_000), run(500.0, answers=1_000), run(100.0, answers=100)] * 3
    found = estimates([ticket("t", JobStatus.QUEUED, position=1, answers=626)], [worker("one")], finished)
    assert found["t"] == WaitEstimate(156.5, 313.0, 626.0)
    assert found["t"].words == "about 5 min (2 min to 11 min)"


def test_work_of_another_kind_says_nothing_of_this_one() -> None:
    others = [replace(one, set_id="eloquent-2026", seconds=one.seconds * 1_000) for one in FINISHED]
    waiting = [ticket("t", JobStatus.QUEUED, position=1)]
    mixed = estimates(waiting, [worker("one")], [*others, *FINISHED])
    assert mixed["t"] == WaitEstimate(50.0, 80.0, 100.0)
    alone = estimates(waiting, [worker("one")], others)
    assert alone["t"].words == "no estimate yet: fewer than 9 submissions of its kind were judged here lately"


def test_where_answers_were_not_counted_whole_runs_are_the_measure() -> None:
    found = estimates([ticket("t", JobStatus.QUEUED, position=1, answers=None)], [worker("one")], FINISHED)
    assert found["t"] == WaitEstimate(50.0, 80.0, 100.0)


def test_a_run_whose_verdicts_were_mostly_stored_or_whose_judge_is_another_is_no_measure() -> None:
    finished = [
        *FINISHED,
        run(0.1, newly=99),  # 101 of its 200 were stored before
        replace(run(1.0), worker="other"),  # by a judge that is not at work
        replace(run(1.0), worker="ended"),  # nobody knows its judge
    ]
    workers = [worker("one"), worker("other", judge="http", is_alive=False)]
    assert paces_by_kind(workers, finished) == {
        "demonstration": KindPace(
            Span(50.0, 80.0, 100.0), Span(0.5, 0.8, 1.0), Span(0.25, 0.4, 0.5), Span(2.0, 2.0, 2.0)
        )
    }
    # After a restart the workers have other names: runs of ended ones are all there is, until others have come.
    assert paces_by_kind([worker("new")], FINISHED) == paces_by_kind([worker("one")], FINISHED)


def test_work_ahead_is_what_runs_and_what_was_queued_before() -> None:
    waiting = [
        ticket("second", JobStatus.QUEUED, position=2),
        ticket("first", JobStatus.QUEUED, position=1, answers=10),
        ticket("running", JobStatus.RUNNING, judged=140, need=200),
    ]
    found = estimates(waiting, [worker("one")], FINISHED)
    # 60 of 200 judgements are left: 15, 24 and 30 s; ten answers are 5, 8 and 10 s; a hundred 50, 80 and 100 s.
    assert found["running"] == WaitEstimate(15.0, 24.0, 30.0)
    assert found["first"] == WaitEstimate(20.0, 32.0, 40.0)
    assert found["second"] == WaitEstimate(70.0, 112.0, 140.0)


def test_of_a_running_submission_more_may_come_than_its_worker_has_counted() -> None:
    # Its first call of 50 is done; runs of a hundred answers needed 200: 150 are to come, 37.5, 60 and 75 s.
    found = estimates([ticket("t", JobStatus.RUNNING, judged=50, need=50)], [worker("one")], FINISHED)
    assert found["t"] == WaitEstimate(37.5, 60.0, 75.0)


def test_an_estimate_that_was_exceeded_says_so_and_by_how_much() -> None:
    # A hundred answers took at most 1 s each: 100 s.
    running = ticket("t", JobStatus.RUNNING, judged=40, need=200)
    assert estimates([running], [worker("one", seen_s=100.0)], FINISHED)["t"].likely_s == 64.0  # 160 at 0.4 s
    late = estimates([running], [worker("one", seen_s=130.0)], FINISHED)["t"]
    assert late.likely_s is None
    assert late.words == "longer than expected: 2 min so far, and 2 min was the most that was expected"
    silent = [worker("one"), worker("two", is_alive=False, seen_s=500.0)]  # whoever ended says nothing of the time
    assert estimates([running], silent, FINISHED)["t"].likely_s == 64.0


def test_with_every_judgement_made_no_seconds_are_promised() -> None:
    # Runs of a hundred answers needed 200 judgements, so that none is to come; without a measure none is known to.
    done = ticket("t", JobStatus.RUNNING, judged=200, need=200)
    for finished in (FINISHED, []):
        found = estimates([done], [worker("one", seen_s=20.0)], finished)["t"]
        assert found.words == "all judgements are made; its figures and intervals are being computed"
        assert found.reason == found.words


def test_a_row_of_our_own_that_runs_keeps_a_team_for_one_batch_at_most() -> None:
    ours = ticket("ours", JobStatus.RUNNING, need=2_000, answers=1_000, role="baseline")
    theirs = ticket("theirs", JobStatus.QUEUED, position=1)
    found = estimates([ours, theirs], [worker("one")], FINISHED)
    # 64 judgements of at most 0.5 s are 32 s; soonest and likely it gives way at once.
    assert found["theirs"] == WaitEstimate(50.0, 80.0, 132.0)
    other = replace(ours, set_id="eloquent-2026")  # of which nothing was measured
    assert estimates([other, theirs], [worker("one")], FINISHED)["theirs"] == WaitEstimate(50.0, 80.0, 100.0)


def test_without_a_figure_the_reason_is_told_and_never_a_zero() -> None:
    waiting = [ticket("first", JobStatus.QUEUED, position=1)]
    assert estimates(waiting, [], FINISHED)["first"].words == "no estimate yet: no worker is running"
    silent = [worker("one", is_alive=False)]
    assert estimates(waiting, silent, FINISHED)["first"].words == "no estimate yet: no worker is running"
    counted = [replace(waiting[0], to_judge=30)]
    unmeasured = "no estimate yet: fewer than 9 submissions of its kind were judged here lately"
    assert estimates(counted, [worker("one")], [])["first"].words == unmeasured
    received = [ticket("new", JobStatus.RECEIVED)]
    assert estimates(received, [worker("one")], FINISHED)["new"].words == "no estimate yet: it is not queued yet"


def test_one_that_cannot_be_foreseen_leaves_those_behind_it_open_too() -> None:
    waiting = [ticket("first", JobStatus.QUEUED, position=1), ticket("second", JobStatus.QUEUED, position=2, need=10)]
    found = estimates([replace(waiting[0], set_id="other"), waiting[1]], [worker("one")], FINISHED)
    assert found["second"].likely_s is None
    assert "one before it" in found["second"].words
