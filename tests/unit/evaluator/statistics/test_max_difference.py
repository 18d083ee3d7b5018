"""The largest regularised difference: how large it gets by chance, and who exceeds that, step by step."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from evaluator.statistics import max_difference
from evaluator.statistics.max_difference import (
    Comparison,
    Separation,
    critical_value,
    draws_for,
    largest_by_draw,
    level_for,
    outcomes,
    regularised,
    regulariser,
    separation,
    usual_square,
)

ALL_PAIRS = Separation(math.inf, 0.0)


def systems(number: int, units: int, seed: int, *, spread: float = 1.0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.uniform(0, spread, (number, 1)) + generator.standard_normal((number, units))


def among_each_other(values: np.ndarray) -> Comparison:
    return Comparison(values, None, np.arange(values.shape[1]))


def studentised(first: np.ndarray, second: np.ndarray) -> float:
    """T without lambda, from scipy's paired t: sqrt(n) t / sqrt(n - 1 + t^2)."""
    t, n = float(stats.ttest_rel(first, second).statistic), len(first)
    return float(t * np.sqrt(n / (n - 1 + t**2)))


def pairs_of(values: np.ndarray) -> np.ndarray:
    """Differences of every two rows."""
    return np.array([one - other for place, one in enumerate(values) for other in values[:place]])


def test_the_critical_value_is_that_of_all_sign_vectors() -> None:
    values = systems(5, 10, seed=1)
    differences = np.array([one - other for place, one in enumerate(values) for other in values[:place]])
    directions = differences / np.linalg.norm(differences, axis=1, keepdims=True)
    exact = np.abs(np.array(list(product((-1.0, 1.0), repeat=10))) @ directions.T).max(axis=1)
    # 1,999 draws know their 95 % point to about one point: it lies between the exact 93.5 % and 96.5 % points.
    found = critical_value(largest_by_draw([among_each_other(values)], 10, 1_999, ALL_PAIRS))
    assert np.quantile(exact, 0.935) <= found <= np.quantile(exact, 0.965)


def test_wins_are_the_studentised_differences_above_the_critical_value() -> None:
    values = systems(30, 15, seed=2, spread=3.0)
    found = outcomes(among_each_other(values), Separation(2.0, 0.0))
    better = np.array([[one is not other and studentised(one, other) > 2.0 for other in values] for one in values])
    assert 0 < better.sum() < 30 * 29 / 2
    assert found.wins.tolist() == better.sum(axis=1).tolist()
    assert found.losses.tolist() == better.sum(axis=0).tolist()


def test_two_groups_are_compared_with_each_other_only() -> None:
    first, second = systems(4, 15, seed=3, spread=3.0), systems(6, 15, seed=4, spread=3.0)
    found = outcomes(Comparison(first, second, np.arange(15)), Separation(2.0, 0.0))
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
    left = Separation(2.0, usual_square([comparison]) / 4)
    largest, counted = largest_by_draw([comparison], 12, 99, left), outcomes(comparison, left)
    monkeypatch.setattr(max_difference, "_TILE", tile)
    monkeypatch.setattr(max_difference, "_SIGNS_AT_A_TIME", 12 * 7)  # 99 draws in blocks of 7
    assert counted.wins.sum() > 0
    assert usual_square([comparison]) / 4 == pytest.approx(left.square)
    assert largest_by_draw([comparison], 12, 99, left).tolist() == pytest.approx(largest.tolist())
    assert [numbers.tolist() for numbers in outcomes(comparison, left)] == [numbers.tolist() for numbers in counted]


def test_comparisons_one_by_one_have_the_largest_of_all_together() -> None:
    values = systems(8, 12, seed=6)
    parts = [
        Comparison(values[:5], None, np.arange(12)),
        Comparison(values[5:], None, np.arange(12)),
        Comparison(values[:5], values[5:], np.arange(12)),
    ]
    apart = np.max([largest_by_draw([part], 12, 199, ALL_PAIRS) for part in parts], axis=0)
    together = largest_by_draw([among_each_other(values)], 12, 199, ALL_PAIRS)
    assert apart.tolist() == pytest.approx(together.tolist())


def test_equal_systems_never_differ() -> None:
    first, other = systems(2, 15, seed=7)
    values = np.array([first, first, first + 1e-12, other])
    assert outcomes(among_each_other(values), Separation(0.0, 0.0)).wins.tolist() in ([0, 0, 0, 3], [1, 1, 1, 0])
    twins = np.array([first, first])
    assert largest_by_draw([Comparison(twins, values[3:], np.arange(15))], 15, 99, ALL_PAIRS).min() > 0
    assert largest_by_draw([among_each_other(twins)], 15, 99, ALL_PAIRS).tolist() == [0.0] * 99


def test_no_draw_exceeds_the_root_of_the_units_however_constant_a_difference_is() -> None:
    values = np.array([[3.0] * 9, [2.0] * 9])
    largest = largest_by_draw([among_each_other(values)], 9, 1_999, ALL_PAIRS)
    assert largest.max() == pytest.approx(3.0)  # nine differences of 1: |9| / sqrt(9)


