"""Reading a folder with `task.toml`, `score.py` and a file of references: strict, every fault at once."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

from submissions.findings import Findings
from submissions.own_tasks.keyed_rows import MOST_ROWS, keyed_values, rows_of
from submissions.own_tasks.task import (
    EXPECTED_NAME,
    MOST_NAME,
    PREDICTION,
    REFERENCE,
    TASK,
    Better,
    Computation,
    Format,
    OwnColumn,
    OwnTask,
    Phase,
    is_task_name,
)
from submissions.promptsets.set_file import PromptSetError
from submissions.reading.limits import Limits
from submissions.reading.places import Places
from submissions.reading.quoting import described, printable, quoted
from submissions.schema import Names

TASK_FILE, SCORE_FILE = "task.toml", "score.py"
BUNDLE_FILE, PROGRAM, REFERENCES = "bundle.json", "program", "reference"
"""Of a task that was made of a bundle."""
MOST_COLUMNS = 8
MOST_SECONDS = 100
"""A worker that stands longer at one step is taken for stuck (PLUMBLINE_STEP_S)."""
MOST_MEMORY_MB = 16_384
MOST_TEXT = 300

_KEYS = ("title", "question", "format", "key", "reference", "columns", "limits")
_COLUMN_KEYS = ("label", "better", "about", "range")
_LIMIT_KEYS = ("seconds", "memory_mb")
_TAKEN = frozenset({PREDICTION, REFERENCE, TASK, "kind", *(field.name for field in fields(Names))})
_COLUMN_NAME = re.compile(rf"[a-z][a-z0-9_]{{0,{MOST_NAME - 1}}}")
_COLUMNS_OF_BOARDS = frozenset({"rank", "system", "team", "model", "run", "items", "note", "date"})


class OwnTaskError(PromptSetError):
    """Raised when a task cannot be used; every fault with its place, what was found and what is expected."""


def read_task(folder: Path, name: str = "") -> tuple[OwnTask, dict[str, object]]:
    """Reads a task and its references.

    Args:
        folder: With the three files.
        name: Of the task; blank = that of the folder.

    Returns:
        The task, and reference by item.

    Raises:
        OwnTaskError: with all that is wrong.
    """
    name = name or folder.resolve().name
    if (folder / BUNDLE_FILE).is_file():
        return _installed_bundle(folder, name), {}
    reader = _TaskReader()
    if not is_task_name(name):
        reader.fault("the folder", f"the name {quoted(name)}", f"{EXPECTED_NAME}: the task is called so, like pisa")
    document = reader.document(folder / TASK_FILE)
    score = reader.file(folder / SCORE_FILE)
    task = reader.task(document, folder, name) if document is not None else None
    references: dict[str, object] = {}
    if task is not None:
        data = reader.file(folder / task.reference)
        references = reader.references(data, task)
        digest = hashlib.sha256()
        for content in ((folder / TASK_FILE).read_bytes(), score, data):
            digest.update(hashlib.sha256(content).digest())
        task = replace(task, items=tuple(references), sha256=digest.hexdigest())
    if reader.faults or task is None:
        raise OwnTaskError(f"{folder}: " + "; ".join(reader.faults))
    return task, references


def tasks_in(folder: Path) -> tuple[OwnTask, ...]:
    """The tasks installed in a folder, by name; none where it is not there. Equal titles end with the name of the task.

    Raises:
        OwnTaskError: one of them cannot be used.
    """
    if not folder.is_dir():
        return ()
    tasks = [read_task(path)[0] for path in sorted(folder.iterdir()) if _holds_task(path)]
    titled = Counter(task.title for task in tasks)
    return tuple(
        replace(task, title=f"{task.title} ({task.name})") if titled[task.title] > 1 else task for task in tasks
    )


def _holds_task(folder: Path) -> bool:
    return (folder / TASK_FILE).is_file() or (folder / BUNDLE_FILE).is_file()


def _installed_bundle(folder: Path, name: str) -> OwnTask:
    """A task that was made of a bundle, from what was kept of it."""
    try:
        kept = json.loads((folder / BUNDLE_FILE).read_text(encoding="utf-8"))
        digest = hashlib.sha256()
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            digest.update(hashlib.sha256(f"{path.relative_to(folder)}\n".encode() + path.read_bytes()).digest())
        return OwnTask(
            name=name,
            title=kept["title"],
            question=f"Who is best at {kept['title']}?",
            format="zip",
            key="",
            reference="",
            columns=tuple(_kept_column(*column) for column in kept["columns"]),
            items=(),
            sha256=digest.hexdigest(),
            folder=folder.resolve(),
            seconds=kept["seconds"],
            memory_mb=2048,
            command=tuple(kept["command"]),
            phases=tuple(Phase(*phase) for phase in kept["phases"]),
            pages=tuple((title, text) for title, text in kept["pages"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OwnTaskError(f"{folder / BUNDLE_FILE}: cannot be read ({error}); install the bundle again") from None


def _kept_column(
    key: str, label: str, better: Better, said: str, computation: Computation | None = None, of: Sequence[str] = ()
) -> OwnColumn:
    return OwnColumn(key, label, better, said=said, computation=computation, of=tuple(of))


def column_key(said: str, taken: Collection[str]) -> str:
    """A key for a column that a bundle calls something else.

    >>> column_key("F1 (macro)", ()), column_key("rank", ()), column_key("f1", {"score_f1"})
    ('f1_macro', 'score_rank', 'score_f1_2')
    """
    key = re.sub(r"[^a-z0-9]+", "_", said.lower()).strip("_")[: MOST_NAME - 9]
    key = key if is_task_name(key) and key not in _COLUMNS_OF_BOARDS else f"score_{key}".rstrip("_")
    numbered = (key, *(f"{key}_{number}" for number in range(2, 100)))
    return next(free for free in numbered if free not in taken)


class _TaskReader:
    """Reads values and notes what is wrong with them."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def fault(self, place: str, what: str, expected: str) -> None:
        """Notes one."""
        self.faults.append(f"{place}: found {what}, expected {expected}")

    def file(self, path: Path) -> bytes:
        """The bytes of a file; none where it cannot be read."""
        try:
            if path.is_symlink():
                self.fault(path.name, "a link", "a file")
                return b""
            return path.read_bytes()
        except OSError as error:
            self.fault(path.name, f"no file ({error.strerror})", "a file in the folder")
            return b""

    def document(self, path: Path) -> Mapping[str, Any] | None:
        """The object of the TOML file."""
        data = self.file(path)
        if not data:
            return None
        try:
            return tomllib.loads(data.decode("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            self.fault(path.name, f"what is no TOML ({printable(str(error), 200)})", "TOML in UTF-8")
            return None

    def task(self, document: Mapping[str, Any], folder: Path, name: str) -> OwnTask | None:
        """The task without its items; None where a value it cannot do without is not in order."""
        self._only(document, _KEYS, "")
        title = self._text(document, "title", is_needed=True)
        question = self._text(document, "question")
        form = self._one_of(document, "format", get_args(Format), "")
        key = self._text(document, "key", is_needed=True)
        if key in _TAKEN:
            self.fault("key", quoted(key), f"another name than {', '.join(sorted(_TAKEN))}")
        reference = self._text(document, "reference", is_needed=True)
        if reference and not (Path(reference).name == reference and reference.endswith((".jsonl", ".csv"))):
            self.fault("reference", quoted(reference), "the name of a file in the folder that ends in .jsonl or .csv")
            reference = ""
        columns = self._columns(document.get("columns"))
        limits = document.get("limits", {})
        if not isinstance(limits, dict):
            self.fault("limits", described(limits), "a table with seconds and memory_mb")
            limits = {}
        self._only(limits, _LIMIT_KEYS, "limits.")
        seconds = self._count(limits, "seconds", 60, MOST_SECONDS)
        memory_mb = self._count(limits, "memory_mb", 2048, MOST_MEMORY_MB)
        if not (title and form and key and reference and columns):
            return None
        return OwnTask(
            name=name,
            title=title,
            question=question or f"Who is best at {title}?",
            format=form,
            key=key,
            reference=reference,
            columns=columns,
            items=(),
            sha256="",
            folder=folder.resolve(),
            seconds=seconds,
            memory_mb=memory_mb,
        )

    def references(self, data: bytes, task: OwnTask) -> dict[str, object]:
        """Reference by item."""
        findings = Findings()
        form: Format = "csv" if task.reference.endswith(".csv") else "jsonl"
        rows = rows_of(data, task.reference, form, (task.key, REFERENCE), Limits(), findings)
        places = Places(task.reference)
        values = keyed_values(rows, places, key=task.key, field=REFERENCE, items=None, findings=findings)
        self.faults += [
            f"{problem.path}: {problem.message}" for problem in findings.problems if problem.severity == "error"
        ]
        if not values and not findings.has_error:
            accepted = f"1 to {MOST_ROWS:,}, each with {quoted(task.key)} and {quoted(REFERENCE)}"
            self.fault(task.reference, "no row", accepted)
        return values

    def _columns(self, tables: object) -> tuple[OwnColumn, ...]:
        if not (isinstance(tables, dict) and 0 < len(tables) <= MOST_COLUMNS):
            what = "nothing" if tables is None else described(tables)
            self.fault("columns", what, f"1 to {MOST_COLUMNS} tables like [columns.correct]")
            return ()
        return tuple(column for key, table in tables.items() if (column := self._column(f"columns.{key}", key, table)))

    def _column(self, place: str, key: str, table: object) -> OwnColumn | None:
        if not _COLUMN_NAME.fullmatch(key) or key in _COLUMNS_OF_BOARDS:
            others = ", ".join(sorted(_COLUMNS_OF_BOARDS))
            expected = f"1 to {MOST_NAME} of a-z, 0-9 and _, a letter first, and none of {others}"
            self.fault(place, f"the name {quoted(key)}", expected)
            return None
        if not isinstance(table, dict):
            self.fault(place, described(table), f"a table with {', '.join(_COLUMN_KEYS)}")
            return None
        self._only(table, _COLUMN_KEYS, f"{place}.")
        better = self._one_of(table, "better", get_args(Better), f"{place}.")
        label = self._text(table, "label", place=f"{place}.") or key.replace("_", " ").capitalize()
        about = self._text(table, "about", place=f"{place}.")
        return OwnColumn(key, label, better, about, self._ends(table, f"{place}.range")) if better else None

    def _ends(self, table: Mapping[str, Any], place: str) -> tuple[float, float] | None:
        ends = table.get("range")
        if ends is None:
            return None
        is_pair = isinstance(ends, list) and len(ends) == 2 and all(type(end) in (int, float) for end in ends)
        if not is_pair or not -1e12 < ends[0] < ends[1] < 1e12:
            self.fault(place, described(ends), "two numbers, the lower first, like [0, 1]")
            return None
        return float(ends[0]), float(ends[1])

    def _only(self, table: Mapping[str, Any], known: tuple[str, ...], prefix: str) -> None:
        for key in table.keys() - set(known):
            self.fault(f"{prefix}{printable(key)}", "a key that is not known", f"some of {', '.join(known)}")

    def _text(self, table: Mapping[str, Any], key: str, *, is_needed: bool = False, place: str = "") -> str:
        value = table.get(key)
        if value is None and not is_needed:
            return ""
        if isinstance(value, str) and value.strip() and len(value) <= MOST_TEXT and value.isprintable():
            return value.strip()
        what = "nothing" if value is None else described(value)
        self.fault(f"{place}{key}", what, f"a text of one line, at most {MOST_TEXT} characters")
        return ""

    def _one_of(self, table: Mapping[str, Any], key: str, known: tuple[Any, ...], prefix: str) -> Any:
        value = table.get(key)
        if isinstance(value, str) and value in known:
            return value
        what = "nothing" if value is None else described(value)
        self.fault(f"{prefix}{key}", what, " or ".join(map(str, known)))
        return None

    def _count(self, table: Mapping[str, Any], key: str, default: int, most: int) -> int:
        value = table.get(key, default)
        if type(value) is int and 0 < value <= most:
            return value
        self.fault(f"limits.{key}", described(value), f"a whole number from 1 to {most:,}")
        return default
