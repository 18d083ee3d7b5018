"""Items scored by the program of an organiser, in the sandbox; what it answers is read as data."""

from __future__ import annotations

import io
import json
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator.own_tasks import harness
from evaluator.sandbox.program import ProgramStopped, SandboxLimits, isolated_python, run_isolated
from submissions.own_tasks.task import OwnColumn, OwnTask
from submissions.own_tasks.task_file import SCORE_FILE
from submissions.reading.json_lines import JsonLines
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, printable

_MOST_REASON = 120
_LINES_OF_LOG = 20


class ScoringUnreadable(Exception):
    """Raised when what a scoring program answered cannot be read."""


@dataclass(frozen=True, slots=True)
class ItemScores:
    """One item: a value for each column, None where there is none."""

    values: Mapping[str, float | None]
    reason: str = ""
    """Why a value is missing; blank where none is."""


def shown_log(error: Exception) -> str:
    r"""The last 20 lines that a program wrote to standard error; blank where there are none.

    Each is marked, so that none passes for a line of the log that it stands in.

    >>> shown_log(ProgramStopped("it ended", "first\n2026-11-30 INFO all is well\n"))
    '\n  | first\n  | 2026-11-30 INFO all is well'
    """
    lines = error.log.strip().splitlines() if isinstance(error, ProgramStopped) else []
    return "".join(f"\n  | {printable(line, 400)}" for line in lines[-_LINES_OF_LOG:])


def score_items(
    task: OwnTask, predictions: Mapping[str, object], references: Mapping[str, object]
) -> dict[str, ItemScores]:
    """Scores by item, of the items that have a prediction.

    Raises:
        NoIsolation: there is no sandbox here.
        ProgramStopped: the program did not end well.
        ScoringUnreadable: it answered something else.
    """
    items = [item for item in references if item in predictions]
    with tempfile.TemporaryDirectory(prefix="plumbline-task-") as name:
        lines = Path(name) / "items.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            for item in items:
                asked = {"prediction": predictions[item], "reference": references[item]}
                file.write(json.dumps(asked) + "\n")
        answer = run_isolated(
            (*isolated_python(), "/harness.py"),
            {
                "/harness.py": Path(harness.__file__),
                f"/program/{SCORE_FILE}": task.folder / SCORE_FILE,
                "/input/items.jsonl": lines,
            },
            SandboxLimits(seconds=task.seconds, memory_mb=task.memory_mb, result_bytes=2**16 + 2**10 * len(items)),
        )
    answered = JsonLines(io.BytesIO(answer), "answer", Limits(), lambda value: False)
    told = [line.value for line in answered]
    if answered.findings.has_error or len(told) != len(items):
        raise ScoringUnreadable(f"found {len(told):,} readable lines, expected {len(items):,}, one for each item")
    return {item: _scores(value, task.columns) for item, value in zip(items, told, strict=True)}


def _scores(answer: object, columns: tuple[OwnColumn, ...]) -> ItemScores:
    values = answer.get("values") if isinstance(answer, dict) else None
    if not isinstance(values, dict):
        said = answer.get("error") if isinstance(answer, dict) else None
        reason = printable(said, _MOST_REASON) if isinstance(said, str) else "score gave no values"
        return ItemScores({column.key: None for column in columns}, reason)
    read = {column.key: _number(values.get(column.key), column) for column in columns}
    missing = next((column for column in columns if read[column.key] is None), None)
    if missing is None:
        return ItemScores(read)
    what = described(values[missing.key]) if missing.key in values else "nothing"
    expected = "a number" if missing.ends is None else f"a number from {missing.ends[0]:g} to {missing.ends[1]:g}"
    return ItemScores(read, f"{missing.key}: found {what}, expected {expected}")


def _number(value: object, column: OwnColumn) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = float(value)
    low, high = column.ends or (-math.inf, math.inf)
    return number if math.isfinite(number) and low <= number <= high else None
