"""Robustness: answers to the prompts of ELOQUENT 2024, and to those of the demonstration set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluator.results import HEADLINE, HEADLINE_VIEW, RobustnessResult
from evaluator.robustness.evaluate import evaluate_robustness
from evaluator.task import Task, Tools
from evaluator.values import metric_text
from submissions.formats.eloquent.kind import KIND
from submissions.formats.eloquent.result import EloquentReading


def robustness_lines(result: RobustnessResult) -> Iterator[str]:
    """The figures, one to a line; the headline figure is marked with a star."""
    yield f"{result.prompt_set.set_id}: {result.prompt_set.version}"
    yield f"judge {result.judge.name}, {result.judge.model}"
    for view, of_view in result.views.items():
        for figure, summary in of_view.figures.items():
            mark = "*" if (figure, view) == (HEADLINE, HEADLINE_VIEW) else " "
            items = f"{summary.mean.n}/{summary.eligible} items"
            yield f"{mark} {view:8} {figure:17} {items:12} {metric_text(summary.mean)}"
        yield f"  {view:8} {'ranked' if of_view.ranked else f'not ranked: {of_view.reason}'}"
    if result.pairwise is not None:
        compared = result.pairwise
        yield f"against {compared.reference}: win rate {metric_text(compared.win_rate)}"
        yield f"  won from both places {metric_text(compared.conservative_win_rate)}"
    if result.panel is not None:
        yield f"panel mean {metric_text(result.panel.mean)}, agreement (alpha) {metric_text(result.panel.agreement)}"
        for member in result.panel.members:
            left_out = f", left out: {member.reason}" if not member.in_mean else ""
            yield f"  {member.judge.name} {member.judge.model}: {metric_text(member.score)}{left_out}"


def _evaluate(reading: EloquentReading, tools: Tools) -> RobustnessResult:
    submission, coverage = reading.of_answers()
    prompt_set = tools.prompt_sets.by_id(submission.set_id)
    reference = tools.references.get(prompt_set.set_id)
    return evaluate_robustness(submission, coverage, prompt_set, tools.judge, tools.embedder, reference)


def _headline(result: Mapping[str, Any]) -> Any:
    return result["views"][HEADLINE_VIEW]["figures"][HEADLINE]["mean"]


ROBUSTNESS = Task((KIND,), ("robustness",), _evaluate, robustness_lines, "2024", _headline)
