"""Verdicts and effects from label probabilities."""

from __future__ import annotations

from math import inf, log, nan

import pytest

from evaluator.position_bias.label_bias import (
    OrderLabelEffects,
    OrderLabelRun,
    label_reading,
    order_label_effects,
    swap_effects,
)


def test_a_nan_is_named_before_anything_else() -> None:
    assert label_reading({"A": [nan, -5.0], "B": [-9.0]}, options=2).reason == "nonfinite_logits"
    assert label_reading({"A": [-0.1], "B": [-9.0], "C": [nan]}, options=2).verdict == "A"  # C is not read


def test_low_mass_is_named_before_a_tie() -> None:
    assert label_reading({"A": [-3.0], "B": [-3.0]}, options=2).reason == "low_label_mass"


def test_equal_labels_tie_in_whatever_order_their_tokens_come() -> None:
    reading = label_reading({"A": [-1.0, -2.5, -7.0], "B": [-7.0, -1.0, -2.5]}, options=2)
    assert (reading.verdict, reading.reason, reading.log_odds) == ("N", "tied_logits", 0.0)


@pytest.mark.parametrize("tied", ["AB", "AC", "BC", "ABC"])
def test_with_three_options_any_tie_at_the_top_is_a_tie(tied: str) -> None:
    logprobs = {label: [log(0.3) if label in tied else log(0.05)] for label in "ABC"}
    assert label_reading(logprobs, options=3).verdict == "C"  # type: ignore[arg-type]


def test_a_label_without_probability_leaves_the_log_odds_undefined() -> None:
    reading = label_reading({"A": [-0.1], "B": [-inf]}, options=2)
    assert (reading.verdict, reading.log_odds) == ("A", None)
    assert label_reading({"A": [-inf], "B": []}, options=2).reason == "low_label_mass"


def test_a_judge_without_a_token_for_a_label_is_refused() -> None:
    with pytest.raises(KeyError):
        label_reading({"A": [-0.1], "B": [-3.0]}, options=3)


def test_infinite_log_odds_are_no_effect() -> None:
    assert swap_effects(inf, 1.0) == swap_effects(1.0, nan) == swap_effects(None, None)


def test_no_effect_is_a_plain_zero() -> None:
    assert str(swap_effects(2.0, -2.0).position_effect) == "0.0"


def test_consistency_needs_content_to_outweigh_position() -> None:
    assert swap_effects(2.0, 0.0).consistent is False  # content 1, position -1: a tie of the two
    assert swap_effects(2.0, -0.1).consistent is True


def test_an_unbalanced_design_tells_nothing_apart() -> None:
    nothing = OrderLabelEffects(None, None, None)
    runs = [OrderLabelRun(1, 1, 0.5), OrderLabelRun(-1, 1, 0.5), OrderLabelRun(1, -1, 0.5)]
    assert order_label_effects(runs) == order_label_effects([]) == nothing
    assert order_label_effects([*runs, OrderLabelRun(-1, -1, None)]) == nothing
    assert order_label_effects([*runs, OrderLabelRun(-1, -1, 0.5)]).label_effect == 0.5
