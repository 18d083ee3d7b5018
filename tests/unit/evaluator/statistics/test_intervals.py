"""Bootstrap intervals and paired differences."""

from __future__ import annotations

import math
import tracemalloc
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from evaluator.statistics import intervals, mean_bounds
from evaluator.statistics.intervals import (
    bootstrap_mean_metric,
    bootstrap_metric,
    difference_interval,
    draw_blocks,
    draw_counts,
    drawn_sums,
    excludes_zero,
    expanded_tail,
    interval_side,
    is_above_zero,
    mean_interval,
    mean_metric,
    paired_difference,
    ratio_interval,
)
from evaluator.values import MetricValue

SIX = {"001": 1.0, "002": 2.0, "003": 3.0, "004": 4.0, "005": 5.0, "006": 0.5}


def single(values: dict[str, float]) -> dict[str, list[float]]:
    return {unit: [value] for unit, value in values.items()}


def test_each_draw_resamples_as_many_units_as_there_are() -> None:
    counts = draw_counts(15)
    assert counts.shape == (2_000, 15)
    assert (counts.sum(axis=1) == 15).all()
    # With replacement, a unit is left out of a draw with probability (14/15)^15 = 0.355.
    assert (counts == 0).mean() == pytest.approx(0.355, abs=0.01)


@pytest.mark.parametrize(("numbers", "rows"), [(1, 8), (15 * 8 * 7 + 3, 56), (15 * 2_000 - 1, 1_992), (30_000, 2_000)])
def test_draws_in_blocks_are_the_draws_of_all(monkeypatch: pytest.MonkeyPatch, numbers: int, rows: int) -> None:
    monkeypatch.setattr(intervals, "BLOCK_NUMBERS", numbers)
    blocks = list(draw_blocks(15))
    assert {len(block) for block in blocks[:-1]} <= {rows}
    assert len(blocks[-1]) == (2_000 % rows or rows)
    assert np.array_equal(np.concatenate(blocks), draw_counts(15))
    values = np.random.default_rng(0).random((15, 3))
    assert np.array_equal(drawn_sums(values), draw_counts(15) @ values)


def test_sums_of_draws_take_the_memory_of_one_block_however_many_units_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intervals, "BLOCK_NUMBERS", 8_000)
    values = np.arange(1_000.0)[:, np.newaxis]
    tracemalloc.start()
    try:
        sums = drawn_sums(values)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 2,000 draws of 1,000 units are 16 MB; a block of 8 draws is 64 kB as whole numbers and as much again as others.
    assert peak < 1_000_000
    assert sums.shape == (2_000, 1)


def test_the_same_units_get_the_same_interval_in_any_order() -> None:
    backwards = dict(reversed(SIX.items()))
    assert mean_interval(single(SIX)) == mean_interval(single(backwards))


def test_the_interval_is_that_of_the_normal_approximation_where_many_units_are_drawn() -> None:
    values = {f"{number:04}": float(number % 2) for number in range(400)}
    interval = mean_interval(single(values))
    assert interval is not None
    # Mean 0.5, standard error sqrt(0.25 / 400) = 0.025, so 0.5 -+ 1.96 x 0.025 = [0.451, 0.549].
    assert interval.low == pytest.approx(0.451, abs=0.004)
    assert interval.high == pytest.approx(0.549, abs=0.004)


def test_fewer_than_six_units_have_no_interval() -> None:
    five = {unit: [1.0, 2.0, 3.0] for unit in ("001", "002", "003", "004", "005")}
    assert mean_interval(five) is None
    assert mean_interval({**five, "006": []}) is None  # a unit without values is none
    assert mean_interval({**five, "006": [1.0]}) is not None


def test_a_cluster_is_drawn_with_all_its_values() -> None:
    # Ten equal values in one cluster move together: the interval is wider than that of ten separate units.
    clusters = {"001": [5.0] * 10, **{f"{number:03}": [0.0] * 10 for number in range(2, 12)}}
    separate = {f"{unit}-{index}": [value] for unit, values in clusters.items() for index, value in enumerate(values)}
    clustered, naive = mean_interval(clusters), mean_interval(separate)
    assert clustered is not None
    assert naive is not None
    assert clustered.high - clustered.low > 1.9 * (naive.high - naive.low)


def test_the_mean_weighs_values_and_counts_them() -> None:
    metric = mean_metric({"001": [1.0, 2.0, 3.0], "002": [6.0]}, unscored=2)
    assert metric.value == 3.0  # (1 + 2 + 3 + 6) / 4
    assert (metric.n, metric.unscored, metric.low) == (4, 2, None)


def test_nothing_judged_is_none_with_a_reason() -> None:
    metric = mean_metric({"001": []}, unscored=1, reason="the judge reads English only")
    assert (metric.value, metric.n, metric.unscored) == (None, 0, 1)
    assert metric.reason == "the judge reads English only"


