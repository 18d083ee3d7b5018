"""Does the program say the same as at an earlier commit? `make same-as-before COMMIT=fc16501`.

The check of every fixture, the result of every file that is accepted, the help of every command, and the boards that
are rebuilt from an archive which the earlier commit wrote are compared, text by text. What differs is printed; what
states a version or how long something took is left out.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from submissions.promptsets import example_submissions
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import file_of
from tests.unit.leaderboard.boards.editions.test_screen import question_file
from tests.unit.leaderboard.boards.personalization.made_personalization import large_file
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import choices, ratings
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped
from tests.unit.submissions.formats.judge_verdicts.test_reader import as_csv, good_rows

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
COMMANDS = {
    "submissions": (
        *("", "check", "template", "submit", "status", "cancel", "withdraw", "rebuild", "hide", "show", "rejudge"),
        *("rank", "rank-latest", "pause", "resume", "cells", "decisions", "import-perse"),
    ),
    "evaluator": (
        *("", "work", "evaluate", "reproduce", "judges", "score-pairs", "explain", "verify", "judge-quality"),
        *("position-bias", "repetition", "judge-agreement", "personalization", "behavior-alignment", "agreement"),
        *("behavior-pairs", "train-behavior-classifier", "personalized-evaluation", "answer", "fill", "human-check"),
        "train-pair-judge",
    ),
    "leaderboard": ("", "export"),
}
OF_THE_MOMENT = re.compile(r"version|revision|commit|seconds")
"""Keys whose values are of a version, or of how long something took."""

Commands = list[tuple[str, tuple[str, ...]]]
"""Programs with their arguments."""

DRIVER = """
import contextlib, importlib, io, json, sys
for line in sys.stdin:
    program, arguments = json.loads(line)
    out, code = io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = importlib.import_module(f"{program}.__main__").main(arguments)
        except SystemExit as end:
            code = end.code
        except BaseException as error:
            code = f"{type(error).__name__}: {error}"
    print(json.dumps([code, out.getvalue()]), flush=True)
