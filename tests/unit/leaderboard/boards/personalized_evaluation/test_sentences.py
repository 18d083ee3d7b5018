"""The sentences of an evaluator and of one of its items, for each sign and edge."""

from __future__ import annotations

import pytest

from evaluator.results import MetricValue
from leaderboard.boards.personalized_evaluation.rows import EvaluatorRow
from leaderboard.boards.personalized_evaluation.sentences import choice_sentence, rating_sentence, taste_sentence
from submissions.formats.personalized_evaluation.submission import Choice, Scale

TAU = MetricValue(value=0.25, low=0.1, high=0.4, n=30)
SHARE = MetricValue(value=0.6, low=0.5, high=0.7, n=30)
RATED = (
    "The scores that keel, k = 2 predicts stand in the order of the readers' own with a Kendall's tau of "
    "0.25 [0.10, 0.40], where 1 is the same order and 0 is chance"
)
CHOSEN = "keel, k = 2 names the text that the reader prefers in 60.0% [50.0, 70.0] of the choices"


def said(**figures: MetricValue | float | None) -> str:
    return taste_sentence(EvaluatorRow(id="r", name="keel", k=2, figures=figures))


@pytest.mark.parametrize(
    ("low", "high", "beside"),
    [
        (0.01, 0.2, "better than"),
        (-0.2, -0.01, "worse than"),
        (0.0, 0.2, "it cannot be told apart from"),  # an end at 0 does not leave it out
        (-0.2, 0.0, "it cannot be told apart from"),
    ],
)
def test_it_is_better_or_worse_than_a_rule_where_the_interval_leaves_out_zero(
    low: float, high: float, beside: str
) -> None:
    gain = MetricValue(value=(low + high) / 2, low=low, high=high, n=30)
    assert said(tau=TAU, gain=gain) == f"{RATED}; {beside} the mean of the scores that it was shown."
    assert said(macro=SHARE, gain=gain) == f"{CHOSEN}; {beside} the choice that it was shown most often."


def test_without_an_interval_of_the_difference_nothing_is_said_of_the_rule() -> None:
    assert said(tau=TAU, gain=MetricValue(value=0.1, n=3)) == f"{RATED}."
    assert said(macro=SHARE) == f"{CHOSEN}."


def test_what_is_not_known_says_why() -> None:
    unknown = "How well keel, k = 2 predicts its readers is not known: "
    assert said(tau=MetricValue(value=None, n=0, reason="all predictions are alike")) == (
        f"{unknown}all predictions are alike."
    )
    assert said() == f"{unknown}it has no figure."


TEN, UNIT = Scale(1, 10), Scale(0, 1)


@pytest.mark.parametrize(
    ("gold", "score", "expected"),
    [
        (9.0, 7.0, "The evaluator predicts 7 on a scale of 1 to 10, 2 below the 9 that the reader gave."),
        (2.0, 7.5, "The evaluator predicts 7.5 on a scale of 1 to 10, 5.5 above the 2 that the reader gave."),
        (7.0, 7.0, "The evaluator predicts 7 on a scale of 1 to 10, which is what the reader gave."),
        (7.0, 7.004, "The evaluator predicts 7 on a scale of 1 to 10, which is what the reader gave."),
        (7.0, None, "There is no prediction (no answer); the reader gave 7 on a scale of 1 to 10."),
    ],
)
def test_a_prediction_is_set_beside_what_the_reader_gave(gold: float, score: float | None, expected: str) -> None:
    assert rating_sentence(gold, score, TEN, TEN, "no answer") == expected


def test_a_prediction_is_read_on_the_scale_of_the_readers() -> None:
    # Half-way from 0 to 1 is half-way from 1 to 10: 5.5.
    assert rating_sentence(5.0, 0.5, UNIT, TEN, "") == (
        "The evaluator predicts 5.5 on a scale of 1 to 10, 0.5 above the 5 that the reader gave."
    )


@pytest.mark.parametrize(
    ("choice", "swapped", "expected"),
    [
        ("A", "A", "In both orders the evaluator chooses text A, as the reader does."),
        ("B", "B", "In both orders the evaluator chooses text B; the reader prefers text A."),
        ("A", "B", "The evaluator chooses whichever text is shown first; the reader prefers text A."),
        ("B", "A", "The evaluator chooses whichever text is shown second; the reader prefers text A."),
        ("A", None, "The evaluator chooses text A in one order and none in the other; the reader prefers text A."),
        (None, "B", "The evaluator chooses text B in one order and none in the other; the reader prefers text A."),
        (None, None, "There is no choice; the reader prefers text A."),
    ],
)
def test_a_choice_is_told_in_both_orders(choice: Choice | None, swapped: Choice | None, expected: str) -> None:
    assert choice_sentence("A", choice, swapped) == expected
