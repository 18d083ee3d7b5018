"""The largest studentised difference: how large it gets by chance, and who exceeds that."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from evaluator.statistics import max_difference
from evaluator.statistics.max_difference import Comparison, critical_value, largest_by_draw, outcomes


def systems(number: int, units: int, seed: int, *, spread: float = 1.0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.uniform(0, spread, (number, 1)) + generator.standard_normal((number, units))


def among_each_other(values: np.ndarray) -> Comparison:
    return Comparison(values, None, np.arange(values.shape[1]))


def studentised(first: np.ndarray, second: np.ndarray) -> float:
    """From scipy's paired t, by the identity of the module's text."""
    t, n = float(stats.ttest_rel(first, second).statistic), len(first)
    return float(t * np.sqrt(n / (n - 1 + t**2)))


def test_the_critical_value_is_that_of_all_sign_vectors() -> None:
    values = systems(5, 10, seed=1)
    differences = np.array([one - other for place, one in enumerate(values) for other in values[:place]])
    directions = differences / np.linalg.norm(differences, axis=1, keepdims=True)
    exact = np.abs(np.array(list(product((-1.0, 1.0), repeat=10))) @ directions.T).max(axis=1)
    # 1,999 draws know their 95 % point to about one point: it lies between the exact 93.5 % and 96.5 % points.
    found = critical_value(largest_by_draw([among_each_other(values)], 10, 1_999))
    assert np.quantile(exact, 0.935) <= found <= np.quantile(exact, 0.965)


def test_wins_are_the_studentised_differences_above_the_critical_value() -> None:
    values = systems(30, 15, seed=2, spread=3.0)
    found = outcomes(among_each_other(values), 2.0)
    better = np.array([[one is not other and studentised(one, other) > 2.0 for other in values] for one in values])
    assert 0 < better.sum() < 30 * 29 / 2
    assert found.wins.tolist() == better.sum(axis=1).tolist()
    assert found.losses.tolist() == better.sum(axis=0).tolist()


def test_two_groups_are_compared_with_each_other_only() -> None:
    first, second = systems(4, 15, seed=3, spread=3.0), systems(6, 15, seed=4, spread=3.0)
    found = outcomes(Comparison(first, second, np.arange(15)), 2.0)
    better = np.array([[studentised(one, other) > 2.0 for other in second] for one in first])
    worse = np.array([[studentised(one, other) < -2.0 for other in second] for one in first])
    assert found.wins.tolist() == better.sum(axis=1).tolist()
    assert found.losses.tolist() == worse.sum(axis=1).tolist()
    assert found.second_wins.tolist() == worse.sum(axis=0).tolist()
    assert found.second_losses.tolist() == better.sum(axis=0).tolist()


@pytest.mark.parametrize("tile", [(1, 1), (3, 4), (7, 2)])
def test_systems_in_tiles_of_any_size_give_the_same_numbers(
    tile: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = among_each_other(systems(10, 12, seed=5, spread=3.0))
    largest, counted = largest_by_draw([comparison], 12, 99), outcomes(comparison, 2.0)
    monkeypatch.setattr(max_difference, "_TILE", tile)
    monkeypatch.setattr(max_difference, "_SIGNS_AT_A_TIME", 12 * 7)  # 99 draws in blocks of 7
    assert largest_by_draw([comparison], 12, 99).tolist() == pytest.approx(largest.tolist())
    assert [numbers.tolist() for numbers in outcomes(comparison, 2.0)] == [numbers.tolist() for numbers in counted]


def test_comparisons_one_by_one_have_the_largest_of_all_together() -> None:
    values = systems(8, 12, seed=6)
    parts = [
        Comparison(values[:5], None, np.arange(12)),
        Comparison(values[5:], None, np.arange(12)),
        Comparison(values[:5], values[5:], np.arange(12)),
    ]
    apart = np.max([largest_by_draw([part], 12, 199) for part in parts], axis=0)
    together = largest_by_draw([among_each_other(values)], 12, 199)
    assert apart.tolist() == pytest.approx(together.tolist())


def test_equal_systems_never_differ() -> None:
    first, other = systems(2, 15, seed=7)
    values = np.array([first, first, first + 1e-12, other])
    assert outcomes(among_each_other(values), 0.0).wins.tolist() in ([0, 0, 0, 3], [1, 1, 1, 0])
    twins = np.array([first, first])
    assert largest_by_draw([Comparison(twins, values[3:], np.arange(15))], 15, 99).min() > 0
    assert largest_by_draw([among_each_other(twins)], 15, 99).tolist() == [0.0] * 99


def test_no_draw_exceeds_the_root_of_the_units_however_constant_a_difference_is() -> None:
    values = np.array([[3.0] * 9, [2.0] * 9])
    largest = largest_by_draw([among_each_other(values)], 9, 1_999)
    assert largest.max() == pytest.approx(3.0)  # nine differences of 1: |9| / sqrt(9)
