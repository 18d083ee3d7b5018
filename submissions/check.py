"""The check of an uploaded file: what it is, everything that is wrong with it, and what it covers.

Deterministic, without network, without a trace: it never raises on any bytes and stores nothing. What a file is, its
content says; its name appears in the places of faults, and ".csv" at its end says what a text that is no JSON lacks.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO, TypeVar

from submissions import kinds
from submissions.findings import Findings
from submissions.formats.eloquent.kind import KIND as ELOQUENT
from submissions.formats.eloquent.result import EloquentReading
from submissions.formats.file_kind import HEAD_BYTES, Detected, Entry, FileReading, Locate, Upload, in_text, states
from submissions.known_files import DOORS, look_at, words_of
from submissions.packing.every_eval_ever import read_samples
from submissions.packing.mending import report_mendable
from submissions.problems import Decision, Problem, listed
from submissions.promptsets import PromptSets
from submissions.promptsets.hidden import unescaped
from submissions.reading.json_lines import JsonLines
from submissions.reading.limits import Limits
from submissions.reading.quoting import printable
from submissions.reading.strict_json import ABSENT, Document, read_json
from submissions.schema import Coverage, Edition, Names, Submission, VerdictChoices

EDITIONS = ("auto", "2024", "2025", "2026")
"""What `check_submission` can be asked to take a file for."""

AnyReading = TypeVar("AnyReading", bound=FileReading)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The answer to one file."""

    decision: Decision
    kind: str | None
    """The key of one of `submissions.kinds.KINDS`; None where the file is none of them."""
    edition: Edition | None
    problems: list[Problem]
    """In the order found; of each code at most `MAX_LISTED_PROBLEMS`, see `problems_by_code` for all."""
    problems_by_code: dict[str, int]
    sha256: str
    """Of the bytes as uploaded."""
    names: Names = Names()
    """Of the file and the form, also where the file is refused, as far as they could be read."""
    reading: FileReading | None = None
    """What the reader of its kind made of the file; None where none could begin."""

    def of(self, reading: type[AnyReading]) -> AnyReading | None:
        """The reading, if it is of this class: if the file is of that kind."""
        return self.reading if isinstance(self.reading, reading) else None

    @property
    def entry(self) -> Entry | None:
        """What can be taken in; None unless everything could be read as it stands."""
        return self.reading.entry if self.reading else None

    @property
    def submission(self) -> Submission | None:
        """Of ELOQUENT: with the flags of the automatic checks."""
        reading = self.of(EloquentReading)
        return reading.submission if reading else None

    @property
    def coverage(self) -> Coverage | None:
        """Of ELOQUENT: what could be read, also of a refused file."""
        reading = self.of(EloquentReading)
        return reading.coverage if reading else None

    def without_rows(self) -> CheckReport:
        """The same report without what every row of the file became: all that is needed to take the file in."""
        return replace(self, reading=self.reading and self.reading.without_rows())

    def as_json(self) -> dict[str, Any]:
        """The object `check --json` prints (docs/submit.md#what-the-check-answers)."""
        return {
            "decision": self.decision,
            "kind": self.kind,
            "edition": self.edition,
            "problems": [problem.model_dump() for problem in listed(self.problems)],
            "problems_total": sum(self.problems_by_code.values()),
            "problems_by_code": self.problems_by_code,
            "coverage": self.reading.coverage_json() if self.reading else {},
        }


Content = bytes | BinaryIO
"""A file: its bytes, or the file itself, open for reading, of which no more is held in memory than must be."""


