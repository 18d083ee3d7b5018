"""Long tests are left out exactly while what they are about looks as it did when they passed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import settled, subjects
from tests.settled import LONG_S, Passed, Settled, recorded
from tests.subjects import ALWAYS, EVERYTHING, PROGRAM, ROOT, SUBJECTS, derived_subject, looks_of

FILE = "tests/test_kills.py"
FIRST, SECOND = f"{FILE}::test_first", f"{FILE}::test_second"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose one file of long tests is said to be about a folder."""
    for place in (FILE, "store/queue.py", "store/__pycache__/queue.pyc", "pages/board.py", *ALWAYS):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(place, encoding="utf-8")
    monkeypatch.setattr(subjects, "SUBJECTS", {FILE: ("store",)})
    monkeypatch.setattr(settled, "looks_of", lambda test_file: looks(test_file, tmp_path))
    return tmp_path


def looks(test_file: str, root: Path) -> str:
    """What is seen by a process that starts now."""
    for known in (subjects._files, subjects._sha256, subjects._meaning, subjects._holds_modules):
        known.cache_clear()
    for derived in (subjects._graph, subjects._path_of, subjects._with_data):
        derived.cache_clear()
    return looks_of.__wrapped__(test_file, root)


def test_what_looks_otherwise_is_a_file_of_the_subject_the_test_and_what_all_are_about(root: Path) -> None:
    before = looks(FILE, root)
    (root / "pages" / "board.py").write_text("other", encoding="utf-8")
    (root / "store" / "__pycache__" / "queue.pyc").write_text("other", encoding="utf-8")
    assert looks(FILE, root) == before
    seen = {before}
    for place in ("store/queue.py", FILE, *ALWAYS):
        (root / place).write_text("other", encoding="utf-8")
        seen.add(looks(FILE, root))
    (root / "store" / "claims.py").touch()
    seen.add(looks(FILE, root))
    (root / "store" / "claims.py").rename(root / "store" / "turns.py")
    seen.add(looks(FILE, root))
    assert len(seen) == 1 + 2 + len(ALWAYS) + 2


def test_a_comment_counts_where_texts_of_modules_are_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def seen() -> list[str]:
        (root / "store" / "queue.py").write_text("store", encoding="utf-8")
        before = looks(FILE, root)
        (root / "store" / "queue.py").write_text("store  # the queue's", encoding="utf-8")
        return [before, looks(FILE, root)]

    assert len(set(seen())) == 1
    monkeypatch.setattr(subjects, "EVERYTHING", ("store",))
    assert len(set(seen())) == 2


def test_a_test_is_left_out_until_its_subject_changes(root: Path) -> None:
    record = root / "settled.json"
    assert chosen(record, leaves_out=True) == ["tests/test_short.py::test_plain", FIRST, SECOND]
    ended(record, (FIRST, "call", "passed"), (SECOND, "call", "passed"))
    assert chosen(record, leaves_out=True) == ["tests/test_short.py::test_plain"]
    assert chosen(record, leaves_out=False) == ["tests/test_short.py::test_plain", FIRST, SECOND]
    (root / "store" / "queue.py").write_text("other", encoding="utf-8")
    assert chosen(record, leaves_out=True) == ["tests/test_short.py::test_plain", FIRST, SECOND]
    ended(record, (SECOND, "call", "passed"))  # what the first was like before says nothing of it now
    assert chosen(record, leaves_out=True) == ["tests/test_short.py::test_plain", FIRST]


@pytest.mark.parametrize("part", ["setup", "call", "teardown"])
def test_a_test_that_fails_in_any_part_is_run_again(root: Path, part: str) -> None:
    record = root / "settled.json"
    ended(record, (FIRST, "call", "passed"), (SECOND, "call", "passed"))
    others = [(FIRST, "call", "passed")] if part == "teardown" else []
    ended(record, *others, (FIRST, part, "failed"))
    assert chosen(record, leaves_out=True) == ["tests/test_short.py::test_plain", FIRST]


def test_a_file_whose_tests_are_short_is_run_each_time(root: Path) -> None:
    record = root / "settled.json"
    ended(record, (FIRST, "call", "passed"), (SECOND, "call", "passed"), each_s=LONG_S / 2 - 0.01)
    assert recorded(record) == {}
    ended(record, (FIRST, "call", "passed"), (SECOND, "call", "passed"), each_s=LONG_S / 2)
    assert recorded(record) == {FILE: Passed(looks(FILE, root), ("test_first", "test_second"))}
    ended(record, (FIRST, "call", "passed"), each_s=0.0)  # on a quick day it stays in the record
    assert recorded(record)[FILE].tests == ("test_first", "test_second")


