"""What the page shows of a checked file, made where the file is read: the page never holds its rows.

Imported by the processes that check files, so no page, no store and no charts are imported here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from leaderboard.boards.behavior_alignment.coverage_rows import strategies_table
from leaderboard.boards.personalization.coverage_rows import PERSONALIZED_COVERAGE_COLUMNS, personalized_coverage_rows
from leaderboard.boards.personalized_evaluation.coverage_rows import (
    EVALUATORS_COVERAGE_COLUMNS,
    evaluators_coverage_rows,
)
from leaderboard.boards.position_bias.coverage_rows import VERDICT_COVERAGE_COLUMNS, verdict_coverage_rows
from leaderboard.boards.robustness.coverage_rows import GridValue, coverage_grid
from leaderboard.desk.preview_values import PreviewValue, preview_value
from leaderboard.desk.problem_values import ProblemsValue, problems_value
from leaderboard.parts.tables import TableValue, table_value
from leaderboard.parts.visible_text import visible
from submissions.check import CheckReport


@dataclass(frozen=True, slots=True)
class FileView:
    """Values of the desk's components; None hides one."""

    problems: ProblemsValue | None
    preview: PreviewValue | None
    grid: GridValue | None
    held: TableValue | None


def file_view(report: CheckReport, file: BinaryIO) -> FileView:
    """Everything the desk shows below its buttons.

    Args:
        report: With the rows of the file.
        file: The file it is of, open for reading.
    """
    return FileView(
        problems=problems_value(report.problems, file) if report.problems else None,
        preview=preview_value(report),
        grid=coverage_grid(report.coverage),
        held=held_table(report),
    )


def held_table(report: CheckReport) -> TableValue | None:
    """What a file of rows holds, whatever its kind; None where the decision or the grid says it all."""
    held = report.personalized_coverage
    if held is not None and held.groups:
        return table_value(
            personalized_coverage_rows(held),
            PERSONALIZED_COVERAGE_COLUMNS,
            caption=f"What the file holds: {held.n_rows:,} rows of {held.n_examples:,} examples",
            empty="",
            opens=False,
        )
    if report.crs is not None:
        return strategies_table(report.crs)
    if report.perse is not None:
        return table_value(
            evaluators_coverage_rows(report.perse),
            EVALUATORS_COVERAGE_COLUMNS,
            caption=f"What the file holds: {len(report.perse.items):,} items of {visible(report.perse.dataset)}",
            empty="",
            opens=False,
        )
    if report.verdicts is not None:
        rows = verdict_coverage_rows(report.verdicts)
        return table_value(rows, VERDICT_COVERAGE_COLUMNS, caption="What the table holds", empty="", opens=False)
    return None
