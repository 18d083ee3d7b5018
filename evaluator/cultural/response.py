"""Response to culture (ELOQUENT 2026, ours): does the culture decide what is answered, and not the language or chance?

Two questions of every two languages and every base question, each a share of comparisons won less the share lost, so
that noise and one text everywhere both come to 0:

- `named`: is the other language's answer about the *same* culture nearer than its answers about other cultures? It asks
  for both: answers that follow the culture, and that stay the same between languages.
- `open`: are the answers to the question that names no culture further apart than those that name one?

The headline is the lesser of the two, so that neither makes up for the other. Which of them that is, each question
learns from the others (`lesser_half`): taken from the same question, the lesser of two that are both noise is below 0.
Pure functions of vectors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import fsum
from typing import Literal

import numpy as np

from evaluator.cultural.figures import RANK_DECIMALS, Vector
from evaluator.statistics.intervals import SEPARATION_TOLERANCE, FloatArray

_Half = Literal["named", "open"]
ResponsePart = Literal["named", "open", "culture"]
RESPONSE_PARTS: tuple[ResponsePart, ...] = ("named", "open", "culture")


@dataclass(frozen=True, slots=True)
class QuestionAnswers:
    """The answers in one language to one base question."""

    unspecific: Vector | None
    """The embedding of the answer where no culture is named; None where there is none."""
    specific: Mapping[int, Vector]
    """Variant -> embedding, of any length but zero."""
    unspecific_weight: float = 1.0
    """How far it answers its prompt, 0-1; 0 where it carries a gating flag."""
    specific_weights: Mapping[int, float] = field(default_factory=dict)
    """Variant -> the same; 1 where it is not listed."""


def responses_to_culture(
    answers: Mapping[str, Mapping[str, QuestionAnswers]], *, gated: bool
) -> dict[ResponsePart, dict[str, float]]:
    """Each figure by base question: the mean over the pairs of languages that have it; others are left out.

    Range -1 to 1, higher is better; noise and equal answers everywhere: 0. A pair has `named` with two variants in
    common, `open` with one and both open answers; `culture` is the `lesser_half` of questions that have both. Time
    grows with the square of languages times variants, question by question.

    Args:
        answers: Language -> base question -> its answers.
        gated: A win and a loss count as far as the answers answer their prompts.

    >>> north, east = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    >>> english = QuestionAnswers(north, {1: north, 2: east})
    >>> swedish = QuestionAnswers(east, {1: north, 2: east})
    >>> found = responses_to_culture({"en": {"7": english}, "sv": {"7": swedish}}, gated=False)
    >>> found["named"], found["open"], found["culture"]
    ({'7': 1.0}, {'7': 1.0}, {'7': 1.0})
    """
    values: dict[_Half, dict[str, list[float]]] = {"named": defaultdict(list), "open": defaultdict(list)}
    for question in sorted({question for answer in answers.values() for question in answer}):
        asked = {
            language: _Directions.of(of_language[question])
            for language, of_language in answers.items()
            if question in of_language
        }
        for first, second in combinations(sorted(asked), 2):
            for part, value in _of_pair(asked[first], asked[second], gated=gated).items():
                values[part][question].append(value)
    named, left_open = (
        {question: float(np.mean(of_question)) for question, of_question in values[half].items()}
        for half in ("named", "open")
    )
    return {"named": named, "open": left_open, "culture": lesser_half(named, left_open)}


def lesser_half(named: Mapping[str, float], left_open: Mapping[str, float]) -> dict[str, float]:
    """Of each question that has both halves the one that is lower on average over the other questions.

    The mean of both where they are level there, as with a single question. A question's own value never decides which
    half counts there, so that of halves that are 0 but for chance the expectation is 0.

    >>> lesser_half({"1": 1.0, "2": 0.5, "3": 0.75}, {"1": 0.25, "2": 0.75, "3": 0.5})
    {'1': 0.625, '2': 0.75, '3': 0.5}
    """
    both = [question for question in named if question in left_open]
    ahead = {question: named[question] - left_open[question] for question in both}
    total = fsum(ahead.values())
    values: dict[str, float] = {}
    for question in both:
        of_others = total - ahead[question]
        is_level = abs(of_others) <= SEPARATION_TOLERANCE
        lower = left_open if of_others > 0 else named
        values[question] = (named[question] + left_open[question]) / 2 if is_level else lower[question]
    return values


@dataclass(frozen=True, slots=True)
class _Directions:
    """Unit vectors of one language's answers to one question."""

    unspecific: FloatArray | None
    specific: FloatArray
    """Shape (variants, dimension)."""
    variants: tuple[int, ...]
    unspecific_weight: float
    specific_weights: FloatArray

    @classmethod
    def of(cls, answers: QuestionAnswers) -> _Directions:
        variants = tuple(sorted(answers.specific))
        return cls(
            None if answers.unspecific is None else _unit(answers.unspecific[np.newaxis])[0],
            _unit(np.stack([answers.specific[variant] for variant in variants])) if variants else np.zeros((0, 1)),
            variants,
            answers.unspecific_weight,
            np.array([answers.specific_weights.get(variant, 1.0) for variant in variants]),
        )


def _of_pair(first: _Directions, second: _Directions, *, gated: bool) -> dict[_Half, float]:
    common = sorted(set(first.variants) & set(second.variants))
    if not common:
        return {}
    ours, theirs = ([directions.variants.index(variant) for variant in common] for directions in (first, second))
    apart = _distances(first.specific[ours], second.specific[theirs])
    same = np.diag(apart)
    weights = np.minimum(first.specific_weights[ours], second.specific_weights[theirs])
    figures: dict[_Half, float] = {}
    if len(common) > 1:
        # Of a row, the other language's answers about other cultures; of a column, this language's.
        others = len(common) - 1
        won = (np.sign(apart - same[:, np.newaxis]).sum(1) + np.sign(apart - same).sum(0)) / (2 * others)
        figures["named"] = _counted(won, weights, gated=gated)
    if first.unspecific is not None and second.unspecific is not None:
        left_open = _distances(first.unspecific[np.newaxis], second.unspecific[np.newaxis])[0, 0]
        both = np.minimum(weights, min(first.unspecific_weight, second.unspecific_weight))
        figures["open"] = _counted(np.sign(left_open - same), both, gated=gated)
    return figures


def _counted(won: FloatArray, weights: FloatArray, *, gated: bool) -> float:
    """The mean of what was won and lost; where gated, as far as the answers answer."""
    return float((won * weights).mean() if gated else won.mean())


def _distances(first: FloatArray, second: FloatArray) -> FloatArray:
    """1 - cosine of every row with every row, at the precision at which distances are ranked."""
    distances: FloatArray = np.round(1.0 - first @ second.T, RANK_DECIMALS)
    return distances


def _unit(vectors: Vector) -> FloatArray:
    wide = np.asarray(vectors, dtype=np.float64)
    return np.asarray(wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-12), dtype=np.float64)
