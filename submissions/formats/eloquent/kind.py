"""ELOQUENT's files: one JSON object in 2024 and 2025, a zip in 2026."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from submissions.findings import Findings
from submissions.formats.eloquent.coverage import coverage_of
from submissions.formats.eloquent.edition_2024 import ROOT_KEY, read_2024
from submissions.formats.eloquent.edition_2025 import LABEL_2025, read_2025
from submissions.formats.eloquent.edition_2026 import names_2026_files, read_2026
from submissions.formats.eloquent.guards import guarded
from submissions.formats.eloquent.result import AnswersDigest, EloquentReading, Reading
from submissions.formats.eloquent.zip_lines import located_in_zip
from submissions.formats.file_kind import DeskForm, Detected, FileKind, FileReading, Upload
from submissions.problems import Problem
from submissions.promptsets import PromptSets
from submissions.reading.limits import Limits
from submissions.reading.strict_json import Document, is_zip
from submissions.schema import Edition, Names

KIND = "eloquent"


class Reader(Protocol):
    """Reads a document of one edition into a submission."""

    def __call__(
        self, document: dict[str, object], *, file_sha256: str, names: Names, prompt_sets: PromptSets, limits: Limits
    ) -> Reading: ...


@dataclass(frozen=True, slots=True)
class JsonEdition:
    """One edition of the robustness task as a JSON object (that of 2026 is a zip)."""

    edition: Edition
    title: str
    recognises: Callable[[dict[str, object]], bool]
    read: Reader


def _is_2024(document: dict[str, object]) -> bool:
    return ROOT_KEY in document


def _is_2025(document: dict[str, object]) -> bool:
    return "questions" in document or document.get("label") == LABEL_2025


JSON_EDITIONS: tuple[JsonEdition, ...] = (
    JsonEdition("2024", "a 2024 submission", _is_2024, read_2024),
    JsonEdition("2025", "a 2025 submission", _is_2025, read_2025),
)
"""Asked in this order; the first that recognises a document has it."""


def read_eloquent_document(
    document: dict[str, object], text: Document, upload: Upload, findings: Findings
) -> EloquentReading:
    """Reads a file of 2024 or 2025, which one of `JSON_EDITIONS` recognises; the guards look at every response.

    The document is empty afterwards.
    """
    edition = next(known for known in JSON_EDITIONS if known.recognises(document))
    findings.extend(text.findings)
    reading = edition.read(
        document,
        file_sha256=upload.file_sha256,
        names=upload.names,
        prompt_sets=upload.prompt_sets,
        limits=upload.limits,
    )
    findings.extend(reading.findings)
    document.clear()  # all of it has been read, and the guards need memory of their own
    if reading.submission is None:
        return EloquentReading(upload.names)
    prompt_set = upload.prompt_sets.by_id(reading.submission.set_id)
    submission = guarded(reading.submission, prompt_set, reading.places, findings)
    is_complete = reading.is_complete and not text.findings.has_error
    digest = AnswersDigest()
    for response in submission.responses():
        digest.add(response)
    coverage = coverage_of(submission, prompt_set)
    return EloquentReading(submission.names, submission if is_complete else None, coverage, digest.value())


def _is_zip(head: bytes, name: str) -> bool:
    return is_zip(head)


def _read_zip(stream: BinaryIO, name: str, upload: Upload, findings: Findings) -> tuple[Detected, FileReading | None]:
    """The 2026 edition is a zip; everything else is a text."""
    data = stream.read()
    if upload.edition not in ("2024", "2025") and names_2026_files(data):
        return Detected(KIND, "2026"), read_2026(data, upload, findings)
    is_asked = upload.edition in ("2024", "2025")
    findings.add(
        "binary",
        "$",
        f"this is a zip archive; an ELOQUENT {upload.edition if is_asked else '2024'} submission is one JSON text"
        + ("" if is_asked else ", and a 2026 zip holds submission_metadata.json and .jsonl files"),
        f"{_own_zip_hint(upload)}Unpack it and send the JSON file itself.",
    )
    return Detected(), None


def _own_zip_hint(upload: Upload) -> str:
    """What a zip for an installed bundle lacks: this one may be meant for it, and nothing in it says so."""
    sets = [task.set_id for task in upload.prompt_sets.own_tasks if task.is_bundle]
    if not sets:
        return ""
    return (
        f"A zip for {' or '.join(sets)} begins with plumbline.json, which says whose it is: python -m submissions "
        f"template --set {sets[0]} --output plumbline.json. Of ELOQUENT: "
    )


def _in_zip(
    listed: Sequence[Problem], problems: Sequence[Problem], stream: BinaryIO, name: str, limits: Limits
) -> list[Problem]:
    return located_in_zip(listed, problems, stream, limits)


ELOQUENT = FileKind(
    KIND, read_eloquent_document, forms=(DeskForm(_is_zip, _read_zip, locate=_in_zip),), needs=("team",)
)