def test_a_paired_difference_sees_what_separate_intervals_cannot() -> None:
    # The second system is half a point lower on every item: own intervals overlap, the difference is exactly 0.5.
    lower = {unit: value - 0.5 for unit, value in SIX.items()}
    own, other = mean_interval(single(SIX)), mean_interval(single(lower))
    assert own is not None
    assert other is not None
    assert own.low < other.high
    difference = paired_difference(SIX, lower)
    assert (difference.value, difference.low, difference.high) == (0.5, 0.5, 0.5)
    assert is_above_zero(difference)
    assert excludes_zero(difference)
    assert not is_above_zero(paired_difference(lower, SIX))
    assert excludes_zero(paired_difference(lower, SIX))


@pytest.mark.parametrize(
    ("low", "high", "side"),
    [
        (0.6, 0.9, "above"),
        (0.1, 0.4, "below"),
        (0.4, 0.6, "around"),
        (0.5, 0.9, "around"),  # an end at the point does not leave it out
        (0.1, 0.5, "around"),
        (0.5 + 1e-12, 0.9, "around"),  # nor does one that rounding moved
        (None, None, "unknown"),
        (0.6, None, "unknown"),
    ],
)
def test_an_interval_lies_on_one_side_of_a_point_or_around_it(low: float | None, high: float | None, side: str) -> None:
    assert interval_side(MetricValue(value=0.7, low=low, high=high, n=9), 0.5) == side
    shifted = MetricValue(
        value=0.2, low=None if low is None else low - 0.5, high=None if high is None else high - 0.5, n=9
    )
    assert interval_side(shifted) == side


def test_equal_systems_are_not_separated() -> None:
    assert not excludes_zero(paired_difference(SIX, dict(SIX)))


def test_a_paired_difference_uses_common_units_only() -> None:
    difference = paired_difference({**SIX, "007": 5.0}, {**SIX, "008": 0.0})
    assert (difference.value, difference.n, difference.unscored) == (0.0, 6, 2)
    assert paired_difference({"001": 1.0}, {"002": 1.0}).reason == "no common unit"


@pytest.mark.parametrize("units", [5, 10, 15, 30, 100])
def test_the_interval_is_the_t_interval_where_resampled_means_are_normal(units: int) -> None:
    # Phi(-sqrt(n / (n - 1)) t) of a normal distribution whose variance lacks the factor n / (n - 1) lies t standard
    # errors below the mean: published two-sided 95% points of Student's t.
    published = {5: 2.776, 10: 2.262, 15: 2.145, 30: 2.045, 100: 1.984}
    reached = -NormalDist(0, math.sqrt((units - 1) / units)).inv_cdf(expanded_tail(units))
    assert reached == pytest.approx(published[units], abs=0.0006)


def test_the_interval_of_many_units_is_the_plain_percentile_interval() -> None:
    assert expanded_tail(10_000) == pytest.approx(0.025, abs=2e-5)


@pytest.mark.parametrize(("yes", "n"), [(24, 60), (1, 7), (6, 7), (300, 1_000)])
def test_shares_of_single_rows_have_the_exact_binomial_interval(yes: int, n: int) -> None:
    exact = stats.binomtest(yes, n).proportion_ci(method="exact")
    assert ratio_interval(np.array([1.0] * yes + [0.0] * (n - yes)), np.ones(n)) == pytest.approx(tuple(exact))


@pytest.mark.parametrize(("units", "most"), [(6, 0.4593), (20, 0.1684), (50, 0.0711), (1_000, 0.0037)])
def test_where_nothing_happened_something_may_yet_happen(units: int, most: float) -> None:
    # The share at which nothing has a chance of 2.5 % in so many units: 1 - 0.025^(1/n).
    nothing = ratio_interval(np.zeros(units), np.ones(units))
    assert nothing == pytest.approx((0.0, most), abs=5e-5)
    everything = ratio_interval(np.ones(units), np.ones(units))
    assert everything == pytest.approx((1.0 - most, 1.0), abs=5e-5)


def test_rows_of_one_cluster_that_agree_are_one_trial() -> None:
    alone = ratio_interval(np.array([1.0] * 6 + [0.0] * 14), np.ones(20))
    assert ratio_interval(np.array([11.0] * 6 + [0.0] * 14), np.full(20, 11.0)) == pytest.approx(alone)
    # The same share, each cluster with its part of it, is worth more.
    mixed = ratio_interval(np.full(20, 3.3), np.full(20, 11.0))
    assert alone is not None
    assert mixed is not None
    assert mixed.high - mixed.low < alone.high - alone.low


