"""The check of an uploaded file: what it is, everything that is wrong with it, and what it covers.

Deterministic, without network, without a trace: it never raises on any bytes and stores nothing. What a file is, its
content says; its name appears in the places of faults, and ".csv" at its end says what a text that is no JSON lacks.
"""

from __future__ import annotations

import hashlib
import io
import os
from dataclasses import dataclass, replace
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO

from submissions.findings import Findings
from submissions.formats.behavior_alignment.reader import KNOWN_KEYS as CRS_KEYS
from submissions.formats.behavior_alignment.reader import CrsReading, may_be_crs_document, read_crs_document
from submissions.formats.behavior_alignment.submission import KIND as CRS_KIND
from submissions.formats.behavior_alignment.submission import CrsCoverage, CrsSubmission, Dialogue
from submissions.formats.detect import Detected, detect, detect_zip
from submissions.formats.eloquent.coverage import coverage_of
from submissions.formats.eloquent.cultural_entry import CulturalEntry
from submissions.formats.eloquent.edition_2026 import CulturalReading, read_2026
from submissions.formats.eloquent.guards import guarded
from submissions.formats.eloquent.zip_lines import located_in_zip
from submissions.formats.judge_verdicts.reader import (
    KNOWN_KEYS,
    Upload,
    VerdictReading,
    is_verdict_table,
    may_be_verdict_document,
    read_verdict_document,
    read_verdict_table,
)
from submissions.formats.judge_verdicts.submission import KIND as VERDICTS_KIND
from submissions.formats.judge_verdicts.submission import VerdictCoverage, VerdictSubmission
from submissions.formats.personalization.coverage import PersonalizedCoverage
from submissions.formats.personalization.reader import (
    HEAD_BYTES,
    PersonalizedReading,
    Sender,
    are_personalized_lines,
    may_be_personalized_document,
    read_personalized_document,
    read_personalized_lines,
)
from submissions.formats.personalization.reader import KNOWN_KEYS as PERSONALIZED_KEYS
from submissions.formats.personalization.submission import KIND as PERSONALIZED_KIND
from submissions.formats.personalization.submission import PersonalizedEntry, PersonalizedRow, PersonalizedSubmission
from submissions.formats.personalized_evaluation.reader import KNOWN_KEYS as PERSE_KEYS
from submissions.formats.personalized_evaluation.reader import PerseReading, read_perse_document, stating
from submissions.formats.personalized_evaluation.submission import (
    PERSE_KINDS,
    AnyPerseSubmission,
    PairItem,
    PerseCoverage,
    RatingItem,
)
from submissions.formats.result import Reading
from submissions.problems import Decision, Problem, listed
from submissions.promptsets import PromptSets
from submissions.reading.json_lines import may_be_unclean
from submissions.reading.limits import Limits
from submissions.reading.quoting import printable
from submissions.reading.source_lines import located
from submissions.reading.strict_json import ABSENT, Document, is_zip, read_json
from submissions.schema import Count, Coverage, Edition, Names, Submission, VerdictChoices

