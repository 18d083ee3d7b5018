"""Plans of how many items or labels it takes, held against simulation."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.statistics.sample_size import (
    items_plan,
    labels_plan,
    paired_power,
    simulated_label_power,
    simulated_power,
)

DRAWN = np.random.default_rng(5)


def test_thirty_four_pairs_see_half_a_standard_deviation_four_times_in_five() -> None:
    # Cohen 1988, table 2.4.1: d = 0.5, two-sided 5%, power .80 -> 34 pairs.
    assert paired_power(0.5, 1.0, 34) >= 0.80 > paired_power(0.5, 1.0, 33)


@pytest.mark.parametrize("chance", [0.55, 0.6, 0.8])
def test_the_planned_items_have_the_planned_power_in_simulation(chance: float) -> None:
    differences = (2.0 * (np.arange(1000) < 1000 * chance) - 1.0).tolist()  # wins and losses
    plan = items_plan(differences)
    assert plan.needed is not None
    assert simulated_power(differences, plan.needed) == pytest.approx(0.8, abs=0.05)


def test_a_skewed_difference_is_planned_as_well() -> None:
    differences = DRAWN.exponential(1.0, 2000) - 0.8
    plan = items_plan(differences.tolist(), power=0.9)
    assert plan.needed is not None
    assert simulated_power(differences.tolist(), plan.needed) == pytest.approx(0.9, abs=0.05)


def test_systems_that_do_not_differ_have_no_plan_and_those_that_always_do_need_six() -> None:
    assert items_plan([1.0, -1.0] * 10).needed is None
    assert items_plan([1.0] * 10).needed == 6


def test_labels_needed_with_a_judge_have_the_planned_power_in_simulation() -> None:
    items, size = 4000, 200_000
    judged = DRAWN.normal(0.1, 1.0, size)
    labelled = judged + DRAWN.normal(0.0, 0.5, size)
    plan = labels_plan(labelled.tolist(), judged.tolist(), items)
    assert plan.needed is not None
    alone = items_plan(labelled.tolist()).needed
    assert alone is not None
    assert plan.needed < alone / 2
    assert simulated_label_power(labelled.tolist(), judged.tolist(), plan.needed, items) == pytest.approx(0.8, abs=0.05)
    # With labels that add nothing the judge decides: 1.96 standard errors are seen in half of the cases.
    judged = DRAWN.normal(0.0, 1.0, size)
    judged += 1.96 * judged.std() / items**0.5 - judged.mean()
    assert simulated_label_power(judged.tolist(), judged.tolist(), 50, items) == pytest.approx(0.5, abs=0.05)


def test_a_judge_on_too_few_items_is_no_plan() -> None:
    label = DRAWN.normal(0.05, 1.0, 100)
    assert labels_plan(label.tolist(), (label + 0.1).tolist(), items=10).needed is None


def test_bad_input_is_refused_with_what_was_expected() -> None:
    with pytest.raises(ValueError, match="3 items; expected at least 6"):
        items_plan([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="a power of 1"):
        items_plan([1.0] * 6, power=1.0)
    with pytest.raises(ValueError, match="7 differences by the judge; expected 8"):
        labels_plan([1.0] * 8, [1.0] * 7, 100)
