"""Consistency: a run of ELOQUENT 2025, one file a language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.consistency.evaluate import evaluate_consistency
from evaluator.robustness.edition_results import CONSISTENCY_HEADLINE, ConsistencyResult
from evaluator.task import Task, Tools
from evaluator.values import metric_text
from submissions.check import check_submission
from submissions.formats.eloquent.kind import KIND
from submissions.formats.eloquent.result import EloquentReading
from submissions.schema import Submission


def consistency_lines(result: ConsistencyResult) -> Iterator[str]:
    """The figures, one to a line; the headline figure is marked with a star."""
    yield f"{result.prompt_set.set_id}: {result.prompt_set.version}"
    yield f"judge {result.judge.name}, {result.judge.model}"
    yield "files " + ", ".join(f"{file.language} ({file.answered} answers)" for file in result.files)
    for figure, mean in result.figures.items():
        mark = "*" if figure == CONSISTENCY_HEADLINE else " "
        questions = f"{mean.n}/{result.questions_total} questions"
        yield f"{mark} {figure:17} {questions:16} {metric_text(mean)}"
    for language, figures in result.by_language.items():
        yield f"  {language:17} {metric_text(figures[CONSISTENCY_HEADLINE])}"
    yield f"  {'ranked' if result.ranked else f'not ranked: {result.reason}'}"


def _evaluate(reading: EloquentReading, tools: Tools) -> ConsistencyResult:
    submission, _ = reading.of_answers()
    prompt_set = tools.prompt_sets.by_id(submission.set_id)
    return evaluate_consistency(submission, _files(submission, tools), prompt_set, tools.judge, tools.embedder)


def _files(submission: Submission, tools: Tools) -> list[Submission]:
    """The files of a run as they are read; what cannot be read any more is passed over."""
    files = []
    for upload in tools.run:
        tools.judge.sign()
        report = check_submission(
            upload.data, upload.file_name, edition="2025", names=upload.names, prompt_sets=tools.prompt_sets
        )
        if report.submission:
            files.append(report.submission)
    return files or [submission]


def _headline(result: Mapping[str, Any]) -> Any:
    return result["figures"].get(CONSISTENCY_HEADLINE)


CONSISTENCY = Task((KIND,), ("consistency",), _evaluate, consistency_lines, "2025", _headline)
