"""Rules that choose items: what they choose, and how far the chosen items rank systems as all items do."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.statistics.item_selection import (
    RULES,
    anchor_items,
    random_items,
    rule_figures,
    stratified_items,
    upper_lower_items,
    varying_items,
)

DRAWN = np.random.default_rng(3)


def systems(number: int, items: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Outcomes of systems from bad to good on items of one difficulty."""
    levels = np.linspace(0.1, 0.9, number)[:, None]
    return (DRAWN.random((number, items)) < levels).astype(np.float64)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_chooses_different_items_whose_weights_are_one_together(rule: str) -> None:
    chosen = RULES[rule](systems(12, 60), 10, np.random.default_rng(1))
    assert len(set(chosen.items.tolist())) == len(chosen.items) == 10
    assert chosen.weights.sum() == pytest.approx(1.0)


def test_the_upper_and_the_lower_group_have_27_percent_of_the_systems_each() -> None:
    # 27% of 11 systems are 3. Item 0 parts the three best from the three worst, item 1 only the best from all others.
    outcomes = np.zeros((11, 3))
    outcomes[8:, 0] = 1.0
    outcomes[10, 1] = 1.0
    outcomes[:, 2] = np.linspace(0.0, 0.5, 11)  # upper mean .45, lower mean .05: .4; item 1 has 1/3
    assert upper_lower_items(outcomes, 1, DRAWN).items.tolist() == [0]
    assert upper_lower_items(outcomes, 2, DRAWN).items.tolist() == [0, 2]


def test_an_item_that_half_of_the_systems_solve_varies_most() -> None:
    # Variance of shares 1/4, 1/2, 3/4, 1 of four systems: 3/16, 4/16, 3/16, 0.
    outcomes = np.array([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 1, 1]], np.float64)
    assert varying_items(outcomes, 1, DRAWN).items.tolist() == [1]
    assert varying_items(outcomes, 3, DRAWN).items.tolist() == [0, 1, 2]


def test_items_on_which_all_did_alike_have_one_anchor() -> None:
    # Six items of two kinds, four and two: asked for five anchors there are two, 4/6 and 2/6.
    outcomes = np.array([[1.0, 1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]])
    chosen = anchor_items(outcomes, 5, np.random.default_rng(1))
    assert sorted(chosen.weights.tolist()) == pytest.approx([1 / 3, 2 / 3])


def test_an_anchor_counts_as_much_as_the_items_like_it() -> None:
    # Thirty items that only good systems solve, ten that everybody solves.
    outcomes = np.hstack([np.repeat([[0.0], [0.0], [1.0], [1.0]], 30, axis=1), np.ones((4, 10))])
    chosen = anchor_items(outcomes, 2, np.random.default_rng(1))
    assert sorted(chosen.weights.tolist()) == [0.25, 0.75]
    assert chosen.items[chosen.weights.argmax()] < 30


def test_strata_go_from_the_hardest_to_the_easiest_item() -> None:
    outcomes = np.tile(np.linspace(0.0, 1.0, 20), (4, 1))
    chosen = stratified_items(outcomes, 4, np.random.default_rng(1))
    assert [item // 5 for item in chosen.items.tolist()] == [0, 1, 2, 3]


def test_more_items_rank_better_and_random_ones_gain_nothing_on_themselves() -> None:
    few, many = rule_figures(systems(16, 200), (5, 80), {"random": random_items}, splits=20)
    assert few.tau < many.tau
    assert (many.gain, many.gain_low, many.gain_high, many.systems, many.splits) == (0.0, 0.0, 0.0, 8, 20)
    assert not many.is_better_than_random


def test_the_same_outcomes_give_the_same_figures() -> None:
    outcomes = systems(10, 50)
    assert rule_figures(outcomes, (5,), splits=5) == rule_figures(outcomes, (5,), splits=5)


def test_too_few_systems_and_too_many_items_are_refused() -> None:
    with pytest.raises(ValueError, match="6 systems; expected at least 8"):
        rule_figures(systems(6, 50), (5,))
    with pytest.raises(ValueError, match="50 of 50 items; expected fewer"):
        rule_figures(systems(8, 50), (50,))
