"""Files of predictions: JSON Lines whose first line says what the file is, one JSON object, or CSV."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import BinaryIO

from submissions.findings import Findings
from submissions.formats.envelope import ENVELOPE_FIELDS, read_envelope
from submissions.formats.file_kind import Detected, FileReading, Upload, states
from submissions.own_tasks.keyed_rows import NumberedRow, csv_rows, json_lines_rows, keyed_values
from submissions.own_tasks.task import KIND, PREDICTION, TASK, OwnTask, set_id_of
from submissions.reading.csv_cells import stated_separator
from submissions.reading.glimpse import glimpse_of
from submissions.reading.places import Places
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import ABSENT, Document, is_zip, read_json
from submissions.reading.zip_members import ZipMembers, path_conflicts
from submissions.schema import Names

_FIELDS = (*ENVELOPE_FIELDS, TASK)
_HEADER_BYTES = 64 * 1024
ZIP_ENVELOPE = "plumbline.json"
"""The file of a zip that says what it is and whose."""
_MOST_FILES = 2_000
"""Entries of a zip; `docs/own_task.md` says it."""
_NAMED = 5
"""Items without a prediction that a message names."""


@dataclass(frozen=True, slots=True)
class OwnTaskSubmission:
    """One run of one system on one task."""

    names: Names
    file_sha256: str
    task: str
    predictions: Mapping[str, object] = field(default_factory=dict)
    """Item -> what is answered."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Of a zip: content by path."""

    @property
    def set_id(self) -> str:
        """What it is entered under."""
        return set_id_of(self.task)


@dataclass(frozen=True, slots=True)
class OwnTaskReading(FileReading):
    """One file as it was read."""

    submission: OwnTaskSubmission | None = None
    task: OwnTask | None = None
    answered: int = 0
    """Items with a prediction."""

    @property
    def entry(self) -> OwnTaskSubmission | None:
        return self.submission

    @property
    def answers(self) -> int | None:
        return self.answered or None

    def without_rows(self) -> OwnTaskReading:
        return replace(self, submission=self.submission and replace(self.submission, predictions={}, files={}))

    def rank_words(self) -> str:
        items = len(self.task.items) if self.task else 0
        lacking = max(0, items - self.answered)
        return f"will not be ranked: {lacking:,} of {items:,} items have no prediction" if lacking else ""

    def coverage_lines(self) -> list[str]:
        if self.task is None:
            return []
        if self.task.is_bundle:
            return [f"{self.task.title}: files {self.answered:,}"]
        return [f"{self.task.title}: {self.answered:,} of {len(self.task.items):,} items have a prediction"]


def are_own_lines(head: bytes, name: str) -> bool:
    r"""Whether a file is JSON Lines of this kind, by its first line.

    >>> are_own_lines(b'{"kind": "own_task", "task": "pisa"}\n{"id": "1", "prediction": "B"}\n', "a")
    True
    >>> are_own_lines(b'{"kind": "own_task", "task": "pisa", "rows": []}', "a")
    False
    """
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0].rstrip()
    is_object = first.startswith(b"{") and first.endswith(b"}")
    return is_object and states(KIND, first) and b'"rows"' not in first


def is_own_table(head: bytes, name: str) -> bool:
    r"""Whether a file is a CSV of this kind, by its header.

    >>> is_own_table(b"task,id,prediction\npisa,1,B\n", "a"), is_own_table(b"id,prediction\n1,B\n", "a.csv")
    (True, False)
    """
    seen = glimpse_of(io.BytesIO(head[:_HEADER_BYTES]), name)
    return seen.shape == "csv" and seen.has(TASK, PREDICTION)


def is_own_zip(head: bytes, name: str) -> bool:
    """Whether a file is a zip of this kind: the file that says whose it is stands at its beginning."""
    return is_zip(head) and ZIP_ENVELOPE.encode() in head


def read_own_zip(stream: BinaryIO, name: str, upload: Upload, findings: Findings) -> tuple[Detected, OwnTaskReading]:
    """Reads a zip: one file says what it is, all others are what the task's program gets."""
    members = ZipMembers(stream.read(), findings, replace(upload.limits, zip_entries=_MOST_FILES))
    if findings.has_error:  # of the archive as a whole: what it would hold is not known
        return Detected(KIND), OwnTaskReading(upload.names)
    files: dict[str, bytes] = {}
    for member in members:
        content = None if member.is_junk else members.read(member, upload.limits.zip_entry_bytes)
        if content is not None:
            path = str(PurePosixPath(member.folder, member.name))
            if path in files:
                hint = "Keep one of them."
                findings.add("zip_duplicate_entry", path, f"{quoted(path)} stands twice in the zip", hint)
            files[path] = content
    for path in path_conflicts(files):
        findings.add("zip_path", path, f"{quoted(path)} is a file and a folder", "Rename one of them.")
    document = read_json(files.pop(ZIP_ENVELOPE, b"{}"), ZIP_ENVELOPE, upload.limits)
    findings.extend(document.findings)
    stated = document.value if isinstance(document.value, dict) else {}
    places = Places()
    envelope = read_envelope(stated, places, upload.names, upload.limits, findings, fields=_FIELDS)
    task = _task(stated.get(TASK), places, upload.prompt_sets.own_tasks, "a zip", findings)
    if not files:
        findings.add("no_rows", "$", f"no file beside {ZIP_ENVELOPE}; accepted: what the task asks for", "Add it.")
    if task is None or findings.has_error:
        return Detected(KIND), OwnTaskReading(envelope.names, None, task, len(files))
    kept = files if upload.keep_rows else {}
    submission = OwnTaskSubmission(envelope.names, upload.file_sha256, task.name, files=kept)
    return Detected(KIND), OwnTaskReading(envelope.names, submission, task, len(files))


