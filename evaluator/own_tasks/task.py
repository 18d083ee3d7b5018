"""Tasks of one's own: the mean of what the organiser's function gives for each item, with its interval."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from evaluator.judges.protocol import JudgeAway
from evaluator.own_tasks.bundle_scoring import score_bundle
from evaluator.own_tasks.scoring import ItemScores, ScoringUnreadable, score_items, shown_log
from evaluator.sandbox.program import NoIsolation, ProgramStopped, refuse_readable
from evaluator.statistics.intervals import bootstrap_metric, mean_metric
from evaluator.statistics.version import STATISTICS_VERSION
from evaluator.task import CannotBeJudged, Task, Tools
from evaluator.values import Frozen, MetricValue, fine_decimal, metric_text
from submissions.formats.own_task.reader import OwnTaskReading
from submissions.own_tasks.task import KIND, OwnColumn, OwnTask
from submissions.own_tasks.task_file import OwnTaskError, read_task
from submissions.version import VERSION

logger = logging.getLogger(__name__)


class OwnTaskResult(Frozen):
    """One run."""

    schema_version: int = 1
    board: Literal["own_task"] = "own_task"
    task: str
    task_sha256: str
    """Of the scoring program, its references and columns."""
    file_sha256: str
    code_version: str = VERSION
    statistics_version: int = STATISTICS_VERSION
    items: int
    """Items of the task; 1 where a program scores whole runs."""
    figures: dict[str, MetricValue]
    """Column -> mean over items; the first is the headline."""
    by_item: dict[str, dict[str, float | None]]
    """Item -> column -> value; None where the program gave none."""
    reasons: dict[str, str]
    """Item -> why a value is missing."""


def result_of(task: OwnTask, scores: Mapping[str, ItemScores], file_sha256: str) -> OwnTaskResult:
    """The result of a run from the scores of its items."""
    items = 1 if task.is_bundle else len(task.items)
    return OwnTaskResult(
        task=task.name,
        task_sha256=task.sha256,
        file_sha256=file_sha256,
        items=items,
        figures={column.key: _figure(column, scores, items) for column in task.columns},
        by_item={item: dict(scored.values) for item, scored in scores.items()},
        reasons={item: scored.reason for item, scored in scores.items() if scored.reason},
    )


def _figure(column: OwnColumn, scores: Mapping[str, ItemScores], items: int) -> MetricValue:
    values = {item: value for item, scored in scores.items() if (value := scored.values[column.key]) is not None}
    unscored, reason = items - len(values), "no item was scored"
    if column.ends is None:
        return bootstrap_metric(values, unscored=unscored, reason=reason)
    clusters = {item: [value] for item, value in values.items()}
    return mean_metric(clusters, column.ends, unscored=unscored, reason=reason)


def evaluate_own_task(reading: OwnTaskReading, tools: Tools) -> OwnTaskResult:
    """Scores a run in the sandbox; no judge is asked."""
    submission = reading.submission
    assert submission is not None
    assert reading.task is not None
    try:
        refuse_readable(reading.task.folder)
        task, references = read_task(reading.task.folder, reading.task.name)
        if task.is_bundle:
            scores = score_bundle(task, submission.files)
        else:
            scores = score_items(task, submission.predictions, references)
    except (NoIsolation, OwnTaskError) as error:
        # Another worker, or this one when it was mended, can do it.
        raise JudgeAway(f"the task {submission.task} cannot be scored here: {error}") from None
    except (ProgramStopped, ScoringUnreadable) as error:
        if shown := shown_log(error):
            # It may quote references, so that no page and no ticket shows it.
            logger.warning("%s: the scoring program wrote to standard error:%s", submission.task, shown)
        raise CannotBeJudged(f"the scoring program of {submission.task} gave no scores: {error}") from None
    return result_of(task, scores, submission.file_sha256)


def own_task_lines(result: OwnTaskResult) -> Iterator[str]:
    """Every figure, the headline first."""
    for place, (key, figure) in enumerate(result.figures.items()):
        unscored = f", {figure.unscored} unscored" if figure.unscored else ""
        yield f"{'*' if place == 0 else ' '} {key} {metric_text(figure, fine_decimal)} of {figure.n}{unscored}"
    for item, reason in list(result.reasons.items())[:5]:
        yield f"  unscored: {item}: {reason}"


def _headline(result: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return next(iter(result["figures"].values()), None)


OWN_TASK = Task((KIND,), (KIND,), evaluate_own_task, own_task_lines, headline=_headline)
