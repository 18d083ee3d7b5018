"""Evaluators of particular readers: predicted ratings and predicted choices."""

from __future__ import annotations

from evaluator.personalized_evaluation.evaluate import evaluate_personalized_evaluation
from evaluator.personalized_evaluation.judging import CannotPredict
from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from evaluator.personalized_evaluation.text import report_text
from evaluator.task import CannotBeJudged, Task, Tools
from submissions.formats.personalized_evaluation.reader import PerseReading
from submissions.formats.personalized_evaluation.submission import PERSE_KINDS


def _evaluate(reading: PerseReading, tools: Tools) -> PersonalizedEvaluationResult:
    assert reading.submission is not None
    try:
        return evaluate_personalized_evaluation(reading.submission, tools.judge)
    except CannotPredict as error:
        raise CannotBeJudged(str(error)) from error


def _lines(result: PersonalizedEvaluationResult) -> list[str]:
    return report_text(result.report).splitlines()


PERSONALIZED_EVALUATION = Task(PERSE_KINDS, ("personalized_evaluation",), _evaluate, _lines)
