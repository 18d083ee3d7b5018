"""Rows of the table that tells a team what its file of personalized answers holds, and what is scored of it."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.parts.columns import Column
from submissions.formats.personalization.coverage import PersonalizedCoverage, PersonalizedGroup
from submissions.formats.personalization.submission import PREF_ALIGNER


@dataclass(frozen=True, slots=True)
class PersonalizedCoverageRow:
    """One data set, setting and method."""

    id: str
    group: PersonalizedGroup
    tier: int = 0

    @property
    def style(self) -> str:
        """A group that gives no figure, as none of its rows can be right or wrong, stands out."""
        return "" if self.group.n_with_gold else "incomplete-row"

    @property
    def method(self) -> str:
        return f"{self.group.method}, run again" if self.group.is_repeat else self.group.method

    @property
    def scored_as(self) -> str:
        """What is computed from the group."""
        group = self.group
        if not group.n_with_gold:
            return "nothing: without gold no answer is right or wrong"
        if group.is_repeat:
            return "noise floor: what breaks without any preference"
        if group.setting == "none":
            return "control: what was right without preferences"
        figures = "breakage, variation"
        if group.setting in ("relevant", "mixed"):
            figures += ", preference followed, robustness"
        return f"{figures}, unchanged" + (", fallback" if group.method == PREF_ALIGNER else "")


def personalized_coverage_rows(coverage: PersonalizedCoverage) -> tuple[PersonalizedCoverageRow, ...]:
    """One row per group, in the order of the report."""
    return tuple(PersonalizedCoverageRow(str(number), group) for number, group in enumerate(coverage.groups, start=1))


PERSONALIZED_COVERAGE_COLUMNS: tuple[Column[PersonalizedCoverageRow], ...] = (
    Column("dataset", "Data set", "text", lambda row: row.group.dataset, "As the rows name it.", sortable=False),
    Column(
        "setting",
        "Setting",
        "text",
        lambda row: row.group.setting,
        "Which preferences were shown: none, one relevant, irrelevant ones, or one relevant among others.",
        sortable=False,
    ),
    Column("method", "Method", "text", lambda row: row.method, "How it was answered.", is_name=True, sortable=False),
    Column("rows", "Rows", "whole", lambda row: row.group.n_rows, "Rows that could be read.", sortable=False),
    Column("examples", "Examples", "whole", lambda row: row.group.n_examples, "Different questions.", sortable=False),
    Column("gold", "With gold", "whole", lambda row: row.group.n_with_gold, "Rows that state it.", sortable=False),
    Column("scored", "Scored as", "text", lambda row: row.scored_as, "What is computed from it.", sortable=False),
)
