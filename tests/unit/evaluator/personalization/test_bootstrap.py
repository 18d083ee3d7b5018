"""Intervals of the personalization figures: by example, null where they say nothing, paired between methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import pytest

from evaluator.personalization.bootstrap import metric_intervals, paired_method_difference, unit_tallies
from evaluator.personalization.outcome_rows import OutcomeRow

ROW = OutcomeRow("q", "mmlu", "relevant", correct_no_pref=True, correct_pref=True, rating=5.0)


def answers(right: Sequence[bool], *, copies: int = 1) -> list[OutcomeRow]:
    """One example per entry, its control right; `copies` rows each, one per preference."""
    return [
        replace(ROW, example_id=f"q{number:03}", correct_pref=is_right, pref_id=str(copy))
        for number, is_right in enumerate(right)
        for copy in range(copies)
    ]


def breakage_interval(rows: list[OutcomeRow]) -> tuple[float, float] | None:
    return metric_intervals(unit_tallies(rows, "relevant"), "relevant")["breakage_rate"]


def test_an_interval_of_a_share_has_the_width_of_the_binomial() -> None:
    # 20 of 100 broken: 0.2 +- 1.96 x sqrt(0.2 x 0.8 / 100) = 0.2 +- 0.078
    low, high = breakage_interval(answers([False] * 20 + [True] * 80)) or (0.0, 0.0)
    assert [low, high] == pytest.approx([0.122, 0.278], abs=0.015)


def test_rows_of_one_example_are_one_piece_of_evidence() -> None:
    once = answers([False] * 20 + [True] * 80)
    assert breakage_interval(answers([False] * 20 + [True] * 80, copies=11)) == pytest.approx(breakage_interval(once))


def test_the_order_of_rows_changes_no_interval() -> None:
    rows = answers([False] * 7 + [True] * 30, copies=2)
    assert breakage_interval(rows[::-1]) == breakage_interval(rows)


def test_an_undefined_figure_has_no_interval() -> None:
    unjudged = [replace(row, rating=None) for row in answers([True] * 50)]
    found = metric_intervals(unit_tallies(unjudged, "relevant"), "relevant")
    assert (found["alignment_failure"], found["robustness_error"]) == (None, None)
    assert found["breakage_rate"] == pytest.approx((0.0, 1 - 0.025 ** (1 / 50)))  # none of 50 broke
    assert found["repeat_breakage"] is None
    assert set(metric_intervals(unit_tallies([], "relevant"), "relevant").values()) == {None}


@pytest.mark.parametrize(("in_qstar", "is_given"), [(1, False), (5, False), (6, True)])
def test_a_figure_of_fewer_than_six_examples_has_no_interval(in_qstar: int, is_given: bool) -> None:
    rows = answers([True] * 100)
    rows = rows[:in_qstar] + [replace(row, correct_no_pref=False) for row in rows[in_qstar:]]
    assert (breakage_interval(rows) is not None) == is_given


def test_the_difference_of_a_method_with_itself_is_exactly_zero() -> None:
    rows = answers([False] * 10 + [True] * 20)
    difference = paired_method_difference(rows, rows)["breakage_rate"]
    assert (difference.value, difference.low, difference.high, difference.n) == (0.0, 0.0, 0.0, 30)


def test_pairing_removes_what_is_hard_for_both() -> None:
    # Of 100 examples both break 50 and the first 10 more: difference 0.1, and only those 10 vary between draws:
    # sd = sqrt(0.1 x 0.9 / 100) = 0.03. Unpaired it would be sqrt(0.6 x 0.4 / 100 + 0.5 x 0.5 / 100) = 0.07.
    first, second = answers([False] * 60 + [True] * 40), answers([False] * 50 + [True] * 50)
    difference = paired_method_difference(first, second)["breakage_rate"]
    assert difference.value == pytest.approx(0.1)
    assert difference.low is not None
    assert difference.high is not None
    assert difference.high - difference.low == pytest.approx(2 * 1.96 * sqrt(0.1 * 0.9 / 100), rel=0.15)


def test_only_common_examples_are_compared() -> None:
    # Common: q001, q002. First: both right; second: one of two broken.
    first = answers([False, True, True])[1:]
    second = [*answers([True, False, True])[1:], replace(ROW, example_id="other", correct_pref=False)]
    difference = paired_method_difference(first, second)["breakage_rate"]
    assert (difference.value, difference.n, difference.unscored) == (-0.5, 2, 1)


def test_an_undefined_side_leaves_the_difference_undefined_with_a_reason() -> None:
    unjudged = [replace(ROW, rating=None)]
    found = paired_method_difference([ROW], unjudged)
    assert found["breakage_rate"].value == 0.0
    assert found["alignment_failure"].value is None
    assert found["alignment_failure"].reason == "undefined for one of the two on their common examples"


@pytest.mark.parametrize("second", [[], [replace(ROW, example_id="other")], [replace(ROW, correct_pref=None)]])
def test_without_a_common_example_there_is_no_difference(second: list[OutcomeRow]) -> None:
    difference = paired_method_difference([ROW], second)["robustness_error"]
    assert (difference.value, difference.n, difference.reason) == (None, 0, "no common example")


def test_methods_are_compared_within_one_setting() -> None:
    with pytest.raises(ValueError, match="mixed, relevant"):
        paired_method_difference([ROW], [replace(ROW, setting="mixed")])
