"""The check of an uploaded file: what it is, everything that is wrong with it, and what it covers.

Deterministic, without network, without a trace: it never raises on any bytes, stores nothing and tells nothing from the
file's name, which only appears in the places of faults.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from submissions.coverage import coverage_of
from submissions.findings import Findings
from submissions.formats.detect import Detected, detect, detect_zip, is_verdict_table, report_verdict_table
from submissions.formats.limits import Limits
from submissions.formats.reading import Reading
from submissions.formats.strict_json import ABSENT, is_zip, read_json
from submissions.guards import guarded
from submissions.problems import Decision, Problem, listed
from submissions.promptsets import PromptSets
from submissions.quotation import printable
from submissions.schema import Count, Coverage, Edition, Names, Submission

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
    """With the guards' flags; None unless every part of the file could be read as it stands."""
    problems: list[Problem]
    """In the order found; of each code at most `MAX_LISTED_PROBLEMS`, see `problems_by_code` for all."""
    problems_by_code: dict[str, int]
    coverage: Coverage | None
    """Of what could be read, also of a refused file; None where that is nothing."""
    sha256: str
    """Of the bytes as uploaded."""

    def as_json(self) -> dict[str, Any]:
        """The object `check --json` prints (specs: eloquent, section 2)."""
        return {
            "decision": self.decision,
            "kind": self.kind,
            "edition": self.edition,
            "problems": [problem.model_dump() for problem in listed(self.problems)],
            "problems_total": sum(self.problems_by_code.values()),
            "problems_by_code": self.problems_by_code,
            "coverage": _coverage_json(self.coverage),
        }


def check_submission(
    data: bytes,
    file_name: str,
    *,
    edition: str = "auto",
    names: Names = Names(),
    prompt_sets: PromptSets,
    limits: Limits = Limits(),
) -> CheckReport:
    """Checks a file.

    Args:
        data: The file as uploaded.
        file_name: Its name; only the base name is used, and only in places of faults.
        edition: The edition it is said to be of, one of `EDITIONS`.
        names: Form fields or flags; they fill what the file leaves open.
        prompt_sets: What files are checked against.
        limits: How large, deep and long anything may be.

    Returns:
        The report with every problem. Never raises on the content of a file.
    """
    findings = Findings()
    sha256 = hashlib.sha256(data).hexdigest()
    detected, reading = _read(data, _base_name(file_name), edition, names, prompt_sets, limits, sha256, findings)
    submission, coverage = None, None
    if reading:
        findings.extend(reading.findings)
        if reading.submission:
            prompt_set = prompt_sets.by_id(reading.submission.set_id)
            submission = guarded(reading.submission, prompt_set, reading.places, findings)
            coverage = coverage_of(submission, prompt_set)
    is_complete = reading is not None and reading.is_complete
    return CheckReport(
        decision=findings.decision,
        kind=detected.kind,
        edition=detected.edition,
        submission=submission if is_complete else None,
        problems=findings.problems,
        problems_by_code=findings.counts,
        coverage=coverage,
        sha256=sha256,
    )


def _read(
    data: bytes,
    name: str,
    asked: str,
    names: Names,
    prompt_sets: PromptSets,
    limits: Limits,
    sha256: str,
    findings: Findings,
) -> tuple[Detected, Reading | None]:
    """The file's format and, where it has a reader, what the reader made of it."""
    if len(data) > limits.upload_bytes:
        findings.add(
            "file_too_big",
            "$",
            f"the file has {len(data):,} bytes; at most {limits.upload_bytes:,} are taken",
            "Remove what the format does not ask for.",
        )
        return Detected(), None
    if is_zip(data):
        return detect_zip(data, asked, findings), None
    if is_verdict_table(data):
        return report_verdict_table(findings), None
    document = read_json(data, name, limits)
    if document.value is ABSENT:
        findings.extend(document.findings)
        return Detected(), None
    root_findings = Findings()
    detected = detect(document.value, asked, root_findings)
    _merge(document.findings, root_findings, findings)
    if detected.format is None or detected.format.read is None or not isinstance(document.value, dict):
        return detected, None
    reading = detected.format.read(
        document.value, file_sha256=sha256, names=names, prompt_sets=prompt_sets, limits=limits
    )
    if document.findings.has_error:
        reading = Reading(reading.submission, reading.findings, reading.places, is_complete=False)
    return detected, reading


def _merge(text: Findings, root: Findings, findings: Findings) -> None:
    """Faults of the text and of the root, without one that only follows from the other.

    The lines of a 2026 file are documents of their own, and the first line of any other JSON Lines file is no root.
    """
    findings.extend(text.without("json_multiple_documents") if root.has("not_zip") else text)
    findings.extend(root.without("wrong_root") if text.has("json_multiple_documents") else root)


def _base_name(file_name: str) -> str:
    """The last part of a path of either system, fit to be shown."""
    return printable(PureWindowsPath(PurePosixPath(file_name).name).name, 200) or "file"


def _coverage_json(coverage: Coverage | None) -> dict[str, Any]:
    if coverage is None:
        return {}
    return {
        **_count_json(coverage.total),
        "share": coverage.total.share,
        "by_language": {language: _count_json(count) for language, count in coverage.by_language.items()},
        "rankable": coverage.rankable,
    }


def _count_json(count: Count) -> dict[str, int | None]:
    return {"expected": count.expected, "answered": count.answered}
