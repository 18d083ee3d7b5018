"""A whole run scored by the program of a Codabench bundle, in the sandbox; what it writes is read as data.

The program finds what Codabench gives it: `$input/ref` with the references, `$input/res` with what was sent, `$output`
for scores.json or scores.txt, and `$program`, its own folder.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from evaluator.own_tasks import bundle_harness
from evaluator.own_tasks.scoring import ItemScores, ScoringUnreadable
from evaluator.sandbox.program import BOX, SandboxLimits, isolated_python, run_isolated
from submissions.own_tasks.task import OwnTask
from submissions.own_tasks.task_file import PROGRAM, REFERENCES
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, printable
from submissions.reading.strict_json import read_json

RUN = "run"
"""The one item of a run that is scored whole."""
_PLACES = {"$program": "/app/program", "$input": "/app/input", "$output": f"{BOX}/output"}


def score_bundle(task: OwnTask, files: Mapping[str, bytes]) -> dict[str, ItemScores]:
    """The scores of a run, under one item.

    Raises:
        NoIsolation: there is no sandbox here.
        ProgramStopped: the program did not end well.
        ScoringUnreadable: it wrote no scores, or something else.
    """
    with tempfile.TemporaryDirectory(prefix="plumbline-task-") as name:
        sent = Path(name) / "res"
        sent.mkdir()
        write_files(sent, files)
        answer = run_isolated(
            (*isolated_python(), "/harness.py", *map(_placed, task.command)),
            {
                "/harness.py": Path(bundle_harness.__file__),
                "/app/program": task.folder / PROGRAM,
                "/app/input/ref": task.folder / REFERENCES,
                "/app/input/res": sent,
            },
            SandboxLimits(seconds=task.seconds, memory_mb=task.memory_mb),
            links={"/app/output": f"{BOX}/output"},
        )
    told, _, data = answer.partition(b"\n")
    if told not in (b"scores.json", b"scores.txt"):
        raise ScoringUnreadable(printable(data.decode("utf-8", "replace"), 120) or "nothing was written")
    values = _json_scores(data) if told == b"scores.json" else _text_scores(data)
    numbers: dict[str, float | None] = {}
    reason = ""
    for column in task.columns:
        parts = column.of or (column.said,)
        read = [_number(values.get(said)) for said in parts]
        given = [number for number in read if number is not None]
        if len(given) == len(read):
            numbers[column.key] = _COMPUTED[column.computation](given) if column.computation else given[0]
            continue
        lacking = parts[read.index(None)]
        numbers[column.key] = None
        if not reason:
            what = described(values[lacking]) if lacking in values else "nothing"
            reason = f"{printable(lacking)}: found {what}, expected a number"
    return {RUN: ItemScores(numbers, reason)}


_COMPUTED: Mapping[str, Callable[[Sequence[float]], float]] = {"avg": fmean, "sum": math.fsum, "min": min, "max": max}


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if is_number and isinstance(value, int | float) else None


def _placed(word: str) -> str:
    """A word of the command with the places of the sandbox.

    >>> _placed("$program/score.py")
    '/app/program/score.py'
    """
    for name, place in _PLACES.items():
        word = word.replace(name, place)
    return word


def _json_scores(data: bytes) -> Mapping[str, object]:
    document = read_json(data, "scores.json", Limits())
    if document.findings.has_error or not isinstance(document.value, dict):
        problem = next(iter(document.findings.problems), None)
        raise ScoringUnreadable(problem.message if problem else "scores.json: expected an object of name and number")
    return document.value


def _text_scores(data: bytes) -> Mapping[str, object]:
    """Lines of `name: number`."""
    values: dict[str, object] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        name, colon, text = line.rpartition(":")
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if colon:
            values[name.strip()] = number if math.isfinite(number) else printable(text.strip())
    return values


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes files below a folder; their paths were read from a zip and lead nowhere else."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
