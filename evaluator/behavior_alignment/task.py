"""Behavior alignment: recommender answers beside those of humans."""

from __future__ import annotations

from evaluator.behavior_alignment.evaluate import evaluate_behavior
from evaluator.behavior_alignment.result import BehaviorResult
from evaluator.behavior_alignment.text import behavior_lines
from evaluator.task import Task, Tools
from submissions.formats.behavior_alignment.reader import CrsReading
from submissions.formats.behavior_alignment.submission import KIND


def _evaluate(reading: CrsReading, tools: Tools) -> BehaviorResult:
    assert reading.submission is not None
    return evaluate_behavior(reading.submission, tools.embedder, tools.judge.tell)


BEHAVIOR_ALIGNMENT = Task((KIND,), ("behavior",), _evaluate, behavior_lines)
