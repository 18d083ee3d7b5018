"""Files of personalized answers: one JSON object, or JSON Lines read as a stream (docs/submit.md#personalized-answers).

In JSON Lines the first line is the object without its rows, and every further line is one row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import BinaryIO

from submissions.findings import Findings
from submissions.formats.envelope import ENVELOPE_FIELDS, Envelope, read_envelope
from submissions.formats.file_kind import FileReading, Upload, states
from submissions.formats.personalization.coverage import PersonalizedCoverage
from submissions.formats.personalization.rows import ROW_FIELDS, PersonalizedRows, is_plain
from submissions.formats.personalization.submission import (
    KIND,
    PersonalizedEntry,
    PersonalizedRow,
    PersonalizedSubmission,
)
from submissions.questionsets.option_order import option_order_hash
from submissions.reading.json_lines import JsonLines
from submissions.reading.limits import Limits
from submissions.reading.places import Places
from submissions.reading.quoting import described
from submissions.reading.strict_json import ABSENT, Document

__all__ = [
    "ENVELOPE_FIELDS",
    "ROW_FIELDS",
    "ROW_KEYS",
    "PersonalizedReading",
    "are_personalized_lines",
    "option_order_hash",
    "read_personalized_document",
    "read_personalized_lines",
]

ROW_KEYS: frozenset[str] = frozenset({*ENVELOPE_FIELDS, *ROW_FIELDS})

_BLANKS = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class PersonalizedReading(FileReading):
    """One file as it was read."""

    entry: PersonalizedEntry | None = None
    """None unless everything could be read as it stands."""
    submission: PersonalizedSubmission | None = None
    """The same with its rows; None also where they were not to be kept."""
    coverage: PersonalizedCoverage | None = None
    """Of the rows that could be read; None where there were none to look at."""
    first_rows: tuple[PersonalizedRow, ...] = ()
    """A few rows as they were read."""

    def without_rows(self) -> PersonalizedReading:
        return replace(self, submission=None)

    def coverage_lines(self) -> list[str]:
        held = self.coverage
        return (
            []
            if held is None
            else [
                f"personalized answers: {held.n_rows:,} rows of {held.n_examples:,} examples, {held.n_controls:,} "
                f"control rows, {held.n_repeats:,} of further control runs",
                *(
                    f"    {group.dataset}, {group.setting}, {group.method}{' (again)' if group.is_repeat else ''}: "
                    f"{group.n_rows:,} rows, {group.n_examples:,} examples, {group.n_with_gold:,} with gold"
                    for group in held.groups
                ),
            ]
        )


def are_personalized_lines(head: bytes, name: str = "") -> bool:
    r"""Whether a file is JSON Lines of this kind: its first line, not its only one, is an object that states it.

    Args:
        head: The first `HEAD_BYTES` of the file; the first line is no longer.
        name: Says nothing.

    >>> are_personalized_lines(b'{"kind": "personalized_answers", "team": "aurora"}\n{"example_id": "d1"}\n')
    True
    >>> are_personalized_lines(b'{"kind": "personalized_answers", "rows": []}')
    False
    """
    line, _, rest = head.removeprefix(b"\xef\xbb\xbf").lstrip(_BLANKS).partition(b"\n")
    first = line.rstrip(_BLANKS)
    is_object = first.startswith(b"{") and first.endswith(b"}") and bool(rest.strip(_BLANKS))
    # A quote inside a text is escaped, so `"rows"` can only be a key or a value of its own.
    return is_object and states(KIND, first) and b'"rows"' not in first


def read_personalized_document(
    value: dict[str, object], text: Document, upload: Upload, findings: Findings
) -> PersonalizedReading:
    """Reads a JSON file of this kind.

    Args:
        value: The object read.
        text: What reading it as JSON found.
        upload: What else is known.
        findings: Takes every fault.

    Returns:
        The submission, if everything could be read. Never raises on the content.
    """
    places, limits = Places(), upload.limits
    findings.extend(text.findings)
    envelope = read_envelope(value, places, upload.names, limits, findings)
    rows = PersonalizedRows(places, limits, keep_rows=upload.keep_rows)
    listed = value.get("rows", ABSENT)
    for index, row in enumerate(listed if isinstance(listed, list) else ()):
        if index == limits.personalized_rows:
            _refuse_more_rows(places.envelope("rows"), limits, findings)
            break
        rows.read(row, index, is_clean=text.is_clean)
    if not rows.n_rows:
        description = "missing" if listed is ABSENT else described(listed)
        message = f"rows is {description}; accepted: a list with one object per answer, 1 or more"
        findings.add("no_rows", "rows", message, "Send the file with its rows; the template shows them.")
    return _reading(envelope, rows, upload, findings)


def read_personalized_lines(stream: BinaryIO, name: str, upload: Upload, findings: Findings) -> PersonalizedReading:
    """Reads JSON Lines of this kind, one line after the other.

    Args:
        stream: The file, at its start.
        name: Its base name, for places `NAME:LINE`.
        upload: What else is known.
        findings: Takes every fault.

    Returns:
        As `read_personalized_document`.
    """
    limits = upload.limits
    lines = JsonLines(stream, name, limits, is_plain)
    remaining = iter(lines)
    first = next(remaining)
    places = Places(name, first.number)
    # An object by its first and last character; if it is none inside, that is reported and the rows are still read.
    envelope = (
        read_envelope(first.value, places, upload.names, limits, findings) if isinstance(first.value, dict) else None
    )
    rows = PersonalizedRows(places, limits, keep_rows=upload.keep_rows)
    for line in remaining:
        if rows.n_rows == limits.personalized_rows:
            _refuse_more_rows(places.row(line.number), limits, findings)
            break
        rows.read(line.value, line.number, is_clean=line.is_clean)
    findings.extend(lines.findings)
    return _reading(envelope, rows, upload, findings)


def _refuse_more_rows(path: str, limits: Limits, findings: Findings) -> None:
    message = f"there are more than {limits.personalized_rows:,} rows; those from here on were not read"
    findings.add("file_too_big", path, message, "Send several files, for example one per data set.")


def _reading(
    envelope: Envelope | None, rows: PersonalizedRows, upload: Upload, findings: Findings
) -> PersonalizedReading:
    """The submission, if nothing stands against it."""
    coverage, first = rows.finish() if rows.n_rows else None, tuple(rows.first_rows)
    findings.extend(rows.findings)
    if envelope is None or findings.has_error:
        names = envelope.names if envelope else upload.names
        return PersonalizedReading(names, coverage=coverage, first_rows=first)
    entry = PersonalizedEntry(envelope.names, upload.file_sha256)
    kept = rows.rows()
    submission = kept and PersonalizedSubmission(
        names=envelope.names,
        date=envelope.date,
        notes=envelope.notes,
        file_sha256=upload.file_sha256,
        rows=kept,
    )
    return PersonalizedReading(envelope.names, entry, submission or None, coverage, first)
