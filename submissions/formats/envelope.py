"""What a file of personalized answers says once for all rows: who sent what, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from submissions.findings import Findings
from submissions.formats.names import read_name
from submissions.reading.limits import Limits
from submissions.reading.places import Places, report_value_faults
from submissions.reading.quoting import described, quoted
from submissions.reading.strict_json import ABSENT, Unreadable
from submissions.schema import Names

NAME_FIELDS = ("team", "system", "model", "run")
ENVELOPE_FIELDS = ("kind", *NAME_FIELDS, "date", "notes", "rows")

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Envelope:
    """The fields that hold for the whole file."""

    names: Names
    date: str | None
    notes: str | None


def read_envelope(
    document: dict[str, object],
    places: Places,
    given: Names,
    limits: Limits,
    findings: Findings,
    *,
    fields: Sequence[str] = ENVELOPE_FIELDS,
    listed: str = "rows",
) -> Envelope:
    """Reads all but the rows.

    Args:
        document: The object, or the first of the lines.
        places: How its places are written.
        given: Names from form or flags, for what the file leaves open.
        limits: Bounds the length of names and notes.
        findings: Takes envelope_field, unknown_field, and what can be wrong with names and values.
        fields: Those known.
        listed: The one of them that holds the rows.

    Returns:
        What could be read; None for what could not.
    """
    for field, value in document.items():
        if field != listed:
            report_value_faults(value, places, field, findings)
        if field not in fields:
            message = f"the field {quoted(field)} is not one of this format; it is kept, not used"
            hint = f"Check its spelling; known are {', '.join(fields)}."
            findings.add("unknown_field", places.envelope(field), message, hint)
    team, system, model, run = (
        _name(field, document, getattr(given, field), places, limits, findings) for field in NAME_FIELDS
    )
    return Envelope(
        names=Names(team=team, system=system, model=model, run=run),
        date=_date(document.get("date"), places, findings),
        notes=_notes(document.get("notes"), places, limits, findings),
    )


def _name(
    field: str, document: dict[str, object], given: str | None, places: Places, limits: Limits, findings: Findings
) -> str | None:
    """One of the four names; all of them are required, in the file or from the form."""
    stated = document.get(field, ABSENT)
    is_blank = stated is ABSENT or stated is None or (isinstance(stated, str) and not stated.strip())
    if isinstance(stated, Unreadable):
        return None
    if not (is_blank or isinstance(stated, str)) or (is_blank and not (given or "").strip()):
        description = "missing" if stated is ABSENT else described(stated)
        message = f"{field} is {description}; accepted: a text that is not blank"
        findings.add(
            "envelope_field",
            places.envelope(field),
            message,
            f"Write the {field} into the file, or give it in the form.",
        )
        return None
    return read_name(field, stated, given, places.envelope(field), findings, limits, required=True)


def _date(value: object, places: Places, findings: Findings) -> str | None:
    if value is None or isinstance(value, Unreadable) or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str) and _DATE.fullmatch(value) and _is_day(value):
        return value
    message = f"date is {described(value)}; accepted: a day as YYYY-MM-DD"
    findings.add("envelope_field", places.envelope("date"), message, "Write it like 2026-11-20, or leave it out.")
    return None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _notes(value: object, places: Places, limits: Limits, findings: Findings) -> str | None:
    if value is None or isinstance(value, Unreadable):
        return None
    if isinstance(value, str) and len(value) <= limits.response_characters:
        return value
    description = f"a text of {len(value):,} characters" if isinstance(value, str) else described(value)
    message = f"notes is {description}; accepted: a text of at most {limits.response_characters:,} characters"
    findings.add("envelope_field", places.envelope("notes"), message, "Write a shorter text, or leave it out.")
    return None
