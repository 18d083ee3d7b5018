"""Rows of the table that tells a team what its file of predicted ratings or choices holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from leaderboard.parts.columns import Column
from submissions.formats.personalized_evaluation.submission import (
    ASPECTS,
    AnyPerseSubmission,
    PairItem,
    PairsSubmission,
    RatingItem,
)


@dataclass(frozen=True, slots=True)
class EvaluatorsCoverageRow:
    """The predicted ratings, or the predicted choices in one aspect."""

    id: str
    what: str
    items: tuple[RatingItem | PairItem, ...]
    tier: int = 0

    @property
    def style(self) -> str:
        """What has no item, or items without an answer beside answered ones, stands out."""
        return "" if self.items and self.n_answered in (0, len(self.items)) else "incomplete-row"

    @property
    def n_reviewers(self) -> int:
        return len({item.reviewer for item in self.items})

    @property
    def n_answered(self) -> int:
        return sum(item.has_answer for item in self.items)

    @property
    def n_raw(self) -> int:
        """Answers that are yet to be read from what the model wrote."""
        return sum(item.response is not None for item in self.items)

    @property
    def n_other_orders(self) -> int:
        return sum(map(_has_other_orders, self.items))

    @property
    def n_marked(self) -> int:
        return sum(item.memorized is not None for item in self.items)


def _has_other_orders(item: RatingItem | PairItem) -> bool:
    if isinstance(item, PairItem):
        return item.choice_swapped is not None or item.response_swapped is not None
    return item.shuffled_scores is not None


def evaluators_coverage_rows(submission: AnyPerseSubmission) -> tuple[EvaluatorsCoverageRow, ...]:
    """One row of ratings; of choices one per aspect, also where the file has none."""
    if isinstance(submission, PairsSubmission):
        items: Sequence[PairItem] = submission.items
        return tuple(
            EvaluatorsCoverageRow(aspect, aspect, tuple(item for item in items if item.aspect == aspect))
            for aspect in ASPECTS
        )
    return (EvaluatorsCoverageRow("ratings", "ratings", submission.items),)


def _count(
    key: str, label: str, value: Callable[[EvaluatorsCoverageRow], int], tooltip: str
) -> Column[EvaluatorsCoverageRow]:
    return Column(key, label, "whole", value, tooltip, sortable=False)


EVALUATORS_COVERAGE_COLUMNS: tuple[Column[EvaluatorsCoverageRow], ...] = (
    Column("what", "Predicted", "text", lambda row: row.what, "Ratings, or the aspect of choices.", is_name=True),
    _count("items", "Items", lambda row: len(row.items), "Predictions asked for."),
    _count("reviewers", "Reviewers", lambda row: row.n_reviewers, "Readers: the unit of all intervals."),
    _count("answered", "Answered", lambda row: row.n_answered, "Items with a prediction in any order."),
    _count("raw", "As raw text", lambda row: row.n_raw, "Predictions that are read from what the model wrote."),
    _count(
        "orders",
        "In other orders",
        lambda row: row.n_other_orders,
        "Ratings with the profile in other orders; choices with the second text shown first.",
    ),
    _count("memorized", "Marked", lambda row: row.n_marked, "Items that say whether the model recognised the text."),
)
