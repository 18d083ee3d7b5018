"""Files of recommender answers: one JSON object with the human dialogues (docs/behavior_alignment.md#the-file)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from submissions.findings import Findings
from submissions.formats.behavior_alignment.dialogues import DIALOGUE_FIELDS, TURN_FIELDS, UTTERANCE_FIELDS, Dialogues
from submissions.formats.behavior_alignment.submission import (
    CrsCoverage,
    CrsSubmission,
    Dialogue,
    coverage_of_dialogues,
)
from submissions.formats.envelope import Envelope, read_envelope
from submissions.formats.file_kind import FileReading, Upload
from submissions.reading.limits import Limits
from submissions.reading.places import Places
from submissions.reading.quoting import described
from submissions.reading.strict_json import ABSENT, Document

ENVELOPE_FIELDS = ("kind", "team", "system", "model", "run", "date", "notes", "dialogues")

ROW_KEYS: frozenset[str] = frozenset({*ENVELOPE_FIELDS, *DIALOGUE_FIELDS, *TURN_FIELDS, *UTTERANCE_FIELDS})


@dataclass(frozen=True, slots=True)
class CrsReading(FileReading):
    """One file as it was read."""

    submission: CrsSubmission | None = None
    """None unless everything could be read as it stands."""
    coverage: CrsCoverage | None = None
    """Of the dialogues that could be read; None where there is none."""
    dialogues: tuple[Dialogue, ...] = ()
    """Those that could be read, in the order of the file."""

    @property
    def entry(self) -> CrsSubmission | None:
        return self.submission

    def without_rows(self) -> CrsReading:
        return replace(self, submission=self.submission and replace(self.submission, dialogues=()), dialogues=())

    def coverage_lines(self) -> list[str]:
        held = self.coverage
        return (
            []
            if held is None
            else [
                f"recommender answers: {held.n_dialogues:,} dialogues, {held.n_turns:,} turns, "
                f"{held.n_annotated_turns:,} of {held.n_scored_turns:,} scored turns annotated, "
                f"collection {held.collection}"
            ]
        )


def read_crs_document(value: dict[str, object], text: Document, upload: Upload, findings: Findings) -> CrsReading:
    """Reads a file of this kind.

    Args:
        value: The object read.
        text: What reading it as JSON found.
        upload: What else is known.
        findings: Takes every fault.

    Returns:
        The submission, if everything could be read. Never raises on the content.
    """
    limits = upload.limits
    findings.extend(text.findings)
    envelope = read_envelope(
        value, Places(), upload.names, limits, findings, fields=ENVELOPE_FIELDS, listed="dialogues"
    )
    dialogues = _dialogues(value.get("dialogues", ABSENT), limits, findings)
    findings.extend(dialogues.finish())
    coverage = coverage_of_dialogues(dialogues.read) if dialogues.read else None
    submission = None if findings.has_error else _submission(envelope, dialogues, upload.file_sha256)
    return CrsReading(envelope.names, submission, coverage, tuple(dialogues.read))


def _dialogues(listed: object, limits: Limits, findings: Findings) -> Dialogues:
    dialogues = Dialogues(limits)
    if not isinstance(listed, list) or not listed:
        description = "missing" if listed is ABSENT else described(listed)
        message = f"dialogues is {description}; accepted: a list with one object per human dialogue, 1 or more"
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
