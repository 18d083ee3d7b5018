"""The archive: what it keeps, and what comes back from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from submissions.archive import Archive, ArchiveError
from submissions.queue import JobStatus
from submissions.schema import Names
from submissions.store import Store


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[[str], Store]]:
    opened: list[Store] = []

    def open_one(name: str) -> Store:
        opened.append(Store.open(f"sqlite:///{tmp_path / name}.db"))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


def take_in(archive: Archive, store: Store, ticket_id: str, at: float) -> None:
    for record in (archive.record_submission, store.add):
        record(
            ticket_id=ticket_id,
            owner="local",
            role="entry",
            edition="2024",
            set_id="demonstration",
            names=Names(team="aurora", system=ticket_id),
            file_name="aurora.json",
            data=f"file of {ticket_id}".encode(),
            received_at=at,
        )


def score(archive: Archive, store: Store, ticket_id: str, result: str) -> None:
    job = store.claim("w")
    assert job is not None
    assert job.id == ticket_id
    archive.record_result(ticket_id, result, store.finish(ticket_id, "w", result))


def test_a_deleted_database_is_rebuilt_with_every_state_name_time_and_result(
    tmp_path: Path, open_store: Callable[[str], Store]
) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    for number, ticket_id in enumerate(["scored", "cancelled", "withdrawn", "waiting"]):
        take_in(archive, store, ticket_id, at=float(number))
    score(archive, store, "scored", '{"score": 4}')
    store.cancel("cancelled", "local")
    score(archive, store, "withdrawn", '{"score": 1}')
    store.withdraw("withdrawn", "local")
    archive.catch_up(store)

    rebuilt = open_store("second")
    assert archive.replay_into(rebuilt) == 4

    def facts(of: Store) -> list[object]:
        return [(t.id, t.names, t.status, t.received_at, t.file_sha256, of.result(t.id)) for t in of.tickets()]

    assert facts(rebuilt) == facts(store)
    assert rebuilt.require("scored").status is JobStatus.SCORED
    assert rebuilt.payload(rebuilt.require("waiting").file_sha256) == b"file of waiting"


def test_replaying_twice_adds_nothing(tmp_path: Path, open_store: Callable[[str], Store]) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    score(archive, store, "a", "{}")
    rebuilt = open_store("second")
    archive.replay_into(rebuilt)
    marker = rebuilt.change_marker()
    assert archive.replay_into(rebuilt) == 0
    assert rebuilt.change_marker() == marker


def test_a_submission_archived_but_lost_before_the_store_comes_back(
    tmp_path: Path, open_store: Callable[[str], Store]
) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    archive.record_submission(
        ticket_id="a",
        owner="local",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(),
        file_name="a.json",
        data=b"x",
        received_at=1.0,
    )
    assert archive.replay_into(store) == 1
    assert store.require("a").status is JobStatus.QUEUED


def test_catching_up_records_a_result_the_crash_kept_out_once(
    tmp_path: Path, open_store: Callable[[str], Store]
) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    store.claim("w")
    store.finish("a", "w", '{"score": 2}')  # and then the worker died
    assert archive.catch_up(store) == 1
    assert archive.catch_up(store) == 0
    rebuilt = open_store("second")
    archive.replay_into(rebuilt)
    assert rebuilt.result("a") == '{"score": 2}'


def test_a_damaged_or_missing_object_is_named(tmp_path: Path, open_store: Callable[[str], Store]) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    (kept,) = [path for path in (tmp_path / "archive" / "objects").rglob("*") if path.is_file()]
    kept.write_bytes(b"other bytes")
    with pytest.raises(ArchiveError, match=f"{kept.name} is damaged"):
        archive.replay_into(open_store("second"))
    kept.unlink()
    with pytest.raises(ArchiveError, match=f"lacks the object {kept.name}"):
        archive.replay_into(open_store("third"))


def test_an_event_is_never_written_in_place(tmp_path: Path, open_store: Callable[[str], Store]) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    left_over = tmp_path / "archive" / "log" / ".half-written.json.1234"
    left_over.write_text('{"kind": "subm')  # what a crash leaves
    assert archive.replay_into(open_store("second")) == 1