def test_a_skipped_test_is_not_taken_for_passed(root: Path) -> None:
    record = root / "settled.json"
    ended(record, (FIRST, "setup", "skipped"), (SECOND, "call", "passed"))
    assert recorded(record)[FILE].tests == ("test_second",)


def test_nothing_is_kept_unless_it_is_asked_for(root: Path) -> None:
    record = root / "settled.json"
    ended(record, (FIRST, "call", "passed"), keeps=False)
    assert not record.exists()


def test_a_subject_without_files_is_named(root: Path) -> None:
    (root / "store" / "queue.py").unlink()
    (root / "store" / "__pycache__" / "queue.pyc").unlink()
    with pytest.raises(ValueError, match=r"about store, and there is no such file"):
        looks(FILE, root)


def test_every_subject_belongs_to_tests_and_leads_somewhere() -> None:
    assert all((ROOT / file).is_file() for file in SUBJECTS)
    assert all(looks_of(file) for file in SUBJECTS)


@pytest.mark.parametrize(
    ("file", "about", "not_about"),
    [
        (
            "tests/unit/evaluator/judges/test_quantities.py",
            ["evaluator/judges/quantities.py", "evaluator/judges/__init__.py"],
            ["app.py", "evaluator/judges/pair/network.py", "leaderboard/ui.py"],
        ),
        (  # by way of what it imports, and with the tables that lie beside that
            "tests/unit/evaluator/judges/quality/test_labelled_pairs.py",
            ["evaluator/judges/quality/labelled_pairs.jsonl", "evaluator/judges/quality/labelled_pairs.py"],
            ["leaderboard/ui.py"],
        ),
        (  # a folder of data below the package that reads it
            "tests/unit/submissions/promptsets/test_promptsets.py",
            ["submissions/promptsets/examples/keel.json", "submissions/promptsets/examples/2025/tide_en.json"],
            ["leaderboard/ui.py", "submissions/recorded/manifest.json"],
        ),
    ],
)
def test_what_nobody_states_is_what_a_file_imports_with_the_data_beside_it(
    file: str, about: list[str], not_about: list[str]
) -> None:
    found = derived_subject(file)
    assert set(about) <= found
    assert not found & set(not_about)


@pytest.mark.parametrize(
    ("file", "subject"),
    [
        ("tests/browser/test_board.py", PROGRAM),  # starts the app
        ("tests/unit/test_doc_citations.py", EVERYTHING),  # reads the docs
    ],
)
def test_what_reaches_beyond_imports_is_about_the_whole(file: str, subject: tuple[str, ...]) -> None:
    assert derived_subject(file) == set(subject)


def test_a_change_of_docs_runs_no_test_of_a_program_again() -> None:
    assert "docs" in EVERYTHING
    assert "docs" not in PROGRAM


def test_the_record_names_tests_that_there_are() -> None:
    for file, of in recorded().items():
        text = (ROOT / file).read_text(encoding="utf-8")
        names = {re.split(r"\[|::", name)[0] for name in of.tests}  # of a class, or of a state machine, its name
        assert not [name for name in names if not re.search(rf"^(def |class )?{name}\b", text, re.MULTILINE)], file


def chosen(record: Path, *, leaves_out: bool) -> list[str]:
    """The tests that are run of a short one and two long ones."""
    there = ["tests/test_short.py::test_plain", FIRST, SECOND]
    items: list[Any] = list(map(Item, there))
    left: list[Any] = []

    def pytest_deselected(items: list[Any]) -> None:
        left.extend(items)

    config: Any = SimpleNamespace(hook=SimpleNamespace(pytest_deselected=pytest_deselected))
    Settled(leaves_out=leaves_out, keeps=False, record=record).pytest_collection_modifyitems(config, items)
    assert {item.nodeid for item in (*items, *left)} == set(there)
    return [item.nodeid for item in items]


@dataclass(frozen=True)
class Item:
    """What is asked of a collected test."""

    nodeid: str


def ended(record: Path, *reports: tuple[str, str, str], keeps: bool = True, each_s: float = LONG_S) -> None:
    """A run whose parts ended so."""
    plugin = Settled(leaves_out=True, keeps=keeps, record=record)
    for nodeid, when, outcome in reports:
        report: Any = SimpleNamespace(
            nodeid=nodeid, when=when, duration=each_s, failed=outcome == "failed", passed=outcome == "passed"
        )
        plugin.pytest_runtest_logreport(report)
    session: Any = SimpleNamespace(config=SimpleNamespace())
    plugin.pytest_sessionfinish(session)
