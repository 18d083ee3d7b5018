"""More than two candidates."""

from __future__ import annotations

import pytest

from evaluator.position_bias.cyclic_orders import listwise


def test_items_are_pooled_and_those_with_an_unusable_verdict_left_out() -> None:
    figures = listwise([[0, 2, 1], [0, 0, 0], [0, None, 1]], [[0, 0, 0], [0, 1, 2], [0, None, 0]], 3)
    assert (figures["n_items"], figures["n_invalid"]) == (2, 1)
    assert (figures["consistency_strict"], figures["consistency_pairwise"]) == (0.5, 0.5)
    # Places: 0 four times, 1 and 2 once: fairness (4 x -1 + 0 + 1) / 6, distance (|4/6 - 1/3| + 2 |1/6 - 1/3|) / 2.
    assert figures["fairness"] == pytest.approx(-0.5)
    assert figures["uniformity_distance"] == pytest.approx(1 / 3)


def test_with_two_candidates_it_says_what_the_pair_figures_say() -> None:
    # AB BB AA AA: PC 1/4, PF (1 - 2) / 4.
    figures = listwise([[0, 1], [1, 1], [0, 0], [0, 0]], [[0, 0], [1, 0], [0, 1], [0, 1]], 2)
    assert (figures["consistency_strict"], figures["consistency_pairwise"]) == (0.25, 0.25)
    assert figures["fairness"] == pytest.approx(-0.25)


def test_without_a_usable_item_nothing_is_defined() -> None:
    figures = listwise([], [], 3)
    assert (figures["n_items"], figures["consistency_strict"], figures["consistency_pairwise"]) == (0, None, None)
    assert (figures["fairness"], figures["uniformity_distance"]) == (None, None)
