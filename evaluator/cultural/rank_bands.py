"""The ranks systems may hold by CSP: paired differences on common base questions (specs: eloquent, "Uncertainty").

CSP is no mean of question values, so its draws are computed from the distances of every draw; equal question sets share
their draws, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from evaluator.cultural.figures import specificity_draws
from evaluator.robustness.edition_results import CulturalResult
from evaluator.statistics.intervals import MIN_UNITS, SEPARATION_TOLERANCE, FloatArray, draw_counts, expanded_tail
from evaluator.statistics.rank_bands import RankBand

Columns = Sequence[tuple[FloatArray, FloatArray]]
"""U and A of every pair of languages, gated; NaN where there is none."""


def specificity_bands(results: Mapping[str, CulturalResult]) -> dict[str, RankBand]:
    """The ranks each run may hold by gated CSP, as `rank_bands` gives them for means.

    A run is significantly better than another iff the interval of the difference of their CSP over common questions
    lies above 0; never with fewer than five of them. Draws without a CSP of either are left out.
    """
    columns = {run: _columns(result) for run, result in results.items()}
    asked = {run: _questions(result, columns[run]) for run, result in results.items()}

    @cache
    def draws(run: str, questions: frozenset[str]) -> FloatArray:
        order = {question: place for place, question in enumerate(results[run].questions)}
        places = [order[question] for question in sorted(questions)]
        return specificity_draws([(u[places], a[places]) for u, a in columns[run]], draw_counts(len(places)))

    def is_better(first: str, second: str) -> bool:
        common = asked[first] & asked[second]
        if first == second or len(common) < MIN_UNITS:
            return False
        differences = draws(first, common) - draws(second, common)
        known = differences[~np.isnan(differences)]
        return bool(len(known) and np.quantile(known, expanded_tail(len(common))) > SEPARATION_TOLERANCE)

    wins = {(first, second): is_better(first, second) for first in results for second in results}
    return {
        run: RankBand(
            low=1 + sum(wins[other, run] for other in results),
            high=len(results) - sum(wins[run, other] for other in results),
        )
        for run in results
    }


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
