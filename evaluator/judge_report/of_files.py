"""From files to the report, or to answers to label: the log read, with labels, or every fault of what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evaluator.judge_logs.judgements import JudgementLog
from evaluator.judge_logs.label_sample import LABELS_DRAWN, LabelSample
from evaluator.judge_logs.opened import opened
from evaluator.judge_logs.registry import AUTO, read_log
from evaluator.judge_report.labelling import (
    LabelDraw,
    Votes,
    is_sheet,
    label_draw,
    labels_csv,
    units_of_sheet,
    votes_of_sheet,
)
from evaluator.judge_report.labels import labels_of
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
    labels: str = ""
    """The votes as a CSV of labels; blank without votes."""
    log: JudgementLog | None = None
    """As it was read; None of one that is refused."""


def report_of_files(
    log: LogFile,
    labels: LogFile | None = None,
    format_key: str = AUTO,
    mapping: Mapping[str, str] | None = None,
    votes: Votes | None = None,
) -> FilesRead:
    """The report on a log; never raises, whatever the bytes are.

    Args:
        log: of any format known.
        labels: comparisons or ratings by people, of any format known, or a sheet that was filled in.
        format_key: of the log, one of `registry.LOG_FORMATS`, or auto.
        mapping: of a log that is a CSV, field -> column (`csv_table.FIELDS`).
        votes: labels of what was drawn from the log; those of pairs and answers that `labels` has count there alone.
    """
    reading = read_log(log.data, log.name, format_key, mapping)
    if reading.log is None:
        return FilesRead(_refused(log.name, reading.findings), reading.columns)
    labelled: list[JudgementLog] = []
    notes: list[str] = []
    if labels is not None:
        given = _labels_read(labels, reading.log)
        if isinstance(given, Refused):
            return FilesRead(given, reading.columns)
        labelled.append(given)
    if votes:
        standing = {key.id() for labelled_log in labelled for key in labels_of(labelled_log).keys}
        added = {label_id: vote for label_id, vote in votes.items() if label_id not in standing}
        if (read := read_log(labels_csv(reading.log, added).encode(), "labels.csv").log) is not None:
            labelled.append(read)
            notes.append(f"Labelled without seeing the judge's word, by one labeller: {_counted(read)}.")
    if any(map(_names_clusters, labelled)) and not _names_clusters(reading.log):
        notes.append(
            "The labels name clusters of questions and the log does not, so intervals are over questions: write the "
            "column cluster into the log."
        )
    report = log_report(reading.log, log.name, labels_of(*labelled) if labelled else None)
    of_labels = (replace(part, what=f"{part.what}, of the labels") for given in labelled for part in given.unread)
    own = labels_csv(reading.log, votes) if votes else ""
    return FilesRead(
        replace(report, notes=(*report.notes, *notes), unread=(*report.unread, *of_labels)),
        reading.columns,
        own,
        reading.log,
    )


def draw_of_files(
    log: LogFile,
    labels: LogFile | None = None,
    format_key: str = AUTO,
    mapping: Mapping[str, str] | None = None,
    size: int = LABELS_DRAWN,
) -> LabelDraw | Refused:
    """Answers of a log for people to label, drawn at random from those without a label; never raises.

    Args:
        log: as for `report_of_files`, and so are the others.
        size: how many are drawn at most.
    """
    labelled: frozenset[int] = frozenset()
    if labels is not None:
        if is_sheet(labels.data):
            labelled = units_of_sheet(opened(labels.data, labels.name))
        else:
            read = read_log(labels.data, labels.name)
            if read.log is None:
                return _refused(labels.name, read.findings)
            labelled = frozenset(key.unit() for key in labels_of(read.log).keys)
    sample = LabelSample(size, labelled=labelled)
    reading = read_log(log.data, log.name, format_key, mapping, sample=sample)
    if reading.log is None:
        return _refused(log.name, reading.findings)
    return label_draw(reading.log, sample)


def _labels_read(labels: LogFile, log: JudgementLog) -> JudgementLog | Refused:
    """Labels as a log of their own; a sheet becomes one by the names of the log that it was drawn from."""
    if is_sheet(labels.data):
        sheet = opened(labels.data, labels.name)
        votes = votes_of_sheet(sheet, log, sheet.findings)
        if sheet.findings.has_error:
            return _refused(labels.name, sheet.findings)
        labels = LogFile(labels.name, labels_csv(log, votes).encode())
    read = read_log(labels.data, labels.name)
    return _refused(labels.name, read.findings) if read.log is None else read.log


def _names_clusters(log: JudgementLog) -> bool:
    return any(judgement.cluster for judgement in log.judgements)


def _counted(labels: JudgementLog) -> str:
    """`10 pairs, 1 answer`."""
    pairs = sum(label.is_comparison for label in labels.judgements)
    kinds = ((pairs, "pair"), (len(labels.judgements) - pairs, "answer"))
    return ", ".join(f"{count:,} {kind}{'' if count == 1 else 's'}" for count, kind in kinds if count)


def _refused(name: str, findings: Findings) -> Refused:
    return Refused(name, tuple(listed(findings.problems)), findings.counts)