def test_a_score_without_scatter_may_yet_lose_an_item() -> None:
    # Fifteen values of 3: what was not seen has a weight of Beta(1, 15), of which 97.5 % lie below 1 - 0.025^(1/15)
    # = 0.218: from 3 x (1 - 0.218) = 2.346 to 3 + 2 x 0.218 = 3.436.
    interval = mean_interval({f"{number:03}": [3.0] for number in range(15)}, (0.0, 5.0))
    unseen = 1.0 - 0.025 ** (1 / 15)
    assert interval == pytest.approx((3.0 * (1 - unseen), 3.0 + 2.0 * unseen), abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_the_ends_are_those_of_random_weights_with_one_more_value_at_an_end(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(1, 1 + [1, 4, 9, 1][seed], 12).astype(float)
    parts = sizes * generator.beta(2.0, 0.5, 12)
    found = ratio_interval(parts, sizes)
    weights = generator.dirichlet(np.ones(13), 400_000)
    one_more = (sizes**2).sum() / sizes.sum()  # the cases of the unit of a random case
    wholes = weights @ np.append(sizes, one_more)
    drawn = [(weights @ np.append(parts, end * one_more)) / wholes for end in (0.0, 1.0)]
    # 400,000 draws know a 2.5 % point to 0.0005 here.
    assert found == pytest.approx((np.quantile(drawn[0], 0.025), np.quantile(drawn[1], 0.975)), abs=0.002)


def test_many_different_values_have_the_ends_of_fewer_points(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(3)
    values = np.where(generator.random(700) < 0.02, 0.0, generator.normal(0.9, 0.02, 700))
    found = ratio_interval(values, np.ones(700))
    monkeypatch.setattr(mean_bounds, "MANY", 10_000)
    assert found == pytest.approx(ratio_interval(values, np.ones(700)), abs=2e-5)


def test_turning_the_scale_round_turns_the_interval_round() -> None:
    values = np.array([0.0, 0.5, 1.0, 1.0, 2.0, 4.0, 4.5])
    found, turned = (ratio_interval(one, np.ones(7), (0.0, 5.0)) for one in (values, 5.0 - values))
    assert found is not None
    assert turned == pytest.approx((5.0 - found.high, 5.0 - found.low))
    shifted = ratio_interval(values - 5.0, np.ones(7), (-5.0, 0.0))
    assert shifted == pytest.approx((found.low - 5.0, found.high - 5.0))


@pytest.mark.parametrize("units", [6, 15, 40])
def test_a_difference_has_the_interval_of_students_t(units: int) -> None:
    values = np.random.default_rng(units).exponential(1.0, units)
    interval = difference_interval(list(values))
    assert interval == pytest.approx(tuple(stats.ttest_1samp(values, 0.0).confidence_interval(0.95)))


def test_units_without_a_case_are_none() -> None:
    parts, wholes = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0]), np.ones(6)
    assert ratio_interval(np.append(parts, 0.0), np.append(wholes, 0.0)) == ratio_interval(parts, wholes)
    assert ratio_interval(parts[:5], wholes[:5]) is None


def test_a_mean_difference_of_clusters_is_that_of_single_values_where_each_cluster_has_one() -> None:
    values = {str(number): float(number % 4) - 1.0 for number in range(8)}
    assert bootstrap_mean_metric({unit: [value] for unit, value in values.items()}) == bootstrap_metric(values)
    # the same value twice in every cluster: the same mean of the same draws, of twice as many values
    twice = bootstrap_mean_metric({unit: [value, value] for unit, value in values.items()})
    once = bootstrap_metric(values)
    assert (twice.value, twice.n) == (once.value, 16)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))


def test_a_cluster_with_more_values_weighs_more_and_five_clusters_have_no_interval() -> None:
    found = bootstrap_mean_metric({"big": [3.0, 3.0, 3.0], "small": [-1.0], "none": []})
    assert (found.value, found.n, found.low) == (2.0, 4, None)  # (3 x 3 - 1) / 4
    assert bootstrap_mean_metric({}, unscored=2).unscored == 2


def test_the_best_of_several_attempts_needs_a_larger_difference() -> None:
    first = {f"{number:02}": value for number, value in enumerate([1.0, 0.0, 2.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 1.0])}
    level = dict.fromkeys(first, 0.0)
    values = list(first.values())
    spread = stats.sem(values)
    found = paired_difference(first, level, (10, 2))
    # 2.5 % by ten at the end that says the first is better, by two at the other.
    assert found.low == pytest.approx(0.9 - stats.t.ppf(1 - 0.0025, 9) * spread)
    assert found.high == pytest.approx(0.9 + stats.t.ppf(1 - 0.0125, 9) * spread)
    turned = paired_difference(level, first, (2, 10))
    assert (turned.low, turned.high) == pytest.approx((-(found.high or 0.0), -(found.low or 0.0)))


def test_a_picker_of_the_best_of_ten_is_called_better_as_seldom_as_promised() -> None:
    generator = np.random.default_rng(12)
    wrong = plain = 0
    for _ in range(800):
        shared = generator.standard_normal(15)
        runs = shared + 0.5 * generator.standard_normal((10, 15))
        best, other = runs[runs.mean(axis=1).argmax()], shared + 0.5 * generator.standard_normal(15)
        first, second = ({str(item): float(value) for item, value in enumerate(row)} for row in (best, other))
        wrong += is_above_zero(paired_difference(first, second, (10, 1)))
        plain += is_above_zero(paired_difference(first, second))
    assert wrong / 800 <= 0.025
    assert plain / 800 > 0.05
