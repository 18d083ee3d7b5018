"""The report on an uploaded log, made where uploads are read: in a process of its own, within the budget of a check.

Imported by the processes that read files, so no page, no store and no charts are imported here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from evaluator.doctor.diagnosis import diagnose, look_only, of_report
from evaluator.doctor.text import page_words
from evaluator.judge_logs.opened import LINES_BYTES
from evaluator.judge_logs.registry import AUTO
from evaluator.judge_report.labelling import Votes
from evaluator.judge_report.of_files import LogFile, Refused, report_of_files
from evaluator.judge_report.published import JudgeFigures, judge_figures
from evaluator.judge_report.report import LogReport
from evaluator.judge_report.text import report_html
from leaderboard.judge_report.values import JUDGES_SHOWN, FaultsValue, ReportValue, faults_value, report_value
from submissions.checking.job import Budget, Overrun, overrun_problem
from submissions.problem_codes import CODES
from submissions.problems import Problem
from submissions.promptsets import PromptSets

REPORT_BYTES = 4 * 1024 * 1024
"""Of the report as a page and as JSON together: a browser takes both, and a log of a few judges makes 100 KiB."""


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The report to keep."""

    html: str
    """One page that prints, without scripts."""
    json: str
    labels: str = ""
    """The visitor's votes as a CSV; blank without votes."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What came of a log."""

    files: ReportFiles | None
    """None of a log that is refused."""
    report: ReportValue | None
    faults: FaultsValue | None
    """None where there is a report."""
    refused: str = ""
    """The faults as JSON, as the command prints them; blank where there is a report."""
    columns: tuple[str, ...] = ()
    """Of a log read as a CSV of judgements."""
    figures: tuple[JudgeFigures, ...] = ()
    """What may be published of the judges whose figures stand on the page."""
    doctor: tuple[str, ...] = ()
    """What the file is, and further sentences (`evaluator.doctor`); () of a log that is refused."""


@dataclass(frozen=True, slots=True)
class ReportJob:
    """A log, and how it is to be read; as the arguments of `report_of_files`."""

    log: Path
    labels: Path | None = None
    format_key: str = AUTO
    mapping: Mapping[str, str] = field(default_factory=dict)
    votes: Votes = field(default_factory=dict)

    def answered(self, prompt_sets: PromptSets) -> Reported:
        """The report, or every fault; and what the doctor says of the file."""
        log = read_file(self.log)
        labels = None if self.labels is None else read_file(self.labels)
        read = report_of_files(log, labels, self.format_key, self.mapping, self.votes)
        _, known, diagnosis = look_only(log.data, log.name)
        if not isinstance(read.outcome, Refused):
            reported = _reported(read.outcome, read.columns, read.labels)
            assert read.log is not None
            words = page_words(of_report(diagnosis, read.log, read.outcome))
            has_labels = self.labels is not None or bool(self.votes)
            return replace(reported, doctor=words[:1] if has_labels else words)
        is_other = known is not None and "judge_report" not in known.doors and read.outcome.file == log.name
        if is_other:
            diagnosis = diagnose(log.data, log.name, prompt_sets)
        return replace(_refused(read.outcome, read.columns), doctor=page_words(diagnosis) if is_other else ())

    def refused(self, overrun: Overrun, budget: Budget) -> Reported:
        """One problem, which says what was exceeded."""
        return _refused(refused_problem(self, overrun, budget))


def refused_problem(job: ReportJob, overrun: Overrun, budget: Budget) -> Refused:
    """What is said of files beyond the budget.

    Raises:
        OSError: when a file is gone.
    """
    size = sum(path.stat().st_size for path in (job.log, job.labels) if path is not None)
    problem = overrun_problem(size, overrun, budget)
    return Refused(job.log.name, (problem,), {problem.code: 1})


def read_file(path: Path) -> LogFile:
    """The file, but no more of it than tells that it is too large."""
    with path.open("rb") as file:
        return LogFile(path.name, file.read(LINES_BYTES + 1))


def _reported(report: LogReport, columns: tuple[str, ...], labels: str) -> Reported:
    files = ReportFiles(report_html(report), json.dumps(report.as_json(), allow_nan=False), labels)
    size = len(files.html.encode()) + len(files.json)
    if size <= REPORT_BYTES:
        figures = tuple(judge_figures(report, judge) for judge in report.judges[:JUDGES_SHOWN])
        return Reported(files, report_value(report), None, columns=columns, figures=figures)
    message = (
        f"the report would have {size:,} bytes, on {len(report.judges):,} judges and {len(report.systems):,} systems; "
        f"at most {REPORT_BYTES:,} are handed out here"
    )
    hint = "Send the log of fewer judges or systems, or make the report on your own machine (docs/judge_report.md)."
    problem = Problem(
        code="file_too_big", severity=CODES["file_too_big"].severity, path="$", message=message, hint=hint
    )
    return _refused(Refused(report.file, (problem,), {problem.code: 1}), columns)


def _refused(refused: Refused, columns: tuple[str, ...] = ()) -> Reported:
    return Reported(None, None, faults_value(refused), json.dumps(refused.as_json()), columns)