def check_submission(
    data: Content,
    file_name: str,
    *,
    edition: str = "auto",
    names: Names = Names(),
    choices: VerdictChoices = VerdictChoices(),
    prompt_sets: PromptSets,
    limits: Limits = Limits(),
    keep_rows: bool = True,
) -> CheckReport:
    """Checks a file.

    Args:
        data: The file as uploaded.
        file_name: Its name; only the base name is used.
        edition: The edition it is said to be of, one of `EDITIONS`.
        names: Form fields or flags; they fill what the file leaves open.
        choices: The same for tables of judge verdicts.
        prompt_sets: What files are checked against.
        limits: How large, deep and long anything may be.
        keep_rows: Whether the rows of personalized answers and of ELOQUENT 2026 are wanted: without them the texts of
            such a file, up to 256 MiB, need no memory.

    Returns:
        The report with every problem. Never raises on the content of a file.
    """
    findings = Findings()
    upload = Upload(_sha256(data), names, choices, edition, limits, prompt_sets, keep_rows)
    name = _base_name(file_name)
    detected, reading, locate = _read(data, name, upload, findings)
    repeated = _hidden_prompts(data, name, upload)
    if repeated:
        # Other faults would be told with what the file says.
        findings, reading = Findings(), None
        named = ", ".join(repeated[:_NAMED]) + (f" and {len(repeated) - _NAMED} more" if len(repeated) > _NAMED else "")
        counted = f"{len(repeated)} {'prompt' if len(repeated) == 1 else 'prompts'}"
        findings.add(
            "hidden_prompt",
            "$",
            f"the file or its names hold {counted} of its season, hidden there: {named}",
            "Leave the prompts out, and what an answer repeats of its prompt; every answer is told by its id.",
        )
    elif detected.kind in (None, ELOQUENT):
        _report_mendable(data, name, upload, findings)
    problems = findings.problems
    return CheckReport(
        decision=findings.decision,
        kind=detected.kind,
        edition=detected.edition,
        problems=locate(listed(problems), problems, _stream(data), name, limits),
        problems_by_code=findings.counts,
        sha256=upload.file_sha256,
        names=reading.names if reading else names,
        reading=reading,
    )


def _report_mendable(content: Content, name: str, upload: Upload, findings: Findings) -> None:
    stream = _stream(content)
    size = _size(stream)
    if findings.has_error and size <= upload.limits.upload_bytes:
        report_mendable(stream.read(size), name, upload, findings)


def _read(
    content: Content, name: str, upload: Upload, findings: Findings
) -> tuple[Detected, FileReading | None, Locate]:
    """What the file is, what its reader made of it, if it has one, and how its problems are found in it."""
    stream = _stream(content)
    size = _size(stream)
    seen, known = look_at(stream, name, HEAD_BYTES)
    is_by_line = (seen.shape, seen.is_list) in (("json_lines", True), ("json", False))
    if known is not None and known.key == "every_eval_ever" and is_by_line:
        _check_samples(stream, name, upload.limits, f"this is {words_of(seen, known)}", known.pointer(name), findings)
        return Detected(), None, in_text
    if known is not None and "submit" not in known.doors and known.doors[0] != "pack":
        hint = f"{_HINTS.get(known.key, '')}{known.pointer(name)}"
        if "pack" in known.doors:
            hint = f"{hint}. Its answers alone: {DOORS['pack'].words(name)}"
        findings.add("wrong_kind", "$", f"this is {words_of(seen, known)}, no submission", hint)
        return Detected(), None, in_text
    if known is not None and "submit" not in known.doors and (seen.shape == "csv" or known.key in _BATCHES):
        message = f"this is {words_of(seen, known)}, no submission yet"
        findings.add("wrong_root", "$", message, DOORS["pack"].words(name))
        return Detected(), None, in_text
    head = stream.read(min(size, HEAD_BYTES))
    form = next((form for kind in kinds.KINDS for form in kind.forms if form.recognises(head, name)), None)
    most = form.most_bytes(upload.limits) if form else upload.limits.upload_bytes
    if size > most:
        message = f"the file has {size:,} bytes; at most {most:,} are taken"
        findings.add("file_too_big", "$", message, "Remove what the format does not ask for, or send several files.")
        return Detected(form.kind if form else None), None, form.locate if form else in_text
    stream.seek(0)
    if form:
        return (*form.read(stream, name, upload, findings), form.locate)
    data = content if isinstance(content, bytes) else stream.read(size)
    return _read_json(data, name, upload, findings)


def _check_samples(stream: BinaryIO, name: str, limits: Limits, what: str, pointer: str, findings: Findings) -> None:
    """Read samples of Every Eval Ever whole, and say what they hold and who takes them: they are no submission yet."""
    if _size(stream) > limits.upload_bytes:
        message = f"the file has {_size(stream):,} bytes; at most {limits.upload_bytes:,} are read"
        findings.add("file_too_big", "$", message, f"Check a part of its lines. {pointer}")
        return
    lines = JsonLines(stream, name, limits, lambda value: False)
    faults = Findings()
    read = read_samples(((f"{name}:{line.number}", line.value) for line in lines), faults)
    answers = f". Its answers alone: {DOORS['pack'].words(name)}" if read.answered else ""
    findings.add("wrong_root", "$", f"{what}, no submission yet", f"{pointer}{answers}")
    left = "Correct the lines named below, or leave them out." if read.unread else "Nothing to do."
    findings.add("samples_read", "$", f"read {read.words}", left)
    findings.extend(lines.findings)
    findings.extend(faults)


