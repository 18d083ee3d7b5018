"""What is damaged in the archive is put right where the database or the mirror has it whole."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.archive.events import DamagedFile, object_path, objects_of
from submissions.archive.keeper import ArchiveKeeper, opened_archive
from submissions.archive.mending import mend, missing_objects
from submissions.archive.restoring import restore
from submissions.settings import Settings
from tests.unit.submissions.archive.damages import DAMAGES, Damage, FilledArchive, cut, empty, random_bytes, standing


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[FilledArchive]:
    filled = FilledArchive(tmp_path)
    yield filled
    filled.store.close()


def damage_of(filled: FilledArchive) -> list[DamagedFile]:
    log = filled.archive.log()
    objects = {object_path(sha256) for event in log.events for sha256 in objects_of(event)}
    return [*log.damage, *(fault for fault in map(filled.archive.fault, sorted(objects)) if fault is not None)]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize(
    "kind",
    [
        *("submission", "result", "verdicts", "failure", "withdrawal", "act", "vote"),
        *("judge_report", "report_withdrawal", "acceptance"),
    ],
)
def test_an_event_the_database_knows_is_recorded_again_and_the_damaged_file_moved_aside(
    filled: FilledArchive, damage: Damage, kind: str
) -> None:
    path = filled.event(kind).path
    damage(filled.path(path))
    assert mend(filled.archive, damage_of(filled), mirror=None, store=filled.store) == []
    assert filled.path(f"damaged/{path}").exists() or filled.path(f"damaged/{path}").is_symlink()
    rebuilt = filled.fresh_store()
    assert restore(filled.archive, rebuilt).is_complete
    assert standing(rebuilt) == standing(filled.store)
    assert (rebuilt.acts(), rebuilt.verdict_votes()) == (filled.store.acts(), filled.store.verdict_votes())
    assert rebuilt.judge_reports() == filled.store.judge_reports()
    assert rebuilt.acceptances() == filled.store.acceptances()
    rebuilt.close()


@pytest.mark.parametrize("damage", [cut, random_bytes, Path.unlink], ids=lambda damage: damage.__name__)
def test_objects_the_database_knows_are_kept_again(filled: FilledArchive, damage: Damage) -> None:
    for path in filled.path("objects").rglob("*"):
        if path.is_file():
            damage(path)
    damaged = damage_of(filled)
    # Files, results, verdicts of what stands, a measurement, judge reports, terms.
    assert len(damaged) == 6 + 3 + 2 + 1 + 3 + 1
    left = mend(filled.archive, damaged, mirror=None, store=filled.store)
    # The database has let go of what was withdrawn, but for its tombstone.
    gone = object_path(filled.archive.event(filled.event("result", "withdrawn"))["result_sha256"])
    assert [fault.path for fault in left] == [gone]
    rebuilt = filled.fresh_store()
    restore(filled.archive, rebuilt)
    assert standing(rebuilt) == standing(filled.store)
    rebuilt.close()


def test_a_file_sent_again_is_kept_whole_where_the_one_in_its_place_is_damaged(filled: FilledArchive) -> None:
    path = object_path(filled.archive.event(filled.event("submission", "scored"))["file_sha256"])
    cut(filled.path(path))
    filled.archive.record_judge_quality("ef" * 32, "file of scored", 9.0)  # the same bytes, whatever for
    assert filled.archive.fault(path) is None
    assert filled.path(f"damaged/{path}").is_file()


def test_an_archive_opens_with_damage_names_each_file_in_one_line_and_counts_it_while_it_stands(
    filled: FilledArchive, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lost, other = filled.event("submission", "scored").path, filled.event("vote").path
    whole = filled.path(lost).read_bytes()
    for path in (lost, other):
        cut(filled.path(path))
    settings = Settings.from_env({"PLUMBLINE_DATA": str(tmp_path)})
    fresh = filled.fresh_store()
    _, keeper = opened_archive(settings, fresh, threading.Event())
    assert set(standing(fresh)) == {*filled.TICKETS} - {"scored"}
    for path in (lost, other):
        (record,) = [record for record in caplog.records if path in record.getMessage()]
        assert "\n" not in record.getMessage()
        assert record.exc_info is None
    assert str(tmp_path) not in caplog.text
    assert keeper.damaged() == 2
    filled.path(lost).write_bytes(whole)
    assert keeper.damaged() == 1
    fresh.close()


def test_damage_that_comes_while_the_service_runs_is_found_and_put_right(
    filled: FilledArchive, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    keeper = ArchiveKeeper(
        filled.store, filled.archive, None, accepts_by_mirror=False, interval_s=60.0, clock=lambda: now[0]
    )
    keeper.step()
    path = object_path(filled.archive.event(filled.event("submission", "scored"))["file_sha256"])
    other = object_path(filled.archive.event(filled.event("result", "withdrawn"))["result_sha256"])
    for damaged in (path, other):
        random_bytes(filled.path(damaged))
    assert keeper.damaged() == 0
    now[0] += 2 * 86_400
    keeper.step()
    assert path in caplog.text
    assert (filled.archive.fault(path), keeper.damaged()) == (None, 1)  # the result of a withdrawn run is nowhere else


def test_an_object_that_is_missing_is_noticed_without_reading_the_others(filled: FilledArchive) -> None:
    log = filled.archive.log()
    assert missing_objects(filled.archive, log) == []
    path = object_path(filled.archive.event(filled.event("result", "scored"))["result_sha256"])
    filled.path(path).unlink()
    (fault,) = missing_objects(filled.archive, log)
    assert str(fault).startswith(f"{path}: found nothing")


def test_a_newer_event_is_not_fetched_or_moved_again_and_again(filled: FilledArchive, tmp_path: Path) -> None:
    copy = filled.copy(tmp_path / "mirror")
    path = filled.event("vote").path
    with filled.archive.incoming() as folder:
        (folder / "copy").write_bytes((copy.folder / path).read_bytes())
        filled.archive.adopt(path, folder / "copy")
    assert not filled.path("damaged").exists()
    empty(filled.path(path))
    with filled.archive.incoming() as folder:
        (folder / "copy").write_bytes((copy.folder / path).read_bytes())
        filled.archive.adopt(path, folder / "copy")
    assert filled.path(f"damaged/{path}").read_bytes() == b""
    assert filled.archive.fault(path) is None