"""
"""Runs one command after the other in one process, as `python -m PROGRAM` would."""


class Version:
    """One of the two programs."""

    def __init__(self, tree: Path, data: Path) -> None:
        self.data = data
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLUMBLINE_", "PYTHON"))}
        settings = {"PLUMBLINE_DATA": str(data), "PLUMBLINE_FETCH_SETS": "0", "PLUMBLINE_JUDGES": "scripted"}
        self._environment = kept | settings | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(tree), "COLUMNS": "100"}
        self._tree = tree

    def run(self, program: str, *arguments: str) -> tuple[Any, str]:
        """Exit code and output of one command."""
        (answer,) = self.run_all([(program, arguments)])
        return answer

    def run_all(self, commands: Commands) -> list[tuple[Any, str]]:
        """The same of several, one after the other."""
        lines = "".join(f"{json.dumps([program, list(arguments)])}\n" for program, arguments in commands)
        done = subprocess.run(
            [sys.executable, "-c", DRIVER],
            cwd=self._tree,
            env=self._environment,
            input=lines,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return [(code, text) for code, text in map(json.loads, done.stdout.splitlines())]


def main() -> int:
    """Compares with the commit that is the only argument; exit code 1 where anything differs."""
    commit = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="plumbline-before-") as name:
        folder = Path(name)
        tree = folder / "tree"
        tree.mkdir()
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "x", "-C", str(tree)], input=archive.stdout, check=True)
        before, now = Version(tree, folder / "before"), Version(ROOT, folder / "now")
        differing = [*_commands(before, now), *_files(before, now, folder), *_boards(before, now, folder)]
    for line in differing:
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{len(differing)} differ\n")
    return 1 if differing else 0


def _commands(before: Version, now: Version) -> Iterator[str]:
    commands: Commands = [
        (program, (*([name] if name else []), "--help")) for program, names in COMMANDS.items() for name in names
    ]
    for (program, arguments), old, new in zip(commands, before.run_all(commands), now.run_all(commands), strict=True):
        if old != new:
            yield f"python -m {program} {' '.join(arguments)}: {_first_difference(old[1], new[1])}"
    _say(f"{len(commands)} commands")


def _files(before: Version, now: Version, folder: Path) -> Iterator[str]:
    files = [*sorted(path for path in DATA.rglob("*") if path.suffix in (".json", ".csv", ".zip")), *_made(folder)]
    checks: Commands = [("submissions", ("check", "--json", "--options", "3", str(path))) for path in files]
    accepted: list[Path] = []
    for path, old, new in zip(files, before.run_all(checks), now.run_all(checks), strict=True):
        if difference := _difference(old, new):
            yield f"check {path.name}: {difference}"
        if new[0] == 0:
            accepted.append(path)
    _say(f"{len(files)} files checked, {len(accepted)} accepted")
    results: Commands = [("evaluator", ("evaluate", "--json", "--options", "3", str(path))) for path in accepted]
    scored = 0
    for path, old, new in zip(accepted, before.run_all(results), now.run_all(results), strict=True):
        scored += new[0] == 0
        if difference := _difference(old, new):
            yield f"evaluate {path.name}: {difference}"
    _say(f"{scored} of them scored")


def _boards(before: Version, now: Version, folder: Path) -> Iterator[str]:
    """Boards of an archive that the earlier commit wrote, by either."""
    submit: Commands = [
        ("submissions", ("submit", "--options", "3", "--team", "Fleet", str(path))) for path in _made(folder)
    ]
    for code, text in before.run_all([*submit, ("evaluator", ("work", "--until-empty"))]):
        if code not in (0, None):
            yield f"not submitted or scored: exit {code}: {text.strip()[:300]}"
    archive = before.data / "archive"
    code, text = now.run("submissions", "rebuild", "--archive", str(archive))
    if code != 0:
        yield f"rebuild: exit {code}: {text.strip()[:300]}"
    old, new = folder / "boards-before", folder / "boards-now"
    for version, out in ((before, old), (now, new)):
        code, text = version.run("leaderboard", "export", str(out))
        if code != 0:
            yield f"export: exit {code}: {text.strip()[:300]}"
    names = sorted({path.relative_to(out) for out in (old, new) for path in out.rglob("*.json")})
    for name in names:
        if not ((old / name).exists() and (new / name).exists()):
            yield f"{name}: only {'before' if (old / name).exists() else 'now'}"
        elif difference := _difference((0, (old / name).read_text()), (0, (new / name).read_text())):
            yield f"{name}: {difference}"
    _say(f"{len(names)} boards and manifests")


def _made(folder: Path) -> list[Path]:
    """A file of every kind and edition that has none among the fixtures, and the example systems."""
    made = {
        **dict(example_submissions()),
        "culture.zip": zipped(run_files()),
        "ratings.json": json.dumps(ratings(k=2)).encode(),
        "pairs.json": json.dumps(choices([3])).encode(),
        **{f"questions-{language}.json": question_file("keel", language, 2) for language in ("en", "sv", "fi")},
        "personalized.json": large_file(lost=6, ignored=2),
        "dialogues.json": file_of(12),
        "verdicts.csv": as_csv(good_rows()),
    }
    out = folder / "made"
    out.mkdir(exist_ok=True)
    paths = []
    for name, data in made.items():
        (out / name).write_bytes(data)
        paths.append(out / name)
    return paths


def _difference(old: tuple[Any, str], new: tuple[Any, str]) -> str:
    """What differs first; blank where nothing does."""
    if old[0] != new[0]:
        return f"exit {old[0]} before, {new[0]} now: {new[1].strip()[:200]}"
    try:
        one, other = _lasting(json.loads(old[1])), _lasting(json.loads(new[1]))
    except json.JSONDecodeError:
        return "" if old[1] == new[1] else _first_difference(old[1], new[1])
    if one == other:
        return ""
    texts = (json.dumps(value, indent=1, ensure_ascii=False) for value in (one, other))
    return _first_difference(*texts)


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lasting(inner) for key, inner in value.items() if not OF_THE_MOMENT.search(key)}
    return [_lasting(inner) for inner in value] if isinstance(value, list) else value


def _first_difference(old: str, new: str) -> str:
    for one, other in zip(old.splitlines(), new.splitlines(), strict=False):
        if one != other:
            return f"{one.strip()[:150]!r} before, {other.strip()[:150]!r} now"
    return f"{len(old.splitlines())} lines before, {len(new.splitlines())} now"


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
