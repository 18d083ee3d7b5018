"""Robustness: answers to the prompts of ELOQUENT 2024, and to those of the demonstration set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.results import HEADLINE, HEADLINE_VIEW, RobustnessResult
from evaluator.robustness.evaluate import evaluate_robustness
from evaluator.robustness.text import robustness_lines
from evaluator.task import Task, Tools
from submissions.formats.eloquent.kind import KIND
from submissions.formats.eloquent.result import EloquentReading


def _evaluate(reading: EloquentReading, tools: Tools) -> RobustnessResult:
    submission, coverage = reading.of_answers()
    prompt_set = tools.prompt_sets.by_id(submission.set_id)
    reference = tools.references.get(prompt_set.set_id)
    return evaluate_robustness(submission, coverage, prompt_set, tools.judge, tools.embedder, reference)


def _headline(result: Mapping[str, Any]) -> Any:
    return result["views"][HEADLINE_VIEW]["figures"][HEADLINE]["mean"]


ROBUSTNESS = Task((KIND,), ("robustness",), _evaluate, robustness_lines, "2024", _headline)
