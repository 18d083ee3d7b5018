"""Damage in the archive is named and stepped over; nothing that was taken off the boards comes back by it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.archive.events import event_path, object_path
from submissions.archive.record import REASON_DAMAGED, Archive
from submissions.archive.restoring import Restored, restore
from submissions.store.queue import JobStatus
from submissions.store.store import Store, sha256_hex
from tests.unit.submissions.archive.damages import (
    DAMAGES,
    Damage,
    FilledArchive,
    cut,
    empty,
    random_bytes,
    standing,
    unreadable,
)

damaged_anyhow = pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[FilledArchive]:
    filled = FilledArchive(tmp_path)
    yield filled
    filled.store.close()


@pytest.fixture
def fresh(filled: FilledArchive) -> Iterator[Store]:
    store = filled.fresh_store()
    yield store
    store.close()


def the_loss(restored: Restored) -> str:
    """What is said of the one damaged file."""
    (loss,) = restored.losses
    assert "\n" not in str(loss)
    return str(loss)


def test_a_whole_archive_is_restored_without_a_loss(filled: FilledArchive, fresh: Store) -> None:
    restored = restore(filled.archive, fresh)
    assert (restored.added, restored.tickets, restored.is_complete) == (6, 6, True)
    assert standing(fresh) == standing(filled.store)


def test_published_reports_come_back_as_they_stand_and_a_second_time_changes_nothing(
    filled: FilledArchive, fresh: Store
) -> None:
    restore(filled.archive, fresh)
    assert fresh.judge_reports() == filled.store.judge_reports()
    seen = {report.id: (report.withdrawn_at is None, report.hidden) for report in fresh.judge_reports()}
    assert seen == {"report": (True, None), "back": (False, None), "unseen": (True, "it names a person")}
    restore(filled.archive, fresh)
    assert fresh.judge_reports() == filled.store.judge_reports()


@damaged_anyhow
def test_a_report_stays_withdrawn_whatever_became_of_the_record(
    filled: FilledArchive, fresh: Store, damage: Damage
) -> None:
    damage(filled.path(filled.event("report_withdrawal").path))
    assert "the published judge report back stays withdrawn" in the_loss(restore(filled.archive, fresh))
    report = fresh.judge_report("back")
    assert report is not None
    assert not report.is_shown


def test_a_report_stays_hidden_while_the_record_still_says_so(filled: FilledArchive, fresh: Store) -> None:
    (act,) = filled.store.acts(about="unseen")
    cut(filled.path(filled.event("act", act.id).path))
    assert "the published judge report unseen stays hidden" in the_loss(restore(filled.archive, fresh))
    report = fresh.judge_report("unseen")
    assert report is not None
    assert report.hidden == REASON_DAMAGED


def test_a_report_whose_record_comes_back_late_is_hidden_and_withdrawn_as_it_was(
    filled: FilledArchive, fresh: Store
) -> None:
    paths = [filled.path(filled.event("judge_report", report_id).path) for report_id in ("back", "unseen")]
    whole = [path.read_bytes() for path in paths]
    for path in paths:
        empty(path)
    restore(filled.archive, fresh)
    assert [report.id for report in fresh.judge_reports()] == ["report"]
    for path, data in zip(paths, whole, strict=True):
        path.write_bytes(data)
    assert restore(filled.archive, fresh).is_complete
    assert fresh.judge_reports() == filled.store.judge_reports()


@damaged_anyhow
def test_a_damaged_submission_is_named_and_the_others_are_restored(
    filled: FilledArchive, fresh: Store, damage: Damage
) -> None:
    path = filled.event("submission", "scored").path
    damage(filled.path(path))
    restored = restore(filled.archive, fresh)
    assert restored.missing == ("scored",)
    assert the_loss(restored).startswith(f"{path}: found ")
    assert the_loss(restored).endswith("; submission scored is missing")
    whole = standing(filled.store)
    assert standing(fresh) == {ticket: said for ticket, said in whole.items() if ticket != "scored"}


@damaged_anyhow
def test_a_submission_whose_result_is_damaged_is_judged_again(
    filled: FilledArchive, fresh: Store, damage: Damage
) -> None:
    path = filled.event("result", "scored").path
    damage(filled.path(path))
    restored = restore(filled.archive, fresh)
    assert restored.judged_again == ("scored",)
    assert path in the_loss(restored)
    expected = {**standing(filled.store), "scored": (JobStatus.QUEUED, None, None, None)}
    assert standing(fresh) == expected
    # What the judge said is still there: judging again asks nobody.
    assert fresh.load_verdicts(["key of scored"]) == {"key of scored": '{"rating": 4}'}


@damaged_anyhow
@pytest.mark.parametrize(
    ("kind", "ticket", "status"),
    [
        ("withdrawal", "withdrawn", JobStatus.WITHDRAWN),
        ("cancellation", "cancelled", JobStatus.CANCELLED),
        ("failure", "failed", JobStatus.FAILED),
    ],
)
def test_a_submission_whose_end_is_damaged_has_ended_all_the_same(
    filled: FilledArchive, fresh: Store, damage: Damage, kind: str, ticket: str, status: JobStatus
) -> None:
    damage(filled.path(filled.event(kind).path))
    restored = restore(filled.archive, fresh)
    assert f"submission {ticket} stays {status}" in the_loss(restored)
    assert standing(fresh) == {**standing(filled.store), ticket: (status, REASON_DAMAGED, None, None)}
    # The reason that stands in for the lost one is never recorded as if it had been given.
    filled.archive.catch_up(fresh)
    assert REASON_DAMAGED not in "".join(json.dumps(event) for event in filled.archive.log().events)


def test_a_damaged_revocation_brings_no_submission_back(filled: FilledArchive, fresh: Store) -> None:
    filled.archive.record_revocation("waiting", 99.0, "sent twice")
    empty(filled.path(filled.event("revocation").path))
    assert "submission waiting stays revoked" in the_loss(restore(filled.archive, fresh))
    assert fresh.ticket("waiting") is None


def test_a_hidden_run_stays_hidden_while_its_decision_can_still_be_told(filled: FilledArchive, fresh: Store) -> None:
    path = filled.path(filled.event("act").path)
    path.write_bytes(path.read_bytes()[:60])  # {"about": "hidden", "act": "hide", "actor": ...
    assert "submission hidden stays hidden" in the_loss(restore(filled.archive, fresh))
    assert standing(fresh)["hidden"][2] == REASON_DAMAGED


@pytest.mark.parametrize("damage", [empty, random_bytes, unreadable], ids=lambda damage: damage.__name__)
def test_a_decision_that_nobody_can_tell_any_more_is_said_to_be_missing(
    filled: FilledArchive, fresh: Store, damage: Damage
) -> None:
    damage(filled.path(filled.event("act").path))
    assert "a run that it hid may be shown again" in the_loss(restore(filled.archive, fresh))


@pytest.mark.parametrize(
    ("kind", "consequence"),
    [
        ("verdicts", "is asked again when it is needed"),
        ("vote", "one vote on a verdict is missing"),
        ("judge_quality", "one measurement of a judge is missing"),
        ("judge_report", "is missing"),
        ("acceptance", "one account is asked once more to accept the terms"),
    ],
)
def test_what_damage_elsewhere_costs_is_said(filled: FilledArchive, fresh: Store, kind: str, consequence: str) -> None:
    cut(filled.path(filled.event(kind).path))
    assert consequence in the_loss(restore(filled.archive, fresh))
    assert standing(fresh) == standing(filled.store)


@pytest.mark.parametrize("damage", [cut, empty, random_bytes, unreadable, Path.unlink], ids=lambda it: it.__name__)
@pytest.mark.parametrize("what", ["file", "result", "verdicts"])
def test_a_damaged_or_missing_object_is_named_once_and_costs_what_rests_on_it(
    filled: FilledArchive, fresh: Store, damage: Damage, what: str
) -> None:
    of = {"file": "submission", "result": "result", "verdicts": "verdicts"}[what]
    event = filled.archive.event(filled.event(of, "scored"))
    path = object_path(event[f"{what}_sha256"])
    damage(filled.path(path))
    restored = restore(filled.archive, fresh)
    assert the_loss(restored).startswith(f"{path}: found ")
    assert restored.missing == (("scored",) if what == "file" else ())
    assert restored.judged_again == (("scored",) if what == "result" else ())
    assert set(standing(fresh)) == {*filled.TICKETS} - set(restored.missing)


def test_a_result_that_is_no_json_is_judged_again(filled: FilledArchive, fresh: Store) -> None:
    filled.archive.record_result("scored", "no result", filled.store.require("scored").status_at.timestamp() + 1)
    restored = restore(filled.archive, fresh)
    assert restored.judged_again == ("scored",)
    assert "found bytes that are no JSON object, expected a result as JSON" in the_loss(restored)


@pytest.mark.parametrize(("field", "value"), [("archive_version", 2), ("kind", "coronation")])
def test_an_event_of_a_newer_version_is_named_with_what_to_do(
    filled: FilledArchive, fresh: Store, field: str, value: object
) -> None:
    event = {**filled.archive.event(filled.event("vote")), field: value}
    data = json.dumps(event).encode()
    path = event_path(event["kind"], "anna", 5, data)
    filled.path(path).parent.mkdir(exist_ok=True)
    filled.path(path).write_bytes(data)
    said = the_loss(restore(filled.archive, fresh))
    assert path in said
    assert str(value) in said
    assert "written by a newer version of Plumbline" in said
    assert standing(fresh) == standing(filled.store)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("ticket", "x" * 33),
        ("at", "yesterday"),
        ("at", 1e300),
        ("owner", None),
        ("role", "emperor"),
        ("names", {"team": 4}),
        ("options", {"options": 2, "of a newer version": 1}),
        ("file_sha256", "../../etc"),
    ],
)
def test_json_of_another_shape_is_named_by_its_field(
    filled: FilledArchive, fresh: Store, field: str, value: object
) -> None:
    name = filled.event("submission", "scored")
    event = {**filled.archive.event(name), field: value}
    filled.path(name.path).unlink()
    data = json.dumps(event).encode()
    subject = str(event["ticket"])
    filled.path(event_path("submission", subject, name.at_us, data)).write_bytes(data)
    restored = restore(filled.archive, fresh)
    assert repr(field)[:-1] in the_loss(restored)
    assert restored.missing == (subject,)


def test_fields_of_a_newer_version_are_passed_over(filled: FilledArchive, fresh: Store) -> None:
    name = filled.event("submission", "scored")
    data = json.dumps({**filled.archive.event(name), "colour": "green"}).encode()
    filled.path(name.path).unlink()
    filled.path(event_path("submission", "scored", name.at_us, data)).write_bytes(data)
    assert restore(filled.archive, fresh).is_complete
    assert standing(fresh) == standing(filled.store)


def test_what_a_crash_left_half_written_is_no_damage(filled: FilledArchive, fresh: Store) -> None:
    name = filled.event("submission", "scored")
    day = filled.path(name.path).parent
    (day / f".{name.path.rpartition('/')[2]}.0123abcd").write_bytes(b'{"about')
    (filled.path("objects/ab")).mkdir(exist_ok=True)
    (filled.path("objects/ab") / (".ab" + "c" * 62 + ".0123abcd")).write_bytes(b"half")
    assert restore(filled.archive, fresh).is_complete


def test_an_event_that_is_there_twice_counts_once(filled: FilledArchive, fresh: Store) -> None:
    name = filled.event("submission", "scored")
    data = filled.path(name.path).read_bytes()
    longer = name.path.replace(name.digest, sha256_hex(data)[:40])
    filled.path(longer).write_bytes(data)
    restored = restore(filled.archive, fresh)
    assert (restored.added, restored.is_complete) == (6, True)


@pytest.mark.parametrize("path", ["log/notes.txt", "log/1970-01-01/event.json", "log/1970-01-01/deeper"])
def test_a_file_whose_name_says_nothing_may_have_been_a_withdrawal(
    filled: FilledArchive, fresh: Store, path: str
) -> None:
    filled.path(path).write_bytes(b"{}")
    said = the_loss(restore(filled.archive, fresh))
    assert said.startswith(f"{path}: found a name that no event has")
    assert "a run that was withdrawn or hidden may be shown again" in said


def test_a_day_that_cannot_be_listed_is_named_and_its_withdrawal_takes_place_once_it_can(
    filled: FilledArchive, fresh: Store, tmp_path: Path
) -> None:
    day = filled.path(filled.event("withdrawal").path).parent
    day.rename(tmp_path / "away")
    day.symlink_to(day.name)
    said = the_loss(restore(filled.archive, fresh))
    assert said.startswith(f"log/{day.name}: found ")
    # Its results and ends lay in that day too: nobody knows better.
    assert fresh.require("withdrawn").status is JobStatus.QUEUED
    day.unlink()
    (tmp_path / "away").rename(day)
    assert restore(filled.archive, fresh).is_complete
    after = standing(fresh)
    assert after["withdrawn"] == standing(filled.store)["withdrawn"]
    assert after["hidden"][2] == "it quotes another team"


def test_a_decision_about_a_missing_submission_is_followed_once_it_is_back(
    filled: FilledArchive, fresh: Store, tmp_path: Path
) -> None:
    path = filled.path(filled.event("submission", "hidden").path)
    whole = path.read_bytes()
    cut(path)
    restore(filled.archive, fresh)
    path.write_bytes(whole)
    assert restore(filled.archive, fresh).added == 1
    assert standing(fresh) == standing(filled.store)


def test_a_run_that_was_hidden_and_shown_again_is_shown_in_whatever_order_the_decisions_come_back(
    filled: FilledArchive, fresh: Store
) -> None:
    path = filled.path(filled.event("act").path)
    filled.store.act("show", "hidden", actor="organiser", reason="it does not")
    filled.archive.catch_up(filled.store)
    whole = path.read_bytes()
    random_bytes(path)
    restore(filled.archive, fresh)
    path.write_bytes(whole)
    assert restore(filled.archive, fresh).is_complete
    assert standing(fresh)["hidden"][2] is None


def test_an_upload_that_seems_never_acknowledged_is_not_revoked_while_events_cannot_be_read(
    filled: FilledArchive, fresh: Store
) -> None:
    event = filled.archive.event(filled.event("submission", "waiting"))
    again = {**event, "ticket": "again", "at": event["at"] + 1}
    data = json.dumps(again).encode()
    path = event_path("submission", "again", filled.event("submission", "waiting").at_us + 1_000_000, data)
    filled.path(path).write_bytes(data)
    empty(filled.path(filled.event("vote").path))
    restore(filled.archive, fresh)
    assert fresh.ticket("waiting") is None  # the later one was acknowledged
    assert [name for name in filled.archive.names() if name.kind == "revocation"] == []


def test_restoring_deletes_and_overwrites_nothing(filled: FilledArchive, fresh: Store) -> None:
    for name in filled.archive.names():
        cut(filled.path(name.path))
    before = {path: path.read_bytes() for path in filled.archive.folder.rglob("*") if path.is_file()}
    restored = restore(filled.archive, fresh)
    assert set(restored.missing) == set(filled.TICKETS)
    assert {path: path.read_bytes() for path in filled.archive.folder.rglob("*") if path.is_file()} == before


def test_an_archive_of_nothing_but_damage_opens(tmp_path: Path) -> None:
    (tmp_path / "archive" / "log").parent.mkdir()
    (tmp_path / "archive" / "log").symlink_to("log")
    (fault,) = Archive(tmp_path / "archive").log().damage
    assert str(fault).startswith("log: found what cannot be listed")
