"""Long tests are left out exactly while what they are about looks as it did when they passed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import settled
from tests.settled import ROOT, SUBJECTS, Settled, looks_of

FILE = "tests/test_kills.py"
FIRST, SECOND = f"{FILE}::test_first", f"{FILE}::test_second"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose one file of settled tests is about a folder."""
    for place in (FILE, "store/queue.py", "store/__pycache__/queue.pyc", "pages/board.py", *settled.PACKAGES):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(place, encoding="utf-8")
    monkeypatch.setattr(settled, "SUBJECTS", {FILE: ("store",)})
    monkeypatch.setattr(settled, "looks_of", lambda test_file: looks_of.__wrapped__(test_file, tmp_path))
    return tmp_path


def test_what_looks_otherwise_is_a_file_of_the_subject_the_test_and_the_packages(root: Path) -> None:
    before = settled.looks_of(FILE)
    (root / "pages" / "board.py").write_text("other", encoding="utf-8")
    (root / "store" / "__pycache__" / "queue.pyc").write_text("other", encoding="utf-8")
    assert settled.looks_of(FILE) == before
    seen = {before}
    for place in ("store/queue.py", FILE, *settled.PACKAGES):
        (root / place).write_text("other", encoding="utf-8")
        seen.add(settled.looks_of(FILE))
    (root / "store" / "claims.py").touch()
    seen.add(settled.looks_of(FILE))
    (root / "store" / "claims.py").rename(root / "store" / "turns.py")
    seen.add(settled.looks_of(FILE))
    assert len(seen) == 1 + 2 + len(settled.PACKAGES) + 2


def test_a_test_is_left_out_until_its_subject_changes(root: Path) -> None:
    record = root / "settled.json"
    assert chosen(record, leaves_out=True) == ["plain", FIRST, SECOND]
    ended(record, (FIRST, "call", "passed"), (SECOND, "call", "passed"))
    assert chosen(record, leaves_out=True) == ["plain"]
    assert chosen(record, leaves_out=False) == ["plain", FIRST, SECOND]
    (root / "store" / "queue.py").write_text("other", encoding="utf-8")
    assert chosen(record, leaves_out=True) == ["plain", FIRST, SECOND]


@pytest.mark.parametrize("part", ["setup", "call", "teardown"])
def test_a_test_that_fails_in_any_part_is_run_again(root: Path, part: str) -> None:
    record = root / "settled.json"
    ended(record, (FIRST, "call", "passed"), (SECOND, "call", "passed"))
    others = [(FIRST, "call", "passed")] if part == "teardown" else []
    ended(record, *others, (FIRST, part, "failed"))
    assert chosen(record, leaves_out=True) == ["plain", FIRST]


def test_nothing_is_kept_unless_it_is_asked_for(root: Path) -> None:
    record = root / "settled.json"
    ended(record, (FIRST, "call", "passed"), keeps=False)
    assert not record.exists()


def test_a_file_without_a_subject_and_a_subject_without_files_are_named(root: Path) -> None:
    with pytest.raises(ValueError, match=r"tests/test_other\.py has settled tests: say in tests/settled\.py"):
        settled.looks_of("tests/test_other.py")
    (root / "store" / "queue.py").unlink()
    with pytest.raises(ValueError, match=r"about store, and there is no such file"):
        settled.looks_of(FILE)


def test_every_file_with_long_tests_has_its_subject_and_every_subject_its_tests() -> None:
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"^(@|pytestmark = .*)pytest\.mark\.settled\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert marked == SUBJECTS.keys()
    assert all(looks_of(file) for file in marked)


def test_the_record_names_tests_that_there_are() -> None:
    for test in settled.recorded():
        file, _, name = test.partition("::")
        assert f"\ndef {name.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8"), test


def chosen(record: Path, *, leaves_out: bool) -> list[str]:
    """The tests that are run of one plain and two settled ones."""
    items: list[Any] = [Item("plain"), Item(FIRST, ("settled",)), Item(SECOND, ("settled",))]
    left: list[Any] = []

    def pytest_deselected(items: list[Any]) -> None:
        left.extend(items)

    config: Any = SimpleNamespace(hook=SimpleNamespace(pytest_deselected=pytest_deselected))
    Settled(leaves_out=leaves_out, keeps=False, record=record).pytest_collection_modifyitems(config, items)
    assert {item.nodeid for item in (*items, *left)} == {"plain", FIRST, SECOND}
    return [item.nodeid for item in items]


@dataclass(frozen=True)
class Item:
    """What is asked of a collected test."""

    nodeid: str
    keywords: tuple[str, ...] = ()


def ended(record: Path, *reports: tuple[str, str, str], keeps: bool = True) -> None:
    """A run whose parts ended so."""
    plugin = Settled(leaves_out=True, keeps=keeps, record=record)
    for nodeid, when, outcome in reports:
        report: Any = SimpleNamespace(
            nodeid=nodeid, when=when, keywords={"settled": 1}, failed=outcome == "failed", passed=outcome == "passed"
        )
        plugin.pytest_runtest_logreport(report)
    session: Any = SimpleNamespace(config=SimpleNamespace())
    plugin.pytest_sessionfinish(session)
    assert not record.exists() or json.loads(record.read_text(encoding="utf-8"))