def test_what_is_usual_is_the_scatter_that_most_pairs_do_not_exceed() -> None:
    values = systems(9, 12, seed=8)
    assert usual_square([among_each_other(values)]) == pytest.approx(
        np.quantile(12 * (pairs_of(values) ** 2).sum(axis=1), 0.97)
    )
    # Of two comparisons on different units, all pairs together.
    parts = [among_each_other(values[:5]), among_each_other(values[5:, :8])]
    squares = [12 * (pairs_of(values[:5]) ** 2).sum(axis=1), 8 * (pairs_of(values[5:, :8]) ** 2).sum(axis=1)]
    assert usual_square(parts) == pytest.approx(np.quantile(np.concatenate(squares), 0.97))


def test_a_regularised_difference_is_divided_by_the_scatter_of_other_pairs_too() -> None:
    # 15 differences of 1/15: their squares add up to 1/15; lambda = 7 / 15 x 2: 1 / sqrt(1/15 + 14/15)
    assert regularised([1 / 15] * 15, 7.0) == pytest.approx(1.0)
    assert regularised([0.0] * 8, 7.0) == 0.0
    values = systems(6, 12, seed=9, spread=3.0)
    square = usual_square([among_each_other(values)])
    found = [regularised(list(difference), square) for difference in pairs_of(values)]
    counted = outcomes(among_each_other(values), Separation(float(np.median(found)), square))
    assert counted.wins.sum() == 7  # of 15 pairs


@pytest.mark.parametrize(("units", "times"), [(5, 82.0), (10, 6.0625), (15, 2.0), (30, 1.0625), (150, 1.0001)])
def test_lambda_grows_where_units_are_few(units: int, times: float) -> None:
    # 1 + (15 / units)^4: 3^4 = 81, 1.5^4 = 5.0625, 1, 1/16 = 0.0625, 1/10,000
    assert regulariser(6.0, units) == pytest.approx(times * 6.0 / units)


def one_pair(scatter: float, ahead: float = 0.0) -> Comparison:
    """Two systems whose differences on two units lie sqrt(scatter / 4) around how far one is ahead."""
    away = math.sqrt(scatter / 4)  # 2 units x (away^2 + away^2) = scatter
    return Comparison(np.array([[ahead + away, ahead - away]]), np.zeros((1, 2)), np.arange(2))


@pytest.mark.parametrize(
    ("ratio", "level"),
    # 1 - 0.25 / ratio from 5 on, at most 96 %
    [(1.0, 0.95), (4.9, 0.95), (5.5, 1 - 0.25 / 5.5), (6.0, 1 - 0.25 / 6), (6.3, 0.96), (100.0, 0.96)],
)
def test_a_board_whose_pairs_scatter_unequally_has_a_higher_level(ratio: float, level: float) -> None:
    # The 97 % quantile of 1, 1 and x is 1 + 0.94 (x - 1), for 0.97 x 2 = 1 + 0.94; their median is 1.
    wide = 1 + (ratio - 1) / 0.94
    assert level_for([one_pair(1.0), one_pair(wide), one_pair(1.0)]) == pytest.approx(level)
    assert level_for([one_pair(1.0, ahead=3.0), one_pair(wide), one_pair(1.0)]) == pytest.approx(level)


def test_pairs_without_any_scatter_have_the_usual_level() -> None:
    steady = one_pair(0.0, ahead=1.0)
    assert level_for([]) == level_for([one_pair(0.0)]) == level_for([steady] * 3) == 0.95
    assert level_for([steady, steady, one_pair(1.0)]) == 0.96


def test_pairs_that_were_told_apart_are_left_out_of_the_next_step() -> None:
    values = systems(12, 15, seed=10, spread=4.0)
    comparison = among_each_other(values)
    found = separation([comparison], 15, 999)
    differences = pairs_of(values)
    signs = np.concatenate([signs for _, signs in max_difference._signs(15, 999)])
    assert level_for([comparison]) == 0.95
    sizes = np.sqrt((differences**2).sum(axis=1) + 2 * usual_square([comparison]) / 15)  # 15 units double lambda
    seen, drawn = np.abs(differences.sum(axis=1)) / sizes, np.abs(signs @ differences.T) / sizes
    left = np.ones(len(differences), bool)
    steps = 0
    while True:  # algorithm 1 of Romano and Wolf 2005
        steps += 1
        critical = np.sort(drawn[:, left].max(axis=1))[949]  # the 0.95 x 1,000th of 999
        apart = left & (seen > critical)
        if not apart.any():
            break
        left &= ~apart
    assert steps > 2
    assert found.critical == pytest.approx(critical)
    assert outcomes(comparison, found).wins.sum() == (~left).sum()


def test_a_board_of_many_systems_takes_fewer_steps_and_never_a_lower_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = among_each_other(systems(12, 15, seed=10, spread=4.0))
    whole = separation([comparison], 15, 999)
    monkeypatch.setattr(max_difference, "MOST_DIFFERENCES", 0)
    assert separation([comparison], 15, 999).critical > whole.critical
    assert (draws_for(780), draws_for(499_500)) == (1_999, 399)  # 40 and 1,000 systems


def test_of_many_systems_some_say_what_is_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = among_each_other(systems(60, 12, seed=11))
    every = usual_square([comparison])
    monkeypatch.setattr(max_difference, "MOST_MEASURED", 20)
    assert usual_square([comparison]) == pytest.approx(every, rel=0.15)
