"""Cultural robustness: a zip of ELOQUENT 2026."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.cultural.evaluate import evaluate_cultural
from evaluator.robustness.edition_results import CULTURAL_HEADLINE, CulturalResult
from evaluator.task import Task, Tools
from evaluator.values import metric_text
from submissions.formats.eloquent.kind import KIND
from submissions.formats.eloquent.result import EloquentReading


def cultural_lines(result: CulturalResult) -> Iterator[str]:
    """The figures, one to a line; the headline figure is marked with a star."""
    yield f"{result.prompt_set.set_id}: {result.prompt_set.version}"
    yield f"embedding model {result.embedding.name}, {result.embedding.model}"
    for figure, value in result.figures.items():
        mark = "*" if figure == CULTURAL_HEADLINE else " "
        yield f"{mark} {figure.upper().replace('_GATED', ' gated'):10} {metric_text(value)}"
    yield f"  on topic   {metric_text(result.pass_share)}, control {metric_text(result.control_pass_share)}"
    yield f"  {'ranked' if result.ranked else f'not ranked: {result.reason}'}"


def _evaluate(reading: EloquentReading, tools: Tools) -> CulturalResult:
    submission, coverage = reading.of_answers()
    prompt_set = tools.prompt_sets.by_id(submission.set_id)
    return evaluate_cultural(submission, coverage, prompt_set, tools.judge, tools.embedder)


def _headline(result: Mapping[str, Any]) -> Any:
    return result["figures"].get(CULTURAL_HEADLINE)


CULTURAL = Task((KIND,), ("cultural",), _evaluate, cultural_lines, "2026", _headline)
