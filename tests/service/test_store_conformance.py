"""The store on both databases: claims, leases, attempts, ends, chunks, verdicts; alone and under contention."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TypeVar

import pytest
from sqlalchemy import select, text
from sqlalchemy.engine.base import RootTransaction
from sqlalchemy.exc import DBAPIError, OperationalError

from benchmarks.postgresql import PostgreSQLServer
from submissions.database import Transaction
from submissions.queue import Chunk, JobStatus, LeaseLost, NotYours, Role, Ticket
from submissions.rows import log_event
from submissions.schema import Names
from submissions.store import Store, StoreError, StoreUnavailable
from submissions.tables import jobs

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


def test_positions_count_from_one_over_what_waits(store: Store) -> None:
    add(store, "a", at=1.0)
    add(store, "b", at=2.0)
    add(store, "c", at=3.0)
    store.claim("w")
    assert [(ticket.id, ticket.position) for ticket in store.tickets()] == [("c", 2), ("b", 1), ("a", None)]


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
        except (LeaseLost, StoreError) as refused:
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
    assert not store.requeue("t1", "judged again")  # it is there already
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


# --- a submission that several workers share -------------------------------------------------------------------------

CALL, JUDGE = "c" * 64, "j" * 64


def shared(store: Store, ticket_id: str = "t1", parts: int = 3) -> None:
    """A job held by `holder` with chunks of ten questions each, none judged."""
    add(store, ticket_id)
    assert store.claim("holder") is not None
    store.progress(ticket_id, "holder", judged=0, to_judge=10 * parts, newly_stored=0)
    store.open_chunks(
        ticket_id,
        "holder",
        judge=JUDGE,
        call=CALL,
        parts=[Chunk(10 * part, 10 * part + 10, 10) for part in range(parts)],
    )


def test_holder_and_helpers_get_different_chunks_in_order(store: Store) -> None:
    shared(store)
    assert store.lease_chunk("t1", "holder", CALL) == Chunk(0, 10, 10)
    assert store.lease_chunk_to_help("t1", "helper", CALL) == Chunk(10, 20, 10)
    assert store.lease_chunk_to_help("t1", "other", CALL) == Chunk(20, 30, 10)
    assert store.lease_chunk("t1", "holder", CALL) == Chunk(0, 10, 10)  # the one it has not finished
    assert store.chunks_left("t1", CALL) == 3


def test_chunks_leased_at_once_are_given_to_one_worker_each(store: Store) -> None:
    shared(store, parts=6)
    leased = at_once(*(lambda name=f"w{number}": store.lease_chunk_to_help("t1", name, CALL) for number in range(8)))
    given = [chunk.start for chunk in leased if isinstance(chunk, Chunk)]
    assert sorted(given) == [0, 10, 20, 30, 40, 50]


def test_a_finished_chunk_counts_for_the_job_and_is_off_the_list(store: Store) -> None:
    shared(store)
    chunk = store.lease_chunk_to_help("t1", "helper", CALL)
    assert chunk is not None
    store.save_verdicts({"k0": "known before"})
    assert store.finish_chunk("t1", "helper", CALL, chunk, {"k0": "late", "k1": "new"}) == 1
    assert (store.require("t1").judged, store.require("t1").to_judge) == (10, 30)
    assert store.chunks_left("t1", CALL) == 2
    assert store.load_verdicts(["k0", "k1"]) == {"k0": "known before", "k1": "new"}
    store.finish_chunk("t1", "helper", CALL, chunk, {"k1": "again"})
    assert store.require("t1").judged == 10


def test_what_was_judged_of_a_job_that_ended_meanwhile_is_kept_but_not_counted(store: Store) -> None:
    shared(store)
    chunk = store.lease_chunk_to_help("t1", "helper", CALL)
    assert chunk is not None
    store.cancel("t1", "local")
    assert store.finish_chunk("t1", "helper", CALL, chunk, {"k1": "new"}) == 1
    assert store.require("t1").judged == 0
    assert store.lease_chunk_to_help("t1", "helper", CALL) is None
    with pytest.raises(LeaseLost):
        store.lease_chunk("t1", "holder", CALL)


def test_a_silent_helpers_chunk_goes_to_the_jobs_worker_and_to_no_other_helper(store: Store, clock: FakeClock) -> None:
    shared(store, parts=1)
    assert store.lease_chunk_to_help("t1", "silent", CALL) is not None
    assert store.lease_chunk("t1", "holder", CALL) is None
    clock.now += LEASE_S - 1
    store.heartbeat("t1", "holder")
    clock.now += 2
    assert store.lease_chunk_to_help("t1", "other", CALL) is None
    assert store.lease_chunk("t1", "holder", CALL) == Chunk(0, 10, 10)


def test_a_helper_that_is_heard_of_keeps_its_chunk_and_a_dead_one_loses_it_at_once(
    store: Store, clock: FakeClock
) -> None:
    shared(store, parts=1)
    store.lease_chunk_to_help("t1", "helper", CALL)
    for _ in range(3):
        clock.now += LEASE_S - 1
        store.heartbeat("t1", "holder")
        store.renew_chunks("helper")
    assert store.lease_chunk("t1", "holder", CALL) is None
    assert store.release_worker("helper")
    assert store.lease_chunk("t1", "holder", CALL) is not None


def test_only_workers_with_the_same_judge_are_shown_a_job_to_help_with(store: Store) -> None:
    shared(store, parts=1)
    found = store.job_to_help("helper", [JUDGE, "other"])
    assert found is not None
    assert (found.id, found.claims, found.names.system) == ("t1", 1, "t1")
    assert store.job_to_help("helper", ["other"]) is None
    assert store.job_to_help("holder", [JUDGE]) is None
    assert store.job_to_help("helper", [JUDGE], skipped=["t1"]) is None
    store.lease_chunk_to_help("t1", "helper", CALL)
    assert store.job_to_help("another", [JUDGE]) is None  # no chunk is free


def test_nobody_waits_while_workers_help(store: Store) -> None:
    shared(store)
    add(store, "small")
    assert store.lease_chunk_to_help("t1", "helper", CALL) is None
    assert store.lease_chunk("t1", "holder", CALL) is not None
    assert store.claim("helper") is not None
    assert store.lease_chunk_to_help("t1", "another", CALL) is not None


@pytest.mark.parametrize("end", ["finish", "withdraw", "release", "attempt_failed", "expiry"])
def test_a_job_that_ends_or_changes_hands_leaves_no_chunks(store: Store, clock: FakeClock, end: str) -> None:
    shared(store)
    acts: dict[str, Callable[[], object]] = {
        "finish": lambda: store.finish("t1", "holder", "{}"),
        "withdraw": lambda: store.withdraw("t1", "local"),
        "release": lambda: store.release("t1", "holder"),
        "attempt_failed": lambda: store.attempt_failed("t1", "holder", "disk full"),
        "expiry": lambda: store.claim("other"),
    }
    if end == "expiry":
        clock.now += LEASE_S + 1
    acts[end]()
    assert store.chunks_left("t1", CALL) == 0


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

    monkeypatch.setattr("submissions.claims.log_event", breaks_once)
    job = store.claim("w")
    assert job is not None
    assert job.claims == 1
    assert len(tries) == 2


def test_a_server_that_stays_away_is_reported_after_some_patience(
    postgresql: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.database.RECONNECT_PATIENCE_S", 0.2)
    nowhere = postgresql.folder / "nowhere"
    with pytest.raises(StoreUnavailable, match="the database does not answer: "):
        Store.open(f"postgresql://anna:secret@/x?host={nowhere}")


def test_a_frozen_process_does_not_keep_its_job_for_ever(on_postgresql: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.database.IDLE_IN_TRANSACTION_S", 5)
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
