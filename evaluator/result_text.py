"""A result as a few lines a person can read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.results import (
    HEADLINE,
    HEADLINE_VIEW,
    JudgesResult,
    JudgesResults,
    MetricValue,
    Result,
    RobustnessResult,
)


def result_text(result: Result) -> str:
    """The figures of a result, one to a line; the headline figure is marked with a star."""
    if isinstance(result, RobustnessResult):
        return "\n".join(_robustness_lines(result))
    found = result.results if isinstance(result, JudgesResults) else (result,)
    return "\n".join(line for one in found for line in _judges_lines(one))


def metric_text(metric: MetricValue) -> str:
    """Value with interval, or n/a with the reason.

    >>> metric_text(MetricValue(value=3.734, low=3.1, high=4.27, n=15))
    '3.73 [3.10, 4.27]'
    """
    if metric.value is None:
        return f"n/a ({metric.reason})" if metric.reason else "n/a"
    interval = "" if metric.low is None or metric.high is None else f" [{metric.low:.2f}, {metric.high:.2f}]"
    return f"{metric.value:.2f}{interval}"


def _robustness_lines(result: RobustnessResult) -> Iterator[str]:
    yield f"{result.prompt_set.set_id}: {result.prompt_set.version}"
    yield f"judge {result.judge.name}, {result.judge.model}"
    for view, found in result.views.items():
        for figure, summary in found.figures.items():
            mark = "*" if (figure, view) == (HEADLINE, HEADLINE_VIEW) else " "
            items = f"{summary.mean.n}/{summary.eligible} items"
            yield f"{mark} {view:8} {figure:17} {items:12} {metric_text(summary.mean)}"
        yield f"  {view:8} {'ranked' if found.ranked else f'not ranked: {found.reason}'}"
    if result.pairwise is not None:
        compared = result.pairwise
        yield f"against {compared.reference}: win rate {metric_text(compared.win_rate)}"
        yield f"  won from both places {metric_text(compared.conservative_win_rate)}"
    if result.panel is not None:
        yield f"panel mean {metric_text(result.panel.mean)}, agreement (alpha) {metric_text(result.panel.agreement)}"
        for member in result.panel.members:
            left_out = f", left out: {member.reason}" if not member.in_mean else ""
            yield f"  {member.judge.name} {member.judge.model}: {metric_text(member.score)}{left_out}"


def _judges_lines(result: JudgesResult) -> Iterator[str]:
    yield f"{result.benchmark}, {result.options} options"
    for report in result.judges:
        figures = report.position_bias
        consistency, fairness = figures["position_consistency"], figures["preference_fairness"]
        yield f"  {report.judge}: position consistency {consistency}, preference fairness {fairness}"
