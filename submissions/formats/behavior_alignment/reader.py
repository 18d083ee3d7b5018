"""Files of recommender answers: one JSON object with the human dialogues (specs: behavior_alignment, section 3)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from submissions.findings import Findings
from submissions.formats.behavior_alignment.dialogues import DIALOGUE_FIELDS, TURN_FIELDS, UTTERANCE_FIELDS, Dialogues
from submissions.formats.behavior_alignment.submission import (
    KIND,
    CrsCoverage,
    CrsSubmission,
    Dialogue,
    coverage_of_dialogues,
)
from submissions.formats.envelope import Envelope, read_envelope
from submissions.reading.limits import Limits
from submissions.reading.places import Places
from submissions.reading.quoting import described
from submissions.reading.strict_json import ABSENT, Document
from submissions.schema import Names

ENVELOPE_FIELDS = ("kind", "team", "system", "model", "run", "date", "notes", "dialogues")

KNOWN_KEYS: frozenset[str] = frozenset({*ENVELOPE_FIELDS, *DIALOGUE_FIELDS, *TURN_FIELDS, *UTTERANCE_FIELDS})

_STATED_KIND = re.compile(rb'"kind"[ \t\r\n]*:[ \t\r\n]*"' + KIND.encode() + b'"')


@dataclass(frozen=True, slots=True)
class CrsReading:
    """One file as it was read."""

    submission: CrsSubmission | None
    """None unless everything could be read as it stands."""
    coverage: CrsCoverage | None
    """Of the dialogues that could be read; None where there is none."""
    findings: Findings
    dialogues: tuple[Dialogue, ...] = ()
    """Those that could be read, in the order of the file."""
    names: Names = Names()
    """Of the file and the form, also where the file is refused."""


def may_be_crs_document(data: bytes) -> bool:
    """Whether a JSON text states this kind somewhere; it is then read with this kind's limits."""
    return _STATED_KIND.search(data) is not None


def read_crs_document(
    value: dict[str, object], text: Document, *, file_sha256: str, names: Names, limits: Limits
) -> CrsReading:
    """Reads a file of this kind.

    Args:
        value: The object read.
        text: What reading it as JSON found.
        file_sha256: Of the bytes as uploaded.
        names: Form fields or flags; they fill what the file leaves open.
        limits: How many dialogues there may be, and how long names and texts.

    Returns:
        The submission, if everything could be read, and everything found. Never raises on the content.
    """
    findings = Findings()
    findings.extend(text.findings)
    envelope = read_envelope(value, Places(), names, limits, findings, fields=ENVELOPE_FIELDS, listed="dialogues")
    dialogues = _dialogues(value.get("dialogues", ABSENT), limits, findings)
    findings.extend(dialogues.finish())
    coverage = coverage_of_dialogues(dialogues.read) if dialogues.read else None
    submission = None if findings.has_error else _submission(envelope, dialogues, file_sha256)
    return CrsReading(submission, coverage, findings, tuple(dialogues.read), envelope.names)


def _dialogues(listed: object, limits: Limits, findings: Findings) -> Dialogues:
    dialogues = Dialogues(limits)
    if not isinstance(listed, list) or not listed:
        found = "missing" if listed is ABSENT else described(listed)
        message = f"dialogues is {found}; accepted: a list with one object per human dialogue, 1 or more"
        findings.add("no_dialogues", "dialogues", message, "Send the file with its dialogues; the template shows one.")
        return dialogues
    for index, value in enumerate(listed[: limits.crs_dialogues]):
        dialogues.add(value, index)
    if len(listed) > limits.crs_dialogues:
        message = f"there are {len(listed):,} dialogues; those after the first {limits.crs_dialogues:,} were not read"
        findings.add("file_too_big", f"dialogues[{limits.crs_dialogues}]", message, "Send fewer dialogues.")
    return dialogues


def _submission(envelope: Envelope, dialogues: Dialogues, file_sha256: str) -> CrsSubmission:
    return CrsSubmission(
        names=envelope.names,
        date=envelope.date,
        notes=envelope.notes,
        file_sha256=file_sha256,
        dialogues=tuple(sorted(dialogues.read, key=lambda dialogue: dialogue.dialogue_id)),
    )
