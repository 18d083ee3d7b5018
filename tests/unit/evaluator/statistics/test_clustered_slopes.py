"""Coefficients with errors over clusters, held against leaving each cluster out, and false discovery rates."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from evaluator.statistics.clustered_slopes import (
    MIN_CLUSTERS,
    Slope,
    bracketed,
    clustered_slopes,
    false_discovery_rates,
)


def test_errors_are_those_of_leaving_each_cluster_out() -> None:
    generator = np.random.default_rng(1)
    clusters = [f"c{n // 3}" for n in range(60)]
    design = np.column_stack([np.ones(60), generator.standard_normal(60)])
    outcomes = generator.standard_normal(60)
    slopes = clustered_slopes(outcomes, design, clusters)
    assert slopes is not None
    value = np.linalg.lstsq(design, outcomes, rcond=None)[0]
    without = []
    for left_out in set(clusters):
        kept = np.array([cluster != left_out for cluster in clusters])
        without.append(np.linalg.lstsq(design[kept], outcomes[kept], rcond=None)[0])
    errors = np.sqrt(((np.array(without) - value) ** 2).sum(axis=0) * 19 / 20)
    for place, slope in enumerate(slopes):
        assert slope.value == pytest.approx(value[place])
        assert slope.high - slope.value == pytest.approx(t.ppf(0.975, 19) * errors[place])
        assert slope.p == pytest.approx(2 * t.sf(abs(value[place]) / errors[place], 19))
        assert slope.detectable == pytest.approx((t.ppf(0.975, 19) + t.ppf(0.8, 19)) * errors[place])


def test_nothing_is_said_of_few_clusters_and_of_columns_that_are_one() -> None:
    few = [str(n) for n in range(MIN_CLUSTERS - 1)]
    assert clustered_slopes(np.arange(len(few), dtype=float), np.ones((len(few), 1)), few) is None
    many = [str(n) for n in range(20)]
    assert clustered_slopes(np.arange(20.0), np.ones((20, 2)), many) is None
    # Without the first cluster the second column is empty.
    only = np.column_stack([np.ones(20), np.arange(20) == 0])
    assert clustered_slopes(np.arange(20.0), only, many) is None


def test_a_bracket_tells_an_effect_only_where_both_ends_do() -> None:
    up, down = Slope(0.2, 0.1, 0.3, 0.001, 0.1), Slope(-0.1, -0.2, -0.05, 0.001, 0.1)
    assert bracketed(up, down) == Slope(-0.1, -0.2, 0.3, 1.0, 0.1)
    assert bracketed(up, up) == up


def test_false_discovery_rates_are_those_of_the_paper() -> None:
    # Benjamini and Hochberg 1995, section 3.1: 15 tests, of which the first four are rejected at 5%.
    p = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1.0,
    ]
    assert [rate <= 0.05 for rate in false_discovery_rates(p)] == [True] * 4 + [False] * 11
