"""The store on both databases: claims, leases, attempts, ends, verdicts; alone and under contention."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar, cast

import pytest
from sqlalchemy import select, text
from sqlalchemy.engine import make_url
from sqlalchemy.engine.base import RootTransaction
from sqlalchemy.exc import DBAPIError, OperationalError

from benchmarks.postgresql import PostgreSQLServer
from submissions.schema import Names
from submissions.store.database import Transaction
from submissions.store.queue import QUEUE, Act, ActKind, JobStatus, LeaseLost, NotYours, Role, Ticket
from submissions.store.quotas import LAB_LEASE_S, NO_QUOTAS, QuotaExceeded, Quotas
from submissions.store.rows import log_event
from submissions.store.store import Store, StoreDamaged, StoreError, StoreUnavailable
from submissions.store.tables import jobs
from submissions.store.votes import JudgedPair, Reading, Stance

LEASE_S = 60.0
Value = TypeVar("Value")


class FakeClock:
    """Time that moves when told."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def store(database_url: str, clock: FakeClock) -> Iterator[Store]:
    opened = Store.open(database_url, lease_s=LEASE_S, max_attempts=3, clock=clock)
    yield opened
    opened.close()


def add(store: Store, ticket_id: str, *, at: float = 1_000_000.0, role: Role = "entry", owner: str = "local") -> None:
    store.add(
        ticket_id=ticket_id,
        owner=owner,
        role=role,
        edition="2024",
        set_id="demonstration",
        names=Names(team="aurora", system=ticket_id),
        file_name="aurora.json",
        data=b"{}",
        received_at=at,
    )


def test_a_new_submission_is_queued_with_both_states_in_its_log(store: Store) -> None:
    add(store, "t1")
    ticket = store.require("t1")
    assert ticket.status is JobStatus.QUEUED
    assert ticket.position == 1
    assert [line[20:] for line in ticket.log] == ["received aurora.json", "queued"]
    assert store.payload(ticket.file_sha256) == b"{}"


def test_adding_a_ticket_twice_changes_nothing(store: Store) -> None:
    add(store, "t1")
    marker = store.change_marker()
    add(store, "t1")
    assert store.change_marker() == marker
    assert len(store.tickets()) == 1


def test_jobs_are_claimed_once_in_order_and_people_before_our_own_rows(store: Store) -> None:
    add(store, "null", at=1.0, role="baseline")
    add(store, "example", at=2.0, role="example")
    add(store, "second", at=4.0)
    add(store, "first", at=3.0)
    claimed = [job.id for job in iter(lambda: store.claim("w"), None)]
    assert claimed == ["first", "second", "example", "null"]


def test_a_file_of_a_team_sent_while_our_rows_wait_and_run_is_the_next_claimed(store: Store) -> None:
    for number in range(3):
        add(store, f"null{number}", at=float(number), role="baseline", owner="plumbline")
    add(store, "recorded", at=4.0, role="recorded", owner="plumbline")
    ours = store.claim("w")
    assert ours is not None
    assert (ours.id, ours.role, ours.gives_way) == ("recorded", "recorded", True)
    assert not store.team_waits()  # rows of ours wait for one another
    add(store, "team", at=100.0)
    assert store.team_waits()
    store.release("recorded", "w", "a team's submission is judged first")
    assert store.require("recorded").log[-1].endswith("back in the queue: a team's submission is judged first")
    theirs = store.claim("w")
    assert theirs is not None
    assert (theirs.id, theirs.gives_way) == ("team", False)
    assert not store.team_waits()
    assert claimed_until_empty(store) == ["recorded", "null0", "null1", "null2"]


def test_our_rows_give_way_only_to_what_could_be_begun_now(store: Store, clock: FakeClock) -> None:
    add(store, "team")
    store.claim("w")
    store.attempt_failed("team", "w", "disk full")  # it waits a sixth of a lease: 10 s
    assert not store.team_waits()
    clock.now += 11
    assert store.team_waits()
    store.act("pause", QUEUE, actor="olga", reason="a test")
    assert not store.team_waits()
    store.act("resume", QUEUE, actor="olga", reason="a test")
    assert store.team_waits()


def test_positions_count_from_one_over_what_waits(store: Store) -> None:
    add(store, "a", at=1.0)
    add(store, "b", at=2.0)
    add(store, "c", at=3.0)
    store.claim("w")
    assert [(ticket.id, ticket.position) for ticket in store.tickets()] == [("c", 2), ("b", 1), ("a", None)]


def claimed_until_empty(store: Store) -> list[str]:
    return [job.id for job in iter(lambda: store.claim("w"), None)]


def places(store: Store) -> list[str]:
    """What waits, in the order of the places that tickets show."""
    waiting = sorted((one.position, one.id) for one in store.open_tickets() if one.position is not None)
    assert [place for place, _ in waiting] == list(range(1, len(waiting) + 1))
    assert {one.id: one.position for one in store.tickets() if one.position} == {id_: place for place, id_ in waiting}
    return [ticket_id for _, ticket_id in waiting]


def test_thirty_files_of_one_owner_and_then_one_of_another_the_others_is_second(store: Store) -> None:
    for number in range(30):
        add(store, f"a{number:02}", at=float(number), owner="anna")
    add(store, "b", at=100.0, owner="bo")
    expected = ["a00", "b", *(f"a{number:02}" for number in range(1, 30))]
    assert places(store) == expected
    assert claimed_until_empty(store) == expected


def test_who_comes_later_is_next_also_when_the_first_file_of_the_other_has_ended(store: Store) -> None:
    for number in range(30):
        add(store, f"a{number:02}", at=float(number), owner="anna")
    assert store.claim("w") is not None
    store.finish("a00", "w", "{}")
    add(store, "b", at=100.0, owner="bo")
    assert places(store)[:2] == ["b", "a01"]
    assert claimed_until_empty(store)[:2] == ["b", "a01"]


def test_turns_go_round_and_whoever_was_served_longest_ago_is_next(store: Store, clock: FakeClock) -> None:
    for number in range(3):
        add(store, f"a{number}", at=float(number), owner="anna")
    for number in range(2):
        add(store, f"b{number}", at=10.0 + number, owner="bo")
    add(store, "c0", at=5.0, owner="cy")
    clock.now -= 3600.0  # who waits for a turn does not wait for the clock
    assert places(store) == ["a0", "c0", "b0", "a1", "b1", "a2"]
    first = [store.claim("w"), store.claim("w")]
    assert [job.id for job in first if job] == ["a0", "c0"]
    add(store, "c1", at=0.0, owner="cy")
    assert places(store) == ["b0", "a1", "c1", "b1", "a2"]
    assert claimed_until_empty(store) == ["b0", "a1", "c1", "b1", "a2"]


def test_an_owner_alone_is_served_first_come_first_served(store: Store) -> None:
    for number in range(5):
        add(store, f"t{number}", at=float(-number))
    assert places(store) == ["t4", "t3", "t2", "t1", "t0"]
    assert claimed_until_empty(store) == ["t4", "t3", "t2", "t1", "t0"]


