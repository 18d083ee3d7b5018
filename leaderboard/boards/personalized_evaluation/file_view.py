"""The desk's words on a file of predicted ratings or choices before it is submitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluator.personalized_evaluation.judging import prediction_questions
from leaderboard.parts.columns import Column
from leaderboard.parts.file_previews import FileView, Preview, cut
from leaderboard.parts.tables import TableValue, table_value
from leaderboard.parts.visible_text import visible
from submissions.formats.personalized_evaluation.reader import PerseReading
from submissions.formats.personalized_evaluation.submission import (
    ASPECTS,
    AnyPerseSubmission,
    PairItem,
    PairsSubmission,
    RatingItem,
    RatingsSubmission,
)
from submissions.formats.preview import FIRST_ROWS


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


_HEADS = ["Item", "Reader", "Aspect", "New text", "Reader's own", "Prediction, as it stands"]


def _read_as(reading: PerseReading) -> str:
    held = reading.coverage
    if held is None:
        return ""
    what = "choices" if isinstance(reading.submission, PairsSubmission) else "ratings"
    answers = f"{held.n_with_answer:,} with an answer" if held.n_with_answer else "none with an answer"
    readers = "1 reader" if held.n_reviewers == 1 else f"{held.n_reviewers:,} readers"
    items = "1 item" if held.n_items == 1 else f"{held.n_items:,} items"
    return f"Read as predicted {what} of {readers}, k = {held.k}: {items}, {answers}"


def _preview(reading: PerseReading) -> Preview | None:
    submission = reading.submission
    if submission is None:
        return None
    items: Sequence[RatingItem | PairItem] = submission.items
    answered = sum(item.has_answer for item in items)
    questions = prediction_questions(submission)
    facts = {
        "Predictions": f"{answered:,} of {len(items):,} items have an answer",
        "Readers": f"{len({item.reviewer for item in items}):,}",
        "Data set": f"{visible(submission.dataset)}, collection {submission.collection}",
        "Reviews shown": f"k = {submission.k}",
        "Scale": f"{submission.scale} for predictions, {submission.gold_scale} for what readers gave"
        if isinstance(submission, RatingsSubmission)
        else "",
        "Work": "no judgements: your predictions are scored as they are; what is missing counts against the headline"
        if answered
        else f"{questions:,} judgements: no item has an answer, so the judge of this site gives them, if it is a "
        "language model; a judge that only compares texts cannot, and the file would fail",
    }
    return Preview(facts, _HEADS, [_first_row(item) for item in items[:FIRST_ROWS]])


def _first_row(item: RatingItem | PairItem) -> list[str]:
    if isinstance(item, PairItem):
        texts, own = f"A: {item.text_a} B: {item.text_b}", str(item.gold)
        aspect, given = str(item.aspect), item.response if item.choice is None else item.choice
    else:
        texts, own, aspect = item.text, f"{item.gold:g}", "rating"
        given = item.response if item.score is None else f"{item.score:g}"
    return [cut(item.id), cut(item.reviewer), aspect, cut(texts), own, cut(given or "(none)")]


def _held(reading: PerseReading) -> TableValue | None:
    submission = reading.submission
    if submission is None:
        return None
    return table_value(
        evaluators_coverage_rows(submission),
        EVALUATORS_COVERAGE_COLUMNS,
        caption=f"What the file holds: {len(submission.items):,} items of {visible(submission.dataset)}",
        empty="",
        opens=False,
    )


PREDICTIONS_VIEW = FileView(PerseReading, _read_as, _preview, _held)