_HINTS = {
    "table": (
        "A table of judge verdicts has the columns judge, benchmark, task, model, query, order and verdict. Of other "
        "judgements: "
    ),
    "wide_verdicts": (
        "Submit takes one row for each order: order (original or swapped) and verdict instead of verdict_original and "
        "verdict_swapped. "
    ),
}
_BATCHES = frozenset({"openai_batch", "anthropic_batch"})
"""Of these it says nothing that they are no single JSON document."""


def _read_json(
    data: bytes, name: str, upload: Upload, findings: Findings
) -> tuple[Detected, FileReading | None, Locate]:
    """As `_read`, of what can only be one JSON document."""
    document = _document(data, name, upload.limits)
    if document.value is ABSENT:
        findings.extend(document.findings)
        return Detected(), None, in_text
    root_findings = Findings()
    detected = kinds.detect(document.value, upload.edition, kinds.stated_kinds(), root_findings)
    kind = kinds.kind_of(detected.kind)
    locate = kind.locate if kind else in_text
    if kind and isinstance(document.value, dict) and not root_findings.has_error:
        return detected, kind.read(document.value, document, upload, findings), locate
    is_a_line = any(map(root_findings.has, ("not_zip", "wrong_kind"))) or bool(kind and kind.bare_row)
    _merge(document.findings, root_findings, findings, is_a_line=is_a_line)
    return detected, None, locate


def _document(data: bytes, name: str, limits: Limits) -> Document:
    """The JSON of the file. Only files that state their kind may be as large as any upload: their rows need it."""
    larger = replace(limits, json_bytes=limits.upload_bytes)
    for key, kind in kinds.stated_kinds().items():
        if states(key, data):
            document = read_json(data, name, larger, kind.row_keys)
            is_kind = isinstance(document.value, dict) and document.value.get("kind") == key
            if is_kind or document.value is ABSENT:
                return document
    return read_json(data, name, limits)


def _merge(text: Findings, root: Findings, findings: Findings, *, is_a_line: bool) -> None:
    """Faults of the text and of the root, without one that only follows from the other.

    The lines of a 2026 file and of files that state a kind are documents of their own; the first line of any other
    JSON Lines file is no root.
    """
    if is_a_line:
        findings.extend(text.without("json_multiple_documents"))
        findings.extend(root)
        return
    findings.extend(text)
    findings.extend(root.without("wrong_root") if text.has("json_multiple_documents") else root)


_NAMED = 12
"""Hidden prompts that are named by id and language."""


def _hidden_prompts(content: Content, name: str, upload: Upload) -> list[str]:
    """Ids and languages of the hidden prompts that a file or what it is called holds, wherever it does.

    Nothing is looked for in files that are larger than those of prompts and answers may be.
    """
    texts = upload.prompt_sets.hidden_texts
    stream = _stream(content)
    if not texts.prompts:
        return []
    called = upload.names
    stated = "\n".join(filter(None, (name, called.team, called.system, called.model, called.run)))
    names: dict[str, None] = dict.fromkeys(texts.found(stated))
    if _size(stream) > upload.limits.upload_bytes:
        return list(names)
    data = stream.read()
    stream.seek(0)
    names |= dict.fromkeys(texts.found(unescaped(data.decode("utf-8", "replace"))))
    unreadable = (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, zlib.error, EOFError, ValueError)
    left = upload.limits.zip_bytes
    with suppress(*unreadable), zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            names |= dict.fromkeys(texts.found(member.filename))
            with archive.open(member) as file:
                said = file.read(left + 1)
            left -= len(said)
            if left < 0:
                break
            names |= dict.fromkeys(texts.found(unescaped(said.decode("utf-8", "replace"))))
    return list(names)


def _stream(content: Content) -> BinaryIO:
    # Bytes are not copied for this: BytesIO shares them.
    return io.BytesIO(content) if isinstance(content, bytes) else content


def _size(stream: BinaryIO) -> int:
    """How many bytes a file has; it stands at its start afterwards."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    return size


_HASHED_AT_ONCE = 1024 * 1024


def _sha256(content: Content) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    digest, left = hashlib.sha256(), _size(content)
    while chunk := content.read(min(left, _HASHED_AT_ONCE)):
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest()


def _base_name(file_name: str) -> str:
    """The last part of a path of either system, fit to be shown."""
    return printable(PureWindowsPath(PurePosixPath(file_name).name).name, 200) or "file"
