"""Cultural robustness: a zip of ELOQUENT 2026."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.cultural.evaluate import evaluate_cultural
from evaluator.cultural.text import cultural_lines
from evaluator.robustness.edition_results import CULTURAL_HEADLINE, CulturalResult
from evaluator.task import Task, Tools
from submissions.formats.eloquent.kind import KIND
from submissions.formats.eloquent.result import EloquentReading


def _evaluate(reading: EloquentReading, tools: Tools) -> CulturalResult:
    submission, coverage = reading.of_answers()
    prompt_set = tools.prompt_sets.by_id(submission.set_id)
    return evaluate_cultural(submission, coverage, prompt_set, tools.judge, tools.embedder)


def _headline(result: Mapping[str, Any]) -> Any:
    return result["figures"].get(CULTURAL_HEADLINE)


CULTURAL = Task((KIND,), ("cultural",), _evaluate, cultural_lines, "2026", _headline)
