"""A result as a few lines a person can read in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.behavior_alignment.result import BehaviorResult
from evaluator.behavior_alignment.text import behavior_text
from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from evaluator.personalized_evaluation.text import report_text
from evaluator.results import (
    HEADLINE,
    HEADLINE_VIEW,
    JudgesResult,
    JudgesResults,
    PersonalizationGroup,
    PersonalizationResult,
    Result,
    RobustnessResult,
)
from evaluator.robustness.edition_results import (
    CONSISTENCY_HEADLINE,
    CULTURAL_HEADLINE,
    ConsistencyResult,
    CulturalResult,
)
from evaluator.values import MetricValue


def result_text(result: Result) -> str:
    """The figures of a result, one to a line; the headline figure is marked with a star."""
    if isinstance(result, RobustnessResult):
        return "\n".join(_robustness_lines(result))
    if isinstance(result, PersonalizationResult):
        return "\n".join(_personalization_lines(result))
    if isinstance(result, PersonalizedEvaluationResult):
        return report_text(result.report)
    if isinstance(result, BehaviorResult):
        return behavior_text(result)
    if isinstance(result, ConsistencyResult):
        return "\n".join(_consistency_lines(result))
    if isinstance(result, CulturalResult):
        return "\n".join(_cultural_lines(result))
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


def _consistency_lines(result: ConsistencyResult) -> Iterator[str]:
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


def _cultural_lines(result: CulturalResult) -> Iterator[str]:
    yield f"{result.prompt_set.set_id}: {result.prompt_set.version}"
    yield f"embedding model {result.embedding.name}, {result.embedding.model}"
    for figure, value in result.figures.items():
        mark = "*" if figure == CULTURAL_HEADLINE else " "
        yield f"{mark} {figure.upper().replace('_GATED', ' gated'):10} {metric_text(value)}"
    yield f"  on topic   {metric_text(result.pass_share)}, control {metric_text(result.control_pass_share)}"
    yield f"  {'ranked' if result.ranked else f'not ranked: {result.reason}'}"


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
