"""How many items, or labels, it takes to tell two systems apart (docs/public_record.md#how-many-items-it-takes).

From the scatter of the paired differences that were seen: a paired t-test at 5%, the true difference taken to be the
one that was seen. Sources: Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, chapter 2 (power by the
noncentral t); with labels beside a judge, Angelopoulos et al. 2023, Prediction-powered inference, Science 382. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import nct, norm, t

from evaluator.statistics.intervals import MIN_UNITS

LEVEL = 0.05
"""Of the two-sided test."""
POWER = 0.8
MOST_ITEMS = 10_000_000
"""More than these are no plan."""
EQUAL_BELOW = 1e-12
"""A mean difference nearer to 0 is rounding."""
SEED = 4_475
"""Arbitrary but fixed: from the number of arXiv 2404.04475."""
DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class Plan:
    """What it takes to tell two systems apart."""

    difference: float
    """Mean difference, first minus second."""
    scatter: float
    """Standard deviation of the differences by item."""
    seen: int
    """Items that both were scored on."""
    needed: int | None
    """Items, or labels; None where the two do not differ, or not even `MOST_ITEMS` are enough."""
    power: float


def items_plan(differences: Sequence[float], power: float = POWER) -> Plan:
    """Return how many items tell two systems apart with a given power.

    Args:
        differences: Of each item that both were scored on, first minus second; at least six.
        power: Chance that a paired t-test at 5% sees the difference, 0-1.

    Raises:
        ValueError: too few differences, or a power that is none.

    >>> items_plan([1.0, 0.0, 1.0, 1.0, 0.0, 1.0] * 10).needed  # mean 2/3, scatter 0.475
    7
    """
    values = _checked(differences, power)
    difference, scatter = _moments(values)
    return Plan(difference, scatter, len(values), _needed(difference, scatter, power), power)


def labels_plan(labelled: Sequence[float], judged: Sequence[float], items: int, power: float = POWER) -> Plan:
    """Return how many labels it takes where a judge scores every item and people label a sample of them.

    The difference is estimated as the judge's over all items plus the mean of label minus judge over the labelled
    ones: its variance is var(label - judge) / labels + var(judge) / items.

    Args:
        labelled: Differences of the two systems by people's labels, by item; at least six.
        judged: The same by the judge, for the same items.
        items: That the judge will score.
        power: Chance that a test at 5% sees the difference by labels, 0-1.

    Raises:
        ValueError: too few differences, or other ones; a power that is none.

    >>> label = [1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    >>> labels_plan(label, label, items=400).needed  # a judge that says what people say needs the fewest
    6
    """
    values, other = _checked(labelled, power), _checked(judged, power)
    if len(values) != len(other):
        raise ValueError(f"{len(other)} differences by the judge; expected {len(values)}, one for each label")
    difference, _ = _moments(values)
    _, scatter = _moments(values - other)
    quantiles = norm.ppf(1 - LEVEL / 2) + norm.ppf(power)
    room = (difference / quantiles) ** 2 - float(other.var(ddof=1)) / items
    needed = max(MIN_UNITS, math.ceil(scatter**2 / room)) if room > 0 else None
    return Plan(difference, scatter, len(values), needed if needed and needed <= items else None, power)


def paired_power(difference: float, scatter: float, items: int) -> float:
    """The chance that a two-sided paired t-test at 5% sees a difference, by the noncentral t.

    >>> round(paired_power(0.5, 1.0, 34), 2)  # Cohen 1988: d = 0.5 needs 34 pairs for 80%
    0.81
    """
    degrees = items - 1
    shift = difference / scatter * math.sqrt(items)
    bar = float(t.isf(LEVEL / 2, degrees))
    return float(nct.sf(bar, degrees, shift) + nct.cdf(-bar, degrees, shift))


def simulated_power(differences: Sequence[float], items: int, draws: int = DRAWS) -> float:
    """The share of samples of so many items, drawn from those seen, in which a paired t-test at 5% sees a difference.

    The check of a plan: it holds where the differences are not normal, too.
    """
    values = np.array(differences)
    generator = np.random.default_rng(SEED)
    bar = float(t.isf(LEVEL / 2, items - 1))
    seen = 0
    for _ in range(draws):
        sample = generator.choice(values, items)
        spread = float(sample.std(ddof=1))
        mean = abs(float(sample.mean()))
        seen += mean * math.sqrt(items) > bar * spread if spread else mean > 0
    return seen / draws


def simulated_label_power(
    labelled: Sequence[float], judged: Sequence[float], labels: int, items: int, draws: int = DRAWS
) -> float:
    """The share of samples, drawn from the items seen, in which a test at 5% sees the difference by judge and labels.

    Each sample has so many items, of which the first are labelled; the test knows its own sample alone.
    """
    values, other = np.array(labelled), np.array(judged)
    generator = np.random.default_rng(SEED)
    bar = float(norm.isf(LEVEL / 2))
    seen = 0
    for _ in range(draws):
        drawn = generator.integers(0, len(values), items)
        by_judge, corrections = other[drawn], (values - other)[drawn[:labels]]
        estimate = float(by_judge.mean() + corrections.mean())
        variance = float(by_judge.var(ddof=1) / items + corrections.var(ddof=1) / labels)
        seen += abs(estimate) > bar * math.sqrt(variance)
    return seen / draws


def _checked(differences: Sequence[float], power: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if len(differences) < MIN_UNITS:
        raise ValueError(f"{len(differences)} items; expected at least {MIN_UNITS} that both systems were scored on")
    if not LEVEL < power < 1:
        raise ValueError(f"a power of {power}; expected one between {LEVEL} and 1")
    return np.array(differences, np.float64)


def _moments(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1))


def _needed(difference: float, scatter: float, power: float) -> int | None:
    """The fewest items with that power: doubled until enough, then halved in between."""
    if abs(difference) < EQUAL_BELOW:
        return None
    if scatter == 0.0:
        return MIN_UNITS
    most = MIN_UNITS
    while paired_power(abs(difference), scatter, most) < power:
        most *= 2
        if most > MOST_ITEMS:
            return None
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        if paired_power(abs(difference), scatter, middle) < power:
            least = middle
        else:
            most = middle
    return max(MIN_UNITS, most)
