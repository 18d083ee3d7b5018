"""From files to the report: the log read, with labels where there are some, or every fault of what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluator.judge_logs.registry import AUTO, read_log
from evaluator.judge_report.labels import Labels, labels_of
from evaluator.judge_report.report import LogReport, log_report
from submissions.findings import Findings
from submissions.problems import Problem, listed


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file as it came."""

    name: str
    """Its base name, for places and titles."""
    data: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """Why there is no report."""

    file: str
    """Name of the file that is refused."""
    problems: tuple[Problem, ...]
    """As many as are listed."""
    counts: Mapping[str, int]
    """All of them, by code."""

    @property
    def unlisted(self) -> int:
        """How many more there are than are listed."""
        return sum(self.counts.values()) - len(self.problems)

    def as_json(self) -> dict[str, Any]:
        """The faults as `--json` prints them."""
        problems = [problem.model_dump() for problem in self.problems]
        return {"file": self.file, "problems": problems, "counts": dict(self.counts)}


@dataclass(frozen=True, slots=True)
class FilesRead:
    """What became of a log and its labels."""

    outcome: LogReport | Refused
    columns: tuple[str, ...] = ()
    """Of a log read as a CSV of judgements, refused or not: its columns."""


def report_of_files(
    log: LogFile,
    labels: LogFile | None = None,
    format_key: str = AUTO,
    mapping: Mapping[str, str] | None = None,
) -> FilesRead:
    """The report on a log; never raises, whatever the bytes are.

    Args:
        log: of any format known.
        labels: comparisons by people, of any format known.
        format_key: of the log, one of `registry.LOG_FORMATS`, or auto.
        mapping: of a log that is a CSV, field -> column (`csv_table.FIELDS`).
    """
    reading = read_log(log.data, log.name, format_key, mapping)
    if reading.log is None:
        return FilesRead(_refused(log.name, reading.findings), reading.columns)
    known: Labels | None = None
    if labels is not None:
        labelled = read_log(labels.data, labels.name)
        if labelled.log is None:
            return FilesRead(_refused(labels.name, labelled.findings), reading.columns)
        known = labels_of(labelled.log)
    return FilesRead(log_report(reading.log, log.name, known), reading.columns)


def _refused(name: str, findings: Findings) -> Refused:
    return Refused(name, tuple(listed(findings.problems)), findings.counts)
