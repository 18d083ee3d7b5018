"""A finding for the Overview: how far a score that does not read meaning agrees with people."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.results import MetricValue
from leaderboard.boards.judge_quality.rows import MeasuredJudge
from leaderboard.boards.judge_quality.state import JudgeQualityState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Fact
from leaderboard.parts.columns import text_of


def baseline_facts(rows: Sequence[MeasuredJudge]) -> list[Fact]:
    """Return the baseline that is right least often about people's labels, alone; nothing where none was measured."""
    measured = [(accuracy.value, row, accuracy) for row in rows if row.is_null and (accuracy := _accuracy(row))]
    if not measured:
        return []
    _, row, accuracy = min(measured, key=lambda right_and_row: (right_and_row[0], right_and_row[1].id))
    right, low, high = (text_of(end, "share") for end in (accuracy.value, accuracy.low, accuracy.high))
    return [
        Fact(
            claim=f"Judging by {row.name} alone agrees with people's labels on {right} of pairs",
            interval=f"95% interval {low} to {high}",
            source=f"{accuracy.n:,} pairs of answers",
            link=address_of(JudgeQualityState(judge=row.id)),
        )
    ]


def _accuracy(row: MeasuredJudge) -> MetricValue | None:
    """The share of people's pairs on the right side, where it has an interval."""
    same = row.with_people.same_answer if row.with_people else None
    has_interval = same is not None and None not in (same.accuracy.value, same.accuracy.low, same.accuracy.high)
    return same.accuracy if same and has_interval else None
