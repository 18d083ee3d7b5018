"""What a reader's and a text's other ratings alone predict: matrix factorization by alternating least squares.

The predictor knows no text: ŷ = μ + b_u + b_i + p_u · q_i, with squared error plus `PENALTY` times all squared norms
(Koren et al., *Matrix Factorization Techniques for Recommender Systems*, IEEE Computer 2009, equation 5). Settings:
docs/personalized_evaluation.md#matrix_factorization.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import fsum

import numpy as np
import numpy.typing as npt

from submissions.formats.personalized_evaluation.submission import RatingItem, Scale

FACTORS = 8
PENALTY = 2.0
SWEEPS = 30
SEED = 0
LEAST_COVERAGE = 0.5
"""Share of the queries whose text must have a known rating."""

_FIRST_SPREAD = 0.1

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

KnownRating = tuple[str, str, float]
"""Reviewer, item_id, score on the gold scale."""


def factorized_ratings(
    items: Sequence[RatingItem], scale: Scale, further: Iterable[KnownRating] = ()
) -> list[float] | None:
    """A prediction for every item, in order, from the ratings that are no query.

    Args:
        items: Queries, with their profiles.
        scale: Gold scale; predictions are clipped to it.
        further: Ratings from elsewhere.

    Returns:
        None where fewer than half of the queries are of a text with a known rating.
    """
    known = known_ratings(items, further)
    rated = {item_id for _, item_id in known}
    covered = sum(item.item_id in rated for item in items)
    if not items or covered < LEAST_COVERAGE * len(items):
        return None
    return _Factors(known).predicted([(item.reviewer, item.item_id) for item in items], scale)


def known_ratings(items: Iterable[RatingItem], further: Iterable[KnownRating] = ()) -> dict[tuple[str, str], float]:
    """(Reviewer, item_id) -> mean of its ratings in profiles and elsewhere, without any that is to be predicted."""
    queries = tuple(items)
    scores: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for item in queries:
        for review in item.profile:
            if review.item_id is not None:
                scores[item.reviewer, review.item_id].append(review.score)
    for reviewer, item_id, score in further:
        scores[reviewer, item_id].append(score)
    for item in queries:
        if item.item_id is not None:
            scores.pop((item.reviewer, item.item_id), None)
    return {key: fsum(sorted(scores[key])) / len(scores[key]) for key in sorted(scores)}


class _Factors:
    """Biases and factors of every reviewer and text with a known rating."""

    def __init__(self, known: dict[tuple[str, str], float]) -> None:
        self._reviewers = {name: place for place, name in enumerate(sorted({reviewer for reviewer, _ in known}))}
        self._texts = {name: place for place, name in enumerate(sorted({item_id for _, item_id in known}))}
        of_reviewer = np.array([self._reviewers[reviewer] for reviewer, _ in known], np.int64)
        of_text = np.array([self._texts[item_id] for _, item_id in known], np.int64)
        scores = np.array(list(known.values()), np.float64)
        self._mean = float(scores.mean())
        self._fit(of_reviewer, of_text, scores - self._mean)

    def _fit(self, of_reviewer: IntArray, of_text: IntArray, centred: FloatArray) -> None:
        # Each row: the factors, then the bias.
        generator = np.random.default_rng(SEED)
        self._text_rows = np.zeros((len(self._texts), FACTORS + 1))
        self._text_rows[:, :FACTORS] = generator.normal(0.0, _FIRST_SPREAD, (len(self._texts), FACTORS))
        for _ in range(SWEEPS):
            self._reviewer_rows = _solved(of_reviewer, self._text_rows[of_text], centred, len(self._reviewers))
            self._text_rows = _solved(of_text, self._reviewer_rows[of_reviewer], centred, len(self._texts))

    def predicted(self, queries: Sequence[tuple[str, str | None]], scale: Scale) -> list[float]:
        """One rating per query; an unknown reviewer or text contributes nothing."""
        nothing = np.zeros(FACTORS + 1)
        ratings = []
        for reviewer, item_id in queries:
            place, text = self._reviewers.get(reviewer), self._texts.get(item_id or "")
            own = nothing if place is None else self._reviewer_rows[place]
            other = nothing if text is None else self._text_rows[text]
            rating = self._mean + own[FACTORS] + other[FACTORS] + own[:FACTORS] @ other[:FACTORS]
            ratings.append(float(np.clip(rating, scale.low, scale.high)))
        return ratings


def _solved(of_row: IntArray, others: FloatArray, centred: FloatArray, n_rows: int) -> FloatArray:
    """The rows of one side that fit best, given the other side's: one small ridge regression per row.

    Args:
        of_row: The row that each rating belongs to.
        others: The other side's row for each rating, (ratings, factors + 1).
        centred: Ratings less their mean.
    """
    features = others.copy()
    features[:, FACTORS] = 1.0
    targets = centred - others[:, FACTORS]
    size = FACTORS + 1
    products = np.empty((n_rows, size, size))
    sums = np.empty((n_rows, size, 1))
    for first in range(size):
        sums[:, first, 0] = np.bincount(of_row, features[:, first] * targets, n_rows)
        for second in range(first + 1):
            product = np.bincount(of_row, features[:, first] * features[:, second], n_rows)
            products[:, first, second] = products[:, second, first] = product
    return np.asarray(np.linalg.solve(products + PENALTY * np.eye(size), sums)[:, :, 0], dtype=np.float64)
