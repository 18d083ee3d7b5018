"""Position bias of judges: tables of verdicts, which are counted, not judged."""

from __future__ import annotations

from evaluator.position_bias.evaluate import evaluate_judges
from evaluator.position_bias.text import judges_lines
from evaluator.results import JudgesResult, JudgesResults
from evaluator.task import Task, Tools
from submissions.formats.judge_verdicts.reader import VerdictReading
from submissions.formats.judge_verdicts.submission import KIND


def _evaluate(reading: VerdictReading, tools: Tools) -> JudgesResult | JudgesResults:
    assert reading.submission is not None
    return evaluate_judges(reading.submission, tools.judge.sign)


POSITION_BIAS = Task((KIND,), ("judges", "judges_by_benchmark"), _evaluate, judges_lines)
