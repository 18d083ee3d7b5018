"""Scores recommender answers: the figures of one system, every scored turn, and what stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Any, Literal

from evaluator.behavior_alignment.figures import BehaviorReport, TurnRow, behavior_report
from evaluator.behavior_alignment.implicit import StrategyEstimator, last_sentence
from evaluator.behavior_alignment.references import constant_system, human_system, previous_turn_system
from evaluator.behavior_alignment.result import BehaviorFigures, BehaviorResult, ReferenceFigures, ReferenceName
from evaluator.behavior_alignment.strategies.head import HeadEstimator
from evaluator.behavior_alignment.strategies.loading import default_estimator
from evaluator.behavior_alignment.strategies.model_folder import EstimatorUnusable
from evaluator.behavior_alignment.strategies.read_once import ReadOnce
from evaluator.embeddings.protocol import Embedder
from evaluator.statistics.version import STATISTICS_VERSION
from submissions.formats.behavior_alignment.submission import CrsSubmission
from submissions.version import VERSION

Told = Callable[[int, int], None]
"""Is called with how many sentences were read and how many there are; may raise to stop."""

_TURN_COLUMNS = {"dialogue_id": "dialogue"}
"""Columns of `ScoredTurns` that are called otherwise than the fields of a row."""


def evaluate_behavior(
    submission: CrsSubmission, embedder: Embedder | None, told: Told = lambda done, total: None
) -> BehaviorResult:
    """The result of one submission: explicit figures where all is annotated, and always the estimated ones.

    Args:
        submission: The answers of a system beside the human's.
        embedder: The boards' sentence encoder. Where it is not the one that the estimator in the package was trained
            with, the estimator on terms alone is used, and the result says so.
        told: Progress of the reading.
    """
    head, encoder = _estimator(embedder)
    estimator, rates = ReadOnce(head), head.rates
    estimator.read(_sentences(submission), told)
    report = behavior_report(submission, estimator, per_turn=True)
    return BehaviorResult.model_validate(
        {
            **_figures(report),
            "file_sha256": submission.file_sha256,
            "code_version": VERSION,
            "statistics_version": STATISTICS_VERSION,
            "embedding": encoder.pin if encoder else None,
            "collection": report["collection"],
            "dialogues": report["dialogues"],
            "scored_dialogues": sum(bool(dialogue.scored_turns) for dialogue in submission.dialogues),
            "turns": report["turns"],
            "scored_turns": report["scored_turns"],
            "turn_rule": report["turn_rule"],
            "flags": report["flags"],
            "rankable": report["rankable"],
            "per_turn": _columns(report["per_turn"]),
            "rate_draws": rates.draws.tolist() if rates else [],
            "references": dict(_references(submission, estimator)),
        }
    )


def _estimator(embedder: Embedder | None) -> tuple[HeadEstimator, Embedder | None]:
    """The estimator in the package, and the encoder it reads with."""
    try:
        return default_estimator(embedder), embedder
    except EstimatorUnusable:  # another encoder, as the scripted one of tests and demonstrations
        return default_estimator(None), None


def _sentences(submission: CrsSubmission) -> Iterator[str]:
    """What an estimator will be asked about, for the system and for what stands beside it."""
    for dialogue in submission.dialogues:
        for turn in dialogue.turns:
            for answer in (turn.human, turn.system):
                sentence = last_sentence(answer)
                if sentence:
                    yield sentence


def _figures(report: BehaviorReport) -> dict[str, Any]:
    """The part of a report that reference rows have too."""
    return {name: report.get(name) for name in BehaviorFigures.model_fields}


def _columns(rows: list[TurnRow]) -> dict[str, list[object]]:
    records = [dict(row) for row in rows]
    return {_TURN_COLUMNS.get(field, field): [record[field] for record in records] for field in TurnRow.__annotations__}


def _references(
    submission: CrsSubmission, estimator: StrategyEstimator
) -> Iterator[tuple[ReferenceName, ReferenceFigures]]:
    yield "previous", _reference(previous_turn_system(submission), estimator)
    constant = constant_system(submission)
    if constant is not None:
        # It has a strategy and no words: what is read off words would be that of an empty answer.
        without_words: dict[str, Any] = {"bleu": {}, "dist": {}, "copied_share": None}
        yield "constant", _reference(constant, None).model_copy(update=without_words)
    yield "human", _reference(human_system(submission), estimator)


def _reference(submission: CrsSubmission, estimator: StrategyEstimator | None) -> ReferenceFigures:
    report = behavior_report(submission, estimator, per_turn=True)
    rows = report["per_turn"]
    return ReferenceFigures.model_validate(
        {
            **_figures(report),
            "hits": _means(rows, "equal"),
            "same": _means(rows, "same"),
        }
    )


def _means(rows: list[TurnRow], mark: Literal["equal", "same"]) -> list[float] | None:
    """Share of marked turns in each dialogue, by dialogue id in order; None where a turn is not known."""
    marks: dict[str, list[bool]] = {}
    for row in rows:
        known = row[mark]
        if known is None:
            return None
        marks.setdefault(row["dialogue_id"], []).append(known)
    return [fmean(marks[dialogue]) for dialogue in sorted(marks)]
