"""Judges side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from evaluator.position_bias.judge_comparisons import fairness_map, position_consistency_differences, quality_curve

COLUMNS = ["judge", "task", "model", "query", "verdict_original", "verdict_swapped"]


def table(*rows: str) -> pd.DataFrame:
    """Rows written as "judge task model query AB"."""
    cells = [row.split() for row in rows]
    return pd.DataFrame([[*names, pair[0], pair[1]] for *names, pair in cells], columns=COLUMNS)


def test_judges_are_compared_on_the_queries_both_judged() -> None:
    # Shared: q1 (i consistent, j not) and q2 (both consistent): 2/2 - 1/2. i's q3 and j's unusable q3 do not count.
    frame = table("i t m q1 AB", "i t m q2 AB", "i t m q3 AA", "j t m q1 AA", "j t m q2 AB", "j t m q3 NN")
    difference = position_consistency_differences(frame)["i"]["j"]
    assert (difference.value, difference.n, difference.low) == (0.5, 2, None)


def test_the_reversed_difference_is_its_negative() -> None:
    rows = [f"i t m q{query} AB" for query in range(20)]
    rows += [f"j t m q{query} {'AB' if query % 2 else 'BB'}" for query in range(20)]
    differences = position_consistency_differences(table(*rows))
    forth, back = differences["i"]["j"], differences["j"]["i"]
    assert (forth.value, back.value) == (0.5, -0.5)
    assert forth.low is not None
    assert forth.high is not None
    assert (back.low, back.high) == (-forth.high, -forth.low)
    # t with 19 degrees of freedom: 2.0930 x sqrt(20 / 19) = 2.1474, the 1.59 % point; Binomial(20, 1/2) / 20:
    # P(X <= 4) = .006, P(X <= 5) = .021, so it is 5/20.
    assert (forth.low, forth.high) == pytest.approx((0.25, 0.75))


def test_a_hard_query_is_hard_for_both_and_does_not_blur_their_difference() -> None:
    # i is consistent on half of the queries, j on the same half less one: unpaired intervals would overlap widely.
    rows = [f"i t m q{query} {'AB' if query < 20 else 'BB'}" for query in range(40)]
    rows += [f"j t m q{query} {'AB' if query < 12 else 'BB'}" for query in range(40)]
    difference = position_consistency_differences(table(*rows))["i"]["j"]
    assert difference.value == pytest.approx(0.2)
    assert difference.low is not None
    assert difference.low > 0.05


def test_equal_judges_are_not_separated() -> None:
    rows = [f"{judge} t m q{query} AB" for judge in "ij" for query in range(12)]
    difference = position_consistency_differences(table(*rows))["i"]["j"]
    # Zero width: u = 3.8415 / (12 + 3.8415) = 0.2425
    assert (difference.value, difference.low, difference.high) == pytest.approx((0.0, -0.2425, 0.2425), abs=1e-4)


def test_judges_without_a_common_query_are_not_compared() -> None:
    difference = position_consistency_differences(table("i t m q1 AB", "j t m q2 AB"))["i"]["j"]
    assert (difference.value, difference.n, difference.reason) == (None, 0, "no query in common")
    assert position_consistency_differences(table("i t m q1 NN")) == {"i": {}}
    assert position_consistency_differences(table()) == {}


def test_the_fairness_map_adjusts_over_all_its_cells() -> None:
    rows = [f"j {task} m q{query} AA" for task in ("t", "u") for query in range(6)]
    rows += ["k t m q AB", "k u m q NN"]
    fairness = fairness_map(table(*rows))
    cell = fairness["j"]["t"]
    assert (cell["preference_fairness"], cell["n_valid"], cell["n_queries"]) == (-1.0, 6, 6)
    # p = 2/64 twice and 1 once; Holm: 3 x 2/64.
    assert (cell["preference_fairness_p"], cell["preference_fairness_p_holm"]) == (2 / 64, 6 / 64)
    assert fairness["k"]["t"]["preference_fairness_p_holm"] == 1.0
    assert list(fairness["k"]) == ["t"]  # no valid pair, no cell
    assert fairness_map(table()) == {}


def test_the_curve_of_others_uses_their_mean_win_rate_on_the_same_cells() -> None:
    # On the cells m1 m2 m3 the others say 0, (0 + 1) / 2 and 1; j's consistency is 1, 0, 1: (2x - 1)² again, while j's
    # own win rates are 1, .5, 0. Cell m4 nobody else judged: it has no place in the curve of others.
    rows = ["j t m1 q BA", "j t m2 q AA", "j t m3 q AB", "j t m4 q AB"]
    rows += ["i t m1 q AB", "i t m2 q AB", "i t m3 q BA", "k t m1 q AB", "k t m2 q BA", "k t m3 q BA", "k t m4 q NN"]
    curve = quality_curve(table(*rows))["j"]
    assert curve["n_cells"] == 4
    assert curve["others"] is not None
    assert [curve["others"]["b0"], curve["others"]["b1"], curve["others"]["b2"]] == pytest.approx([1, -4, 4])
    assert curve["others"]["r2"] == pytest.approx(1)


def test_a_parabola_needs_three_win_rates() -> None:
    assert quality_curve(table("j t m q AB", "j t n q BA", "j t o q NN"))["j"] == {
        "n_cells": 2,
        "own": None,
        "others": None,
    }
    # PC is 1 on three different win rates: nothing to explain.
    rows = ["j t m q AB", "j t n q BA", "j t o q CC"]
    own = quality_curve(table(*rows))["j"]["own"]
    assert own is not None
    assert own["r2"] is None
    assert np.allclose([own["b0"], own["b1"], own["b2"]], [1, 0, 0])
    assert quality_curve(table()) == {}


@pytest.mark.parametrize("consistent", range(1, 10))
def test_no_share_of_equal_consistencies_is_explained_however_their_mean_is_rounded(consistent: int) -> None:
    # Losses, wins and ties: three win rates, and `consistent` of ten pairs consistent on each.
    rows = [
        f"j t {model} q{number} {pair if number < consistent else 'AA'}"
        for model, pair in (("m", "AB"), ("n", "BA"), ("o", "CC"))
        for number in range(10)
    ]
    own = quality_curve(table(*rows))["j"]["own"]
    assert own is not None
    assert own["r2"] is None
