"""Values of a checked file, made where the file is read: the page never holds its rows.

Imported by the processes that check files, so no page, no store and no charts are imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from leaderboard.boards.file_views import view_of
from leaderboard.desk.problem_values import ProblemsValue, problems_value
from leaderboard.parts.file_previews import GridValue, PreviewValue
from leaderboard.parts.tables import TableValue
from leaderboard.parts.visible_text import visible
from submissions.check import CheckReport
from submissions.formats.preview import normalisations


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """Values of the desk's components; None hides one."""

    problems: ProblemsValue | None
    preview: PreviewValue | None
    grid: GridValue | None
    held: TableValue | None


def checked_file(report: CheckReport, file: BinaryIO) -> CheckedFile:
    """Everything the desk shows below its buttons.

    Args:
        report: With the rows of the file.
        file: The file it is of, open for reading.
    """
    return CheckedFile(
        problems=problems_value(report.problems, file) if report.problems else None,
        preview=preview_value(report),
        grid=view_of(report.reading).grid(report.reading) if report.reading else None,
        held=held_table(report),
    )


def held_table(report: CheckReport) -> TableValue | None:
    """What a file of rows holds, whatever its kind; None where the decision or the grid says it all."""
    return view_of(report.reading).held(report.reading) if report.reading else None


def preview_value(report: CheckReport) -> PreviewValue | None:
    """The preview of a file that can be scored; None of one that is refused."""
    if report.decision == "refused" or report.reading is None:
        return None
    preview = view_of(report.reading).preview(report.reading)
    if preview is None:
        return None
    return {
        "title": "What would be scored",
        "facts": [{"name": name, "text": text} for name, text in preview.facts.items() if text],
        "normalisations": normalisation_words(report),
        "flags": list(preview.flags),
        "caption": "The first row as it was read"
        if len(preview.rows) == 1
        else f"The first {len(preview.rows)} rows as they were read",
        "heads": preview.heads,
        "rows": preview.rows,
    }


def normalisation_words(report: CheckReport) -> list[str]:
    """What was read otherwise than it is written, one sentence each."""
    return [visible(problem.message) for problem in normalisations(report.problems)]
