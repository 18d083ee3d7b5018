"""Notices of ended jobs on both databases: written with the end, sent by one, tried again, given up, erased."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from submissions.schema import Names
from submissions.store.database import opened_engine
from submissions.store.notices import MOST_TRIES, PAUSES_S, SENDING_S, Notice, Webhook
from submissions.store.queue import JobStatus, LeaseLost
from submissions.store.store import Store

HOOK = Webhook("https://hooks.example.org/T0-address", "the-secret")
REFUSED = "it answered 500"


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
    opened = Store.open(database_url, max_attempts=2, clock=clock)
    yield opened
    opened.close()


def add(store: Store, ticket_id: str, webhook: Webhook | None = HOOK) -> None:
    store.add(
        ticket_id=ticket_id,
        owner="anna",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(system="Aurora"),
        file_name="a.json",
        data=ticket_id.encode(),
        received_at=1_000_000.0,
        webhook=webhook,
    )


def taken(store: Store) -> Notice:
    notice = store.take_notice()
    assert notice is not None
    return notice


def test_whoever_gave_a_webhook_is_to_be_told_that_it_is_scored(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    add(store, "t2", None)
    assert store.take_notice() is None  # nothing has ended
    for _ in range(2):
        job = store.claim("w")
        assert job is not None
        clock.now += 5
        store.finish(job.id, "w", "{}")
    notice = taken(store)
    assert (notice.ticket_id, notice.status, notice.webhook) == ("t1", JobStatus.SCORED, HOOK)
    assert notice.at.timestamp() == 1_000_005.0
    store.notice_sent(notice.id)
    assert store.take_notice() is None


def test_every_way_in_which_a_job_ends_is_told(store: Store) -> None:
    for ticket_id in ("failed", "gone", "cancelled", "withdrawn"):
        add(store, ticket_id)
    told: dict[str, JobStatus] = {}

    def look() -> None:
        while (notice := store.take_notice()) is not None:
            told[notice.ticket_id] = notice.status
            store.notice_sent(notice.id)

    store.cancel("cancelled", "anna")
    store.withdraw("withdrawn", "anna")
    look()
    assert told == {"cancelled": JobStatus.CANCELLED, "withdrawn": JobStatus.WITHDRAWN}
    job = store.claim("w")
    assert job is not None
    store.fail(job.id, "w", "no answer of it can be judged")
    look()
    assert len(told) == 3
    last = store.claim("w")
    assert last is not None
    assert store.fail_claim(last.id, last.claims, "stood still")
    look()
    assert told.keys() == {"failed", "gone", "cancelled", "withdrawn"}
    assert told["failed"] is told["gone"] is JobStatus.FAILED


def test_a_job_that_goes_back_to_the_queue_has_not_ended(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    assert store.claim("w") is not None
    store.attempt_failed("t1", "w", "out of memory")  # the first of two
    assert store.take_notice() is None
    clock.now += 60
    assert store.claim("w") is not None
    store.attempt_failed("t1", "w", "out of memory")
    assert taken(store).status is JobStatus.FAILED  # for good


def test_an_end_that_was_not_kept_leaves_no_notice(store: Store) -> None:
    add(store, "t1")
    assert store.claim("w") is not None
    with pytest.raises(LeaseLost):
        store.finish("t1", "another", "{}")
    assert store.take_notice() is None


def test_a_run_that_is_judged_again_is_told_again(store: Store) -> None:
    add(store, "t1")
    for _ in range(2):
        assert store.claim("w") is not None
        store.finish("t1", "w", "{}")
        store.notice_sent(taken(store).id)
        assert store.requeue("t1", "judged again")
    assert store.take_notice() is None


def test_of_several_senders_only_one_has_a_notice(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    store.cancel("t1", "anna")
    first = taken(store)
    assert store.take_notice() is None
    clock.now += SENDING_S  # the first one died
    assert taken(store).id == first.id


def test_a_team_that_cannot_be_told_is_tried_five_times_with_growing_pauses(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    store.cancel("t1", "anna")
    log = store.require("t1").log
    for pause_s in PAUSES_S:
        store.notice_failed(taken(store).id, REFUSED)
        clock.now += pause_s - 1
        assert store.take_notice() is None
        clock.now += 1
    assert store.require("t1").log == log
    marker = store.change_marker()
    store.notice_failed(taken(store).id, REFUSED)
    clock.now += 1_000_000
    assert store.take_notice() is None
    said = store.require("t1").log[-1]
    assert said.endswith(
        "we could not reach the webhook that its team gave, to tell it that this is cancelled: 5 tries, at the last "
        "one it answered 500"
    )
    assert store.change_marker() > marker  # open pages show it
    assert store.require("t1").status is JobStatus.CANCELLED


def test_senders_that_die_at_every_try_do_not_try_for_ever(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    store.cancel("t1", "anna")
    for _ in range(MOST_TRIES):
        taken(store)
        clock.now += SENDING_S
    assert store.take_notice() is None
    assert "the last try was cut short" in store.require("t1").log[-1]
    clock.now += 1_000_000
    assert store.take_notice() is None


def test_a_clock_that_goes_back_holds_nothing_up(store: Store, clock: FakeClock) -> None:
    add(store, "t1")
    store.cancel("t1", "anna")
    clock.now -= 1_000_000
    assert taken(store).ticket_id == "t1"


def test_another_address_takes_the_place_of_the_first(store: Store) -> None:
    add(store, "t1")
    other = Webhook("https://hooks.example.org/other", "other")
    store.set_webhook("t1", other)
    store.cancel("t1", "anna")
    assert taken(store).webhook == other


def test_erasing_takes_the_address_and_what_was_to_be_told(
    store: Store, clock: FakeClock, database_url: str, tmp_path: Path
) -> None:
    add(store, "t1")
    add(store, "t2")
    for ticket_id in ("t1", "t2"):
        store.withdraw(ticket_id, "anna")
        clock.now += 1
    under_way = taken(store)
    store.erase("t1", actor="anna", reason="asked", owner="anna")
    store.notice_failed(under_way.id, REFUSED)  # whoever was at it comes back too late
    store.notice_sent(under_way.id)
    engine = opened_engine(database_url)
    with engine.connect() as connection:
        for table in ("webhooks", "notices"):
            left = connection.execute(text(f"SELECT submission_id FROM {table}")).scalars()
            assert list(left) == ["t2"]
    engine.dispose()
    store.erase("t2", actor="anna", reason="asked", owner="anna")
    if database_url.startswith("sqlite"):
        files = [file.read_bytes() for file in tmp_path.glob("plumbline.db*")]
        assert files
        assert not any(word in data for data in files for word in (b"T0-address", b"the-secret"))


def test_a_webhook_is_not_shown_by_accident() -> None:
    assert "T0" not in repr(HOOK)
    assert "the-secret" not in repr(HOOK)
