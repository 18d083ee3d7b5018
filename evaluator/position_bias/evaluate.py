"""The Judges board: from a table of verdicts to the figures of every judge, without asking any model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from evaluator.position_bias.figures import Grouping, position_bias_report
from evaluator.position_bias.judge_comparisons import QualityCurve, quality_cells, quality_curve
from evaluator.position_bias.repetition import RepetitionFigures, repetition_report
from evaluator.results import JudgeCard, JudgeReport, JudgesResult, JudgesResults, QueryCounts
from evaluator.statistics.agreement import agreement_report, hardest_queries
from evaluator.statistics.version import STATISTICS_VERSION
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.verdicts.counts import query_names, verdict_queries
from submissions.verdicts.items import VerdictTable, verdict_items
from submissions.version import VERSION

HARDEST = 20
"""Queries listed as the hardest."""

_GROUPINGS: tuple[Grouping, ...] = ("task", "model")
_AGREEMENT = ("with_ties", "without_ties", "kappa", "consistent_outcomes")


def evaluate_judges(
    submission: VerdictSubmission, told: Callable[[], None] = lambda: None
) -> JudgesResult | JudgesResults:
    """The result of one verdict table; with several benchmarks, one for each in a `JudgesResults`.

    The figures are those of `position-bias --by task --by model`, `repetition` and `judge-agreement` on the same file
    (compat `valid`).

    Args:
        submission: The tables, one for each benchmark.
        told: Called before each of them.
    """
    results = []
    for name, table in submission.tables.items():
        told()
        results.append(_benchmark_result(submission, name, table))
    return results[0] if len(results) == 1 else JudgesResults(results=tuple(results))


def _benchmark_result(submission: VerdictSubmission, benchmark: str, table: VerdictTable) -> JudgesResult:
    agreement: Mapping[str, Any] = agreement_report(table, options=submission.options)
    return JudgesResult(
        benchmark=benchmark,
        options=submission.options,
        reference_model=submission.reference_model,
        source="submitted",
        file_sha256=submission.file_sha256,
        code_version=VERSION,
        statistics_version=STATISTICS_VERSION,
        judges=tuple(_judge_reports(submission, table)),
        agreement={name: agreement[name] for name in _AGREEMENT},
        disagreement_histogram=agreement["disagreement_histogram"],
        hardest=tuple(hardest_queries(table, HARDEST)),
    )


def _judge_reports(submission: VerdictSubmission, table: VerdictTable) -> Iterator[JudgeReport]:
    figures: Mapping[str, Any] = position_bias_report(table, options=submission.options, by=_GROUPINGS)
    repetitions = repetition_report(table, options=submission.options)
    queries = judge_queries(table)
    cells = quality_cells(table, options=submission.options)
    curves = quality_curve(table, options=submission.options)
    for judge, own in figures.items():
        yield JudgeReport(
            judge=judge,
            card=JudgeCard.model_validate(submission.cards.get(judge, {})),
            position_bias={key: value for key, value in own.items() if key not in ("by_task", "by_model")},
            by_task=own["by_task"],
            by_model=own["by_model"],
            repetition=_repeated(repetitions[judge]),
            queries=queries.get(judge, {}),
            cells=cells[judge],
            quality_curve=_own_curve(curves[judge]),
        )


def _own_curve(curve: QualityCurve) -> dict[str, float | int | None] | None:
    """The parabola over the judge's own win rate; None where there is none."""
    own = curve["own"]
    if own is None:
        return None
    return {"n_cells": curve["n_cells"], "b0": own["b0"], "b1": own["b1"], "b2": own["b2"], "r2": own["r2"]}


def _repeated(figures: RepetitionFigures) -> dict[str, Any] | None:
    """The repetition figures; None where no call was made twice."""
    distinct_calls = figures["n_items"] + figures["n_items_skipped"]
    return dict(figures) if figures["n_calls"] > distinct_calls else None


def judge_queries(table: VerdictTable) -> dict[str, dict[str, QueryCounts]]:
    """Judge -> "task / query" -> its swap outcomes, for the queries with a valid pair."""
    items = verdict_items(table)
    names, queries = query_names(items), verdict_queries(items).with_valid_pair()
    counts: dict[str, dict[str, QueryCounts]] = {}
    for judge, query, valid, consistent, direction in zip(
        queries.judge.tolist(),
        queries.query.tolist(),
        queries.valid.astype(int).tolist(),
        queries.consistent.astype(int).tolist(),
        queries.direction.astype(int).tolist(),
        strict=True,
    ):
        flips = valid - consistent  # recency + primacy, where direction = recency - primacy
        recency = (flips + direction) // 2
        counts.setdefault(items.judge.names[judge], {})[names[query]] = QueryCounts(
            consistent=consistent, valid=valid, primacy=flips - recency, recency=recency
        )
    return counts
