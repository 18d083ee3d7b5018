"""What the page says while a log is read and afterwards; no components, so that it is tested without a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from evaluator.judge_logs.csv_table import FIELDS
from evaluator.judge_logs.registry import AUTO, LOG_FORMATS
from evaluator.judge_report.labelling import Votes
from leaderboard.judge_report.job import Reported, ReportJob
from leaderboard.judge_report.labelling import LabellingFound
from leaderboard.judge_report.values import FaultsValue, ReportValue
from leaderboard.parts.downloads import CSV, JSON, FileValue, file_value
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.visible_text import visible
from submissions.reading.quoting import printable

HTML = "text/html"
COLUMNS_OFFERED = 200
"""Columns of a CSV among which a visitor chooses; a header may have a thousand."""

NO_FILE = notice(
    "plain", "Drop a judge's log.", "The file that your tool wrote, or a CSV with a judgement in each row."
)
WHAT_BECOMES_OF_IT = (
    "Nothing is stored or published unless you publish the figures yourself: the file is only read, and removed when "
    "you leave the page, after an hour at the latest. The report exists in your browser alone."
)
FORMATS: list[tuple[str, str]] = [
    ("Detect from the file", AUTO),
    *((log_format.title, log_format.key) for log_format in LOG_FORMATS),
]
"""Labels and keys of what may have written a log."""

Mapped = Mapping[str, str]
"""Field of a CSV -> its column."""


class OptionValue(TypedDict):
    """One column that a field may be."""

    place: str
    """Its number in the header, from 0; blank = the field is not in the file."""
    name: str
    is_chosen: bool


class FieldValue(TypedDict):
    """What a column may be."""

    key: str
    about: str
    options: list[OptionValue]


class MapperValue(TypedDict):
    """The choice of columns."""

    fields: list[FieldValue]
    is_needed: bool
    """Nothing could be read: the choice is open."""
    left_out: str
    """How many columns are not offered; blank for none."""


class FilesValue(TypedDict):
    """The report to keep."""

    files: list[FileValue]
    has_labels: bool
    """Whether the third of them are labels that were given on the page."""


class Shown(TypedDict):
    """Values of the components below the form; None hides one."""

    said: NoticeValue | None
    faults: FaultsValue | None
    mapper: MapperValue | None
    files: FilesValue | None
    report: ReportValue | None


def nothing_shown(said: NoticeValue | None) -> Shown:
    """A message at most."""
    return {"said": said, "faults": None, "mapper": None, "files": None, "report": None}


def nothing_to_label(labelling: LabellingFound) -> NoticeValue:
    """Why no answers are shown."""
    if labelling.faults is not None:
        return notice("bad", "Nothing to label: fix the problems below first.")
    return notice("warning", *labelling.missing.partition(". ")[::2])


def report_job(
    log: str, labels: str | None, format_key: object, mapping: Mapped, votes: Votes | None = None
) -> ReportJob:
    """What is asked for; an unknown format is none that was chosen."""
    known = next((key for _, key in FORMATS if key == format_key), AUTO)
    return ReportJob(Path(log), Path(labels) if labels else None, known, dict(mapping), dict(votes or {}))


def waiting_notice(ahead: int) -> NoticeValue:
    """Where a log stands in the line; 0 = it is being read."""
    if ahead == 0:
        return notice("plain", "The log is being read.", "Large logs take up to a minute.")
    before = "1 file is ahead of yours." if ahead == 1 else f"{ahead:,} files are ahead of yours."
    return notice("plain", before, "Files are checked in turn; leaving this page gives up yours.")


def shown_report(reported: Reported, mapping: Mapped, *, takes_focus: bool = False) -> Shown:
    """Everything below the form, of a log that was read.

    Args:
        takes_focus: whether the report does, as the page on which labels were finished is gone.
    """
    # Columns help nobody whose file is of another kind, which the doctor then names with its door.
    is_needed = reported.faults is not None and not reported.doctor
    mapper = mapper_value(reported.columns, mapping, is_needed=is_needed)
    if reported.faults is not None:
        said = _doctor_notice(reported) or _refused_notice(reported.faults, mapper)
        return {**nothing_shown(said), "faults": reported.faults, "mapper": mapper}
    files = reported.files
    made = files and [
        file_value("judge-report.html", HTML, files.html),
        file_value("judge-report.json", JSON, files.json),
        *([file_value("labels.csv", CSV, files.labels)] if files.labels else []),
    ]
    return {
        "said": _doctor_notice(reported),
        "faults": None,
        "mapper": mapper,
        "files": {"files": made, "has_labels": len(made) > 2} if made else None,
        "report": reported.report and {**reported.report, "takes_focus": takes_focus},
    }


def _doctor_notice(reported: Reported) -> NoticeValue | None:
    """What the file is, and what else is of use; None of a log that is refused, whose faults say it."""
    if not reported.doctor:
        return None
    title, *lines = map(visible, reported.doctor)
    return notice("warning" if reported.faults else "plain", title, *lines)


def _refused_notice(faults: FaultsValue, mapper: MapperValue | None) -> NoticeValue:
    count = "1 fault" if faults["total"] == 1 else f"{faults['total']:,} faults"
    lines = [f"{faults['file']}: {count}. A log with a fault is refused whole, so that no figure rests on half a file."]
    if mapper:
        lines.append("If the columns have other names, say below which is which.")
    return notice("bad", "No report: fix the problems below and upload the file again.", *lines)


def mapper_value(columns: Sequence[str], mapping: Mapped, *, is_needed: bool) -> MapperValue | None:
    """The choice of columns of a CSV; None of other files.

    Args:
        columns: its header.
        mapping: what was chosen before; else a field is the column of its own name.
        is_needed: whether the file could not be read.
    """
    if not columns:
        return None
    offered = list(columns[:COLUMNS_OFFERED])
    more = len(columns) - len(offered)
    return {
        "fields": [_field(key, about, offered, mapping.get(key, key)) for key, about in FIELDS.items()],
        "is_needed": is_needed,
        "left_out": f"The first {COLUMNS_OFFERED} columns are offered, {more:,} are not." if more > 0 else "",
    }


def _field(key: str, about: str, columns: Sequence[str], chosen: str) -> FieldValue:
    options: list[OptionValue] = [
        {"place": str(place), "name": printable(name, 80) or "(no name)", "is_chosen": name == chosen}
        for place, name in enumerate(columns)
    ]
    # A column that is called like the field is the field: without another one it cannot be left out.
    if key not in columns:
        options.insert(0, {"place": "", "name": "not in this file", "is_chosen": chosen not in columns})
    return {"key": key, "about": about, "options": options}


def chosen_mapping(carried: object, columns: Sequence[str]) -> dict[str, str]:
    """What a visitor chose, field -> number of the column; whatever is no such choice is left out.

    >>> chosen_mapping({"question": "1", "verdict": "", "x": "0", "judge": "9"}, ("id", "prompt"))
    {'question': 'prompt'}
    """
    if not isinstance(carried, Mapping):
        return {}
    names = {str(place): name for place, name in enumerate(columns[:COLUMNS_OFFERED])}
    return {key: names[place] for key in FIELDS if isinstance(place := carried.get(key), str) and place in names}
