"""The store: claims, leases, attempts, ends, verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from submissions.queue import JobStatus, LeaseLost, NotYours, Role
from submissions.schema import Names
from submissions.store import Store, StoreError

LEASE_S = 60.0


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
def store(tmp_path: Path, clock: FakeClock) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", lease_s=LEASE_S, max_attempts=3, clock=clock)
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


def test_without_a_limit_a_job_is_tried_for_ever(tmp_path: Path, clock: FakeClock) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'x.db'}", lease_s=1.0, max_attempts=0, clock=clock)
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


def test_a_database_of_another_schema_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'old.db'}"
    store = Store.open(url)
    with store._engine.begin() as connection:
        connection.execute(text("UPDATE schema_info SET version = 0"))
    store.close()
    with pytest.raises(StoreError, match="rebuild"):
        Store.open(url)


def test_a_write_is_flushed_to_disk_and_readers_do_not_wait(store: Store) -> None:
    with store._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL


def test_the_newest_measurement_of_a_judge_is_kept_and_moves_the_marker(store: Store, clock: FakeClock) -> None:
    assert (store.judge_qualities(), store.judge_qualities_marker()) == ([], 0.0)
    store.save_judge_quality("ab" * 32, '{"auc": 0.5}')
    first = store.judge_qualities_marker()
    clock.now += 1
    store.save_judge_quality("ab" * 32, '{"auc": 0.8}')
    store.save_judge_quality("cd" * 32, '{"auc": 0.6}')
    assert store.judge_qualities() == ['{"auc": 0.8}', '{"auc": 0.6}']
    assert store.judge_qualities_marker() > first
