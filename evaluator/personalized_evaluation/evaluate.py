"""The Personalized evaluation board: from a file of predicted ratings or choices to its figures.

A file without any answer is judged here first, by the judge of this installation in the place of every reader.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.judges.protocol import SHORTENED, Judgment
from evaluator.judges.recorded import RecordedJudge
from evaluator.personalized_evaluation.judging import JudgedRun, judged_run
from evaluator.personalized_evaluation.pairs import pairs_report
from evaluator.personalized_evaluation.ratings import ratings_report
from evaluator.personalized_evaluation.reports import ChoiceRead, PairsReport, RatingRead, RatingsReport
from evaluator.personalized_evaluation.result import (
    ChosenItems,
    PersonalizedEvaluationResult,
    Probabilities,
    RatedItems,
)
from evaluator.statistics.version import STATISTICS_VERSION
from submissions.formats.personalized_evaluation.submission import (
    AnyPerseSubmission,
    PairsSubmission,
    RatingsSubmission,
    Scale,
)
from submissions.version import VERSION


def evaluate_personalized_evaluation(
    submission: AnyPerseSubmission, judge: RecordedJudge
) -> PersonalizedEvaluationResult:
    """The result of one file.

    Answers in the file are scored as they are, and no judge is asked; where all of them are null, the judge gives them.
    A verdict already stored is not asked for again. Figures: docs/personalized_evaluation.md#ratings and #choices.

    Raises:
        CannotPredict: all answers are null, and the judge reads no questions about a reader.
    """
    run = None if any(item.has_answer for item in submission.items) else judged_run(submission, judge)
    answered = run.submission if run else submission
    reasons, marks = (run.reasons, run.marks) if run else ({}, [])
    report: RatingsReport | PairsReport
    ratings, pairs, ends = None, None, {}
    if isinstance(answered, RatingsSubmission):
        report = ratings_report(answered, reasons=reasons, marks=marks, per_item=True, with_draws=True)
        ratings = _rated_items(answered, report.pop("items"), run)
        ends = {name: (scale.low, scale.high) for name, scale in _scales(answered)}
    else:
        report = pairs_report(answered, reasons=reasons, marks=marks, per_item=True, with_draws=True)
        pairs = _chosen_items(answered, report.pop("items"), run)
    return PersonalizedEvaluationResult(
        dataset=submission.dataset,
        file_sha256=submission.file_sha256,
        judge=judge.judge.pin if run else None,
        code_version=VERSION,
        statistics_version=STATISTICS_VERSION,
        **ends,
        report=report,
        ratings=ratings,
        pairs=pairs,
        asked_keys=run.keys if run else (),
    )


def _scales(submission: RatingsSubmission) -> tuple[tuple[str, Scale], ...]:
    return ("scale", submission.scale), ("gold_scale", submission.gold_scale)


def _rated_items(submission: RatingsSubmission, read: Sequence[RatingRead], run: JudgedRun | None) -> RatedItems:
    of_id = {reading["id"]: reading for reading in read}
    items = submission.items
    columns = RatedItems(
        id=tuple(item.id for item in items),
        reviewer=tuple(item.reviewer for item in items),
        gold=tuple(item.gold for item in items),
        score=tuple(of_id[item.id]["score"] for item in items),
        reason=tuple(of_id[item.id]["reason"] for item in items),
        memorized=tuple(item.memorized for item in items),
    )
    if run is None:
        return columns
    given = [run.judgments[item.id][0] for item in items]
    judged = {"distribution": _distributions(given), "label_mass": tuple(judgment.label_mass for judgment in given)}
    return columns.model_copy(update={**judged, "shortened": _shortened(submission, run)})


def _chosen_items(submission: PairsSubmission, read: Sequence[ChoiceRead], run: JudgedRun | None) -> ChosenItems:
    of_id = {reading["id"]: reading for reading in read}
    items = submission.items
    columns = ChosenItems(
        id=tuple(item.id for item in items),
        reviewer=tuple(item.reviewer for item in items),
        comparison=tuple(item.comparison for item in items),
        aspect=tuple(item.aspect for item in items),
        gold=tuple(item.gold for item in items),
        choice=tuple(of_id[item.id]["choice"] for item in items),
        reason=tuple(of_id[item.id]["reason"] for item in items),
        choice_swapped=tuple(of_id[item.id]["choice_swapped"] for item in items),
    )
    if run is None:
        return columns
    given, swapped = ([run.judgments[item.id][order] for item in items] for order in (0, 1))
    judged = {
        "distribution": _distributions(given),
        "distribution_swapped": _distributions(swapped),
        "label_mass": tuple(judgment.label_mass for judgment in given),
    }
    return columns.model_copy(update={**judged, "shortened": _shortened(submission, run)})


def _distributions(judgments: Sequence[Judgment]) -> tuple[Probabilities | None, ...]:
    return tuple(judgment.distribution for judgment in judgments)


def _shortened(submission: AnyPerseSubmission, run: JudgedRun) -> tuple[bool, ...]:
    return tuple(any(SHORTENED in judgment.details for judgment in run.judgments[item.id]) for item in submission.items)
