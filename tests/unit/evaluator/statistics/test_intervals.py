"""Bootstrap intervals and paired differences."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import bootstrap

from evaluator.statistics.intervals import (
    acceleration,
    corrected_tails,
    difference_interval,
    draw_counts,
    excludes_zero,
    expanded_tail,
    is_above_zero,
    mean_interval,
    mean_metric,
    paired_difference,
    units_to_separate,
)

SIX = {"001": 1.0, "002": 2.0, "003": 3.0, "004": 4.0, "005": 5.0, "006": 0.5}


def single(values: dict[str, float]) -> dict[str, list[float]]:
    return {unit: [value] for unit, value in values.items()}


def test_each_draw_resamples_as_many_units_as_there_are() -> None:
    counts = draw_counts(15)
    assert counts.shape == (2_000, 15)
    assert (counts.sum(axis=1) == 15).all()
    # With replacement, a unit is left out of a draw with probability (14/15)^15 = 0.355.
    assert (counts == 0).mean() == pytest.approx(0.355, abs=0.01)


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
    assert clustered.high - clustered.low > 2 * (naive.high - naive.low)


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


def test_skewness_is_the_third_moment_over_the_spread() -> None:
    # -4 x 1 + 64 = 60; 4 x 1 + 16 = 20; 60 / (6 x 20 x sqrt(20)) = 1 / (2 sqrt(20)) = 0.1118
    assert acceleration(np.array([-1.0, -1.0, -1.0, -1.0, 4.0])) == pytest.approx(0.1118, abs=5e-5)
    assert acceleration(np.array([10.0, 10.0, 10.0, 10.0, -40.0])) == pytest.approx(-0.1118, abs=5e-5)  # of any scale
    assert acceleration(np.array([-2.0, 1.0, 0.0, -1.0, 2.0])) == 0.0


def test_equal_values_have_no_skewness_but_rounding() -> None:
    assert acceleration(np.zeros(7)) == 0.0
    assert acceleration(np.array([-1e-16, 2e-16, -1e-16])) == 0.0
    thirds = {f"{number:03}": [0.1, 0.2] for number in range(7)}
    interval = mean_interval(thirds)
    assert interval is not None
    assert interval == pytest.approx((0.15, 0.15))


def test_without_skewness_a_score_has_the_expanded_interval() -> None:
    assert corrected_tails(15, 0.0) == (expanded_tail(15), 1.0 - expanded_tail(15))
    symmetric = {f"{number:03}": float(number) for number in range(15)}
    assert mean_interval(single(symmetric)) == difference_interval(symmetric)


def test_skewness_takes_both_ends_towards_the_tail() -> None:
    # z = -+2.2201 at 15 units. Low: 0.05 - 2.1701 / (1 + 0.05 x 2.1701) = -1.9077, Phi = 0.0282. High: 0.05 + 2.2701 /
    # (1 - 0.05 x 2.2701) = 2.6107, Phi = 0.9955.
    assert corrected_tails(15, 0.05) == pytest.approx((0.0282, 0.9955), abs=5e-5)
    assert corrected_tails(15, -0.05) == pytest.approx((1 - 0.9955, 1 - 0.0282), abs=5e-5)


def test_the_interval_of_a_skewed_score_is_that_of_scipys_accelerated_bootstrap() -> None:
    # As near the null rows: most items at 0. Scipy counts its bias in draws of its own and jackknifes its acceleration.
    values = [0.0] * 8 + [0.3, 0.5, 0.8, 1.1, 1.6, 2.4, 3.3]
    named = {f"{number:03}": value for number, value in enumerate(values)}
    found, uncorrected = mean_interval(single(named)), difference_interval(named)
    assert found is not None
    assert uncorrected is not None
    reference = bootstrap(
        (values,), np.mean, confidence_level=1 - 2 * expanded_tail(15), n_resamples=20_000, method="BCa", rng=11
    ).confidence_interval
    assert found == pytest.approx((reference.low, reference.high), abs=0.07)
    assert uncorrected.high < reference.high - 0.1  # the corrected interval reaches further up


def test_a_paired_difference_is_not_corrected_for_skewness() -> None:
    skewed = {**dict.fromkeys(["001", "002", "003", "004", "005", "006", "007"], 0.0), "008": 4.0}
    nothing = dict.fromkeys(skewed, 0.0)
    difference = paired_difference(skewed, nothing)
    assert (difference.low, difference.high) == difference_interval(skewed)
    assert difference.high is not None
    score = mean_interval(single(skewed))
    assert score is not None
    assert score.high > difference.high


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        # mean 0.2; squares from it 3 x 0.64 + 2 x 1.44 = 4.8, variance 4.8 / 4 = 1.2; 3.8416 x 1.2 / 0.04 = 115.2
        ([1.0, -1.0, 1.0, -1.0, 1.0], 116),
        ([-1.0, 1.0, -1.0, 1.0, -1.0], 116),  # whoever is ahead
        # Half the scale changes nothing: variance and squared mean shrink alike.
        ([0.5, -0.5, 0.5, -0.5, 0.5], 116),
        # mean 2, variance (1 + 0 + 1) / 2 = 1; 3.8416 / 4 = 0.96, but below six units there is no interval.
        ([1.0, 2.0, 3.0], 6),
        ([0.5, 0.5, 0.5], 6),  # no spread at all
    ],
)
def test_the_units_that_would_separate_two_systems(differences: list[float], expected: int) -> None:
    assert units_to_separate(differences) == expected


@pytest.mark.parametrize("differences", [[], [1.0], [0.0, 0.0], [2.0, -1.0, -1.0], [0.1, 0.2, -0.3]])
def test_no_number_of_units_separates_a_mean_of_zero_or_an_unknown_spread(differences: list[float]) -> None:
    assert units_to_separate(differences) is None
