"""The ranks systems may hold by CSP, from what each base question adds to it (specs: eloquent, "Uncertainty").

CSP is no mean of question values: what a question adds is its pseudo-value, how much CSP would miss without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evaluator.cultural.figures import specificity_draws
from evaluator.robustness.edition_results import CulturalResult
from evaluator.statistics.intervals import FloatArray
from evaluator.statistics.rank_bands import RankBand, simultaneous_bands

Columns = Sequence[tuple[FloatArray, FloatArray]]
"""U and A of every pair of languages, gated; NaN where there is none."""


def specificity_bands(results: Mapping[str, CulturalResult]) -> dict[str, RankBand]:
    """The ranks each run may hold by gated CSP on the questions two of them share, all bands together with 95 %.

    A run without CSP on those questions, or without any one of them, is told from nobody there. No run: {}.
    """
    columns = {run: _columns(result) for run, result in results.items()}

    def contributions(runs: Sequence[str], questions: Sequence[str]) -> FloatArray:
        return np.array([_pseudo_values(_part(columns[run], results[run], questions)) for run in runs]).reshape(
            len(runs), len(questions)
        )

    return simultaneous_bands({run: _questions(result, columns[run]) for run, result in results.items()}, contributions)


def _pseudo_values(columns: Columns) -> FloatArray:
    """Of each question: n CSP - (n - 1) CSP without it, by n. They sum to CSP, but for its bias.

    Source: Tukey's jackknife; Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 11.5.
    """
    n = len(columns[0][0])
    whole, without = np.ones((1, n)), np.ones((n, n)) - np.eye(n)
    found: FloatArray = specificity_draws(columns, whole) - (n - 1) / n * specificity_draws(columns, without)
    return found


def _part(columns: Columns, result: CulturalResult, questions: Sequence[str]) -> Columns:
    order = {question: place for place, question in enumerate(result.questions)}
    places = [order[question] for question in questions]
    return [(unspecific[places], specific[places]) for unspecific, specific in columns]


def _columns(result: CulturalResult) -> Columns:
    return [
        (_array(pair.unspecific_passing or ()), _array(pair.specific_passing or ()))
        for pair in result.pairs
        if pair.unspecific_passing is not None
    ]


def _array(column: Sequence[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in column], dtype=np.float64)


def _questions(result: CulturalResult, columns: Columns) -> frozenset[str]:
    """Questions with both distances in any pair."""
    if not columns:
        return frozenset()
    known = np.any([~np.isnan(u) & ~np.isnan(a) for u, a in columns], axis=0)
    return frozenset(question for question, is_known in zip(result.questions, known, strict=True) if is_known)