def read_own_document(
    document: dict[str, object], text: Document, upload: Upload, findings: Findings
) -> OwnTaskReading:
    """Reads one JSON object with its `rows`."""
    findings.extend(text.findings)
    listed = document.get("rows", ABSENT)
    rows = (NumberedRow(*row) for row in enumerate(listed if isinstance(listed, list) else ()))
    return _read(document, Places(), rows, upload, findings)


def read_own_lines(stream: BinaryIO, name: str, upload: Upload, findings: Findings) -> tuple[Detected, OwnTaskReading]:
    """Reads JSON Lines: the first line is the object without its rows."""
    rows = json_lines_rows(stream, name, upload.limits, findings)
    first = next(rows, NumberedRow(1, None))
    document = first.value if isinstance(first.value, dict) else {"kind": KIND}
    return Detected(KIND), _read(document, Places(name, first.number), rows, upload, findings)


def read_own_table(stream: BinaryIO, name: str, upload: Upload, findings: Findings) -> tuple[Detected, OwnTaskReading]:
    """Reads a CSV: the name of the task stands in its first row; who sent it is said in the form or by flags."""
    data = stream.read()
    rows = list(csv_rows(data, name, (TASK, PREDICTION), findings))
    told = [row.value[TASK] for row in rows if isinstance(row.value, dict)]
    for row, said in zip(rows, told, strict=True):
        if said != told[0]:
            message = f"{TASK} is {described(said)}; accepted: {quoted(str(told[0]))}, as in the first row"
            findings.add("envelope_field", f"{name}:{row.number}", message, "Send one file for each task.")
            break
    document: dict[str, object] = {TASK: told[0]} if told else {}
    places = Places(name, 2 if stated_separator(data[:16].decode("utf-8", "replace")) is None else 3)
    return Detected(KIND), _read(document, places, iter(rows), upload, findings)


def _read(
    document: dict[str, object], places: Places, rows: Iterator[NumberedRow], upload: Upload, findings: Findings
) -> OwnTaskReading:
    envelope = read_envelope(document, places, upload.names, upload.limits, findings, fields=_FIELDS)
    task = _task(document.get(TASK), places, upload.prompt_sets.own_tasks, "rows", findings)
    if task is None:
        return OwnTaskReading(envelope.names)
    known = frozenset(task.items)
    predictions = keyed_values(
        rows, places, key=task.key, field=PREDICTION, others=(TASK,), items=known, findings=findings
    )
    lacking = [item for item in task.items if item not in predictions]
    if not predictions:
        hint = "Send one row for each item; the template has them."
        findings.add("no_rows", places.envelope("rows"), f"no row; accepted: {len(known):,}, one for each item", hint)
    elif lacking:
        named = ", ".join(map(quoted, lacking[:_NAMED])) + (", ..." if len(lacking) > _NAMED else "")
        message = f"{len(lacking):,} of {len(known):,} items have no row: {named}; they are not scored"
        findings.add("missing_items", places.envelope("rows"), message, "Answer every item: only then a run is ranked.")
    answered = len(predictions.keys() & known)
    if findings.has_error:
        return OwnTaskReading(envelope.names, None, task, answered)
    kept = predictions if upload.keep_rows else {}
    submission = OwnTaskSubmission(envelope.names, upload.file_sha256, task.name, kept)
    return OwnTaskReading(envelope.names, submission, task, answered)


def _task(
    stated: object, places: Places, installed: tuple[OwnTask, ...], sent: str, findings: Findings
) -> OwnTask | None:
    """The task that a file states, where it takes such files; None after reporting why not."""
    task = next((task for task in installed if task.name == stated), None)
    if task is None:
        known = ", ".join(task.name for task in installed) or "none is installed here"
        what = "missing" if stated is None else described(stated)
        hint = "Name the task as its template does."
        findings.add("envelope_field", places.envelope(TASK), f"{TASK} is {what}; accepted: {known}", hint)
    elif task.is_bundle != (sent == "a zip"):
        wanted = f"a zip that begins with {ZIP_ENVELOPE}" if task.is_bundle else f"rows as {task.format}"
        message = f"the file is {sent}; accepted for {task.name}: {wanted}"
        findings.add("envelope_field", places.envelope(TASK), message, "docs/own_task.md has an example.")
        return None
    return task
