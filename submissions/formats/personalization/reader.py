"""Files of personalized answers: one JSON object, or JSON Lines that are read as a stream (specs: personalization, 3).

In JSON Lines the first line is the object without its rows, and every further line is one row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import BinaryIO

from submissions.findings import Findings
from submissions.formats.envelope import ENVELOPE_FIELDS, Envelope, read_envelope
from submissions.formats.personalization.coverage import PersonalizedCoverage
from submissions.formats.personalization.rows import ROW_FIELDS, PersonalizedRows, is_plain
from submissions.formats.personalization.submission import PersonalizedEntry, PersonalizedRow, PersonalizedSubmission
from submissions.questionsets.option_order import option_order_hash
from submissions.reading.json_lines import JsonLines
from submissions.reading.limits import Limits
from submissions.reading.places import Places
from submissions.reading.quoting import described
from submissions.reading.strict_json import ABSENT, Document
from submissions.schema import Names

__all__ = [
    "ENVELOPE_FIELDS",
    "HEAD_BYTES",
    "KNOWN_KEYS",
    "ROW_FIELDS",
    "PersonalizedReading",
    "Sender",
    "are_personalized_lines",
    "may_be_personalized_document",
    "option_order_hash",
    "read_personalized_document",
    "read_personalized_lines",
]

KNOWN_KEYS: frozenset[str] = frozenset({*ENVELOPE_FIELDS, *ROW_FIELDS})

HEAD_BYTES = 1024 * 1024
"""So much of a file is looked at to tell JSON Lines of this kind; their first line is no longer."""

_BLANKS = b" \t\r\n"
_STATED_KIND = re.compile(rb'"kind"[ \t\r\n]*:[ \t\r\n]*"personalized_answers"')


@dataclass(frozen=True, slots=True)
class PersonalizedReading:
    """One file as it was read."""

    entry: PersonalizedEntry | None
    """None unless everything could be read as it stands."""
    submission: PersonalizedSubmission | None
    """The same with its rows; None also where they were not to be kept."""
    coverage: PersonalizedCoverage | None
    """Of the rows that could be read; None where there were none to look at."""
    findings: Findings
    first_rows: tuple[PersonalizedRow, ...] = ()
    """A few rows as they were read."""
    names: Names = Names()
    """Of the file and the form, also where the file is refused."""


@dataclass(frozen=True, slots=True)
class Sender:
    """What a reader is told about a file besides its content."""

    file_sha256: str
    names: Names
    """Form fields or flags; they fill what the file leaves open."""
    limits: Limits
    keep_rows: bool
    """Whether the rows are wanted, or only what is wrong with them."""


def may_be_personalized_document(data: bytes) -> bool:
    """Whether a JSON text states this kind somewhere; it is then read with this kind's limits."""
    return _STATED_KIND.search(data) is not None


def are_personalized_lines(head: bytes) -> bool:
    r"""Whether a file is JSON Lines of this kind: its first line, not its only one, is an object that states it.

    Args:
        head: The first `HEAD_BYTES` of the file.

    >>> are_personalized_lines(b'{"kind": "personalized_answers", "team": "aurora"}\n{"example_id": "d1"}\n')
    True
    >>> are_personalized_lines(b'{"kind": "personalized_answers", "rows": []}')
    False
    """
    line, _, rest = head.removeprefix(b"\xef\xbb\xbf").lstrip(_BLANKS).partition(b"\n")
    first = line.rstrip(_BLANKS)
    is_object = first.startswith(b"{") and first.endswith(b"}") and bool(rest.strip(_BLANKS))
    # A quote inside a text is escaped, so `"rows"` can only be a key or a value of its own.
    return is_object and _STATED_KIND.search(first) is not None and b'"rows"' not in first


def read_personalized_document(
    value: dict[str, object], text: Document, sender: Sender, *, is_clean: bool
) -> PersonalizedReading:
    """Reads a JSON file of this kind.

    Args:
        value: The object read.
        text: What reading it as JSON found.
        sender: What else is known.
        is_clean: Whether no text of the file can hold half a character or a control character.

    Returns:
        The submission, if everything could be read, and everything found. Never raises on the content.
    """
    places, findings, limits = Places(), Findings(), sender.limits
    findings.extend(text.findings)
    envelope = read_envelope(value, places, sender.names, limits, findings)
    rows = PersonalizedRows(places, limits, keep_rows=sender.keep_rows)
    listed = value.get("rows", ABSENT)
    for index, row in enumerate(listed if isinstance(listed, list) else ()):
        if index == limits.personalized_rows:
            _refuse_more_rows(places.envelope("rows"), limits, findings)
            break
        rows.read(row, index, is_clean=is_clean)
    if not rows.n_rows:
        found = "missing" if listed is ABSENT else described(listed)
        message = f"rows is {found}; accepted: a list with one object per answer, 1 or more"
        findings.add("no_rows", "rows", message, "Send the file with its rows; the template shows them.")
    return _reading(envelope, rows, sender, findings)


def read_personalized_lines(stream: BinaryIO, name: str, sender: Sender) -> PersonalizedReading:
    """Reads JSON Lines of this kind, one line after the other.

    Args:
        stream: The file, at its start.
        name: Its base name, for places `NAME:LINE`.
        sender: What else is known.

    Returns:
        As `read_personalized_document`.
    """
    findings, limits = Findings(), sender.limits
    lines = JsonLines(stream, name, limits, is_plain)
    remaining = iter(lines)
    first = next(remaining)
    places = Places(name, first.number)
    # An object by its first and last character; if it is none inside, that is reported and the rows are still read.
    envelope = (
        read_envelope(first.value, places, sender.names, limits, findings) if isinstance(first.value, dict) else None
    )
    rows = PersonalizedRows(places, limits, keep_rows=sender.keep_rows)
    for line in remaining:
        if rows.n_rows == limits.personalized_rows:
            _refuse_more_rows(places.row(line.number), limits, findings)
            break
        rows.read(line.value, line.number, is_clean=line.is_clean)
    findings.extend(lines.findings)
    return _reading(envelope, rows, sender, findings)


def _refuse_more_rows(path: str, limits: Limits, findings: Findings) -> None:
    message = f"there are more than {limits.personalized_rows:,} rows; those from here on were not read"
    findings.add("file_too_big", path, message, "Send several files, for example one per data set.")


def _reading(
    envelope: Envelope | None, rows: PersonalizedRows, sender: Sender, findings: Findings
) -> PersonalizedReading:
    """The submission, if nothing stands against it."""
    coverage, first = rows.finish() if rows.n_rows else None, tuple(rows.first_rows)
    findings.extend(rows.findings)
    if envelope is None or findings.has_error:
        return PersonalizedReading(None, None, coverage, findings, first, envelope.names if envelope else sender.names)
    entry = PersonalizedEntry(envelope.names, sender.file_sha256)
    kept = rows.rows()
    submission = kept and PersonalizedSubmission(
        names=envelope.names,
        date=envelope.date,
        notes=envelope.notes,
        file_sha256=sender.file_sha256,
        rows=kept,
    )
    return PersonalizedReading(entry, submission or None, coverage, findings, first, envelope.names)
