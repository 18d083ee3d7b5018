"""Cultural figures of one system (ELOQUENT 2026): do answers differ between languages only where culture is left open?

A question is asked without naming a culture (unspecific) and in variants that name one (specific). With d = 1 - cosine
of two answers' embeddings, U = d of the unspecific answers of two languages and A = mean d of their specific ones:
CD = mean U, CR = 1 - mean A, and CSP = 1 - (mean Spearman correlation of U and A over questions)^2. Higher is better in
all three, and CSP alone says nothing: noise reaches 1. What ranks is in `response.py`. Pure functions of vectors.
Source: Measuring the Cultural Capabilities of LLMs across European Languages; docs/metrics.md#the-2026-edition-culture.
The gate is ours. No clusters of answers are counted (k-means): unrelated answers get a robustness of 0.9 that way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluator.statistics.intervals import MIN_UNITS, FloatArray, Interval, draw_counts, expanded_tail

CSP_MIN_QUESTIONS = 10
"""With fewer questions two languages have no correlation."""
RANK_DECIMALS = 6
"""Distances are ranked at this precision: what differs less is the same."""
MIN_RANGE = 1e-6
"""Distances that spread no further than this have no ranks."""
FAILING_DISTANCE = 1.0
"""Two specific answers of which one fails the guards are at least so far apart."""

Part = Literal["raw", "gated", "passing"]
Vector = npt.NDArray[np.floating]
VariantId = tuple[str, int]
"""Base question and variant."""


@dataclass(frozen=True, slots=True)
class LanguageAnswers:
    """The answers in one language, as embeddings of any length but zero; what is not answered is left out."""

    unspecific: Mapping[str, Vector]
    """By base question."""
    specific: Mapping[VariantId, Vector]
    failing_unspecific: frozenset[str] = frozenset()
    """Answers that carry a gating flag."""
    failing_specific: frozenset[VariantId] = frozenset()


@dataclass(frozen=True, slots=True)
class PairDistances:
    """Two languages: distances by question, NaN where there is none; shape (questions,)."""

    unspecific: Mapping[Part, FloatArray]
    """U: `gated` with 0 for a pair that fails, `passing` without it."""
    specific: Mapping[Part, FloatArray]
    """A: `gated` with at least `FAILING_DISTANCE` for variants that fail, `passing` without them."""


def distances(answers: Mapping[str, LanguageAnswers], questions: Sequence[str]) -> dict[tuple[str, str], PairDistances]:
    """U and A of every two languages, in alphabetical order; columns as `questions`.

    Range of every d: 0 (same direction) to 2. Work and memory grow with the pairs of languages times the answers of
    one, which is linear in variants: nothing is compared across questions.

    >>> east, north = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    >>> found = distances({"sv": LanguageAnswers({"7": east}, {("7", 1): east, ("7", 2): east}),
    ...                    "en": LanguageAnswers({"7": north}, {("7", 1): east, ("7", 2): north})}, ["7"])
    >>> found["en", "sv"].unspecific["raw"].tolist(), found["en", "sv"].specific["raw"].tolist()  # 1; (0 + 1) / 2
    ([1.0], [0.5])
    """
    directions = {language: _directions(answers[language]) for language in sorted(answers)}
    return {
        (first, second): PairDistances(
            unspecific=_unspecific(directions[first], directions[second], answers[first], answers[second], questions),
            specific=_specific(directions[first], directions[second], answers[first], answers[second], questions),
        )
        for first, second in combinations(directions, 2)
    }


@dataclass(frozen=True, slots=True)
class _Directions:
    """Unit vectors of one language, a row for each answer."""

    unspecific: FloatArray
    unspecific_rows: Mapping[str, int]
    specific: FloatArray
    specific_rows: Mapping[VariantId, int]


def _directions(answers: LanguageAnswers) -> _Directions:
    return _Directions(
        _unit(list(answers.unspecific.values())),
        {question: row for row, question in enumerate(answers.unspecific)},
        _unit(list(answers.specific.values())),
        {variant: row for row, variant in enumerate(answers.specific)},
    )


def _unit(vectors: Sequence[Vector]) -> FloatArray:
    if not vectors:
        return np.zeros((0, 1))
    wide = np.asarray(np.stack(vectors), dtype=np.float64)
    return np.asarray(wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12), dtype=np.float64)


def _apart(first: FloatArray, second: FloatArray) -> FloatArray:
    """1 - cosine of rows; never below 0, which rounding of equal directions could reach."""
    return np.asarray(np.maximum(1.0 - np.einsum("ij,ij->i", first, second), 0.0), dtype=np.float64)


def _unspecific(
    first: _Directions, second: _Directions, ours: LanguageAnswers, theirs: LanguageAnswers, questions: Sequence[str]
) -> dict[Part, FloatArray]:
    by_part = {part: np.full(len(questions), np.nan) for part in _PARTS}
    places = [
        place
        for place, question in enumerate(questions)
        if question in first.unspecific_rows and question in second.unspecific_rows
    ]
    if not places:
        return by_part
    asked = [questions[place] for place in places]
    apart = _apart(
        first.unspecific[[first.unspecific_rows[question] for question in asked]],
        second.unspecific[[second.unspecific_rows[question] for question in asked]],
    )
    fails = np.array([question in ours.failing_unspecific | theirs.failing_unspecific for question in asked])
    by_part["raw"][places] = apart
    by_part["gated"][places] = np.where(fails, 0.0, apart)
    by_part["passing"][places] = np.where(fails, np.nan, apart)
    return by_part


def _specific(
    first: _Directions, second: _Directions, ours: LanguageAnswers, theirs: LanguageAnswers, questions: Sequence[str]
) -> dict[Part, FloatArray]:
    places = {question: place for place, question in enumerate(questions)}
    common = [variant for variant in first.specific_rows if variant in second.specific_rows and variant[0] in places]
    if not common:
        return {part: np.full(len(questions), np.nan) for part in _PARTS}
    apart = _apart(
        first.specific[[first.specific_rows[variant] for variant in common]],
        second.specific[[second.specific_rows[variant] for variant in common]],
    )
    failing = ours.failing_specific | theirs.failing_specific
    fails = np.array([variant in failing for variant in common])
    question_of = np.array([places[question] for question, _ in common])
    return {
        "raw": _means(apart, question_of, len(questions)),
        "gated": _means(np.where(fails, np.maximum(apart, FAILING_DISTANCE), apart), question_of, len(questions)),
        "passing": _means(apart[~fails], question_of[~fails], len(questions)),
    }


_PARTS: tuple[Part, ...] = ("raw", "gated", "passing")


def _means(values: FloatArray, question_of: npt.NDArray[np.intp], questions: int) -> FloatArray:
    """Mean of the values of each question; NaN where it has none."""
    sums = np.bincount(question_of, weights=values, minlength=questions)
    sizes = np.bincount(question_of, minlength=questions)
    return np.asarray(np.where(sizes > 0, sums / np.maximum(sizes, 1), np.nan), dtype=np.float64)


# --- CD and CR -------------------------------------------------------------------------------------------------------


def question_means(columns: Sequence[FloatArray], questions: Sequence[str]) -> dict[str, float]:
    """Question -> mean over the pairs of languages that have a distance there; others are left out.

    >>> question_means([np.array([1.0, np.nan]), np.array([0.5, np.nan])], ["7", "8"])
    {'7': 0.75}
    """
    if not columns:
        return {}
    stacked = np.stack(columns)
    known = ~np.isnan(stacked)
    sizes = known.sum(axis=0)
    sums = np.where(known, stacked, 0.0).sum(axis=0)
    return {question: float(sums[place] / sizes[place]) for place, question in enumerate(questions) if sizes[place]}


# --- CSP -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Specificity:
    """CSP of one system."""

    value: float | None
    """1 - (mean of the correlations)^2, 0 to 1; None where no two languages have one."""
    interval: Interval | None
    correlations: tuple[float | None, ...]
    """Spearman's rho of each pair, in order."""


