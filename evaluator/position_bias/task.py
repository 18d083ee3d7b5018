"""Position bias of judges: tables of verdicts, which are counted, not judged."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.position_bias.evaluate import evaluate_judges
from evaluator.results import JudgesResult, JudgesResults
from evaluator.task import Task, Tools
from submissions.formats.judge_verdicts.reader import VerdictReading
from submissions.formats.judge_verdicts.submission import KIND


def judges_lines(result: JudgesResult | JudgesResults) -> Iterator[str]:
    """Each benchmark, and its judges."""
    for table in result.results if isinstance(result, JudgesResults) else (result,):
        yield from _table_lines(table)


def _table_lines(result: JudgesResult) -> Iterator[str]:
    yield f"{result.benchmark}, {result.options} options"
    for report in result.judges:
        figures = report.position_bias
        consistency, fairness = figures["position_consistency"], figures["preference_fairness"]
        yield f"  {report.judge}: position consistency {consistency}, preference fairness {fairness}"


def _evaluate(reading: VerdictReading, tools: Tools) -> JudgesResult | JudgesResults:
    assert reading.submission is not None
    return evaluate_judges(reading.submission, tools.judge.sign)


POSITION_BIAS = Task((KIND,), ("judges", "judges_by_benchmark"), _evaluate, judges_lines)
