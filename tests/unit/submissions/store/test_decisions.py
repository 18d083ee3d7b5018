"""Acts in the record: what was decided survives the database, and what was refused late does not come back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.store.queue import QUEUE, JobStatus, Ticket
from submissions.store.quotas import QuotaExceeded, Quotas, QuotaUse
from submissions.store.store import Store

FILES = dict(example_submissions())


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path / "archive")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield opened
    opened.close()


@pytest.fixture
def desk(store: Store, archive: Archive) -> Desk:
    return Desk(store, archive, PromptSets.load(None))


@pytest.fixture
def rebuilt(tmp_path: Path) -> Iterator[Store]:
    """A database with nothing in it yet."""
    opened = Store.open(f"sqlite:///{tmp_path / 'rebuilt.db'}")
    yield opened
    opened.close()


def scored(desk: Desk, store: Store, archive: Archive, name: str) -> str:
    ticket_id = desk.submit(FILES[name], name, owner="anna", owner_name="Anna").ticket.id
    job = store.claim("w")
    assert job is not None
    archive.record_result(job.id, "{}", store.finish(job.id, "w", "{}"))
    return ticket_id


def standing(store: Store) -> dict[str, tuple[object, ...]]:
    def what(ticket: Ticket) -> tuple[object, ...]:
        return ticket.status, ticket.hidden, ticket.is_primary, ticket.owner, ticket.owner_name

    return {ticket.id: what(ticket) for ticket in store.tickets()}


def test_what_was_decided_is_made_anew_from_the_archive(
    desk: Desk, store: Store, archive: Archive, rebuilt: Store
) -> None:
    first, second = (scored(desk, store, archive, name) for name in ("keel.json", "tide.json"))
    desk.act("hide", first, actor="olga", actor_name="Olga", reason="it quotes another team")
    desk.act("primary", second, actor="anna", owner="anna")
    desk.act("pause", QUEUE, actor="olga", reason="the judge is replaced")
    restore(archive, rebuilt)
    assert standing(rebuilt) == standing(store)
    assert standing(store)[first][1:3] == ("it quotes another team", False)
    assert rebuilt.acts() == store.acts()
    assert [act.kind for act in store.acts()] == ["pause", "primary", "hide"]  # the newest first
    assert rebuilt.pause() == store.pause() is not None
    desk.act("resume", QUEUE, actor="olga", reason="it is here")
    desk.act("show", first, actor="olga", reason="settled")
    restore(archive, rebuilt)
    restore(archive, rebuilt)
    assert standing(rebuilt) == standing(store)
    assert rebuilt.pause() is None


def test_a_run_to_be_judged_again_is_so_after_a_rebuild_until_it_was(
    desk: Desk, store: Store, archive: Archive, rebuilt: Store, tmp_path: Path
) -> None:
    ticket = scored(desk, store, archive, "keel.json")
    desk.act("rerun", ticket, actor="olga", reason="another judge")
    restore(archive, rebuilt)
    assert rebuilt.require(ticket).status is JobStatus.QUEUED
    job = store.claim("w")
    assert job is not None
    archive.record_result(ticket, '{"n": 2}', store.finish(ticket, "w", '{"n": 2}'))
    later = Store.open(f"sqlite:///{tmp_path / 'later.db'}")
    restore(archive, later)
    assert later.require(ticket).status is JobStatus.SCORED
    assert later.result(ticket) == '{"n": 2}'
    later.close()


def test_an_act_that_a_crash_kept_from_the_archive_is_recorded_later(
    desk: Desk, store: Store, archive: Archive, rebuilt: Store
) -> None:
    ticket = scored(desk, store, archive, "keel.json")
    store.act("hide", ticket, actor="olga", reason="it quotes another team")
    archive.catch_up(store)
    assert archive.catch_up(store) == 0
    restore(archive, rebuilt)
    assert rebuilt.require(ticket).hidden == "it quotes another team"


def test_a_used_up_quota_is_told_before_anything_is_kept(desk: Desk, store: Store, archive: Archive) -> None:
    desk.submit(FILES["keel.json"], "keel.json", owner="anna", quotas=Quotas(active_runs=1))
    with pytest.raises(QuotaExceeded):
        desk.submit(FILES["tide.json"], "tide.json", owner="anna", quotas=Quotas(active_runs=1))
    assert [name.kind for name in archive.names()] == ["submission"]
    again = desk.submit(FILES["keel.json"], "keel.json", owner="anna", quotas=Quotas(active_runs=1))
    assert again.already_known


def test_a_file_refused_after_it_was_kept_does_not_come_back(
    desk: Desk, store: Store, archive: Archive, rebuilt: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = desk.submit(FILES["keel.json"], "keel.json", owner="anna").ticket.id
    # Another page server took keel.json in between our look and our writing.
    monkeypatch.setattr(Store, "quota_use", lambda self, owner: QuotaUse())
    with pytest.raises(QuotaExceeded):
        desk.submit(FILES["tide.json"], "tide.json", owner="anna", quotas=Quotas(active_runs=1))
    assert sorted(name.kind for name in archive.names()) == ["revocation", "submission", "submission"]
    assert restore(archive, rebuilt).added == 1
    assert [ticket.id for ticket in rebuilt.tickets()] == [kept]


def orphan(archive: Archive, desk: Desk, ticket_id: str, at: float) -> None:
    """What a process leaves behind that dies between archive and store."""
    report = desk.check(FILES["keel.json"], "keel.json")
    assert report.entry is not None
    archive.record_submission(
        ticket_id=ticket_id,
        owner="anna",
        role="entry",
        edition="2024",
        set_id=report.entry.set_id,
        names=report.entry.names,
        file_name="keel.json",
        data=FILES["keel.json"],
        received_at=at,
    )


def test_an_upload_that_was_cut_off_and_sent_again_is_one_submission(
    desk: Desk, store: Store, archive: Archive, rebuilt: Store, tmp_path: Path
) -> None:
    orphan(archive, desk, "a" * 16, at=1000.0)
    told = desk.submit(FILES["keel.json"], "keel.json", owner="anna").ticket.id
    assert restore(archive, rebuilt).added == 1  # a database made anew knows neither: the later one was acknowledged
    assert [ticket.id for ticket in rebuilt.tickets()] == [told]
    assert restore(archive, store).added == 0
    assert [ticket.id for ticket in store.tickets()] == [told]


def test_an_upload_that_was_cut_off_after_the_file_was_scored_does_not_come_back(
    desk: Desk, store: Store, archive: Archive, rebuilt: Store
) -> None:
    told = scored(desk, store, archive, "keel.json")
    orphan(archive, desk, "a" * 16, at=store.require(told).received_at.timestamp() + 1.0)
    assert restore(archive, store).added == 0
    assert restore(archive, rebuilt).added == 1
    assert [ticket.id for ticket in rebuilt.tickets()] == [told]


def test_an_upload_that_was_cut_off_and_never_sent_again_is_taken_in(
    desk: Desk, store: Store, archive: Archive
) -> None:
    orphan(archive, desk, "a" * 16, at=1000.0)
    assert restore(archive, store).added == 1
    assert store.require("a" * 16).status is JobStatus.QUEUED
