"""One figure of a report, and shares of judgements with intervals over questions, or clusters of questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from evaluator.judge_logs.judgements import Judgement
from evaluator.statistics.intervals import mean_metric
from evaluator.values import MetricValue


@dataclass(frozen=True, slots=True)
class Figure:
    """One number about one judge, with what it rests on and what it means."""

    key: str
    title: str
    value: float | None
    low: float | None
    """Lower end of the 95% interval; None with too few questions."""
    high: float | None
    n: int
    of: str
    """What `n` counts."""
    meaning: str
    """One sentence: range, and which way is better."""
    stated: float | None = None
    """Of a point of the calibration curve: the probability that was stated, on average; None of every other figure."""
    detectable: float | None = None
    """Of a bias: the size that a test at 5% sees with a power of 80%; None of every other figure."""
    false_discovery_rate: float | None = None
    """Of a bias, over all that were tested together; None of every other figure."""


def clusters_of(judgements: Iterable[Judgement], value: Callable[[Judgement], float]) -> dict[str, list[float]]:
    """Unit -> values: judgements of one question, or of one cluster of questions, are resampled together."""
    clusters: dict[str, list[float]] = {}
    for judgement in judgements:
        clusters.setdefault(judgement.unit, []).append(value(judgement))
    return clusters


def share_figure(
    key: str, title: str, judgements: Sequence[Judgement], is_met: Callable[[Judgement], bool], of: str, meaning: str
) -> Figure:
    """The share of judgements of which something is true, with its interval over questions."""
    return metric_figure(
        key, title, mean_metric(clusters_of(judgements, lambda judgement: float(is_met(judgement)))), of, meaning
    )


def metric_figure(key: str, title: str, metric: MetricValue, of: str, meaning: str) -> Figure:
    """A mean with its interval as a figure."""
    return Figure(key, title, metric.value, metric.low, metric.high, metric.n, of, meaning)
