"""The sentence of a system, for each edge of its figures."""

from __future__ import annotations

from evaluator.results import MetricValue
from leaderboard.boards.robustness.sentences import system_sentence

SCORE = MetricValue(value=3.5, low=2.78, high=3.85, n=18)


def test_what_the_relevance_check_took_is_the_difference_of_both_means() -> None:
    means = {"pair_mean_gated": SCORE, "pair_mean": MetricValue(value=3.75, low=3.0, high=4.1, n=18)}
    assert system_sentence("keel", means) == (
        "keel keeps 3.50 [2.78, 3.85] of 5 points when only the style changes; "
        "answers that may not answer their question cost 0.25 points."
    )


def test_where_the_check_took_nothing_that_is_said() -> None:
    assert system_sentence("keel", {"pair_mean_gated": SCORE, "pair_mean": SCORE}) == (
        "keel keeps 3.50 [2.78, 3.85] of 5 points when only the style changes; the relevance check took nothing."
    )
    assert system_sentence("keel", {"pair_mean_gated": SCORE}) == (
        "keel keeps 3.50 [2.78, 3.85] of 5 points when only the style changes."
    )


def test_a_score_of_zero_is_a_score_and_a_missing_one_says_why() -> None:
    zero = {"pair_mean_gated": MetricValue(value=0.0, n=18), "pair_mean": MetricValue(value=5.0, n=18)}
    assert system_sentence("Null: one constant answer", zero, is_null=True) == (
        "Null: one constant answer, a baseline, keeps 0.00 of 5 points when only the style changes; "
        "answers that may not answer their question cost 5.00 points."
    )
    missing = {"pair_mean_gated": MetricValue(value=None, n=0, reason="relevance not checked")}
    assert system_sentence("keel", missing) == "keel has no score: relevance not checked."
    assert system_sentence("keel", {}) == "keel has no score: nothing was judged."
