"""Does the program say the same as at an earlier commit? `make same-as-before COMMIT=fc16501`.

The check of every fixture, the result of every file that is accepted, the help of every command, and the boards that
are rebuilt from an archive which the earlier commit wrote are compared, place by place. What states a version or how
long something took is left out. What differs from fc16501 on purpose stands in `WANTED` with its reason and is counted;
anything else is printed, and fails. Compared with a later commit nothing is wanted.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
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
    ),
    "leaderboard": ("", "export"),
}
OF_THE_MOMENT = re.compile(r"version|revision|commit|seconds")
"""Keys whose values are of a version, or of how long something took."""

Commands = list[tuple[str, tuple[str, ...]]]
"""Programs with their arguments."""
Answer = tuple[Any, str]
"""Exit code and output of one command."""

DRIVER = """
import contextlib, importlib, io, json, sys
for line in sys.stdin:
    program, arguments = json.loads(line)
    out, errors, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = importlib.import_module(f"{program}.__main__").main(arguments)
        except SystemExit as end:
            code = end.code
        except BaseException as error:
            code = f"{type(error).__name__}: {error}"
    print(json.dumps([code, out.getvalue() or errors.getvalue()]), flush=True)
"""
"""Runs one command after the other in one process, as `python -m PROGRAM` would; where it says nothing, its errors."""


class Version:
    """One of the two programs."""

    def __init__(self, tree: Path, data: Path) -> None:
        self.data = data
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLUMBLINE_", "PYTHON"))}
        settings = {"PLUMBLINE_DATA": str(data), "PLUMBLINE_FETCH_SETS": "0", "PLUMBLINE_JUDGES": "scripted"}
        self._environment = kept | settings | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(tree), "COLUMNS": "100"}
        self._tree = tree

    def run(self, program: str, *arguments: str) -> Answer:
        """Exit code and output of one command."""
        (answer,) = self.run_all([(program, arguments)])
        return answer

    def run_all(self, commands: Commands) -> list[Answer]:
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


FIRST = "fc16501"
"""Against which `WANTED` holds."""

WANTED: tuple[tuple[str, str, str], ...] = (
    (
        "python -m evaluator work",
        "--child is gone",
        "a worker watches its processes itself (9cd3488); nobody was to give the option",
    ),
    ("", r" is new$", "results, rows and manifests say more: gate, attempts, runs, marks, the response to culture"),
    (
        "evaluate",
        r"(\.low|\.high|[._]ci\[\]|_ci95\[\]): ",
        "intervals hold their level on few units (docs/metrics.md#interval); no figure of one has changed",
    ),
    ("boards/personalized_", r"\.(low|high): ", "the same intervals on their boards"),
    (
        "boards/robustness",
        r"\.rank\.(low|high): ",
        "bands hold all together with 95 % (docs/metrics.md#rank_band)",
    ),
    ("", r"not at hand.* before, .*not installed", "messages say *installed* for *at hand*"),
    ("check culture.zip", r"\.message: .answers in .* are absent: ", "the message says which answers are absent"),
    ("check culture.zip", r"\.message: .*, and no run is ranked here", "without prompts of 2026 no run is ranked"),
    ("boards/personalization", r"\.note: ", "published rows say *as printed*"),
    ("boards/", r"^\$\.link: .* before, .*[?&]columns=all", "a link to every column says so: boards open with fewer"),
    ("check", r"^\$\.(problems|problems_total): ", "a file in another shape is told that `pack` would mend it"),
    (
        "evaluate",
        r"^\$\.reason: .* before, \"the questions of the edition are not registered",
        "2025 is held against registered questions",
    ),
    ("evaluate pairs.json", r"gold_returned|\.rankable: true before, false", "gold answers sent back are not ranked"),
    ("boards/cultural", r"\.judged\.of: ", "2026 is ranked by the response to culture, over its own questions"),
    (
        "boards/personalized_",
        r"^\$\.rows: ",
        "all systems of the paper's tables stand there, LLaMA too",
    ),
    ("boards/behavior", r"\.note: ", "the human's row says that the human is compared with the human"),
    ("index.json", r"^\$\.boards: ", "it lists the boards with their digests, which differ as said above"),
)
"""What differs from `FIRST` on purpose: beginning of what was asked, how the difference reads, why."""

Said = tuple[str, Answer, Answer]
"""What was asked, and what either program answers."""


def main() -> int:
    """Compares with the commit that is the only argument; exit code 1 where anything differs that nobody wanted."""
    wanted: Counter[str] = Counter()
    unwanted: Counter[str] = Counter()
    commit = sys.argv[1]
    for subject, old, new in answers(commit):
        for difference in differences(subject, old, new):
            reason = reason_of(subject, difference) if commit.startswith(FIRST) else ""
            if reason:
                wanted[reason] += 1
            else:
                unwanted[f"{subject}: {difference}"] += 1
    for reason, count in wanted.items():
        sys.stdout.write(f"{count} as wanted: {reason}\n")
    for line in unwanted:
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{len(unwanted)} differ that nobody wanted\n")
    return 1 if unwanted else 0


def answers(commit: str) -> Iterator[Said]:
    """What the commit and this tree say to everything."""
    with tempfile.TemporaryDirectory(prefix="plumbline-before-") as name:
        folder = Path(name)
        tree = folder / "tree"
        tree.mkdir()
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "x", "-C", str(tree)], input=archive.stdout, check=True)
        before, now = Version(tree, folder / "before"), Version(ROOT, folder / "now")
        yield from _commands(before, now)
        yield from _files(before, now, folder)
        yield from _boards(before, now, folder)


def _commands(before: Version, now: Version) -> Iterator[Said]:
    commands: Commands = [
        (program, (*([name] if name else []), "--help")) for program, names in COMMANDS.items() for name in names
    ]
    for (program, arguments), old, new in zip(commands, before.run_all(commands), now.run_all(commands), strict=True):
        yield f"python -m {program} {' '.join(arguments)}", old, new
    _say(f"{len(commands)} commands")


def _files(before: Version, now: Version, folder: Path) -> Iterator[Said]:
    files = [*sorted(path for path in DATA.rglob("*") if path.suffix in (".json", ".csv", ".zip")), *_made(folder)]
    checks: Commands = [("submissions", ("check", "--json", "--options", "3", str(path))) for path in files]
    accepted: list[Path] = []
    for path, old, new in zip(files, before.run_all(checks), now.run_all(checks), strict=True):
        yield f"check {path.name}", old, new
        if new[0] == 0:
            accepted.append(path)
    _say(f"{len(files)} files checked, {len(accepted)} accepted")
    results: Commands = [("evaluator", ("evaluate", "--json", "--options", "3", str(path))) for path in accepted]
    for path, old, new in zip(accepted, before.run_all(results), now.run_all(results), strict=True):
        yield f"evaluate {path.name}", old, new
    _say("evaluated")


def _boards(before: Version, now: Version, folder: Path) -> Iterator[Said]:
    """Boards of an archive that the earlier commit wrote, by either."""
    submit: Commands = [
        ("submissions", ("submit", "--options", "3", "--team", "Fleet", str(path))) for path in _made(folder)
    ]
    for code, text in before.run_all([*submit, ("evaluator", ("work", "--until-empty"))]):
        if code not in (0, None):
            yield "submit and work", (0, ""), (code, text)
    archive = before.data / "archive"
    yield "rebuild", (0, ""), (now.run("submissions", "rebuild", "--archive", str(archive))[0], "")
    old, new = folder / "boards-before", folder / "boards-now"
    for version, out in ((before, old), (now, new)):
        yield "export", (0, ""), (version.run("leaderboard", "export", str(out))[0], "")
    names = sorted({path.relative_to(out) for out in (old, new) for path in out.rglob("*.json")})
    for name in names:
        yield str(name), _written(old / name), _written(new / name)
    _say(f"{len(names)} boards and manifests")


def _written(path: Path) -> Answer:
    return (0, path.read_text()) if path.exists() else (0, "{}")


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


def differences(subject: str, old: Answer, new: Answer) -> Iterator[str]:
    """What differs, by place: all of it.

    Of a help text that an option or a command is gone; more of them, and other words, are no difference.
    """
    if old[0] != new[0]:
        yield f"exit {old[0]} before, {new[0]} now: {new[1].strip()[:200]}"
    elif subject.endswith("--help"):
        yield from (f"{name} is gone" for name in sorted(_offered(old[1]) - _offered(new[1])))
    elif old[1] != new[1]:
        yield from _differing("$", json.loads(old[1]), json.loads(new[1]))


def reason_of(subject: str, difference: str) -> str:
    """Why a difference is wanted; blank where nobody wanted it."""
    found = (why for of, how, why in WANTED if subject.startswith(of) and re.search(how, difference))
    return next(found, "")


def _offered(text: str) -> set[str]:
    """Options and commands of a help text."""
    return {*re.findall(r"--[a-z][a-z-]*", text), *re.findall(r"^    ([a-z][a-z-]*)(?:  |$)", text, re.MULTILINE)}


def _differing(place: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if OF_THE_MOMENT.search(key):
                continue
            if key not in new or key not in old:
                yield f"{place}.{key}: {'is gone' if key not in new else 'is new'}"
            else:
                yield from _differing(f"{place}.{key}", old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for before, now in zip(old, new, strict=True):
            yield from _differing(f"{place}[]", before, now)
    elif old != new:
        before, now = (json.dumps(value, ensure_ascii=False)[:150] for value in (old, new))
        yield f"{place}: {before} before, {now} now"


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
