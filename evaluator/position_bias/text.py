"""The judges of a verdict table as a few lines a person can read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.results import JudgesResult, JudgesResults


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
