"""Intervals and tests over whole queries."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evaluator.statistics.queries import (
    DRAWS,
    FloatArray,
    holm_adjusted,
    percentile_interval,
    resampled_sums,
    sign_flip_p,
)


def interval_of(ratio: FloatArray, queries: int) -> tuple[float, float] | None:
    return percentile_interval(ratio, queries, lowest=-1.0, highest=1.0)


@pytest.mark.parametrize("distinct", [2, 400])
def test_resampled_means_spread_as_theory_says_with_few_and_with_many_distinct_rows(distinct: int) -> None:
    # 400 queries with the values 0 .. distinct - 1, each equally often: both ways of drawing. The standard error of
    # their mean is the population standard deviation / 20.
    values = np.arange(400.0) % distinct
    sums = resampled_sums(np.column_stack([values, np.ones(400)]))
    assert (sums[:, 1] == 400).all()
    means = sums[:, 0] / 400
    assert means.mean() == pytest.approx(values.mean(), abs=0.05 * values.std() / 20)
    assert means.std() == pytest.approx(values.std() / 20, rel=0.03)


def test_columns_are_drawn_together_and_row_order_does_not_matter() -> None:
    generator = np.random.default_rng(1)
    sums = generator.integers(0, 9, (30, 2)).astype(np.float64)
    resampled = resampled_sums(np.column_stack([sums, sums[:, 0]]))
    assert (resampled[:, 0] == resampled[:, 2]).all()
    assert (resampled_sums(sums[::-1]) == resampled_sums(sums)).all()


def test_fewer_than_ten_queries_have_no_interval() -> None:
    spread = np.linspace(0, 1, DRAWS)
    assert interval_of(spread, 9) is None
    # t with 9 degrees of freedom: 2.2622 x sqrt(10 / 9) = 2.3845; Phi(-2.3845) = 0.00855
    assert interval_of(spread, 10) == pytest.approx((0.00855, 0.99145), abs=5e-5)


def test_an_interval_without_width_is_widened_within_the_range() -> None:
    # u = 3.8415 / (10 + 3.8415) = 0.2775
    assert interval_of(np.zeros(DRAWS), 10) == pytest.approx((-0.2775, 0.2775), abs=1e-4)
    assert interval_of(np.full(DRAWS, -0.9), 10) == pytest.approx((-1.0, -0.6225), abs=1e-4)


def test_up_to_sixteen_queries_the_sign_flip_test_looks_at_all_vectors() -> None:
    preferences = [3, -1, 2, 0, 1, 1]
    reached = [
        abs(sum(sign * d for sign, d in zip(signs, preferences, strict=True))) >= 6
        for signs in product((1, -1), repeat=6)
    ]
    assert sign_flip_p(preferences) == np.mean(reached)
    assert sign_flip_p([1] * 16) == 2 / 2**16


def test_with_more_queries_random_vectors_come_close() -> None:
    # Twenty queries of size 1, 14 for recency: |sum| >= 8 iff 14 or more of 20 fair coins agree: p = 0.1153.
    assert sign_flip_p([1] * 14 + [-1] * 6) == pytest.approx(0.1153, abs=0.005)
    assert sign_flip_p([1] * 40) == 1 / 50_001  # never 0


def test_no_preference_is_no_evidence() -> None:
    assert sign_flip_p([]) == sign_flip_p([0, 0]) == sign_flip_p([1, -1]) == sign_flip_p([1, -1] * 20) == 1.0


def test_holm_multiplies_from_the_smallest_and_never_decreases() -> None:
    assert holm_adjusted([0.04, 0.01, 0.02]) == [0.04, 0.03, 0.04]
    assert holm_adjusted([0.9, 0.8]) == [1.0, 1.0]
    assert holm_adjusted([None, 0.01]) == [None, 0.01]
    assert holm_adjusted([]) == []