def specificity(pairs: Sequence[tuple[FloatArray, FloatArray]]) -> Specificity:
    """CSP from U and A of every pair of languages: how little the one distance tells of the other.

    Range 0-1, higher is better, and near 1 for noise: read it beside CD and CR.

    The interval is that of the mean correlation, squared: questions are resampled with all they contain, and where the
    mean correlation may be 0, CSP may be 1. (Percentiles of CSP itself never reach 1, though noise is worth 1.) Draws
    in which no pair has a correlation are left out.
    """
    correlations = tuple(rank_correlation(unspecific, specific) for unspecific, specific in pairs)
    known = [rho for rho in correlations if rho is not None]
    if not known:
        return Specificity(None, None, correlations)
    return Specificity(1.0 - float(np.mean(known)) ** 2, _interval(pairs), correlations)


def _interval(pairs: Sequence[tuple[FloatArray, FloatArray]]) -> Interval | None:
    has_both = np.any([~np.isnan(unspecific) & ~np.isnan(specific) for unspecific, specific in pairs], axis=0)
    questions = np.flatnonzero(has_both)
    if len(questions) < MIN_UNITS:
        return None
    drawn = mean_correlation_draws([(u[questions], a[questions]) for u, a in pairs], draw_counts(len(questions)))
    return specificity_interval(drawn, len(questions))