def test_what_a_stopped_or_dead_worker_gives_back_has_its_turn_again(store: Store) -> None:
    add(store, "a0", at=1.0, owner="anna")
    add(store, "b0", at=2.0, owner="bo")
    add(store, "b1", at=3.0, owner="bo")
    assert store.claim("w") is not None
    store.release("a0", "w")
    assert places(store)[0] == "a0"
    assert store.claim("w") is not None
    store.progress("a0", "w", judged=1, to_judge=2, newly_stored=1)
    store.release_worker("w")
    assert places(store)[0] == "a0"


def test_claims_at_the_same_moment_take_turns_too(store: Store) -> None:
    for number in range(20):
        add(store, f"a{number:02}", at=float(number), owner="anna")
    for owner in "bcdefg":
        add(store, owner, at=100.0, owner=owner)
    with ThreadPoolExecutor(7) as threads:
        jobs_taken = list(threads.map(lambda number: store.claim(f"w{number}"), range(7)))
    assert {job.id for job in jobs_taken if job} == {"a00", *"bcdefg"}


def test_a_claim_is_current_until_it_ends_or_another_follows(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    assert not store.is_current("t1", 0)
    store.claim("w")
    assert store.is_current("t1", 1)
    clock.now += LEASE_S + 1
    while store.claim("x") is None:
        clock.now += LEASE_S
    assert (store.is_current("t1", 1), store.is_current("t1", 2)) == (False, True)
    store.cancel("t1", "local")
    assert not store.is_current("t1", 2)


def test_a_claim_that_stood_still_fails_at_once_whoever_holds_it_and_never_a_later_one(store: Store) -> None:
    add(store, "t1")
    add(store, "t2", at=1_000_001.0)
    store.claim("w")
    store.claim("x")
    assert store.fail_claim("t1", 1, "stopped")
    ticket = store.require("t1")
    assert (ticket.status, ticket.reason, ticket.attempts) == (JobStatus.FAILED, "stopped", 1)
    assert not store.fail_claim("t1", 1, "stopped again")
    store.release("t2", "x")
    store.claim("w")
    assert not store.fail_claim("t2", 1, "stopped")
    assert store.require("t2").status is JobStatus.RUNNING


def test_finishing_stores_the_result_and_scores_the_submission(store: Store) -> None:
    add(store, "t1")
    store.claim("w")
    store.progress("t1", "w", judged=3, to_judge=10, newly_stored=3)
    assert (store.require("t1").judged, store.require("t1").to_judge) == (3, 10)
    store.finish("t1", "w", '{"n": 1}')
    assert store.require("t1").status is JobStatus.SCORED
    assert store.result("t1") == '{"n": 1}'
    assert [(ticket.id, payload) for ticket, payload in store.results()] == [("t1", '{"n": 1}')]


def test_an_expired_lease_returns_the_job_and_the_first_worker_can_no_longer_finish(
    store: Store, clock: FakeClock
) -> None:
    add(store, "t1")
    store.claim("slow")
    store.progress("t1", "slow", judged=1, to_judge=2, newly_stored=1)
    clock.now += LEASE_S + 1
    assert store.claim("fast") is not None
    with pytest.raises(LeaseLost):
        store.finish("t1", "slow", "{}")
    assert store.result("t1") is None
    store.finish("t1", "fast", "{}")
    assert store.require("t1").attempts == 2


def test_a_heartbeat_keeps_the_lease(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    store.claim("w")
    for _ in range(3):
        clock.now += LEASE_S - 1
        store.heartbeat("t1", "w")
    assert store.claim("other") is None


def test_three_deaths_in_a_row_without_a_new_verdict_fail_the_job(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    for _ in range(3):
        assert store.claim("w") is not None
        clock.now += 2 * LEASE_S
        store.release_worker("w")
        clock.now += LEASE_S  # past the wait between attempts
    ticket = store.require("t1")
    assert ticket.status is JobStatus.FAILED
    assert ticket.reason == "gave up after 3 attempts: worker w fell silent"
    assert store.claim("w") is None


def test_a_death_after_new_verdicts_does_not_count(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    for _ in range(5):
        assert store.claim("w") is not None
        store.progress("t1", "w", judged=1, to_judge=9, newly_stored=1)
        store.release_worker("w")
    assert store.require("t1").status is JobStatus.QUEUED


def test_an_attempt_that_raised_waits_and_the_third_fails_with_its_reason(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    for attempt in range(1, 4):
        assert store.claim("w") is not None
        store.attempt_failed("t1", "w", "OSError: disk full")
        if attempt < 3:
            assert store.claim("w") is None  # it waits a while
            clock.now += LEASE_S
    assert store.require("t1").reason == "gave up after 3 attempts: OSError: disk full"


def test_a_judge_that_is_away_fails_nothing_and_is_asked_less_and_less_often(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    waited = []
    for _ in range(40):
        assert store.claim("w") is not None
        before = clock.now
        store.judge_away("t1", "w", "no answer")
        while store.claim("w2") is None:
            clock.now += LEASE_S / 2
        store.release("t1", "w2")
        waited.append(clock.now - before)
    # A quarter of the time since it came, between a lease and 15 minutes: each wait is longer than the one before.
    assert waited[0] == LEASE_S
    assert waited == sorted(waited)
    assert waited[-1] == 900
    said = r"back in the queue, tried again at \d\d:\d\d:\d\d UTC: no answer"
    assert sum(bool(re.fullmatch(said, line[20:])) for line in store.require("t1").log) == 40


def test_without_a_limit_a_job_is_tried_for_ever(database_url: str, clock: FakeClock) -> None:
    store = Store.open(database_url, lease_s=1.0, max_attempts=0, clock=clock)
    add(store, "t1")
    for _ in range(20):
        assert store.claim("w") is not None
        store.release_worker("w")
    assert store.require("t1").status is JobStatus.QUEUED
    store.close()


def test_a_worker_that_is_asked_to_stop_gives_its_job_back_uncounted(store: Store) -> None:
    add(store, "t1")
    for _ in range(4):
        assert store.claim("w") is not None
        store.release("t1", "w")
    assert store.require("t1").status is JobStatus.QUEUED


def test_cancelling_takes_the_job_from_its_worker(store: Store) -> None:
    add(store, "t1")
    store.claim("w")
    store.cancel("t1", "local")
    with pytest.raises(LeaseLost):
        store.progress("t1", "w", judged=1, to_judge=2, newly_stored=1)
    assert store.require("t1").status is JobStatus.CANCELLED
    with pytest.raises(StoreError, match="nothing left to cancel"):
        store.cancel("t1", "local")


def test_withdrawing_leaves_a_tombstone_and_takes_the_result_off(store: Store) -> None:
    add(store, "t1")
    store.claim("w")
    store.finish("t1", "w", "{}")
    store.withdraw("t1", "local")
    assert store.require("t1").status is JobStatus.WITHDRAWN
    assert store.result("t1") is None
    assert store.results() == []
    with pytest.raises(StoreError, match="withdrawn already"):
        store.withdraw("t1", "local")


def test_only_the_owner_may_cancel_or_withdraw(store: Store) -> None:
    add(store, "t1", owner="anna")
    with pytest.raises(NotYours):
        store.cancel("t1", "bert")
    with pytest.raises(NotYours):
        store.withdraw("t1", "bert")
    with pytest.raises(StoreError, match="no submission has the ticket 'nobody'"):
        store.cancel("nobody", "bert")


def test_the_same_file_under_the_same_names_is_found_until_it_is_withdrawn(store: Store) -> None:
    add(store, "t1")
    sha256 = store.require("t1").file_sha256
    names = Names(team="aurora", system="t1")
    found = store.find("local", "demonstration", names, sha256)
    assert found is not None
    assert found.id == "t1"
    assert store.find("other", "demonstration", names, sha256) is None
    assert store.find("local", "demonstration", Names(team="aurora"), sha256) is None
    store.withdraw("t1", "local")
    assert store.find("local", "demonstration", names, sha256) is None


def test_verdicts_are_stored_once_and_the_first_writer_wins(store: Store) -> None:
    assert store.save_verdicts({"k1": "one", "k2": "two"}) == 2
    assert store.save_verdicts({"k1": "other", "k3": "three"}) == 1
    assert store.load_verdicts(["k1", "k2", "k3", "k4"]) == {"k1": "one", "k2": "two", "k3": "three"}


def test_more_keys_than_one_statement_takes_can_be_loaded(store: Store) -> None:
    keys = [f"k{number}" for number in range(1300)]
    store.save_verdicts(dict.fromkeys(keys, "x"))
    assert set(store.load_verdicts(keys)) == set(keys)


def test_embeddings_are_kept_by_key(store: Store) -> None:
    store.save_embeddings({"a": b"\x01\x02"})
    assert store.load_embeddings(["a", "b"]) == {"a": b"\x01\x02"}


def test_counts_name_every_state(store: Store) -> None:
    add(store, "a")
    add(store, "b")
    store.claim("w")
    counts = store.counts()
    assert set(counts) == set(JobStatus)
    assert (counts[JobStatus.QUEUED], counts[JobStatus.RUNNING], counts[JobStatus.FAILED]) == (1, 1, 0)


def test_a_worker_is_alive_while_it_is_heard_of_and_shows_its_rate(store: Store, clock: FakeClock) -> None:
    store.worker_seen("w", "scripted")
    store.worker_seen("w", "scripted", judgements=30, judging_s=2.0)
    (worker,) = store.workers()
    assert (worker.is_alive, worker.judgements_per_s) == (True, 15.0)  # 30 judgements in 2 s
    clock.now += 2 * LEASE_S
    assert [worker.is_alive for worker in store.workers()] == [False]
    store.worker_gone("w")
    assert store.workers() == []


def test_the_newest_measurement_of_a_judge_is_kept_and_moves_the_marker(store: Store, clock: FakeClock) -> None:
    assert (store.judge_qualities(), store.judge_qualities_marker()) == ([], 0.0)
    store.save_judge_quality("ab" * 32, '{"auc": 0.5}')
    first = store.judge_qualities_marker()
    clock.now += 1
    store.save_judge_quality("ab" * 32, '{"auc": 0.8}')
    store.save_judge_quality("cd" * 32, '{"auc": 0.6}')
    assert store.judge_qualities() == ['{"auc": 0.8}', '{"auc": 0.6}']
    assert store.judge_qualities_marker() > first


# --- published reports on judges -------------------------------------------------------------------------------------


def published(store: Store, report_id: str = "r1", owner: str = "anna", payload: str = "{}", per_day: int = 0) -> str:
    return store.publish_judge_report(report_id, owner=owner, payload=payload, per_day=per_day).id


def test_the_same_report_is_published_once_while_it_stands(store: Store, clock: FakeClock) -> None:
    assert published(store) == "r1"
    marker = store.judge_reports_marker()
    assert published(store, "r2") == "r1"
    assert store.judge_reports_marker() == marker
    assert published(store, "r3", owner="ben") == "r3"  # what two people publish are two reports
    clock.now += 1
    store.withdraw_judge_report("r1", "anna")
    assert store.judge_reports_marker() > marker
    assert published(store, "r4") == "r4"
    assert [(report.id, report.is_shown) for report in store.judge_reports()] == [
        ("r1", False),
        ("r3", True),
        ("r4", True),
    ]


def test_reports_within_a_day_are_bounded_those_withdrawn_too(store: Store, clock: FakeClock) -> None:
    published(store, "r1", payload="1", per_day=2)
    clock.now += 3600
    published(store, "r2", payload="2", per_day=2)
    store.withdraw_judge_report("r2", "anna")
    # The first one was published 1,000,000 s after 1970 began: on 12 January at 13:46:40.
    with pytest.raises(QuotaExceeded, match=r"2 judge reports within 24 hours.* free at 1970-01-13 13:46 UTC"):
        published(store, "r3", payload="3", per_day=2)
    published(store, "r4", owner="ben", payload="3", per_day=2)
    clock.now += 23 * 3600 + 1
    assert published(store, "r3", payload="3", per_day=2) == "r3"


def test_only_its_owner_withdraws_a_report_and_once(store: Store, clock: FakeClock) -> None:
    published(store)
    with pytest.raises(NotYours, match="belongs to another account"):
        store.withdraw_judge_report("r1", "ben")
    with pytest.raises(StoreError, match="no judge report was published as 'r9'"):
        store.withdraw_judge_report("r9", "anna")
    first = store.withdraw_judge_report("r1", "anna")
    clock.now += 10
    assert store.withdraw_judge_report("r1", "anna") == first


def test_a_withdrawal_is_later_than_the_publication_whatever_the_clock_does(store: Store, clock: FakeClock) -> None:
    published(store)
    clock.now -= 100
    report = store.withdraw_judge_report("r1", "anna")
    assert report.withdrawn_at is not None
    assert report.withdrawn_at > report.published_at


def test_an_organiser_hides_a_report_and_shows_it_again(store: Store) -> None:
    published(store)
    hide = store.act("hide", "r1", actor="olga", reason="it names a person")
    hidden = store.judge_report("r1")
    assert hidden is not None
    assert (hidden.hidden, hidden.is_shown) == ("it names a person", False)
    assert store.acts(about="r1") == [hide]
    with pytest.raises(StoreError, match="hidden already"):
        store.act("hide", "r1", actor="olga", reason="again")
    store.act("show", "r1", actor="olga", reason="it does not")
    with pytest.raises(StoreError, match="not hidden"):
        store.act("show", "r1", actor="olga", reason="again")
    with pytest.raises(StoreError, match="can be hidden and shown again, no more"):
        store.act("rerun", "r1", actor="olga", reason="why not")
    with pytest.raises(StoreError, match="no submission has the ticket 'r1'"):
        store.act("hide", "r1", actor="ben", reason="I dislike it", owner="ben")
    store.withdraw_judge_report("r1", "anna")
    with pytest.raises(StoreError, match="was withdrawn"):
        store.act("hide", "r1", actor="olga", reason="late")


def test_a_report_that_is_too_large_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="has 65,537 bytes; at most 65,536 are published"):
        published(store, payload="x" * 65_537)
    assert published(store, payload="x" * 65_536) == "r1"


# --- what no text may break ------------------------------------------------------------------------------------------


def test_nul_and_lone_surrogates_are_kept_as_replacement_characters(store: Store) -> None:
    add(store, "t1")
    store.claim("w")
    store.attempt_failed("t1", "w", "ValueError: found \x00 and \ud800")
    ticket = store.require("t1")
    assert ticket.reason == "back in the queue: ValueError: found \ufffd and \ufffd"
    assert ticket.log[-1].endswith("ValueError: found \ufffd and \ufffd")
    store.save_verdicts({"k": "a reply with \x00 in it"})
    assert store.load_verdicts(["k"]) == {"k": "a reply with \ufffd in it"}


# --- contention ------------------------------------------------------------------------------------------------------


def at_once(*acts: Callable[[], Value]) -> list[Value | Exception]:
    """Starts every act at the same moment in a thread of its own; what each returned or raised, in order."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], Value]) -> Value | Exception:
        start.wait()
        try:
            return act()
        except (LeaseLost, StoreError, QuotaExceeded) as refused:
            return refused

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(run, acts))


def test_workers_that_claim_at_once_get_a_job_each(store: Store) -> None:
    for number in range(24):
        add(store, f"t{number}")

    def claim_all(worker: str) -> list[str]:
        return [job.id for job in iter(lambda: store.claim(worker), None)]

    claimed = at_once(*(lambda name=f"w{number}": claim_all(name) for number in range(6)))
    given = [ticket for one in claimed if isinstance(one, list) for ticket in one]
    assert sorted(given) == sorted(f"t{number}" for number in range(24))


def test_an_expired_job_is_given_to_one_of_the_workers_that_look_at_once(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    store.claim("silent")
    clock.now += 3 * LEASE_S
    store.claim("nobody")  # returns it; it waits a while, for the silent worker stored nothing
    clock.now += LEASE_S
    claimed = at_once(*(lambda name=f"w{number}": store.claim(name) for number in range(6)))
    assert sum(job is not None for job in claimed) == 1
    assert store.require("t1").attempts == 2


def test_a_ticket_added_several_times_at_once_is_one_submission(store: Store) -> None:
    at_once(*(lambda: add(store, "t1") for _ in range(6)))
    (ticket,) = store.tickets()
    assert len(ticket.log) == 2  # received, queued


def test_the_same_file_sent_several_times_at_once_is_one_submission(store: Store) -> None:
    def send(ticket_id: str) -> Ticket:
        return store.add(
            ticket_id=ticket_id,
            owner="local",
            role="entry",
            edition="2024",
            set_id="demonstration",
            names=Names(team="aurora"),
            file_name="aurora.json",
            data=b"{}",
            received_at=1.0,
            once=True,
        )

    said = at_once(*(lambda ticket_id=f"t{number}": send(ticket_id) for number in range(6)))
    (ticket,) = store.tickets()
    assert {one.id for one in said if isinstance(one, Ticket)} == {ticket.id}
    store.withdraw(ticket.id, "local")
    assert send("again").id == "again"


def test_a_job_that_is_finished_and_cancelled_at_once_is_one_of_the_two(store: Store) -> None:
    for number in range(10):
        ticket_id = f"t{number}"
        add(store, ticket_id)
        store.claim("w")
        finished, cancelled = at_once(
            lambda ticket_id=ticket_id: store.finish(ticket_id, "w", "{}"),  # type: ignore[misc]
            lambda ticket_id=ticket_id: store.cancel(ticket_id, "local"),  # type: ignore[misc]
        )
        if store.require(ticket_id).status is JobStatus.SCORED:
            assert isinstance(finished, float)
            assert isinstance(cancelled, StoreError)
            assert store.result(ticket_id) == "{}"
        else:
            assert store.require(ticket_id).status is JobStatus.CANCELLED
            assert isinstance(finished, LeaseLost)
            assert cancelled is None
            assert store.result(ticket_id) is None


def test_a_withdrawn_submission_is_not_put_back_into_the_queue(store: Store) -> None:
    add(store, "t1")
    store.claim("w")
    store.finish("t1", "w", "{}")
    assert store.requeue("t1", "judged again")
    assert not store.requeue("t1", "judged again", even_at_work=True)  # it is there already
    store.claim("w")
    assert not store.requeue("t1", "judged again")
    assert store.requeue("t1", "what it has read is gone", even_at_work=True)
    with pytest.raises(LeaseLost):
        store.finish("t1", "w", "{}")
    store.withdraw("t1", "local")
    assert not store.requeue("t1", "judged again")
    assert store.require("t1").status is JobStatus.WITHDRAWN


def test_verdicts_stored_at_once_in_opposite_orders_are_each_stored_once(store: Store) -> None:
    keys = [f"{number:064x}" for number in range(400)]

    def save(worker: str, ordered: list[str]) -> int:
        return sum(
            store.save_verdicts(dict.fromkeys(ordered[start : start + 100], worker)) for start in range(0, 400, 100)
        )

    new = at_once(
        lambda: save("a", keys), lambda: save("b", keys[::-1]), lambda: save("c", keys), lambda: save("d", keys[::-1])
    )
    assert sum(count for count in new if isinstance(count, int)) == 400
    assert len(store.load_verdicts(keys)) == 400


def test_a_vote_and_a_measurement_saved_several_times_at_once_are_kept_once(store: Store) -> None:
    at_once(*(lambda: store.save_vote("v1", '{"choice": "A"}') for _ in range(4)))
    at_once(*(lambda: store.save_judge_quality("ab" * 32, '{"auc": 0.5}') for _ in range(4)))
    assert store.votes() == ['{"choice": "A"}']
    assert store.judge_qualities() == ['{"auc": 0.5}']
    assert store.judge_qualities_marker() == 4


def test_signs_of_life_at_once_are_all_counted(store: Store) -> None:
    at_once(*(lambda: store.worker_seen("w", "scripted", judgements=5, judging_s=1.0) for _ in range(4)))
    assert [worker.judgements_per_s for worker in store.workers()] == [5.0]  # 20 judgements in 4 s


# --- a connection that is lost ---------------------------------------------------------------------------------------


@pytest.fixture
def lost_after_commit(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes the next commit arrive while the news of it does not."""

    def arm() -> None:
        commit = RootTransaction.commit

        def committed_but_lost(transaction: RootTransaction) -> None:
            commit(transaction)
            monkeypatch.setattr(RootTransaction, "commit", commit)
            raise OperationalError(
                "COMMIT", None, Exception("server closed the connection"), connection_invalidated=True
            )

        monkeypatch.setattr(RootTransaction, "commit", committed_but_lost)

    return arm


def test_a_claim_whose_commit_was_not_answered_is_the_same_claim(
    store: Store, lost_after_commit: Callable[[], None]
) -> None:
    add(store, "t1")
    add(store, "t2", at=2_000_000.0)
    lost_after_commit()
    job = store.claim("w")
    assert job is not None
    assert (job.id, job.claims) == ("t1", 1)
    assert store.require("t2").status is JobStatus.QUEUED


def test_a_result_whose_commit_was_not_answered_is_stored_once(
    store: Store, lost_after_commit: Callable[[], None]
) -> None:
    add(store, "t1")
    store.claim("w")
    lost_after_commit()
    recorded_at = store.finish("t1", "w", "{}")
    assert store.require("t1").status_at.timestamp() == pytest.approx(recorded_at, abs=1e-5)
    assert [line[20:] for line in store.require("t1").log][-1:] == ["scored"]
    assert store.result("t1") == "{}"


def test_an_addition_whose_commit_was_not_answered_is_one_submission(
    store: Store, lost_after_commit: Callable[[], None]
) -> None:
    lost_after_commit()
    add(store, "t1")
    assert len(store.require("t1").log) == 2


def test_an_attempt_whose_commit_was_not_answered_counts_once(
    store: Store, lost_after_commit: Callable[[], None]
) -> None:
    add(store, "t1")
    store.claim("w")
    lost_after_commit()
    with pytest.raises(LeaseLost):  # it is no longer this worker's: the first try took effect
        store.attempt_failed("t1", "w", "disk full")
    assert [line[20:] for line in store.require("t1").log][-1:] == ["back in the queue: disk full"]


def test_what_may_not_be_done_twice_says_that_it_may_have_been_done(
    store: Store, lost_after_commit: Callable[[], None]
) -> None:
    add(store, "t1")
    lost_after_commit()
    with pytest.raises(StoreUnavailable, match="look whether it took effect"):
        store.cancel("t1", "local")
    assert store.require("t1").status is JobStatus.CANCELLED


# --- PostgreSQL alone ------------------------------------------------------------------------------------------------


@pytest.fixture
def on_postgresql(postgresql: PostgreSQLServer) -> Iterator[Store]:
    opened = Store.open(postgresql.new_database(), lease_s=LEASE_S)
    yield opened
    opened.close()


def test_a_change_that_is_committed_late_is_not_hidden_by_an_earlier_commit(on_postgresql: Store) -> None:
    store = on_postgresql
    add(store, "late")
    with store._write() as transaction:
        log_event(transaction, "late", JobStatus.QUEUED, "said first, committed last")
        add(store, "early")
        seen = store.change_marker()
        assert len(store.require("late").log) == 2
    assert store.change_marker() > seen
    assert len(store.require("late").log) == 3


def test_a_connection_that_breaks_within_a_transaction_costs_a_second_try_and_nothing_else(
    on_postgresql: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = on_postgresql
    add(store, "t1")
    tries = []

    def breaks_once(transaction: Transaction, *said: object, **more: object) -> None:
        tries.append(said)
        if len(tries) == 1:
            transaction.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        log_event(transaction, *said, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("submissions.store.claims.log_event", breaks_once)
    job = store.claim("w")
    assert job is not None
    assert job.claims == 1
    assert len(tries) == 2


def test_a_server_that_stays_away_is_reported_after_some_patience(
    postgresql: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.store.database.RECONNECT_PATIENCE_S", 0.2)
    nowhere = postgresql.folder / "nowhere"
    with pytest.raises(StoreUnavailable, match="the database does not answer: "):
        Store.open(f"postgresql://anna:secret@/x?host={nowhere}")


@pytest.mark.parametrize("unknown", ["database", "username"])
def test_a_database_or_user_the_server_does_not_know_is_one_sentence(
    postgresql: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch, unknown: str
) -> None:
    monkeypatch.setattr("submissions.store.database.RECONNECT_PATIENCE_S", 0.2)
    known = make_url(postgresql.new_database())
    url = known.set(database="nobodys") if unknown == "database" else known.set(username="nobodys")
    with pytest.raises(StoreUnavailable, match=r"the database does not answer: .*nobodys.* does not exist") as refused:
        Store.open(url.render_as_string(hide_password=False))
    assert "\n" not in str(refused.value)


def test_a_table_that_is_missing_is_damage_with_the_way_out(on_postgresql: Store) -> None:
    with on_postgresql._write() as transaction:
        transaction.connection.exec_driver_sql("DROP TABLE results")
    said = r"the PostgreSQL database \w+ is damaged .*results.*: make an empty one, let PLUMBLINE_DATABASE_URL name it"
    with pytest.raises(StoreDamaged, match=said) as damage:
        on_postgresql.results()
    assert "\n" not in str(damage.value)
    with pytest.raises(StoreDamaged, match="it lacks the table results"):
        on_postgresql._migrate()


def test_a_frozen_process_does_not_keep_its_job_for_ever(on_postgresql: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.store.database.IDLE_IN_TRANSACTION_S", 5)
    store = on_postgresql
    add(store, "t1")
    with ExitStack() as stopped:
        # The transaction of a process that was stopped (SIGSTOP) after it locked the next job.
        frozen = stopped.enter_context(store._write())
        frozen.execute(select(jobs).with_for_update())
        assert store.claim("w") is None
        deadline = time.monotonic() + 60
        while (job := store.claim("w")) is None and time.monotonic() < deadline:
            time.sleep(0.2)
        assert job is not None
        with pytest.raises(DBAPIError):
            frozen.execute(select(jobs))
        stopped.pop_all()  # nothing is left to commit


def test_machines_whose_clocks_differ_agree_on_when_a_lease_ends(
    on_postgresql: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(on_postgresql, "t1")
    on_postgresql.claim("w")
    real = time.time
    monkeypatch.setattr("time.time", lambda: real() + 10 * LEASE_S)
    assert on_postgresql.claim("on a machine that is ten minutes fast") is None


def test_a_database_that_is_not_in_utf8_is_refused_with_the_way_out(postgresql: PostgreSQLServer) -> None:
    with pytest.raises(StoreError, match="encoded in SQL_ASCII, expected UTF8: make one with `createdb"):
        Store.open(postgresql.new_database("SQL_ASCII"))


def test_after_the_clock_went_back_the_job_of_a_dead_worker_is_taken_over(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    store.claim("w")
    clock.now -= 3600.0
    assert store.claim("x") is None  # counted as an attempt that came to nothing: the job waits a moment
    clock.now += LEASE_S
    job = store.claim("x")
    assert job is not None
    assert job.id == "t1"


def test_after_the_clock_went_back_a_job_that_was_to_wait_is_due(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    store.claim("w")
    store.attempt_failed("t1", "w", "OSError: disk full")
    assert store.claim("w") is None
    clock.now -= 3600.0
    assert store.claim("w") is not None


# Quotas: counted in the store, for all page servers together

DAY_S = 24 * 3600.0
THREE_A_DAY = Quotas(submissions_per_day=3)
ONE_AT_A_TIME = Quotas(active_runs=1)


def send(
    store: Store, ticket_id: str, *, at: float, quotas: Quotas, owner: str = "anna", role: Role = "entry"
) -> Ticket:
    return store.add(
        ticket_id=ticket_id,
        owner=owner,
        role=role,
        edition="2024",
        set_id="demonstration",
        names=Names(team="aurora", system=ticket_id),
        file_name="aurora.json",
        data=b"{}",
        received_at=at,
        once=True,
        quotas=quotas,
    )


def test_the_day_of_an_owner_is_used_up_and_frees_when_its_first_submission_is_a_day_old(
    store: Store, clock: FakeClock
) -> None:
    # 1,000,000 s after the epoch is 1970-01-12 13:46:40 UTC; a day later the first one's place is free.
    for number in range(3):
        send(store, f"t{number}", at=clock.now + number, quotas=THREE_A_DAY)
    clock.now += 3600.0
    with pytest.raises(QuotaExceeded) as refused:
        send(store, "t3", at=clock.now, quotas=THREE_A_DAY)
    assert str(refused.value) == (
        "You have submitted 3 runs within 24 hours, not counting failed and cancelled ones, and the limit is 3. "
        "The next one is free at 1970-01-13 13:47 UTC."
    )
    assert store.ticket("t3") is None
    send(store, "b0", at=clock.now, quotas=THREE_A_DAY, owner="ben")
    clock.now = 1_000_000.0 + DAY_S
    send(store, "t3", at=clock.now, quotas=THREE_A_DAY)
    with pytest.raises(QuotaExceeded):
        send(store, "t4", at=clock.now, quotas=THREE_A_DAY)


def test_of_more_submissions_than_a_lowered_limit_the_one_that_must_grow_old_is_named(
    store: Store, clock: FakeClock
) -> None:
    for number in range(5):
        send(store, f"t{number}", at=clock.now + 60.0 * number, quotas=NO_QUOTAS)
    clock.now += 3600.0
    # Of five where three are allowed, the third must be a day old: 13:46:40 + 2 min = 13:48:40, so 13:49.
    refusal = store.quota_use("anna").refusal(THREE_A_DAY)
    assert refusal is not None
    assert refusal.endswith("The next one is free at 1970-01-13 13:49 UTC.")


def test_failed_and_cancelled_runs_cost_no_quota_and_withdrawn_ones_do(store: Store, clock: FakeClock) -> None:
    for ticket_id in ("failed", "cancelled", "withdrawn"):
        send(store, ticket_id, at=clock.now, quotas=THREE_A_DAY)
    store.cancel("cancelled", "anna")
    store.withdraw("withdrawn", "anna")
    job = store.claim("w")
    assert job is not None
    store.fail(job.id, "w", "it cannot be read")
    assert len(store.quota_use("anna").received_at) == 1
    send(store, "again", at=clock.now, quotas=Quotas(submissions_per_day=2))
    with pytest.raises(QuotaExceeded):
        send(store, "once more", at=clock.now, quotas=Quotas(submissions_per_day=2))


def test_one_run_at_a_time_until_it_is_scored_fails_or_is_cancelled(store: Store, clock: FakeClock) -> None:
    send(store, "t1", at=clock.now, quotas=ONE_AT_A_TIME)
    with pytest.raises(QuotaExceeded, match=r"1 run in the queue or at work, .* when ticket t1 \(queued\) is scored"):
        send(store, "t2", at=clock.now, quotas=ONE_AT_A_TIME)
    store.claim("w")
    with pytest.raises(QuotaExceeded, match=r"ticket t1 \(running\)"):
        send(store, "t2", at=clock.now, quotas=ONE_AT_A_TIME)
    store.finish("t1", "w", "{}")
    send(store, "t2", at=clock.now, quotas=ONE_AT_A_TIME)
    store.cancel("t2", "anna")
    send(store, "t3", at=clock.now, quotas=ONE_AT_A_TIME)


def test_our_own_rows_and_a_file_sent_again_cost_no_quota(store: Store, clock: FakeClock) -> None:
    send(store, "null", at=clock.now, quotas=NO_QUOTAS, role="baseline")
    send(store, "t1", at=clock.now, quotas=ONE_AT_A_TIME)
    assert send(store, "t1", at=clock.now, quotas=ONE_AT_A_TIME).id == "t1"


def test_the_files_of_one_run_in_several_languages_count_as_one_run(store: Store, clock: FakeClock) -> None:
    def language(number: int, run: str) -> Ticket:
        return store.add(
            ticket_id=f"{run}-{number}",
            owner="anna",
            role="entry",
            edition="2025",
            set_id="eloquent-2025",
            names=Names(team="aurora", system="keel", run=run),
            file_name=f"{number}.json",
            data=f"{run} {number}".encode(),
            received_at=clock.now + number,
            quotas=Quotas(submissions_per_day=2, active_runs=1),
        )

    for number in range(30):
        language(number, "a")
    assert len(store.quota_use("anna").received_at) == 1
    with pytest.raises(QuotaExceeded, match=r"You have 1 run in the queue"):
        language(30, "a")  # no run has so many files
    with pytest.raises(QuotaExceeded, match=r"You have 1 run in the queue"):
        language(0, "b")
    for number in range(30):
        store.cancel(f"a-{number}", "anna")
    language(0, "b")


def test_files_sent_at_once_from_several_page_servers_stay_within_the_quota(database_url: str) -> None:
    stores = [Store.open(database_url) for _ in range(6)]
    now = time.time()

    def sent(number: int) -> Callable[[], object]:
        return lambda: send(stores[number], f"t{number}", at=now, quotas=Quotas(submissions_per_day=2))

    said = at_once(*(sent(number) for number in range(6)))
    assert sum(isinstance(one, Ticket) for one in said) == 2
    assert sum(isinstance(one, QuotaExceeded) for one in said) == 4
    assert len(stores[0].tickets()) == 2
    for store in stores:
        store.close()


def test_runs_of_the_lab_are_counted_by_the_hour_and_one_at_a_time(store: Store, clock: FakeClock) -> None:
    store.begin_lab_run("r1", "anna", per_hour=2)
    with pytest.raises(QuotaExceeded, match="already have a run"):
        store.begin_lab_run("r2", "anna", per_hour=2)
    store.begin_lab_run("r1", "anna", per_hour=2)  # the same one goes on
    store.begin_lab_run("b1", "ben", per_hour=2)
    store.end_lab_run("r1", is_counted=True)
    clock.now += 600.0
    store.begin_lab_run("r2", "anna", per_hour=2)
    store.end_lab_run("r2", is_counted=True)
    assert store.lab_runs_started("anna") == 2
    with pytest.raises(
        QuotaExceeded, match=r"2 runs within an hour, .* the limit is 2; the next one is free in 50 min"
    ):
        store.begin_lab_run("r3", "anna", per_hour=2)  # the first one grows an hour old 3,000 s from now
    store.begin_lab_run("r3", "anna", per_hour=0)
    store.end_lab_run("r3", is_counted=False)
    clock.now += 3000.0
    assert store.lab_runs_started("anna") == 1
    store.begin_lab_run("r4", "anna", per_hour=2)


def test_an_address_has_runs_of_several_people_at_once(store: Store) -> None:
    for number in range(3):
        store.begin_lab_run(f"r{number}", "address", per_hour=60, at_once=3)
    with pytest.raises(QuotaExceeded, match="Your network address already has 3 runs here"):
        store.begin_lab_run("r3", "address", per_hour=60, at_once=3)
    store.end_lab_run("r0", is_counted=True)
    store.begin_lab_run("r3", "address", per_hour=60, at_once=3)


def test_cancelled_lab_runs_and_those_of_a_dead_page_server_cost_nothing(store: Store, clock: FakeClock) -> None:
    for number in range(5):
        store.begin_lab_run(f"r{number}", "anna", per_hour=1)
        store.end_lab_run(f"r{number}", is_counted=False)
    store.begin_lab_run("died", "anna", per_hour=1)
    clock.now += LAB_LEASE_S
    store.begin_lab_run("next", "anna", per_hour=1)


def test_lab_runs_begun_at_once_on_several_page_servers_are_one(database_url: str) -> None:
    stores = [Store.open(database_url) for _ in range(4)]

    def begun(number: int) -> Callable[[], object]:
        return lambda: stores[number].begin_lab_run(f"r{number}", "anna", per_hour=20)

    said = at_once(*(begun(number) for number in range(4)))
    assert sum(one is None for one in said) == 1
    assert sum(isinstance(one, QuotaExceeded) for one in said) == 3
    for store in stores:
        store.close()


# Acts of organisers and owners


def scored(store: Store, ticket_id: str, *, at: float = 1_000_000.0, owner: str = "anna", system: str = "keel") -> None:
    store.add(
        ticket_id=ticket_id,
        owner=owner,
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(team="aurora", system=system),
        file_name="aurora.json",
        data=ticket_id.encode(),
        received_at=at,
    )
    job = store.claim("w")
    assert job is not None
    store.finish(job.id, "w", "{}")


def test_a_paused_queue_begins_no_run_and_lets_those_at_work_end(store: Store) -> None:
    add(store, "t1", at=1.0)
    add(store, "t2", at=2.0)
    store.claim("w")
    pause = store.act("pause", QUEUE, actor="olga", reason="the judge is replaced")
    assert store.pause() == pause
    assert store.claim("x") is None
    store.finish("t1", "w", "{}")
    with pytest.raises(StoreError, match="paused already"):
        store.act("pause", QUEUE, actor="olga", reason="again")
    store.act("resume", QUEUE, actor="olga", reason="done")
    assert store.pause() is None
    job = store.claim("x")
    assert job is not None
    assert job.id == "t2"
    with pytest.raises(StoreError, match="not paused"):
        store.act("resume", QUEUE, actor="olga", reason="again")


def test_a_hidden_run_says_why_until_it_is_shown_again(store: Store) -> None:
    scored(store, "t1")
    marker = store.change_marker()
    store.act("hide", "t1", actor="olga", reason="it quotes another team")
    ticket = store.require("t1")
    assert (ticket.hidden, ticket.is_on_boards) == ("it quotes another team", False)
    assert ticket.log[-1].endswith("hidden from the boards: it quotes another team")
    assert store.change_marker() > marker
    with pytest.raises(StoreError, match="hidden already"):
        store.act("hide", "t1", actor="olga", reason="again")
    with pytest.raises(StoreError, match="is hidden: it cannot be the run that is ranked"):
        store.act("primary", "t1", actor="anna", owner="anna")
    store.act("show", "t1", actor="olga", reason="settled")
    assert store.require("t1").is_on_boards


def test_a_system_has_one_primary_run_and_other_systems_keep_theirs(store: Store) -> None:
    for number, (owner, system) in enumerate([("anna", "keel"), ("anna", "keel"), ("anna", "tide"), ("ben", "keel")]):
        scored(store, f"t{number}", at=1_000_000.0 + number, owner=owner, system=system)
    for ticket_id, owner in (("t0", "anna"), ("t2", "anna"), ("t3", "ben"), ("t1", "anna")):
        store.act("primary", ticket_id, actor=owner, owner=owner)
    assert [one.id for one in store.tickets() if one.is_primary] == ["t3", "t2", "t1"]
    assert store.attempts("t0") == store.attempts("t1") == ["t0", "t1"]
    store.act("latest", "t1", actor="anna", owner="anna")
    assert [one.id for one in store.tickets() if one.is_primary] == ["t3", "t2"]


def test_of_several_runs_chosen_at_once_one_is_primary(store: Store) -> None:
    for number in range(6):
        scored(store, f"t{number}", at=1_000_000.0 + number)
    for _ in range(5):
        said = at_once(
            *(
                lambda ticket_id=f"t{number}": store.act("primary", ticket_id, actor="anna", owner="anna")
                for number in range(6)
            )
        )
        chosen = [one for one in said if isinstance(one, Act)]
        assert len(chosen) >= 5  # the one that was primary before may be told so
        assert sum(one.is_primary for one in store.tickets()) == 1


@pytest.mark.parametrize("kind", ["rerun", "primary", "latest", "hide"])
def test_nobody_acts_on_the_run_of_another_owner(store: Store, kind: ActKind) -> None:
    scored(store, "t1", owner="anna")
    before = store.require("t1")
    with pytest.raises(NotYours):
        store.act(kind, "t1", actor="ben", owner="ben")
    with pytest.raises(StoreError, match="no submission has the ticket"):
        store.act(kind, "t9", actor="ben", owner="ben")
    assert store.require("t1") == before
    assert store.acts() == []


def test_organisers_have_a_scored_run_judged_again_and_owners_a_failed_one_within_their_quota(
    store: Store, clock: FakeClock
) -> None:
    scored(store, "t1")
    with pytest.raises(StoreError, match="is scored: it cannot be judged again"):
        store.act("rerun", "t1", actor="anna", owner="anna")
    store.act("rerun", "t1", actor="olga", reason="another judge")
    job = store.claim("w")
    assert job is not None
    store.fail(job.id, "w", "out of memory")
    send(store, "t2", at=clock.now, quotas=ONE_AT_A_TIME)
    with pytest.raises(QuotaExceeded):
        store.act("rerun", "t1", actor="anna", owner="anna", quotas=ONE_AT_A_TIME)
    store.cancel("t2", "anna")
    store.act("rerun", "t1", actor="anna", owner="anna", quotas=ONE_AT_A_TIME)
    assert store.require("t1").status is JobStatus.QUEUED


def test_acts_on_one_thing_stay_in_order_when_the_clock_goes_back(store: Store, clock: FakeClock) -> None:
    store.act("pause", QUEUE, actor="olga", reason="1")
    clock.now -= 3600.0
    store.act("resume", QUEUE, actor="olga", reason="2")
    assert store.pause() is None
    assert [act.reason for act in store.acts()] == ["2", "1"]
    assert [act.reason for act in store.acts(newest=1)] == ["2"]


def test_organisers_who_pause_at_once_pause_once(store: Store) -> None:
    said = at_once(*(lambda: store.act("pause", QUEUE, actor="olga", reason="because") for _ in range(6)))
    assert sum(isinstance(one, Act) for one in said) == 1
    assert sum(isinstance(one, StoreError) for one in said) == 5
    assert len(store.acts()) == 1


def test_an_owner_is_called_what_the_account_was_called_last(store: Store) -> None:
    for number, name in enumerate(("anna", "anna2", "")):
        store.add(
            ticket_id=f"t{number}",
            owner="subject",
            owner_name=name,
            role="entry",
            edition="2024",
            set_id="demonstration",
            names=Names(),
            file_name="a.json",
            data=b"{}",
            received_at=float(number),
        )
    assert {one.owner_name for one in store.tickets()} == {"anna2"}


def test_the_files_of_a_run_are_told_by_all_of_its_names_also_by_those_nobody_stated(store: Store) -> None:
    runs = {"en": None, "fi": None, "other": "2"}
    for number, (ticket_id, run) in enumerate(runs.items()):
        store.add(
            ticket_id=ticket_id,
            owner="anna",
            role="entry",
            edition="2025",
            set_id="eloquent-2025",
            names=Names(team="aurora", run=run),
            file_name=f"{ticket_id}.json",
            data=ticket_id.encode(),
            received_at=float(number),
        )
    assert [one.ticket_id for one in store.run_files("fi")] == ["en", "fi"]
    assert [one.ticket_id for one in store.run_files("other")] == ["other"]
    store.withdraw("en", "anna")
    assert [one.ticket_id for one in store.run_files("fi")] == ["fi"]


# --- votes on verdicts -----------------------------------------------------------------------------------------------


def judged(verdict: str = "v1", *, reading: Reading = "same") -> JudgedPair:
    return JudgedPair(verdict, "judge", "embedding", reading, 4.2, "demonstration 901", "t1")


def stances(store: Store, person: str, verdicts: list[str]) -> dict[str, Stance]:
    return {verdict: vote.stance for verdict, vote in store.votes_of(person, verdicts).items()}


def test_a_person_has_one_vote_on_a_verdict_and_the_last_one_holds(store: Store, clock: FakeClock) -> None:
    store.cast_vote("anna", judged(), "agree")
    clock.now += 10
    store.cast_vote("anna", judged(), "disagree")
    store.cast_vote("ben", judged(), "agree")
    assert [(vote.person, vote.stance, vote.reading) for vote in store.verdict_votes()] == [
        ("anna", "disagree", "different"),
        ("ben", "agree", "same"),
    ]
    assert stances(store, "anna", ["v1", "v2"]) == {"v1": "disagree"}
    assert stances(store, "ben", ["v1"]) == {"v1": "agree"}


def test_a_vote_is_taken_back_and_the_record_keeps_that(store: Store) -> None:
    assert store.cast_vote("anna", judged(), "none") is None
    assert store.verdict_votes() == []
    store.cast_vote("anna", judged(reading="different"), "disagree")
    taken_back = store.cast_vote("anna", judged(reading="different"), "none")
    assert taken_back is not None
    assert (taken_back.stance, taken_back.reading) == ("none", None)
    assert stances(store, "anna", ["v1"]) == {}
    assert store.verdict_votes() == [taken_back]


def test_the_same_vote_again_changes_nothing(store: Store, clock: FakeClock) -> None:
    first = store.cast_vote("anna", judged(), "agree", is_own=True)
    marker, changes = store.verdict_votes_marker(), store.change_marker()
    clock.now += 10
    assert store.cast_vote("anna", judged(), "agree", is_own=True) == first
    assert store.verdict_votes_marker() == marker
    store.cast_vote("anna", judged(), "none")
    assert store.verdict_votes_marker() == marker + 1
    assert store.change_marker() == changes  # no board is computed anew for a vote


def test_the_same_stance_on_another_word_of_the_judge_is_another_vote(store: Store, clock: FakeClock) -> None:
    store.cast_vote("anna", judged(reading="same"), "agree")
    clock.now += 10
    store.cast_vote("anna", judged(reading="different"), "agree")  # it was asked again, and says something else
    assert [vote.reading for vote in store.verdict_votes()] == ["different"]


def test_a_vote_is_later_than_the_one_it_replaces_whatever_the_clock_does(store: Store, clock: FakeClock) -> None:
    first = store.cast_vote("anna", judged(), "agree")
    clock.now -= 3600
    second = store.cast_vote("anna", judged(), "disagree")
    assert first is not None
    assert second is not None
    assert second.at > first.at


def test_votes_within_a_day_are_bounded_and_taking_back_is_free(store: Store, clock: FakeClock) -> None:
    for verdict, stance in (("v1", "agree"), ("v2", "agree"), ("v1", "disagree")):
        store.cast_vote("anna", judged(verdict), cast(Stance, stance), per_day=3)
    with pytest.raises(QuotaExceeded, match="You have voted 3 times within 24 hours, and the limit is 3"):
        store.cast_vote("anna", judged("v3"), "agree", per_day=3)
    store.cast_vote("ben", judged("v3"), "agree", per_day=3)
    store.cast_vote("anna", judged("v2"), "none", per_day=3)
    assert stances(store, "anna", ["v1", "v2", "v3"]) == {"v1": "disagree"}
    clock.now += 24 * 3600 + 1
    store.cast_vote("anna", judged("v3"), "agree", per_day=3)
    assert stances(store, "anna", ["v3"]) == {"v3": "agree"}


def test_of_two_records_of_a_vote_the_later_one_is_restored_in_whatever_order(store: Store, clock: FakeClock) -> None:
    first = store.cast_vote("anna", judged(), "agree")
    clock.now += 1
    second = store.cast_vote("anna", judged(), "none")
    assert first is not None
    assert second is not None
    marker = store.verdict_votes_marker()
    for record in (second, first, second):
        store.restore_vote(record)
    assert store.verdict_votes() == [second]
    assert store.verdict_votes_marker() == marker
    later = replace(first, at=second.at + timedelta(seconds=1))
    store.restore_vote(later)
    assert store.verdict_votes() == [later]


def test_people_who_vote_at_once_all_have_their_vote(store: Store) -> None:
    def vote(number: int) -> None:
        store.cast_vote(f"person {number % 4}", judged(f"v{number // 4}"), "agree", per_day=100)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(vote, range(24)))
    assert len({(one.person, one.pair.verdict) for one in store.verdict_votes()}) == 24
