"""The figures of predicted ratings, on runs small enough to compute by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evaluator.personalized_evaluation.ratings import ratings_report
from submissions.formats.personalized_evaluation.submission import ProfileReview, Scale
from tests.unit.evaluator.personalized_evaluation.perse_runs import rating, ratings_run


def figures(*arguments: Any, **options: Any) -> Any:
    """The report, whose figures are compared to rounding."""
    return ratings_report(*arguments, **options)


GOLDS = (2, 4, 6, 8, 9, 3)


def perfect(**changes: Any) -> list[Any]:
    return [rating(number, gold, gold, **changes) for number, gold in enumerate(GOLDS)]


def test_perfect_predictions_have_tau_one_and_no_error() -> None:
    report = figures(ratings_run(perfect()), resamples=50)
    metrics = report["metrics"]
    assert [metrics[name]["value"] for name in ("pearson", "spearman", "kendall")] == pytest.approx([1, 1, 1])
    assert (metrics["mae"], metrics["exact_match"]) == (0, 1)
    assert report["penalized"]["kendall"] == pytest.approx(1)
    assert report["penalized"]["kendall_ci"] == pytest.approx([1, 1])
    assert (report["rankable"], report["flags"]) == (True, [])


def test_a_missing_answer_stands_at_the_middle_of_the_scale() -> None:
    items = [rating(0, 1, 1), rating(1, 5, None), rating(2, 9, 9), rating(3, 10, None, response="no idea")]
    report = figures(ratings_run(items), resamples=1)
    assert (report["answered"], report["parse_rate"]) == (2, 0.5)
    assert report["missing"] == {"no_answer": 1, "unparsed": 1, "out_of_range": 0}
    assert report["metrics"]["kendall"]["value"] is None  # two items
    # predictions 1, 5.5, 9, 5.5 for 1, 5, 9, 10: of 6 pairs 4 agree, (9, 10) does not, one is tied: 3 / sqrt(5 * 6)
    assert report["penalized"]["kendall"] == pytest.approx(3 / 30**0.5)


def test_errors_are_measured_on_the_scale_of_the_reviewers() -> None:
    items = [rating(0, 2, 4), rating(1, 5, 10), rating(2, 1, 2)]
    report = figures(ratings_run(items, gold_scale=Scale(1, 5)), resamples=1)
    # 4, 10, 2 of 1-10 are 7/3, 5, 13/9 of 1-5; errors 1/3, 0, 4/9; rounded 2, 5, 1
    assert report["metrics"]["mae"] == pytest.approx((1 / 3 + 4 / 9) / 3)
    assert report["metrics"]["exact_match"] == 1.0


def test_halves_are_rounded_up() -> None:
    report = figures(ratings_run([rating(0, 3, 2.5), rating(1, 2, 2.5)]), resamples=1)
    assert report["metrics"]["exact_match"] == 0.5
    # 4.375 of 1-10 is 1 + 3.375 * 4 / 9 = 2.5 of 1-5
    report = figures(ratings_run([rating(0, 3, 4.375)], gold_scale=Scale(1, 5)), resamples=1)
    assert report["metrics"]["exact_match"] == 1.0


def test_taste_is_measured_inside_of_reviewers() -> None:
    mild = [rating(number, 8 + number, 10 - number, reviewer="mild") for number in range(3)]
    harsh = [rating(10 + number, 1 + number, 3 - number, reviewer="harsh") for number in range(3)]
    few = [rating(20 + number, number + 1, number + 1, reviewer="few") for number in range(2)]
    same = [rating(30 + number, 5, number + 1, reviewer="same") for number in range(3)]
    metrics = figures(ratings_run([*mild, *harsh, *few, *same]), resamples=1)["metrics"]
    # who is mild is predicted (tau > 0), what they like the wrong way round (-1 twice); two items and one score: none
    assert metrics["kendall"]["value"] is not None
    assert metrics["kendall"]["value"] > 0
    assert (metrics["within_reviewer_kendall"], metrics["within_reviewer_n"]) == (pytest.approx(-1), 2)


def test_the_gain_is_over_the_mean_of_the_scores_shown() -> None:
    items = [rating(number, gold, gold, shown=(1, 10 - gold)) for number, gold in enumerate(GOLDS)]
    report = figures(ratings_run(items, k=2), resamples=50)
    assert report["references"]["reviewer_avg"] == pytest.approx({"pearson": -1, "spearman": -1, "kendall": -1})
    assert report["gain_over_reviewer_avg"] == {"value": pytest.approx(2), "ci": pytest.approx([2, 2])}


def test_without_a_profile_there_is_no_mean_to_beat() -> None:
    report = figures(ratings_run(perfect(shown=()), k=0), resamples=1)
    assert report["references"]["reviewer_avg"] is None
    assert report["gain_over_reviewer_avg"] is None


def test_the_gain_over_no_profile_pairs_items_by_their_id() -> None:
    run = ratings_run(perfect())
    reversed_guesses = [rating(number, gold, 11 - gold, shown=()) for number, gold in enumerate(GOLDS)]
    report = figures(run, k0=ratings_run(reversed_guesses[::-1], k=0), resamples=50)
    assert report["gain_over_k0"] == {"value": pytest.approx(2), "ci": pytest.approx([2, 2])}


def test_only_a_run_without_profiles_on_the_same_items_is_compared_with() -> None:
    run = ratings_run(perfect())
    with pytest.raises(ValueError, match="k = 0"):
        figures(run, k0=run)
    with pytest.raises(ValueError, match="same collection"):
        figures(run, k0=ratings_run([rating(0, 5, 5, shown=())], k=0))


def test_other_orders_are_measured_run_by_run() -> None:
    shuffles = [(2, 9), (4, 8), (6, 4), (8, None)]
    items = [
        rating(number, gold, gold, shown=(1, 2), shuffled_scores=one)
        for number, (gold, one) in enumerate(zip(GOLDS, shuffles, strict=False))
    ]
    shuffle = figures(ratings_run(items, k=2), resamples=1)["order_shuffle"]
    assert shuffle is not None
    assert (shuffle["runs"], shuffle["kendall"]) == (2, [pytest.approx(1), pytest.approx(-1)])
    assert (shuffle["kendall_mean"], shuffle["kendall_std"]) == (pytest.approx(0), pytest.approx(2**0.5))
    # of 2 and 9, 4 and 8, 6 and 4: |a - b| / sqrt 2 each; one value alone has none
    assert shuffle["item_std"] == pytest.approx((7 + 4 + 2) / 3 / 2**0.5)


def test_an_item_without_other_orders_leaves_the_figure_out() -> None:
    items = [rating(0, 5, 5, shown=(1, 2), shuffled_scores=(1, 2)), rating(1, 5, 5, shown=(1, 2))]
    assert figures(ratings_run(items, k=2), resamples=1)["order_shuffle"] is None


def test_recognised_texts_are_counted_apart() -> None:
    marks = (True, True, True, False, False, None)
    items = [
        rating(number, gold, gold if mark else 11 - gold, memorized=mark)
        for number, (gold, mark) in enumerate(zip(GOLDS, marks, strict=True))
    ]
    groups = figures(ratings_run(items), resamples=1)["contamination"]
    assert groups is not None
    assert (groups["memorized"]["n"], groups["memorized"]["percent"]) == (3, 3 / 5)
    assert groups["memorized"]["kendall"] == pytest.approx(1)
    assert (groups["unmemorized"]["n"], groups["unmemorized"]["kendall"]) == (2, None)


def test_blank_explanations_are_none() -> None:
    items = [
        rating(0, 5, 5, review="warm", reference_review="warm"),
        rating(1, 5, 5, review=" ", reference_review="cold"),
        rating(2, 5, 5, review="cold"),
    ]
    explanation = figures(ratings_run(items), resamples=1)["explanation"]
    assert explanation is not None
    assert (explanation["n"], explanation["rouge1"]) == (1, 1.0)
    assert figures(ratings_run(items[1:]), resamples=1)["explanation"] is None


def test_a_judges_reason_replaces_that_of_the_file() -> None:
    items = [rating(0, 5, None), rating(1, 5, 5), rating(2, 6, 6)]
    report = figures(
        ratings_run(items),
        reasons={"r000": "no_label", "r001": "no_label"},
        marks=["shortened"],
        resamples=1,
        per_item=True,
    )
    assert report["missing"] == {"no_answer": 0, "unparsed": 0, "out_of_range": 0, "no_label": 1}
    assert report["items"] == [
        {"id": "r000", "score": None, "reason": "no_label"},
        {"id": "r001", "score": 5, "reason": None},
        {"id": "r002", "score": 6, "reason": None},
    ]
    assert report["flags"] == ["few_reviewers", "shortened"]


def test_what_is_only_to_be_known_about_a_run_does_not_unrank_it() -> None:
    report = figures(ratings_run(perfect()), marks=["shortened"], resamples=1)
    assert (report["flags"], report["rankable"]) == (["shortened"], True)


def test_runs_that_answer_too_little_or_ask_too_few_are_not_ranked() -> None:
    mostly_silent = [replace(item, score=None) if number > 1 else item for number, item in enumerate(perfect())]
    assert figures(ratings_run(mostly_silent), resamples=1)["flags"] == ["low_parse_rate"]
    few = [rating(number, gold, gold, reviewer=f"r{number % 4}") for number, gold in enumerate(GOLDS)]
    assert figures(ratings_run(few), resamples=1)["flags"] == ["few_reviewers"]


def test_matrix_factorization_needs_known_ratings_of_half_the_texts() -> None:
    profile = (ProfileReview("t", "", 5, "other"),)
    items = [
        rating(number, gold, gold, profile=profile, item_id="other" if number < 3 else f"new {number}")
        for number, gold in enumerate(GOLDS)
    ]
    # each reader's own rating of "other" is a query for the first three and so removed; those of the rest remain
    assert figures(ratings_run(items), resamples=1)["references"]["matrix_factorization"] is not None
    fewer = [replace(item, item_id=None) if number == 0 else item for number, item in enumerate(items)]
    assert figures(ratings_run(fewer), resamples=1)["references"]["matrix_factorization"] is None