EDITIONS = ("auto", "2024", "2025", "2026")
"""What `check_submission` can be asked to take a file for."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The answer to one file."""

    decision: Decision
    kind: str | None
    """`eloquent`, another board's kind, or None where the file is none of them."""
    edition: Edition | None
    submission: Submission | None
    """Of ELOQUENT, with the guards' flags; None unless every part of the file could be read as it stands, and of 2026
    where rows were not to be kept."""
    problems: list[Problem]
    """In the order found; of each code at most `MAX_LISTED_PROBLEMS`, see `problems_by_code` for all."""
    problems_by_code: dict[str, int]
    coverage: Coverage | None
    """Of what could be read, also of a refused file; None where that is nothing."""
    sha256: str
    """Of the bytes as uploaded."""
    verdicts: VerdictSubmission | None = None
    """A table of judge verdicts; None unless every row could be read as it stands."""
    verdict_coverage: VerdictCoverage | None = None
    """Of what could be read of such a table."""
    personalized: PersonalizedSubmission | None = None
    """Personalized answers; None unless every row could be read as it stands, and where rows were not to be kept."""
    personalized_entry: PersonalizedEntry | None = None
    """The same without the rows."""
    personalized_coverage: PersonalizedCoverage | None = None
    """Of what could be read of such a file."""
    personalized_first: tuple[PersonalizedRow, ...] = ()
    """Its first rows as they were read, also where rows were not to be kept."""
    perse: AnyPerseSubmission | None = None
    """Predicted ratings or choices; None unless every item could be read as it stands."""
    perse_coverage: PerseCoverage | None = None
    """Of what could be read of such a file."""
    perse_items: tuple[RatingItem | PairItem, ...] = ()
    """Its items that could be read, also where the file is refused."""
    crs: CrsSubmission | None = None
    """Recommender answers; None unless every dialogue could be read as it stands."""
    crs_coverage: CrsCoverage | None = None
    """Of what could be read of such a file."""
    crs_dialogues: tuple[Dialogue, ...] = ()
    """Its dialogues that could be read, in the order of the file."""
    cultural_entry: CulturalEntry | None = None
    """A run of ELOQUENT 2026 without its responses; None unless every part of the zip could be read as it stands."""
    names: Names = Names()
    """Of the file and the form, also where the file is refused, as far as they could be read."""

    @property
    def entry(
        self,
    ) -> Submission | CulturalEntry | VerdictSubmission | PersonalizedEntry | CrsSubmission | AnyPerseSubmission | None:
        """What can be taken in, of whatever kind: it has a `set_id`, `names` and `file_sha256`."""
        eloquent = self.submission or self.cultural_entry
        return eloquent or self.verdicts or self.personalized_entry or self.crs or self.perse

    def without_rows(self) -> CheckReport:
        """The same report without what every row of the file became: all that is needed to take the file in."""
        return replace(
            self,
            submission=self.submission and replace(self.submission, items=()),
            verdicts=self.verdicts and replace(self.verdicts, tables={}),
            personalized=None,
            perse=self.perse and self.perse.without_items(),
            perse_items=(),
            crs=self.crs and replace(self.crs, dialogues=()),
            crs_dialogues=(),
        )

    def as_json(self) -> dict[str, Any]:
        """The object `check --json` prints (specs: eloquent, section 2)."""
        return {
            "decision": self.decision,
            "kind": self.kind,
            "edition": self.edition,
            "problems": [problem.model_dump() for problem in listed(self.problems)],
            "problems_total": sum(self.problems_by_code.values()),
            "problems_by_code": self.problems_by_code,
            "coverage": self.verdict_coverage.as_json() if self.verdict_coverage else _coverage_json(self.coverage),
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
        keep_rows: Whether `personalized`, or `submission` of ELOQUENT 2026, is wanted: without it the texts of such a
            file, up to 256 MiB, need no memory.

    Returns:
        The report with every problem. Never raises on the content of a file.
    """
    findings = Findings()
    upload = Upload(_sha256(data), names, choices, limits)
    sender = Sender(upload.file_sha256, names, limits, keep_rows)
    name = _base_name(file_name)
    detected, reading = _read(data, name, edition, upload, sender, prompt_sets, findings)
    if reading is not None:
        findings.extend(reading.findings)
    if isinstance(reading, CulturalReading):
        zipped = _report(detected, findings, upload.file_sha256, cultural=reading, names=reading.names)
        found = located_in_zip(listed(zipped.problems), zipped.problems, _stream(data), limits)
        return replace(zipped, problems=found)
    if isinstance(reading, VerdictReading):
        return _with_lines(_report(detected, findings, upload.file_sha256, verdicts=reading, names=names), data, name)
    if isinstance(reading, PersonalizedReading):
        return _with_lines(_report(detected, findings, upload.file_sha256, personalized=reading), data, name)
    if isinstance(reading, PerseReading):
        return _with_lines(
            _report(detected, findings, upload.file_sha256, perse=reading, names=reading.names), data, name
        )
    if isinstance(reading, CrsReading):
        return _with_lines(
            _report(detected, findings, upload.file_sha256, crs=reading, names=reading.names), data, name
        )
    submission, coverage = None, None
    if reading is not None and reading.submission:
        names = reading.submission.names
        prompt_set = prompt_sets.by_id(reading.submission.set_id)
        submission = guarded(reading.submission, prompt_set, reading.places, findings)
        coverage = coverage_of(submission, prompt_set)
    is_complete = reading is not None and reading.is_complete
    report = _report(
        detected,
        findings,
        upload.file_sha256,
        submission=submission if is_complete else None,
        coverage=coverage,
        names=names,
    )
    return _with_lines(report, data, name)


def _with_lines(report: CheckReport, content: Content, name: str) -> CheckReport:
    """The report with the line of every problem that it lists."""
    stream = _stream(content)
    is_table = report.kind == VERDICTS_KIND
    problems = located(listed(report.problems), report.problems, stream, name, is_table=is_table)
    return replace(report, problems=problems)


def _report(
    detected: Detected,
    findings: Findings,
    sha256: str,
    *,
    submission: Submission | None = None,
    coverage: Coverage | None = None,
    cultural: CulturalReading | None = None,
    verdicts: VerdictReading | None = None,
    personalized: PersonalizedReading | None = None,
    crs: CrsReading | None = None,
    perse: PerseReading | None = None,
    names: Names = Names(),
) -> CheckReport:
    return CheckReport(
        decision=findings.decision,
        kind=detected.kind,
        edition=detected.edition,
        submission=cultural.submission if cultural else submission,
        problems=findings.problems,
        problems_by_code=findings.counts,
        coverage=cultural.coverage if cultural else coverage,
        cultural_entry=cultural.entry if cultural else None,
        sha256=sha256,
        verdicts=verdicts.submission if verdicts else None,
        verdict_coverage=verdicts.coverage if verdicts else None,
        personalized=personalized.submission if personalized else None,
        personalized_entry=personalized.entry if personalized else None,
        personalized_coverage=personalized.coverage if personalized else None,
        personalized_first=personalized.first_rows if personalized else (),
        perse=perse.submission if perse else None,
        perse_coverage=perse.coverage if perse else None,
        perse_items=perse.items if perse else (),
        crs=crs.submission if crs else None,
        crs_coverage=crs.coverage if crs else None,
        crs_dialogues=crs.dialogues if crs else (),
        names=personalized.names if personalized else names,
    )


_Readings = Reading | CulturalReading | VerdictReading | PersonalizedReading | CrsReading | PerseReading


def _read(
    content: Content,
    name: str,
    asked: str,
    upload: Upload,
    sender: Sender,
    prompt_sets: PromptSets,
    findings: Findings,
) -> tuple[Detected, _Readings | None]:
    """The file's format and, where it has a reader, what the reader made of it."""
    stream = _stream(content)
    size = _size(stream)
    are_lines = are_personalized_lines(stream.read(min(size, HEAD_BYTES)))
    stream.seek(0)
    detected = Detected(PERSONALIZED_KIND) if are_lines else Detected()
    most = upload.limits.personalized_lines_bytes if are_lines else upload.limits.upload_bytes
    if size > most:
        message = f"the file has {size:,} bytes; at most {most:,} are taken"
        findings.add("file_too_big", "$", message, "Remove what the format does not ask for, or send several files.")
        return detected, None
    if are_lines:
        return detected, read_personalized_lines(stream, name, sender)
    data = content if isinstance(content, bytes) else stream.read(size)
    if is_zip(data):
        detected = detect_zip(data, asked, findings)
        return detected, _cultural(data, upload, sender, prompt_sets) if detected.edition else None
    if is_verdict_table(data, name):
        return Detected(VERDICTS_KIND), read_verdict_table(data, name, upload)
    return _read_json(data, name, asked, upload, sender, prompt_sets, findings)


def _cultural(data: bytes, upload: Upload, sender: Sender, prompt_sets: PromptSets) -> CulturalReading:
    return read_2026(
        data,
        file_sha256=upload.file_sha256,
        names=upload.names,
        prompts=prompt_sets.eloquent_2026,
        limits=upload.limits,
        keep_rows=sender.keep_rows,
    )


def _read_json(
    data: bytes,
    name: str,
    asked: str,
    upload: Upload,
    sender: Sender,
    prompt_sets: PromptSets,
    findings: Findings,
) -> tuple[Detected, _Readings | None]:
    """As `_read`, of what can only be one JSON document."""
    limits = upload.limits
    document = _document(data, name, limits)
    if document.value is ABSENT:
        findings.extend(document.findings)
        return Detected(), None
    root_findings = Findings()
    detected = detect(document.value, asked, root_findings)
    if isinstance(document.value, dict) and not root_findings.has_error:
        if detected.kind == VERDICTS_KIND:
            return detected, read_verdict_document(document.value, document, upload)
        if detected.kind == PERSONALIZED_KIND:
            is_clean = not may_be_unclean(data)
            return detected, read_personalized_document(document.value, document, sender, is_clean=is_clean)
        if detected.kind in PERSE_KINDS:
            return detected, read_perse_document(
                document.value, document, file_sha256=upload.file_sha256, names=upload.names, limits=limits
            )
        if detected.kind == CRS_KIND:
            return detected, read_crs_document(
                document.value, document, file_sha256=upload.file_sha256, names=upload.names, limits=limits
            )
    is_a_line = any(map(root_findings.has, ("not_zip", "wrong_kind"))) or detected.kind == PERSONALIZED_KIND
    _merge(document.findings, root_findings, findings, is_a_line=is_a_line)
    if detected.format is None or not isinstance(document.value, dict):
        return detected, None
    reading = detected.format.read(
        document.value, file_sha256=upload.file_sha256, names=upload.names, prompt_sets=prompt_sets, limits=limits
    )
    if document.findings.has_error:
        reading = Reading(reading.submission, reading.findings, reading.places, is_complete=False)
    return detected, reading


def _document(data: bytes, name: str, limits: Limits) -> Document:
    """The JSON of the file. Only the kinds whose rows need it may be as large as any upload."""
    larger = replace(limits, json_bytes=limits.upload_bytes)
    for may_be, kind, keys in _LARGER_KINDS:
        if may_be(data):
            document = read_json(data, name, larger, keys)
            is_kind = isinstance(document.value, dict) and document.value.get("kind") == kind
            if is_kind or document.value is ABSENT:
                return document
    return read_json(data, name, limits)


_LARGER_KINDS = (
    (may_be_verdict_document, VERDICTS_KIND, KNOWN_KEYS),
    (may_be_personalized_document, PERSONALIZED_KIND, PERSONALIZED_KEYS),
    (may_be_crs_document, CRS_KIND, CRS_KEYS),
    *((stating(kind), kind, PERSE_KEYS) for kind in PERSE_KINDS),
)


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


def _coverage_json(coverage: Coverage | None) -> dict[str, Any]:
    if coverage is None:
        return {}
    by_kind = {kind: _count_json(count) for kind, count in coverage.by_kind.items()}
    return {
        **_count_json(coverage.total),
        "share": coverage.total.share,
        "by_language": {language: _count_json(count) for language, count in coverage.by_language.items()},
        **({"by_kind": by_kind} if by_kind else {}),
        "rankable": coverage.rankable,
    }


def _count_json(count: Count) -> dict[str, int | None]:
    return {"expected": count.expected, "answered": count.answered}
