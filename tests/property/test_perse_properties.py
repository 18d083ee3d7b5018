"""Laws of the figures of personalized evaluation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluator.personalized_evaluation.pairs import pairs_report
from evaluator.personalized_evaluation.ratings import ratings_report
from evaluator.personalized_evaluation.replies import parse_choice, parse_score
from evaluator.personalized_evaluation.reports import PairsReport, RatingsReport
from submissions.formats.personalized_evaluation.submission import (
    ASPECTS,
    Choice,
    Memorized,
    PairItem,
    PairsSubmission,
    ProfileComparison,
    RatingsSubmission,
    Scale,
    other,
)
from tests.unit.evaluator.personalized_evaluation.perse_runs import pair, pairs_run, rating, ratings_run
from tests.unit.submissions.formats.personalized_evaluation.prediction_files import check

TEN = Scale(1, 10)
SCORES = st.integers(min_value=1, max_value=10)
FEW = settings(max_examples=40)

whole_ratings = st.lists(st.tuples(SCORES, SCORES, st.integers(0, 5)), min_size=4, max_size=25)


def ratings_of(rows: Sequence[tuple[int, float | None, int]]) -> RatingsSubmission:
    return ratings_run(
        [
            rating(number, gold, score, reviewer=f"reader {reviewer}", memorized=number % 2 == 0)
            for number, (gold, score, reviewer) in enumerate(rows)
        ]
    )


def of_ratings(run: RatingsSubmission, resamples: int = 20) -> RatingsReport:
    return ratings_report(run, resamples=resamples)


def coefficients(report: RatingsReport) -> list[float | None]:
    metrics = report["metrics"]
    return [metrics["pearson"]["value"], metrics["spearman"]["value"], metrics["kendall"]["value"]]


def negated(values: Sequence[float | None]) -> list[float | None]:
    return [None if value is None else -value for value in values]


def changed(run: RatingsSubmission, score_of: Any) -> RatingsSubmission:
    return replace(run, items=tuple(replace(item, score=score_of(item)) for item in run.items))


# --- ratings ---------------------------------------------------------------------------------------------------------


@FEW
@given(whole_ratings, st.randoms(use_true_random=False))
def test_the_order_of_items_means_nothing(rows: list[tuple[int, int, int]], random: Any) -> None:
    run = ratings_of(rows)
    shuffled = list(run.items)
    random.shuffle(shuffled)
    assert of_ratings(replace(run, items=tuple(shuffled))) == of_ratings(run)


@FEW
@given(whole_ratings)
def test_a_rising_line_keeps_correlations_and_a_falling_one_flips_them(rows: list[tuple[int, int, int]]) -> None:
    run = ratings_of(rows)
    found = coefficients(of_ratings(run, 1))
    rising = changed(run, lambda item: item.score / 2 + 3)
    falling = changed(run, lambda item: 11 - item.score)
    assert coefficients(of_ratings(rising, 1)) == pytest.approx(found, abs=1e-9)
    assert coefficients(of_ratings(falling, 1)) == pytest.approx(negated(found), abs=1e-9)


@FEW
@given(whole_ratings)
def test_where_all_is_answered_the_penalty_is_nothing(rows: list[tuple[int, int, int]]) -> None:
    report = of_ratings(ratings_of(rows))
    penalized = report["penalized"]
    assert [penalized["pearson"], penalized["spearman"], penalized["kendall"]] == coefficients(report)
    assert penalized["kendall_ci"] == report["metrics"]["kendall"]["ci"]
    assert report["parse_rate"] == 1


@FEW
@given(whole_ratings, SCORES)
def test_constant_predictions_are_undefined_and_not_zero(rows: list[tuple[int, int, int]], score: int) -> None:
    report = of_ratings(changed(ratings_of(rows), lambda item: score), 1)
    assert coefficients(report) == [None, None, None]
    assert report["penalized"]["kendall"] is None
    assert not report["rankable"]


@FEW
@given(whole_ratings)
def test_perfect_predictions_have_tau_one_and_no_error(rows: list[tuple[int, int, int]]) -> None:
    assume(len({gold for gold, _, _ in rows}) > 1)
    report = of_ratings(changed(ratings_of(rows), lambda item: item.gold), 1)
    assert coefficients(report) == pytest.approx([1, 1, 1])
    assert (report["metrics"]["mae"], report["metrics"]["exact_match"]) == (0, 1)


@FEW
@given(st.lists(st.tuples(SCORES, st.one_of(st.none(), SCORES), st.integers(0, 7)), min_size=1, max_size=25))
def test_every_figure_is_in_its_range_and_is_json(rows: list[tuple[int, int | None, int]]) -> None:
    report = of_ratings(ratings_of(rows))
    json.dumps(report, allow_nan=False)
    for value in coefficients(report):
        assert value is None or -1 - 1e-9 <= value <= 1 + 1e-9
    for ends in (report["penalized"]["kendall_ci"], report["metrics"]["pearson"]["ci"]):
        assert ends is None or -1 - 1e-9 <= ends[0] <= ends[1] <= 1 + 1e-9
    assert sum(report["missing"].values()) + report["answered"] == report["n"] == len(rows)
    assert report["rankable"] == (not report["flags"])


@FEW
@given(whole_ratings)
def test_without_profiles_there_is_no_mean_of_shown_scores(rows: list[tuple[int, int, int]]) -> None:
    run = ratings_of(rows)
    bare = replace(run, k=0, items=tuple(replace(item, profile=()) for item in run.items))
    assert of_ratings(bare, 1)["references"]["reviewer_avg"] is None


# --- choices ---------------------------------------------------------------------------------------------------------

LETTERS: st.SearchStrategy[Choice] = st.sampled_from(("A", "B"))
MAYBE = st.one_of(st.none(), LETTERS)
MARKS = st.one_of(st.none(), st.builds(Memorized, a=st.booleans(), b=st.booleans()))


@st.composite
def pair_runs(draw: st.DrawFn) -> PairsSubmission:
    items = [
        pair(
            number,
            aspect,
            reviewer=f"reader {number % 6}",
            comparison=f"c{number}",
            gold=draw(LETTERS),
            choice=draw(MAYBE),
            choice_swapped=draw(MAYBE),
            memorized=draw(MARKS),
            profile=(ProfileComparison("x", "y", draw(LETTERS)),),
        )
        for number in range(draw(st.integers(1, 7)))
        for aspect in range(5)
    ]
    return pairs_run(items)


def of_pairs(run: PairsSubmission, resamples: int = 1) -> PairsReport:
    return pairs_report(run, resamples=resamples)


def renamed(item: PairItem) -> PairItem:
    """The same item with text A called B and the other way round."""
    return replace(
        item,
        text_a=item.text_b,
        text_b=item.text_a,
        gold=other(item.gold),
        choice=item.choice and other(item.choice),
        choice_swapped=item.choice_swapped and other(item.choice_swapped),
        memorized=item.memorized and Memorized(a=item.memorized.b, b=item.memorized.a),
        profile=tuple(ProfileComparison(one.text_b, one.text_a, other(one.choice)) for one in item.profile),
    )


@FEW
@given(pair_runs(), st.randoms(use_true_random=False))
def test_the_order_of_pairs_means_nothing(run: PairsSubmission, random: Any) -> None:
    shuffled = list(run.items)
    random.shuffle(shuffled)
    assert of_pairs(replace(run, items=tuple(shuffled)), 20) == of_pairs(run, 20)


@FEW
@given(pair_runs())
def test_renaming_the_texts_everywhere_keeps_what_does_not_speak_of_places(run: PairsSubmission) -> None:
    found, turned = of_pairs(run), of_pairs(replace(run, items=tuple(map(renamed, run.items))))
    assert turned["accuracy"] == found["accuracy"]
    assert turned["both_orders"]["consistency"] == found["both_orders"]["consistency"]
    assert turned["alignment"]["winner_accuracy"] == found["alignment"]["winner_accuracy"]
    assert turned["alignment"]["win_rate_a"] == pytest.approx(
        {pair: 1 - rate for pair, rate in found["alignment"]["win_rate_a"].items()}
    )
    if found["contamination"] is not None and turned["contamination"] is not None:
        wanted = found["contamination"]["one"].get("bias_memorized")
        assert turned["contamination"]["one"].get("bias_memorized") == pytest.approx(wanted)


@FEW
@given(pair_runs(), st.integers(0, 100))
def test_taking_a_right_answer_away_never_helps(run: PairsSubmission, place: int) -> None:
    right = [number for number, item in enumerate(run.items) if item.choice == item.gold]
    assume(right)
    number = right[place % len(right)]
    items = list(run.items)
    items[number] = replace(items[number], choice=None)
    found, without = of_pairs(run), of_pairs(replace(run, items=tuple(items)))
    for aspect in ASPECTS:
        assert without["accuracy"][aspect]["penalized"] <= found["accuracy"][aspect]["penalized"]  # type: ignore[operator]


@FEW
@given(pair_runs())
def test_predictions_that_are_the_gold_are_right_and_favour_nothing(run: PairsSubmission) -> None:
    perfect = replace(run, items=tuple(replace(item, choice=item.gold, choice_swapped=item.gold) for item in run.items))
    report = of_pairs(perfect)
    assert report["accuracy_macro"]["value"] == report["accuracy_macro"]["penalized"] == 1
    assert report["bias_first"] == 0
    assert report["both_orders"]["consistency"] == 1
    assert report["alignment"]["mae"] == 0
    if report["contamination"] is not None and report["contamination"]["one"]["n"]:
        assert report["contamination"]["one"]["bias_memorized"] == 0


@FEW
@given(pair_runs())
def test_fairness_is_the_bias_of_both_orders_seen_from_the_other_side(run: PairsSubmission) -> None:
    """From the definition: (P(choice = A) + P(choice_swapped = B)) / 2 - 1/2, and PF = -2 times that."""
    report = of_pairs(run)
    twice = [item for item in run.items if item.choice is not None and item.choice_swapped is not None]
    orders = report["both_orders"]
    assert orders["n"] == len(twice)
    assume(twice)
    share_a = sum(item.choice == "A" for item in twice) / len(twice)
    share_b = sum(item.choice_swapped == "B" for item in twice) / len(twice)
    assert orders["bias_first_both_orders"] == pytest.approx((share_a + share_b) / 2 - 0.5)
    assert orders["positional_fairness"] == pytest.approx(-2 * ((share_a + share_b) / 2 - 0.5))


# --- reading ---------------------------------------------------------------------------------------------------------


@FEW
@given(st.text(), st.floats(min_value=1, max_value=10), st.booleans())
def test_a_score_written_as_json_is_read_whatever_the_review_says(review: str, score: float, is_fenced: bool) -> None:
    text = json.dumps({"Review": review, "Score": score})
    assume(not is_fenced or "```" not in text)
    assert parse_score(f"Here:\n```json\n{text}\n```" if is_fenced else text, TEN).value == score


@FEW
@given(st.text(), LETTERS)
def test_a_choice_written_as_json_is_read_whatever_the_review_says(review: str, choice: Choice) -> None:
    assert parse_choice(json.dumps({"Review": review, "Choice": f"Plot {choice}"})).value == choice


@FEW
@given(st.text(alphabet=st.sampled_from('{}[]":,`/ \n.-0123456789aAbBeorschiptlfn')))
def test_any_text_is_an_answer_on_the_scale_or_a_reason(text: str) -> None:
    score = parse_score(text, TEN)
    assert (score.value is None) == (score.reason is not None)
    assert score.value is None or score.value in TEN
    choice = parse_choice(text)
    assert (choice.value is None) == (choice.reason is not None)


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 12), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ("id", "reviewer", "profile", "text", "gold", "score", "response", "shuffled_scores", "memorized", "aspect")


@FEW
@given(
    st.sampled_from(("personalized_ratings", "personalized_pairs")),
    st.dictionaries(st.sampled_from(("k", "scale", "gold_scale", "dataset", "items")), values),
    st.lists(st.dictionaries(st.sampled_from(FIELDS), values), max_size=3),
)
def test_the_check_never_raises_and_says_of_every_refused_file_why(
    kind: str, envelope: dict[str, Any], items: list[dict[str, Any]]
) -> None:
    document = {"kind": kind, "team": "a", "system": "b", "model": "c", "run": "d", "items": items, **envelope}
    report = check(json.dumps(document).encode())
    assert report.kind == kind
    assert (report.entry is None) == (report.decision == "refused")
    assert report.decision != "refused" or any(problem.severity == "error" for problem in report.problems)
