"""Whatever bytes of the archive or the database change: nothing raises, and what is whole is restored."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from submissions.archive.events import event_name, object_path, objects_of
from submissions.archive.keeper import opened_archive
from submissions.archive.rebuilding import checked_store, rebuild
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.settings import Settings
from submissions.store.store import Store, StoreDamaged
from tests.unit.submissions.archive.damages import FilledArchive, standing

PAGE = 4096

Change = tuple[int, float, bytes, bool]
"""Which file, at what share of it, which bytes, and whether the file ends with them."""
CHANGES = st.lists(
    st.tuples(st.integers(0, 10_000), st.floats(0, 1), st.binary(max_size=64), st.booleans()), min_size=1, max_size=3
)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FilledArchive]:
    filled = FilledArchive(tmp_path_factory.mktemp("filled"))
    filled.store.close()
    yield filled
    filled.store.close()


def changed(data: bytes, change: Change) -> bytes:
    _, share, piece, is_cut = change
    place = round(share * len(data))
    return data[:place] + piece + (b"" if is_cut else data[place + len(piece) :])


def tickets_behind(archive: Archive) -> dict[str, set[str]]:
    """Path -> the submissions whose state rests on it."""
    behind: dict[str, set[str]] = {}
    for event in archive.log().events:
        ticket = event.get("ticket") or event.get("about")
        for path in map(object_path, objects_of(event)):
            behind.setdefault(path, set()).update({ticket} if ticket else ())
    for name in archive.names():
        # Whom a decision is about does not stand in its name.
        behind[name.path] = {"hidden"} if name.kind == "act" else {name.subject}
    return behind


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
def test_any_bytes_anywhere_in_the_archive_cost_only_what_rests_on_them(
    filled: FilledArchive, changes: list[Change]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = filled.copy(Path(folder))
        behind = tickets_behind(archive)
        paths = sorted(behind)
        touched = set()
        for change in changes:
            path = paths[change[0] % len(paths)]
            before = (archive.folder / path).read_bytes()
            (archive.folder / path).write_bytes(changed(before, change))
            if changed(before, change) != before:
                touched.add(path)
        store = Store.open(f"sqlite:///{folder}/fresh.db")
        restored = restore(archive, store)
        found, expected = standing(store), standing(filled.store)
        store.close()
        filled.store.close()
    named = {loss.fault.path for loss in restored.losses}
    assert named <= touched, "what is whole is not called damaged"
    events = {path for path in touched if event_name(path) is not None}
    assert events - named == set(), "a damaged event is always named"
    affected = set().union(*(behind[path] for path in touched)) if touched else set()
    for ticket in set(expected) - affected:
        assert found[ticket] == expected[ticket]
    # Nothing that was withdrawn is on a board again.
    assert found.get("withdrawn", expected["withdrawn"])[0] == expected["withdrawn"][0]


def what_is_wrong(here: Settings) -> str:
    """What a start says of the database; blank where it opens, and everything in it can be read."""
    try:
        with closing(checked_store(here)) as store:
            opened_archive(here, store, threading.Event())
            standing(store)
    except StoreDamaged as damage:
        return str(damage)
    return ""


@settings(max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1), size=st.sampled_from([1, 16, 512, PAGE]), seed=st.randoms(), is_cut=st.booleans())
def test_any_bytes_anywhere_in_the_database_are_one_sentence_or_no_harm(
    filled: FilledArchive, share: float, size: int, seed: object, is_cut: bool
) -> None:
    piece = getattr(seed, "randbytes")(size)  # noqa: B009 - hypothesis gives a Random without saying so
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(filled.folder, folder, dirs_exist_ok=True)
        file = Path(folder) / "plumbline.db"
        file.write_bytes(changed(file.read_bytes(), (0, share, piece, is_cut)))
        here = Settings.from_env({"PLUMBLINE_DATA": folder})
        damage = what_is_wrong(here)
        assert "\n" not in damage
        if damage:
            said: list[str] = []
            rebuilt = rebuild(here, said.append)
            assert rebuilt.restored.is_complete
            assert rebuilt.moved_to is not None
            store = checked_store(here)
            assert standing(store) == standing(filled.store)
            store.close()
            filled.store.close()
