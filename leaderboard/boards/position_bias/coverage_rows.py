"""Rows of the table that tells a team what its table of judge verdicts holds: one per benchmark and judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.parts.columns import Column
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.schema import Count
from submissions.verdicts.items import N, verdict_items


@dataclass(frozen=True, slots=True)
class VerdictCoverageRow:
    """One judge on one benchmark."""

    id: str
    benchmark: str
    judge: str
    pairs: Count
    """Items with both orders, of all of its items."""
    usable: int
    """Pairs with a usable verdict in both orders: what is scored."""
    tasks: int
    tier: int = 0

    @property
    def style(self) -> str:
        """A judge that lacks pairs stands out."""
        return "" if self.usable == self.pairs.expected else "incomplete-row"


def verdict_coverage_rows(submission: VerdictSubmission) -> tuple[VerdictCoverageRow, ...]:
    """One row per benchmark and judge, in order of the names."""
    rows: list[VerdictCoverageRow] = []
    for benchmark, table in submission.tables.items():
        items = verdict_items(table)
        is_usable = items.paired & (items.original < N) & (items.swapped < N)
        for code, judge in enumerate(items.judge.names):
            own = items.judge.codes == code
            rows.append(
                VerdictCoverageRow(
                    id=str(len(rows) + 1),
                    benchmark=benchmark,
                    judge=judge,
                    pairs=Count(int(own.sum()), int((own & items.paired).sum())),
                    usable=int((own & is_usable).sum()),
                    tasks=len(np.unique(items.task.codes[own])),
                )
            )
    return tuple(rows)


VERDICT_COVERAGE_COLUMNS: tuple[Column[VerdictCoverageRow], ...] = (
    Column("judge", "Judge", "text", lambda row: row.judge, "As the rows name it.", is_name=True, sortable=False),
    Column("benchmark", "Benchmark", "text", lambda row: row.benchmark, "As the rows name it.", sortable=False),
    Column("tasks", "Tasks", "whole", lambda row: row.tasks, "Different tasks.", sortable=False),
    Column(
        "pairs", "Both orders", "whole", lambda row: row.pairs, "Items judged in both orders, of all.", sortable=False
    ),
    Column(
        "usable", "Scored", "whole", lambda row: row.usable, "With a usable verdict in both orders.", sortable=False
    ),
)
