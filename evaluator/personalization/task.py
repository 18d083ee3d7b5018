"""Personalization: answers with and without user preferences."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.personalization.evaluate import CannotWrite, evaluate_personalization
from evaluator.results import PersonalizationGroup, PersonalizationResult
from evaluator.task import CannotBeJudged, Task, Tools
from evaluator.values import MetricValue, metric_text
from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.submission import KIND

_METRICS = ("robustness_error", "breakage_rate", "alignment_failure", "performance_variation")


def personalization_lines(result: PersonalizationResult) -> Iterator[str]:
    """Judge, then every group with its figures; the headline figure is marked with a star."""
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


def _evaluate(reading: PersonalizedReading, tools: Tools) -> PersonalizationResult:
    assert reading.submission is not None
    try:
        return evaluate_personalization(reading.submission, tools.judge, profile=tools.profile)
    except CannotWrite as error:
        raise CannotBeJudged(str(error)) from error


PERSONALIZATION = Task((KIND,), ("personalization",), _evaluate, personalization_lines)
