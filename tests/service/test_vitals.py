"""The figures a monitor reads, on both databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from submissions.schema import Names
from submissions.store.store import Store

NOW = 1_000.0


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = Store.open(database_url, clock=lambda: NOW)
    yield store
    store.close()


def submit(store: Store, ticket_id: str, received_at: float) -> None:
    store.add(
        ticket_id=ticket_id,
        owner="local",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(team=ticket_id),
        file_name="run.json",
        data=ticket_id.encode(),
        received_at=received_at,
    )


def test_the_longest_wait_is_that_of_the_oldest_queued_submission(store: Store) -> None:
    assert store.oldest_wait_s() == 0.0
    submit(store, "young", NOW - 5)
    submit(store, "old", NOW - 60)
    assert store.oldest_wait_s() == 60.0
    # The oldest is taken: what runs does not wait any more.
    assert store.claim("worker") is not None
    assert store.oldest_wait_s() == 5.0


def test_every_stored_verdict_is_counted_once(store: Store) -> None:
    assert store.judgements() == 0
    store.save_verdicts({"a": "{}", "b": "{}"})
    store.save_verdicts({"b": "{}", "c": "{}"})
    assert store.judgements() == 3
