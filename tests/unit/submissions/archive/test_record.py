"""The archive: what it keeps, and what comes back from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest

from submissions.archive.events import ACTS, EVIDENCE, OUTCOMES, ArchiveError, EventKind
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.schema import Names
from submissions.store.queue import JobStatus
from submissions.store.store import Store


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
    assert restore(archive, rebuilt).added == 4

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
    restore(archive, rebuilt)
    marker = rebuilt.change_marker()
    assert restore(archive, rebuilt).added == 0
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
    assert restore(archive, store).added == 1
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
    restore(archive, rebuilt)
    assert rebuilt.result("a") == '{"score": 2}'


def test_what_a_worker_records_and_what_catching_up_would_record_is_one_event(
    tmp_path: Path, open_store: Callable[[str], Store]
) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    store.claim("w")
    finished_at = store.finish("a", "w", '{"score": 2}')
    archive.catch_up(store)  # the page process was faster than the worker's next line
    archive.record_result("a", '{"score": 2}', finished_at)
    assert [name.kind for name in archive.names()].count("result") == 1


def test_a_result_judged_anew_is_caught_up_with(tmp_path: Path, open_store: Callable[[str], Store]) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    score(archive, store, "a", '{"score": 2}')
    store.requeue("a", "judged again")
    store.claim("w")
    store.finish("a", "w", '{"score": 3}')
    assert archive.catch_up(store) == 1
    rebuilt = open_store("second")
    restore(archive, rebuilt)
    assert rebuilt.result("a") == '{"score": 3}'


def test_a_failure_comes_back_with_its_reason_and_moment(tmp_path: Path, open_store: Callable[[str], Store]) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    store.claim("w")
    store.fail("a", "w", "the judge does not read these verdicts")
    assert archive.catch_up(store) == 1
    rebuilt = open_store("second")
    restore(archive, rebuilt)
    before, after = store.require("a"), rebuilt.require("a")
    assert (after.status, after.reason, after.status_at) == (JobStatus.FAILED, before.reason, before.status_at)


def test_a_measurement_of_a_judge_is_kept_and_only_a_newer_one_replaces_it(
    tmp_path: Path, open_store: Callable[[str], Store]
) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    judge = "ab" * 32
    store.save_judge_quality(judge, '{"auc": 0.8}')
    assert (archive.catch_up(store), archive.catch_up(store)) == (1, 0)
    store.save_judge_quality(judge, '{"auc": 0.9}')
    assert archive.catch_up(store) == 1
    rebuilt = open_store("second")
    restore(archive, rebuilt)
    restore(archive, rebuilt)
    assert rebuilt.judge_qualities() == ['{"auc": 0.9}']


def test_a_submission_that_is_not_accepted_waits_until_it_is(
    tmp_path: Path, open_store: Callable[[str], Store]
) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    for number, ticket_id in enumerate("ab"):
        take_in(archive, open_store("other"), ticket_id, at=float(number))
    restore(archive, store, accepted=False)
    assert store.received() == ["a", "b"]
    assert store.claim("w") is None
    assert [store.accept("b", "queued"), store.accept("b", "queued"), store.accept("nobody", "queued")] == [
        True,
        False,
        False,
    ]
    assert (store.require("a").status, store.require("b").status) == (JobStatus.RECEIVED, JobStatus.QUEUED)
    store.cancel("a", "local")
    assert not store.accept("a", "queued")


def test_a_log_of_the_first_version_is_read(tmp_path: Path, open_store: Callable[[str], Store]) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    (name,) = archive.names()
    old = tmp_path / "archive" / "log" / "00000000001000000-submission-a-0123abcd.json"
    (tmp_path / "archive" / name.path).rename(old)
    assert restore(archive, open_store("second")).added == 1


@pytest.mark.parametrize(
    "path", ["../x", "objects/ab/cd", "objects/ab/" + "cd" * 32, "log/x.json", "log/2026-11-21/../x.json", "README.md"]
)
def test_only_files_of_an_archive_are_adopted(tmp_path: Path, path: str) -> None:
    archive = Archive(tmp_path / "archive")
    with archive.incoming() as folder:
        (folder / "copy").write_bytes(b"x")
        with pytest.raises(ArchiveError, match="no file of an archive"):
            archive.adopt(path, folder / "copy")
    assert [file for file in (tmp_path / "archive").rglob("*") if file.is_file()] == []


def test_the_verdicts_a_result_rests_on_come_back_with_it(tmp_path: Path, open_store: Callable[[str], Store]) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    store.save_verdicts({"k1": '{"rating": 4}', "k2": '{"rating": 5}', "of another": "{}"})
    score(archive, store, "a", '{"items": [{"key_ab": "k1", "key_ba": "k2"}]}')
    assert (archive.catch_up(store), archive.catch_up(store)) == (1, 0)
    rebuilt = open_store("second")
    restore(archive, rebuilt)
    found = rebuilt.load_verdicts(["k1", "k2", "of another"])
    assert found == {"k1": '{"rating": 4}', "k2": '{"rating": 5}'}


def test_every_kind_of_event_has_what_it_does_to_a_store() -> None:
    assert {*OUTCOMES, *EVIDENCE, *ACTS, "submission", "revocation"} == {*get_args(EventKind)}


def test_an_event_is_never_written_in_place(tmp_path: Path, open_store: Callable[[str], Store]) -> None:
    archive, store = Archive(tmp_path / "archive"), open_store("first")
    take_in(archive, store, "a", at=1.0)
    left_over = tmp_path / "archive" / "log" / ".half-written.json.1234"
    left_over.write_text('{"kind": "subm')  # what a crash leaves
    assert restore(archive, open_store("second")).added == 1
