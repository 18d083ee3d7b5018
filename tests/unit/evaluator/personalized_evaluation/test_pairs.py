"""The figures of predicted choices, on runs small enough to compute by hand."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.personalized_evaluation.pairs import both_orders, pairs_report, predicted_choices
from submissions.formats.personalized_evaluation.submission import (
    ASPECTS,
    Choice,
    Memorized,
    PairItem,
    ProfileComparison,
)
from tests.unit.evaluator.personalized_evaluation.perse_runs import pair, pairs_run


def figures(*arguments: Any, **options: Any) -> Any:
    """The report, whose figures are compared to rounding."""
    return pairs_report(*arguments, **options)


def in_all_aspects(number: int, choices: str, golds: str = "AAAAA", **changes: Any) -> list[PairItem]:
    """One comparison; "-" = no answer."""
    return [
        pair(number, aspect, choice=None if choice == "-" else choice, gold=gold, **changes)
        for aspect, (choice, gold) in enumerate(zip(choices, golds, strict=True))
    ]


def test_missing_answers_are_wrong_in_the_headline_and_left_out_beside_it() -> None:
    items = [*in_all_aspects(0, "AAAA-"), *in_all_aspects(1, "ABBAA")]
    report = figures(pairs_run(items), resamples=1)
    assert report["missing"] == {"no_answer": 1, "unparsed": 0}
    values = [report["accuracy"][aspect]["value"] for aspect in ASPECTS]
    assert values == [1.0, 0.5, 0.5, 1.0, 1.0]
    assert [report["accuracy"][aspect]["penalized"] for aspect in ASPECTS] == [1.0, 0.5, 0.5, 1.0, 0.5]
    assert report["accuracy_macro"] == {"value": pytest.approx(0.8), "penalized": pytest.approx(0.7), "ci": None}


def test_an_aspect_without_an_item_leaves_no_headline() -> None:
    report = figures(pairs_run(in_all_aspects(0, "AAAAA")[:4]), resamples=1)
    assert report["accuracy"]["Ending"] == {"n": 0, "value": None, "penalized": None, "ci": None}
    assert report["accuracy_macro"]["penalized"] is None
    assert report["flags"] == ["headline_undefined", "few_reviewers"]


def test_raw_text_about_the_swapped_prompt_is_mapped_back() -> None:
    found = predicted_choices(pair(0, response="Plot A", response_swapped="Plot A"))
    assert (found.given.value, found.swapped.value) == ("A", "B")
    assert predicted_choices(pair(0, choice="A", choice_swapped="A")).swapped.value == "A"


@pytest.mark.parametrize(
    ("shown", "expected"), [("A", "A"), ("AAB", "A"), ("ABB", "B"), ("AB", "B"), ("BA", "A"), ("ABBA", "A")]
)
def test_the_choice_shown_is_the_majority_or_the_last(shown: str, expected: str) -> None:
    choices: list[Any] = list(shown)
    profile = tuple(ProfileComparison("a", "b", choice) for choice in choices)
    items = in_all_aspects(0, "AAAAA", golds=expected * 5, profile=profile)
    references = figures(pairs_run(items, k=len(shown)), resamples=1)["references"]
    assert references["reviewer_avg"] is not None
    assert references["reviewer_avg"]["macro"] == 1.0
    assert (references["always_a"], references["always_b"]) == ((1.0, 0.0) if expected == "A" else (0.0, 1.0))


def test_the_gain_is_over_the_choice_shown_with_missing_answers_wrong() -> None:
    items = [one for number in range(6) for one in in_all_aspects(number, "BBBB-", golds="BBBBB")]
    report = figures(pairs_run(items), resamples=20)
    # the profile shows A, gold is B: 0; the judge is right in 4 of 5 aspects
    assert report["gain_over_reviewer_avg"] == {"value": pytest.approx(0.8), "ci": pytest.approx([0.8, 0.8])}
    assert figures(pairs_run(items, k=0), resamples=1)["gain_over_reviewer_avg"] is None


def test_win_rates_are_compared_where_every_aspect_is_answered() -> None:
    items = [
        *in_all_aspects(0, "AAABB", golds="AAAAB"),  # .6 against .8: same side
        *in_all_aspects(1, "AAAAB", golds="BBBBB"),  # .8 against 0
        *in_all_aspects(2, "AAAA-"),
        *in_all_aspects(3, "BBBBA", golds="BBBBB"),  # .2 against 0: same side
        *in_all_aspects(4, "ABBBB", golds="AABBB")[:4],  # .25 against .5: no winner
    ]
    found = figures(pairs_run(items), resamples=1)["alignment"]
    assert (found["comparisons"], found["complete"]) == (5, 4)
    assert found["win_rate_a"] == pytest.approx(
        {"reader 0|one": 0.6, "reader 1|one": 0.8, "reader 3|one": 0.2, "reader 4|one": 0.25}
    )
    assert found["mae"] == pytest.approx((0.2 + 0.8 + 0.2 + 0.25) / 4)
    assert found["winner_accuracy"] == pytest.approx(2 / 3)
    # predicted .6 .8 .2 .25 beside .8 0 0 .5: 3 pairs agree, 2 do not, one is tied in gold: 1 / sqrt(6 * 5)
    assert found["kendall"] == pytest.approx(1 / 30**0.5)


def answered_twice(outcomes: str) -> list[PairItem]:
    """Two letters each: the text chosen in the given order and in the other."""
    pairs: list[tuple[Any, Any]] = [(one[0], one[1]) for one in outcomes.split()]
    return [pair(number, choice=first, choice_swapped=second) for number, (first, second) in enumerate(pairs)]


def test_both_orders_say_which_place_is_favoured() -> None:
    # AA BB are consistent; AB chose the first place twice (primacy), as did AB; BA the second
    found = both_orders(predicted_choices(item) for item in answered_twice("AA BB AB AB BA"))
    assert found == {
        "n": 5,
        "consistency": pytest.approx(2 / 5),
        # P(choice = A) = 3/5, P(choice_swapped = B) = 3/5
        "bias_first_both_orders": pytest.approx(0.1),
        "positional_fairness": pytest.approx(-0.2),
    }


def test_without_a_second_order_nothing_is_said_about_places() -> None:
    assert both_orders([predicted_choices(pair(0, choice="A"))]) == {
        "n": 0,
        "consistency": None,
        "bias_first_both_orders": None,
        "positional_fairness": None,
    }


def test_the_first_is_favoured_where_it_is_chosen_more_often_than_by_readers() -> None:
    golds: list[Choice] = ["A", "B", "B", "B"]
    items = [pair(number, choice="A" if number < 3 else "B", gold=gold) for number, gold in enumerate(golds)]
    report = figures(pairs_run([*items, pair(9)]), resamples=1)
    assert report["bias_first"] == pytest.approx(3 / 4 - 1 / 4)


def test_a_recognised_text_is_favoured_where_it_is_chosen_more_often() -> None:
    marks = [Memorized(a=True, b=False), Memorized(a=False, b=True), Memorized(a=False, b=True)]
    golds: list[Choice] = ["B", "A", "B"]
    one = [
        pair(number, choice="A" if mark.a else "B", gold=gold, memorized=mark)
        for number, (mark, gold) in enumerate(zip(marks, golds, strict=True))
    ]
    both = pair(3, choice="A", memorized=Memorized(a=True, b=True))
    groups = figures(pairs_run([*one, both, pair(4, choice="A")]), resamples=1)["contamination"]
    assert groups is not None
    # the recognised text is always chosen, and is the reader's choice in the last of three
    assert groups["one"]["bias_memorized"] == pytest.approx(1 - 1 / 3)
    assert (groups["one"]["n"], groups["one"]["percent"], groups["one"]["accuracy"]) == (3, 0.75, pytest.approx(1 / 3))
    assert (groups["both"]["n"], groups["both"]["bias_first"]) == (1, 0.0)
    assert groups["neither"] == {"n": 0, "percent": 0.0, "accuracy": None, "consistency": None, "bias_first": None}
    assert "bias_memorized" not in groups["both"]


def test_what_was_read_of_each_item_can_be_asked_for() -> None:
    items = [pair(0, choice="A", response_swapped="Plot B"), pair(1), pair(2, response="Plot A or Plot B")]
    report = figures(pairs_run(items), reasons={"p001-0": "no_label"}, resamples=1, per_item=True)
    assert report["items"] == [
        {"id": "p000-0", "choice": "A", "reason": None, "choice_swapped": "A"},
        {"id": "p001-0", "choice": None, "reason": "no_label", "choice_swapped": None},
        {"id": "p002-0", "choice": None, "reason": "unparsed", "choice_swapped": None},
    ]
    assert report["missing"] == {"no_answer": 0, "unparsed": 1, "no_label": 1}
