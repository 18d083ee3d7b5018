"""Consistency: a run of ELOQUENT 2025, one file a language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluator.consistency.evaluate import evaluate_consistency
from evaluator.consistency.text import consistency_lines
from evaluator.robustness.edition_results import CONSISTENCY_HEADLINE, ConsistencyResult
from evaluator.task import Task, Tools
from submissions.check import check_submission
from submissions.formats.eloquent.kind import KIND
from submissions.formats.eloquent.result import EloquentReading
from submissions.schema import Submission


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