def specificity_interval(correlations: FloatArray, questions: int) -> Interval:
    """95% interval of CSP from the mean correlation of every draw of so many questions; NaN where there is none."""
    tail = expanded_tail(questions)
    ends = np.quantile(correlations[~np.isnan(correlations)], [tail, 1.0 - tail])
    nearest = 0.0 if ends[0] <= 0.0 <= ends[1] else float(np.abs(ends).min())
    return Interval(1.0 - float(np.abs(ends).max()) ** 2, 1.0 - nearest**2)


def mean_correlation_draws(pairs: Sequence[tuple[FloatArray, FloatArray]], counts: FloatArray) -> FloatArray:
    """The mean correlation of the pairs that have one, in every draw; NaN where none has."""
    total, number = np.zeros(len(counts)), np.zeros(len(counts))
    for unspecific, specific in pairs:
        drawn = correlation_draws(unspecific, specific, counts)
        known = ~np.isnan(drawn)
        total[known] += drawn[known]
        number += known
    return np.asarray(np.where(number > 0, total / np.maximum(number, 1.0), np.nan), dtype=np.float64)


def rank_correlation(unspecific: FloatArray, specific: FloatArray) -> float | None:
    """Spearman's rho over the questions that have both distances, at 6 decimals, ties with average ranks.

    Range -1 to 1. None with fewer than `CSP_MIN_QUESTIONS` questions, or where either distance spreads no further than
    `MIN_RANGE`.

    >>> rising = np.arange(10) / 10
    >>> rank_correlation(rising, rising**2), rank_correlation(rising, -rising), rank_correlation(rising, rising * 0)
    (1.0, -1.0, None)
    >>> rank_correlation(rising[:9], rising[:9]) is None
    True
    """
    (rho,) = correlation_draws(unspecific, specific, np.ones((1, len(unspecific))))
    return None if np.isnan(rho) else float(rho)


def correlation_draws(unspecific: FloatArray, specific: FloatArray, counts: FloatArray) -> FloatArray:
    """`rank_correlation` of every draw of questions, NaN where there is none; shape (draws,).

    A draw is how often each question occurs. Ranks follow from the counts of the sorted values, so nothing is sorted
    anew in any draw.
    """
    known = ~np.isnan(unspecific) & ~np.isnan(specific)
    weights = counts[:, known]
    first, second = np.round(unspecific[known], RANK_DECIMALS), np.round(specific[known], RANK_DECIMALS)
    number = weights.sum(axis=1)
    if not len(first):
        return np.full(len(counts), np.nan)
    defined = (number >= CSP_MIN_QUESTIONS) & _spreads(first, weights) & _spreads(second, weights)
    centre = (number[:, None] + 1.0) / 2.0
    ranks, other_ranks = _ranks(first, weights) - centre, _ranks(second, weights) - centre
    shared = (weights * ranks * other_ranks).sum(axis=1)
    scale = np.sqrt((weights * ranks**2).sum(axis=1) * (weights * other_ranks**2).sum(axis=1))
    rho = np.clip(shared / np.where(scale > 0, scale, 1.0), -1.0, 1.0)
    return np.asarray(np.where(defined & (scale > 0), rho, np.nan), dtype=np.float64)


def _ranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Average rank of each value in each draw, shape (draws, values); meaningless where the value was not drawn."""
    _, starts, group = np.unique(np.sort(values), return_index=True, return_inverse=True)
    order = np.argsort(values, kind="stable")
    sizes = np.add.reduceat(weights[:, order], starts, axis=1)
    below = np.cumsum(sizes, axis=1) - sizes
    ranks = np.empty_like(weights)
    ranks[:, order] = (below + (sizes + 1.0) / 2.0)[:, group]
    return ranks


def _spreads(values: FloatArray, weights: FloatArray) -> npt.NDArray[np.bool_]:
    """For each draw, of one value at least: do the drawn values spread further than `MIN_RANGE`?"""
    order = np.argsort(values)
    rising, drawn = values[order], weights[:, order] > 0
    low, high = rising[drawn.argmax(axis=1)], rising[::-1][drawn[:, ::-1].argmax(axis=1)]
    return np.asarray(high - low > MIN_RANGE * (1.0 + 1e-9), dtype=np.bool_)
