"""Values of a file's problems: each with its line, and the excerpt that opens from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO, TypedDict

from leaderboard.parts.columns import Column
from leaderboard.parts.tables import CellValue, HeadValue, table_value
from leaderboard.parts.visible_text import visible
from submissions.formats.excerpts import ExcerptLine, problem_excerpts
from submissions.problems import Problem, grouped, listed


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One problem, in the order of the report."""

    id: str
    problem: Problem
    tier: int = 0

    @property
    def style(self) -> str:
        return f"{self.problem.severity}-row"

    @property
    def place(self) -> str:
        """`003, variant 2, en`: as much of it as is known."""
        parts = [
            self.problem.item,
            None if self.problem.variant is None else f"variant {self.problem.variant}",
            self.problem.language,
        ]
        return ", ".join(part for part in parts if part)


def problem_rows(problems: Sequence[Problem]) -> tuple[ProblemRow, ...]:
    """The problems as rows, in their order."""
    return tuple(ProblemRow(str(number), problem) for number, problem in enumerate(problems, start=1))


PROBLEM_COLUMNS: tuple[Column[ProblemRow], ...] = (
    Column(
        "severity",
        "Severity",
        "text",
        lambda row: row.problem.severity,
        "An error refuses the file, a warning marks it, a note changes nothing.",
        sortable=False,
    ),
    Column("message", "What was found", "text", lambda row: row.problem.message, "Found and expected.", sortable=False),
    Column("hint", "How to fix it", "text", lambda row: row.problem.hint, "What to do.", sortable=False),
    Column("item", "Item", "text", lambda row: row.place, "Item, variant and language, where known.", sortable=False),
    Column("path", "Place", "code", lambda row: row.problem.path, "Where in the file.", is_name=True, sortable=False),
    Column("code", "Code", "code", lambda row: row.problem.code, "As the command line prints it.", sortable=False),
)
"""What is wrong with a file."""


class ExcerptLineValue(TypedDict):
    """One line of the file, in three stretches of text."""

    number: int
    before: str
    marked: str
    after: str
    is_faulty: bool


class ProblemValue(TypedDict):
    """One row of the table, with what opens below it."""

    id: str
    style: str
    line: int
    """0 = not known: nothing opens."""
    cells: list[CellValue]
    file: str
    """The entry of a zip that the lines are of; blank where they are the upload's own."""
    excerpt: list[ExcerptLineValue]


class ProblemsValue(TypedDict):
    """Every problem that is listed."""

    caption: str
    columns: list[HeadValue]
    width: int
    """Number of columns, that of the line included."""
    rows: list[ProblemValue]
    summary: str


def problems_value(problems: Sequence[Problem], file: BinaryIO) -> ProblemsValue:
    """The problems as a table, errors first.

    Args:
        problems: All of a report.
        file: The file they are about, open for reading.
    """
    kept = listed(list(problems))
    shown = grouped(kept)
    table = table_value(
        problem_rows(shown), PROBLEM_COLUMNS, caption="Problems found", empty="No problems found.", opens=False
    )
    left_out = len(problems) - len(kept)
    return {
        "caption": table["caption"],
        "columns": table["columns"],
        "width": len(table["columns"]) + 1,
        "rows": [
            {
                "id": row["id"],
                "style": row["style"],
                "line": problem.line or 0,
                "cells": row["cells"],
                "file": visible(problem.entry or ""),
                "excerpt": [_line(line) for line in lines],
            }
            for row, problem, lines in zip(table["rows"], shown, problem_excerpts(shown, file), strict=True)
        ],
        "summary": table["summary"] + (f" of {len(problems):,} or more" if left_out else ""),
    }


def _line(line: ExcerptLine) -> ExcerptLineValue:
    return {
        "number": line.number,
        "before": visible(line.before),
        "marked": visible(line.marked),
        "after": visible(line.after),
        "is_faulty": line.is_faulty,
    }
