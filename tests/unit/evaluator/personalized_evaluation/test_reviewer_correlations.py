"""Correlations under any counts of the reviewers, and the intervals made of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from evaluator.personalized_evaluation import reviewer_correlations
from evaluator.personalized_evaluation.reviewer_correlations import (
    CountedScores,
    Estimate,
    Reviewers,
    correlations,
    intervals,
    kendall,
)


def scores(seed: int = 3, n: int = 60) -> tuple[CountedScores, np.ndarray, np.ndarray, np.ndarray]:
    """Ties on both sides, 12 reviewers of 5 items."""
    generator = np.random.default_rng(seed)
    predicted = generator.integers(1, 11, n) + generator.integers(0, 2, n) / 2
    gold = np.clip(predicted + generator.integers(-4, 5, n), 1, 10).round()
    places = np.arange(n) // 5
    return CountedScores(predicted.tolist(), gold.tolist(), places), predicted, gold, places


def test_counting_a_reviewer_twice_is_repeating_the_items() -> None:
    counted, predicted, gold, places = scores()
    counts = np.array([0, 2, 1, 0, 3, 1, 1, 0, 2, 1, 1, 0], dtype=np.float64)
    times = counts[places].astype(int)
    x, y = np.repeat(predicted, times), np.repeat(gold, times)
    assert counted.kendall(counts) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert counted.spearman(counts) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert counted.pearson(counts) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)


def test_scores_with_too_many_levels_for_a_table_have_the_same_tau(monkeypatch: pytest.MonkeyPatch) -> None:
    counted, *_ = scores()
    counts = np.arange(12, dtype=np.float64)
    by_table = counted.kendall(counts)
    monkeypatch.setattr(reviewer_correlations, "MOST_CELLS", 10)
    assert counted.kendall(counts) == pytest.approx(by_table, abs=1e-12)


def test_a_draw_of_constant_or_few_items_is_undefined() -> None:
    counted = CountedScores([0.1, 0.1, 0.1, 7.0], [1.0, 2.0, 3.0, 4.0], np.array([0, 0, 0, 1]))
    for counts in ([1.0, 0.0], [0.0, 2.0], [7.0, 0.0]):
        for coefficient in (counted.pearson, counted.spearman, counted.kendall):
            assert math.isnan(coefficient(np.array(counts)))


@pytest.mark.parametrize(
    ("predicted", "gold"), [([1, 2], [1, 2]), ([5, 5, 5], [1, 2, 3]), ([1, 2, 3], [4, 4, 4]), ([], [])]
)
def test_few_items_and_constant_sides_are_undefined(predicted: list[float], gold: list[float]) -> None:
    found = correlations(predicted, gold)
    assert {value for correlation in found for value in correlation} == {None}
    assert kendall(predicted, gold) is None


def test_p_values_are_those_of_scipy() -> None:
    _, predicted, gold, _ = scores()
    found = correlations(predicted.tolist(), gold.tolist())
    assert found.pearson.p == pytest.approx(stats.pearsonr(predicted, gold).pvalue)
    assert found.spearman.p == pytest.approx(stats.spearmanr(predicted, gold).pvalue)
    assert found.kendall.p == pytest.approx(stats.kendalltau(predicted, gold).pvalue)


REVIEWERS = Reviewers.of([f"r{number}" for number in range(10)])


def share_of(first: int) -> Estimate:
    """How much of a draw falls on the first reviewers: 0-1."""
    return Estimate(first / 10, lambda counts: float(counts[:first].sum() / 10), 10)


def test_draws_come_with_replacement_and_always_the_same() -> None:
    draws = list(REVIEWERS.draws(50, seed=1))
    assert {float(draw.sum()) for draw in draws} == {10.0}
    assert max(draw.max() for draw in draws) > 1
    assert all(np.array_equal(one, other) for one, other in zip(draws, REVIEWERS.draws(50, seed=1), strict=True))
    assert not all(np.array_equal(one, other) for one, other in zip(draws, REVIEWERS.draws(50, seed=2), strict=True))


def test_an_interval_is_that_of_the_drawn_figures() -> None:
    # Each of 10 draws hits the first 5 of 10 reviewers with chance 1/2; t with 9 degrees of freedom: 2.2622 x sqrt(10 /
    # 9) = 2.3845, the 0.86 % point: P(X <= 0) = .001, P(X <= 1) = .011, so 1 and 9 of 10.
    assert intervals({"half": share_of(5)}, REVIEWERS, resamples=4_000)["half"] == pytest.approx([0.1, 0.9])


def test_few_reviewers_null_values_and_undefined_draws_have_no_interval() -> None:
    often = Estimate(0.5, lambda counts: math.nan if counts[0] == 0 else 1.0, 10)  # (9/10)^10 = 35 % of draws
    rarely = Estimate(0.5, lambda counts: math.nan if counts[0] > 4 else 1.0, 10)  # 0.2 % of draws
    found = intervals(
        {
            "few": share_of(5)._replace(n_reviewers=4),
            "null": share_of(5)._replace(value=None),
            "often": often,
            "rarely": rarely,
        },
        REVIEWERS,
        resamples=1_000,
    )
    assert found == {"few": None, "null": None, "often": None, "rarely": [1.0, 1.0]}


def test_figures_of_one_call_share_their_draws() -> None:
    gain = Estimate(0.0, lambda counts: share_of(5).statistic(counts) - share_of(5).statistic(counts), 10)
    assert intervals({"gain": gain}, REVIEWERS, resamples=100)["gain"] == [0.0, 0.0]
