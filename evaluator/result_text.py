"""A result as a few lines a person can read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.results import (
    HEADLINE,
    HEADLINE_VIEW,
    JudgesResult,
    JudgesResults,
    MetricValue,
    PersonalizationGroup,
    PersonalizationResult,
    Result,
    RobustnessResult,
)


def result_text(result: Result) -> str:
    """The figures of a result, one to a line; the headline figure is marked with a star."""
    if isinstance(result, RobustnessResult):
        return "\n".join(_robustness_lines(result))
    if isinstance(result, PersonalizationResult):
        return "\n".join(_personalization_lines(result))
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


_METRICS = ("robustness_error", "breakage_rate", "alignment_failure", "performance_variation")


def _personalization_lines(result: PersonalizationResult) -> Iterator[str]:
    yield f"judge {result.judge.name}, {result.judge.model}; profile {result.profile}"
    if result.judge_reason is not None:
        yield f"preferences were not judged: {result.judge_reason}"
    for group in result.groups:
        yield f"{group.setting}, {group.dataset}, {group.method}: {group.n} rows, {group.n_qstar} in Q*"
        for name in _METRICS:
            mark = "*" if name == _METRICS[0] else " "
            yield f"{mark}   {name:22} {_percent_text(group.metrics[name])}"
        yield f"    {_shares_text(group)}"


def _shares_text(group: PersonalizationGroup) -> str:
    names = ("unchanged_rate", "fallback_rate", "acc_no_pref", "acc_pref", "invalid_pref", "unparsable", "truncated")
    shares = ((name, group.shares[name]) for name in names)
    return ", ".join(f"{name} {'n/a' if share is None else f'{100 * share:.1f} %'}" for name, share in shares)


def _percent_text(metric: MetricValue) -> str:
    """A fraction in percent with its interval, or n/a with the reason.

    >>> _percent_text(MetricValue(value=0.125, low=0.05, high=0.25, n=40))
    '12.5 % [5.0, 25.0]'
    """
    if metric.value is None:
        return metric_text(metric)
    ends = "" if metric.low is None or metric.high is None else f" [{100 * metric.low:.1f}, {100 * metric.high:.1f}]"
    return f"{100 * metric.value:.1f} %{ends}"
