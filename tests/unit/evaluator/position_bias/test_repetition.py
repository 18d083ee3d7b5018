"""Stability over repetitions."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest

from evaluator.position_bias.repetition import (
    chance_share,
    expected_largest_share,
    expected_repetition,
    repetition_report,
)

COLUMNS = ["judge", "repetition", "task", "model", "query", "verdict_original", "verdict_swapped"]


def table(*rows: str) -> pd.DataFrame:
    """Rows written as "judge repetition task model query AB"; "-" = the order was not run."""
    cells = [row.split() for row in rows]
    frame = pd.DataFrame([[*names, pair[0], pair[1]] for *names, pair in cells], columns=COLUMNS)
    return frame.replace({"verdict_original": {"-": ""}, "verdict_swapped": {"-": ""}})


def test_guessing_is_averaged_over_every_way_to_guess() -> None:
    for options in (2, 3):
        guesses = list(product(range(options), repeat=4))
        expected = np.mean([max(Counter(guess).values()) / 4 for guess in guesses])
        assert chance_share(4, options) == pytest.approx(float(expected))


def test_many_votes_leave_chance_near_one_label_in_k() -> None:
    # The largest of two shares of t fair votes: 1/2 + about sqrt(1 / (2 pi t)) = 0.5 + 0.0126 for t = 1,000.
    assert chance_share(1_000, 2) == pytest.approx(0.5126, abs=1e-4)


def test_a_certain_label_is_always_the_most_frequent() -> None:
    assert expected_largest_share(np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]), 3).tolist() == pytest.approx(
        [1.0, 0.75]
    )


def test_votes_of_the_two_orders_are_items_of_their_own() -> None:
    report = repetition_report(table("j 1 t m q AB", "j 2 t m q AB", "j 3 t m q A-"))["j"]
    assert (report["n_items"], report["n_calls"], report["repetition_stability"]) == (2, 5, 1.0)
    # Floor: original 2/3 with 3 votes of 3 options 1/3, swapped 2 votes 1/2 -> mean of 1/3 and 1/2.
    assert report["repetition_stability_floor"] == pytest.approx((1 / 3 + 1 / 2) / 2)
    # Pairs of repetitions: original 3, swapped 1, all equal; cross: A against B is the same candidate, 6 of 6.
    assert (report["same_order_agreement"], report["cross_order_agreement"], report["positional_excess"]) == (1, 1, 0)


def test_a_deterministic_judge_with_a_favourite_place_shows_as_positional_excess() -> None:
    report = repetition_report(table("j 1 t m q AA", "j 2 t m q AA"))["j"]
    assert (report["repetition_stability"], report["positional_excess"]) == (1.0, 1.0)


def test_single_runs_are_skipped_and_leave_the_figures_undefined() -> None:
    report = repetition_report(table("j 1 t m q AN", "j 1 t m r A-"))["j"]
    assert (report["n_items"], report["n_items_skipped"], report["n_queries"]) == (0, 3, 0)
    assert (report["n_calls"], report["n_error_calls"], report["error_rate"]) == (3, 1, 1 / 3)
    assert report["repetition_stability"] is report["repetition_stability_corrected"] is None
    assert report["same_order_agreement"] is report["cross_order_agreement"] is report["positional_excess"] is None


def test_the_corrected_figure_is_zero_at_chance_and_one_at_the_top() -> None:
    top = repetition_report(table("j 1 t m q A-", "j 2 t m q A-"), options=2)["j"]
    assert top["repetition_stability_corrected"] == 1.0
    # Two votes of two options: chance is (1 + 1/2) / 2 = 3/4; one item stable, one split: 3/4 as well.
    chance = repetition_report(table("j 1 t m q AB", "j 2 t m q AA"), options=2)["j"]
    assert (chance["repetition_stability"], chance["repetition_stability_corrected"]) == (0.75, 0.0)


def test_ten_queries_have_an_interval_and_equal_items_widen_it() -> None:
    rows = [f"j {run} t m q{query} A-" for run in (1, 2) for query in range(10)]
    report = repetition_report(table(*rows))["j"]
    # u = 3.8415 / 13.8415 = 0.2775
    assert report["repetition_stability_ci95"] == pytest.approx([1 - 0.2775, 1.0], abs=1e-4)
    assert repetition_report(table(*rows[:9], *rows[10:19]))["j"]["repetition_stability_ci95"] is None


def test_empty_input_gives_nothing_and_an_unknown_choice_is_refused() -> None:
    assert repetition_report(table()) == {}
    with pytest.raises(ValueError, match="choices: valid, paper"):
        repetition_report(table(), compat="published")  # type: ignore[arg-type]


def test_expected_repetition_is_averaged_over_items_and_skips_unusable_distributions() -> None:
    noise = ({"A": 1.0, "B": 1.0}, {"A": 3.0, "B": 3.0})  # renormalised to 1/2, 1/2
    position = ({"A": 1.0}, {"A": 1.0})
    unusable = ({"A": 0.0}, {"A": 1.0})
    figures = expected_repetition([noise, position, unusable, ({"A": float("nan")}, {"A": 1.0})], options=2)  # type: ignore[list-item]
    assert (figures["n_items"], figures["n_items_skipped"]) == (2, 2)
    assert figures["repetition_stability"] == pytest.approx((0.75 + 1.0) / 2)
    assert figures["positional_excess"] == pytest.approx((0.0 + 1.0) / 2)
    empty = expected_repetition([], options=3)
    assert (empty["n_items"], empty["repetition_stability"], empty["positional_excess"]) == (0, None, None)
