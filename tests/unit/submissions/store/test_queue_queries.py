"""What a page that is drawn every few seconds asks the store for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.schema import Names
from submissions.store.queue import JobStatus
from submissions.store.store import Store


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
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", clock=clock)
    yield opened
    opened.close()


def add(store: Store, ticket_id: str, *, at: float = 1_000_000.0) -> None:
    store.add(
        ticket_id=ticket_id,
        owner="local",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(team="aurora", system=ticket_id),
        file_name="aurora.json",
        data=b"{}",
        received_at=at,
    )


def test_open_tickets_stand_in_the_order_they_will_be_judged(store: Store) -> None:
    for number, name in enumerate("abcd"):
        add(store, name, at=float(number))
    claimed = store.claim("worker")
    assert claimed is not None
    store.fail(claimed.id, "worker", "it cannot be read")
    assert store.claim("worker") is not None
    assert [(one.id, one.status, one.position) for one in store.open_tickets()] == [
        ("b", JobStatus.RUNNING, None),
        ("c", JobStatus.QUEUED, 1),
        ("d", JobStatus.QUEUED, 2),
    ]
    assert all(one.log == () for one in store.open_tickets())
    assert [one.id for one in store.ended_tickets(0, 10)] == ["a"]


def test_ended_tickets_come_newest_first_and_by_pages(store: Store) -> None:
    for number, name in enumerate("abcd"):
        add(store, name, at=float(number))
        store.cancel(name, "local")
    assert [one.id for one in store.ended_tickets(0, 2)] == ["d", "c"]
    assert [one.id for one in store.ended_tickets(2, 5)] == ["b", "a"]
    assert store.ended_tickets(4, 5) == []


def test_a_finished_run_tells_its_judgements_and_its_time(store: Store, clock: FakeClock) -> None:
    add(store, "a", at=clock.now)
    clock.now += 4.0
    assert store.claim("worker") is not None
    clock.now += 7.0
    store.progress("a", "worker", judged=32, to_judge=32, newly_stored=30)
    clock.now += 3.0
    store.finish("a", "worker", "{}")
    (run,) = store.finished_runs(5)
    assert (run.worker, run.judgements, run.newly_stored, run.seconds) == ("worker", 32, 30, 10.0)
    assert run.seconds_from_queued == 14.0  # 4 s in the queue, then 10 s
