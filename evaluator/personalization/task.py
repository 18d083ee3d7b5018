"""Personalization: answers with and without user preferences."""

from __future__ import annotations

from evaluator.personalization.evaluate import CannotWrite, evaluate_personalization
from evaluator.personalization.result_text import personalization_lines
from evaluator.results import PersonalizationResult
from evaluator.task import CannotBeJudged, Task, Tools
from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.submission import KIND


def _evaluate(reading: PersonalizedReading, tools: Tools) -> PersonalizationResult:
    assert reading.submission is not None
    try:
        return evaluate_personalization(reading.submission, tools.judge, profile=tools.profile)
    except CannotWrite as error:
        raise CannotBeJudged(str(error)) from error


PERSONALIZATION = Task((KIND,), ("personalization",), _evaluate, personalization_lines)
