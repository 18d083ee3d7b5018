"""A damaged database is named in one sentence, moved aside when asked, and made anew from the archive."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from submissions.archive.events import ArchiveError
from submissions.archive.keeper import ArchiveKeeper
from submissions.archive.rebuilding import checked_store, rebuild
from submissions.settings import Settings, SettingsError
from submissions.store.database_file import finish_moving, is_open, move_aside
from submissions.store.store import Store, StoreDamaged, StoreError, StoreUnavailable
from tests.unit.submissions.archive.damages import FilledArchive, cut, standing

PAGE = 4096
"""Bytes of a page of SQLite."""
Ruin = Callable[[Path], None]


def page_of_random_bytes(file: Path) -> None:
    """Over a page in the middle of the file."""
    data = bytearray(file.read_bytes())
    page = len(data) // PAGE // 2
    data[page * PAGE : (page + 1) * PAGE] = random.Random(16).randbytes(PAGE)
    file.write_bytes(data)


def first_page_of_random_bytes(file: Path) -> None:
    file.write_bytes(random.Random(16).randbytes(PAGE) + file.read_bytes()[PAGE:])


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def no_database(file: Path) -> None:
    file.write_text("This is a letter.\n" * 1000, encoding="utf-8")


def without_a_table(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE verdicts")
    connection.close()


def without_a_column(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("ALTER TABLE jobs DROP COLUMN hidden")
    connection.close()


RUINS: tuple[Ruin, ...] = (
    page_of_random_bytes,
    first_page_of_random_bytes,
    cut_off,
    no_database,
    without_a_table,
    without_a_column,
)
ruined_anyhow = pytest.mark.parametrize("ruin", RUINS, ids=lambda ruin: ruin.__name__)


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[FilledArchive]:
    filled = FilledArchive(tmp_path)
    filled.store.close()
    yield filled
    filled.store.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_env({"PLUMBLINE_DATA": str(tmp_path)})


@pytest.fixture
def said() -> list[str]:
    return []


def stood(filled: FilledArchive) -> Mapping[str, object]:
    found = dict(standing(filled.store))
    filled.store.close()
    return found


def stands(settings: Settings) -> Mapping[str, object]:
    store = checked_store(settings)
    found: dict[str, object] = dict(standing(store))
    store.close()
    return found


def database_files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("plumbline.db"))


@ruined_anyhow
def test_a_damaged_database_is_one_sentence_with_its_file_and_what_to_do(
    filled: FilledArchive, settings: Settings, tmp_path: Path, ruin: Ruin
) -> None:
    file = tmp_path / "plumbline.db"
    ruin(file)
    with pytest.raises(StoreDamaged) as damage:
        checked_store(settings)
    said = str(damage.value)
    assert said.startswith(f"the database {file} is damaged (")
    assert "run `python app.py --rebuild`" in said
    assert "\n" not in said
    for word in ("SELECT", "sqlalche", "Traceback", "PRAGMA"):
        assert word not in said


@ruined_anyhow
def test_a_damaged_database_is_moved_aside_and_made_anew(
    filled: FilledArchive, settings: Settings, tmp_path: Path, said: list[str], ruin: Ruin
) -> None:
    before = stood(filled)
    ruin(tmp_path / "plumbline.db")
    damaged = (tmp_path / "plumbline.db").read_bytes()
    rebuilt = rebuild(settings, said.append)
    assert rebuilt.restored.is_complete
    assert rebuilt.moved_to is not None
    assert rebuilt.moved_to.read_bytes() == damaged
    assert said == [f"{tmp_path / 'plumbline.db'} is damaged: it was moved to {rebuilt.moved_to}"]
    assert "asked for again" in rebuilt.lines[-1]
    assert stands(settings) == before
    assert rebuild(settings, said.append).moved_to is None, "a second time there is nothing to do"
    assert database_files(tmp_path) == ["plumbline.db", rebuilt.moved_to.name]


def test_a_whole_database_is_kept_unless_asked_otherwise(
    filled: FilledArchive, settings: Settings, tmp_path: Path, said: list[str]
) -> None:
    before = stood(filled)
    (tmp_path / "plumbline.db").stat()
    assert rebuild(settings, said.append).moved_to is None
    assert "is whole: it is kept" in said[-1]
    rebuilt = rebuild(settings, said.append, anew=True)
    assert rebuilt.moved_to is not None
    assert ".replaced-" in rebuilt.moved_to.name
    assert "is whole, and made anew as asked" in said[-1]
    assert stands(settings) == before


def test_what_is_missing_in_the_archive_is_listed_once(
    filled: FilledArchive, settings: Settings, tmp_path: Path, said: list[str]
) -> None:
    paths = [filled.event("submission", "failed").path, filled.event("result", "scored").path]
    for path in paths:
        cut(filled.path(path))
    cut_off(tmp_path / "plumbline.db")
    rebuilt = rebuild(settings, said.append)
    lines = rebuilt.lines
    assert lines[:4] == [
        "5 submissions restored, 5 in the database",
        "missing submissions (1): failed",
        "judged again (1): scored",
        "damaged files of the archive (2), nothing was deleted:",
    ]
    for path in paths:
        assert sum(path in line for line in lines) == 1


def test_damage_in_the_archive_is_put_right_from_a_whole_database(
    filled: FilledArchive, settings: Settings, said: list[str]
) -> None:
    cut(filled.path(filled.event("submission", "failed").path))
    assert rebuild(settings, said.append).restored.is_complete
    assert filled.archive.log().damage == ()


def test_a_damaged_database_stays_where_it_is_while_there_is_nothing_to_restore_from(
    filled: FilledArchive, settings: Settings, tmp_path: Path, said: list[str]
) -> None:
    cut_off(tmp_path / "plumbline.db")
    filled.archive.folder.rename(tmp_path / "away")
    with pytest.raises(SettingsError, match="no archive folder is here"):
        rebuild(settings, said.append)
    filled.archive.folder.mkdir()
    with pytest.raises(ArchiveError, match=r"was left in its place: .* has no submission"):
        rebuild(settings, said.append)
    assert database_files(tmp_path) == ["plumbline.db"]


def test_a_database_that_is_open_elsewhere_is_not_moved(tmp_path: Path) -> None:
    # Locks belong to processes: the other one has to be another one.
    file = tmp_path / "plumbline.db"
    Store.open(f"sqlite:///{file}").close()
    assert not is_open(file)
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            connection = sqlite3.connect(file)
            connection.execute("SELECT * FROM jobs").fetchall()
            os.write(ready[1], b"1")
            os.read(done[0], 1)
        finally:
            os._exit(0)
    os.read(ready[0], 1)
    try:
        with pytest.raises(StoreError, match="is in use: stop the programs that have it open"):
            move_aside(file, "damaged", datetime.now(UTC))
    finally:
        os.write(done[1], b"1")
        os.waitpid(child, 0)
        for descriptor in (*ready, *done):
            os.close(descriptor)
    assert move_aside(file, "damaged", datetime(2026, 11, 21, 10, 11, 12, tzinfo=UTC)).name == (
        "plumbline.db.damaged-20261121T101112000000Z"
    )


@pytest.mark.parametrize("moved", [1, 2])
def test_a_move_that_was_broken_off_is_finished_before_a_new_database_is_made(tmp_path: Path, moved: int) -> None:
    file, aside = tmp_path / "plumbline.db", tmp_path / "plumbline.db.damaged-20261121T101112000000Z"
    endings = ("", "-wal", "-shm")
    for place, ending in enumerate(endings):
        folder = aside if place < moved else file
        folder.with_name(folder.name + ending).write_bytes(f"old{ending}".encode())
    Store.open(f"sqlite:///{file}").close()
    assert [aside.with_name(aside.name + ending).read_bytes() for ending in endings] == [b"old", b"old-wal", b"old-shm"]
    finish_moving(file)
    assert file.stat().st_size > 0


@pytest.mark.parametrize("step", ["moving", "restoring", "renaming"])
def test_killed_on_the_way_it_is_simply_run_again(
    filled: FilledArchive,
    settings: Settings,
    tmp_path: Path,
    said: list[str],
    step: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_args: object, **_options: object) -> None:
        raise Killed

    before = stood(filled)
    cut_off(tmp_path / "plumbline.db")
    place = {"moving": "_restored", "restoring": "restore", "renaming": "Path.rename"}[step]
    with monkeypatch.context() as broken:
        if step == "renaming":
            rename = Path.rename
            broken.setattr(
                Path, "rename", lambda it, to: killed() if it.name.endswith("rebuilding") else rename(it, to)
            )
        else:
            broken.setattr(f"submissions.archive.rebuilding.{place}", killed)
        with pytest.raises(Killed):
            rebuild(settings, said.append)
    assert not (tmp_path / "plumbline.db").exists(), "half a database is never in its place"
    assert rebuild(settings, said.append).restored.added == 6
    assert stands(settings) == before
    assert len(database_files(tmp_path)) == 2


def test_a_database_of_a_newer_version_is_not_moved_aside_unless_asked(
    filled: FilledArchive, settings: Settings, tmp_path: Path, said: list[str]
) -> None:
    with sqlite3.connect(tmp_path / "plumbline.db") as connection:
        connection.execute("UPDATE schema_info SET version = 99")
    connection.close()
    with pytest.raises(StoreError, match="schema version 99, this code knows none above"):
        rebuild(settings, said.append)
    assert rebuild(settings, said.append, anew=True).moved_to is not None


def test_damage_met_while_the_store_is_open_is_remembered_and_every_use_says_so(
    filled: FilledArchive, settings: Settings, tmp_path: Path
) -> None:
    store = Store.open(settings.resolved_database_url)
    assert store.damage is None
    with sqlite3.connect(tmp_path / "plumbline.db") as connection:
        connection.execute("DROP TABLE results")
    connection.close()
    for use in (store.results, lambda: store.result("scored")):
        with pytest.raises(StoreUnavailable, match=r"is damaged .no such table: results.: stop Plumbline"):
            use()
    assert store.damage is not None
    store.close()


def test_the_archive_keeper_says_in_one_line_that_the_database_is_damaged(
    filled: FilledArchive, settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store.open(settings.resolved_database_url)
    keeper = ArchiveKeeper(store, filled.archive, None, accepts_by_mirror=False, interval_s=0.0)
    with sqlite3.connect(tmp_path / "plumbline.db") as connection:
        connection.execute("DROP TABLE changes")
    connection.close()
    for _ in range(3):
        keeper.step()
    assert keeper.trouble() == "the archive could not be kept up at the last attempt: the log says why"
    (record,) = caplog.records
    assert "StoreDamaged: the database" in record.getMessage()
    assert record.exc_info is None
    store.close()
