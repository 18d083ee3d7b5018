"""The desk's words on a table of judge verdicts before it is submitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.parts.columns import Column
from leaderboard.parts.file_previews import FileView, Preview, cut
from leaderboard.parts.tables import TableValue, table_value
from leaderboard.parts.visible_text import visible
from submissions.formats.judge_verdicts.reader import VerdictReading
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.formats.preview import FIRST_ROWS
from submissions.schema import Count
from submissions.verdicts.items import N, verdict_items
from submissions.verdicts.swap_outcomes import VERDICTS


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


_LETTERS = (*VERDICTS, "not run")
"""What the codes of verdicts stand for."""

_HEADS = ["Benchmark", "Judge", "Task", "Model", "Query", "Original order", "Swapped order"]


def _read_as(reading: VerdictReading) -> str:
    held, submission = reading.coverage, reading.submission
    if held is None or submission is None:
        return ""
    return (
        f"Read as verdicts of {len(held.judges)} judges on {', '.join(held.benchmarks)}: {held.n_pairs} pairs in both "
        f"orders, {held.n_unpaired} unpaired, {'A, B or tie' if submission.options == 3 else 'A or B'}"
    )


def _preview(reading: VerdictReading) -> Preview | None:
    held, submission = reading.coverage, reading.submission
    if held is None or submission is None:
        return None
    facts = {
        "Rows": f"{held.n_rows:,}",
        "Pairs in both orders": f"{held.n_pairs:,} of {held.n_items:,} items",
        "Unusable verdicts": f"{held.n_error_calls:,}",
        "Judges": f"{len(held.judges):,}",
        "Benchmarks": ", ".join(held.benchmarks),
        "Reference model": visible(submission.reference_model or "not stated"),
        "Work": "no judgements: the figures are computed from your verdicts",
    }
    rows: list[list[str]] = []
    for benchmark, table in submission.tables.items():
        items = verdict_items(table)
        for row in range(min(len(items.paired), FIRST_ROWS - len(rows))):
            names = [cut(column.cell(row)) for column in (items.judge, items.task, items.model, items.query)]
            letters = [_LETTERS[int(codes[row])] for codes in (items.original, items.swapped)]
            rows.append([benchmark, *names, *letters])
    return Preview(facts, _HEADS, rows)


def _held(reading: VerdictReading) -> TableValue | None:
    if reading.submission is None:
        return None
    rows = verdict_coverage_rows(reading.submission)
    return table_value(rows, VERDICT_COVERAGE_COLUMNS, caption="What the table holds", empty="", opens=False)


VERDICTS_VIEW = FileView(VerdictReading, _read_as, _preview, _held)
