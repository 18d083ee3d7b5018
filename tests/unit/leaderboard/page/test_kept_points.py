"""The sentence of a system, for each edge of its figures."""

from __future__ import annotations

from evaluator.results import MetricValue
from leaderboard.page.kept_points import kept_points_sentence

SCORE = MetricValue(value=3.5, low=2.78, high=3.85, n=18)


def test_what_the_relevance_check_took_is_the_difference_of_both_means() -> None:
    before = MetricValue(value=3.75, low=3.0, high=4.1, n=18)
    assert kept_points_sentence("keel", SCORE, before, changes="style") == (
        "keel keeps 3.50 [2.78, 3.85] of 5 points when only the style changes; "
        "answers that may not answer their question cost 0.25 points."
    )


def test_where_the_check_took_nothing_that_is_said() -> None:
    assert kept_points_sentence("keel", SCORE, SCORE, changes="language") == (
        "keel keeps 3.50 [2.78, 3.85] of 5 points when only the language changes; the relevance check took nothing."
    )
    assert kept_points_sentence("keel", SCORE, None, changes="style") == (
        "keel keeps 3.50 [2.78, 3.85] of 5 points when only the style changes."
    )


def test_a_score_of_zero_is_a_score_and_a_missing_one_says_why() -> None:
    zero, before = MetricValue(value=0.0, n=18), MetricValue(value=5.0, n=18)
    assert kept_points_sentence("Null: one constant answer", zero, before, changes="style", is_null=True) == (
        "Null: one constant answer, a baseline, keeps 0.00 of 5 points when only the style changes; "
        "answers that may not answer their question cost 5.00 points."
    )
    missing = MetricValue(value=None, n=0, reason="relevance not checked")
    assert kept_points_sentence("keel", missing, None, changes="style") == "keel has no score: relevance not checked."
    assert kept_points_sentence("keel", None, None, changes="style") == "keel has no score: nothing was judged."
