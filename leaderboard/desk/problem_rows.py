"""Rows of the table that tells a team what is wrong with its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.problems import Problem


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
