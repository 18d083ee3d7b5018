"""`python -m leaderboard new-board` in a copy of the tree: what it makes works, and nothing is overwritten."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.__main__ import main
from leaderboard.commands.new_board import NotMade, new_board, renamed

ROOT = Path(__file__).parents[4]
PARTS = ("submissions", "evaluator", "leaderboard", "tests", "docs", "seasons", "app.py", "pyproject.toml", "README.md")


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """A copy of what a checkout holds."""
    for part in PARTS:
        source, target = ROOT / part, tmp_path / "tree" / part
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            # Compiled modules come along.
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("golden"))
        else:
            shutil.copy2(source, target)
    yield tmp_path / "tree"
    shutil.rmtree(tmp_path / "tree")


def contents(tree: Path) -> dict[str, bytes]:
    files = (path for path in tree.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(tree)): path.read_bytes() for path in files}


def run(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


def test_what_it_makes_works_and_stands_beside_all_that_is_there(tree: Path, tmp_path: Path) -> None:
    before = contents(tree)
    made = run(tree, "leaderboard", "new-board", "my_task")
    assert made.returncode == 0, made.stderr
    after = contents(tree)
    new = {path for path in after if path not in before}
    assert new == {
        "submissions/formats/my_task/__init__.py",
        "submissions/formats/my_task/kind.py",
        "evaluator/my_task/__init__.py",
        "evaluator/my_task/task.py",
        *(f"leaderboard/boards/my_task/{name}.py" for name in ("__init__", "kind", "state", "board", "file_view")),
        "tests/unit/leaderboard/boards/test_my_task.py",
        "docs/my_task.md",
    }
    changed = {path for path, data in before.items() if after[path] != data}
    assert changed == {
        "submissions/kinds.py",
        "evaluator/tasks.py",
        "leaderboard/boards/file_views.py",
        "leaderboard/boards/registry.py",
        "pyproject.toml",
    }
    for path in changed - {"pyproject.toml"}:  # every line that was there is there, and two more
        lines, former = after[path].splitlines(), before[path].splitlines()
        assert len(lines) == len(former) + 2
        assert [line for line in lines if b"my_task" not in line and b"MY_TASK" not in line] == former
    left = ("length_limits", "LENGTH_LIMITS", "Limited", "limited", "LimitR", "Length limits")
    assert [(path, word) for path in new for word in left if word.encode() in after[path]] == []
    tests = run(tree, "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/leaderboard/boards/test_my_task.py")
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert "5 passed" in tests.stdout
    # And the page is served.
    (tmp_path / "data").mkdir()
    served = run(tree, "tests.unit.leaderboard.commands.served_page", str(tmp_path / "data"), "my_task")
    assert served.returncode == 0, served.stdout + served.stderr
    assert "My task" in served.stdout
    # Once more: everything is in the way, and stays as it is.
    again = run(tree, "leaderboard", "new-board", "my_task")
    assert again.returncode == 2
    assert "is called my_task already" in again.stderr
    assert contents(tree) == after


def test_a_file_in_the_way_is_named_and_nothing_is_written(tree: Path) -> None:
    (tree / "docs" / "my_task.md").write_text("mine", encoding="utf-8")
    (tree / "evaluator" / "my_task").mkdir()
    before = contents(tree)
    with pytest.raises(NotMade, match=r"^docs/my_task.md, evaluator/my_task: is there already"):
        new_board(tree, "my_task")
    assert contents(tree) == before


@pytest.mark.parametrize(
    "name", ["", "ab", "My_task", "1task", "_task", "my-task", "my task", "../task", "täsk", "class", "match", "a" * 25]
)
def test_a_name_that_cannot_be_one_is_refused_with_what_is_expected(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["new-board", "--tree", str(tmp_path), "--", name])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert "expected 3 to 24 of a-z, 0-9 and _, a letter first, and no word of Python" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("name", ["robustness", "queue", "mine", "judge_verdicts"])
def test_a_name_that_is_taken_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(NotMade, match=f"is called {name} already"):
        new_board(tmp_path, name)


def test_a_folder_that_is_no_checkout_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(NotMade, match=r"is no checkout of Plumbline: it lacks docs/add_a_file_kind.md"):
        new_board(tmp_path, "my_task")


def test_names_of_one_letter_parts_make_classes_too() -> None:
    assert renamed("LimitedReading, LimitRow", "a_b_c") == "ABCReading, ABCRow"
