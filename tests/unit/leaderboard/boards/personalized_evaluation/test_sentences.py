"""The sentence of an evaluator, for each sign and edge of its figures."""

from __future__ import annotations

import pytest

from evaluator.results import MetricValue
from leaderboard.boards.personalized_evaluation.rows import EvaluatorRow
from leaderboard.boards.personalized_evaluation.sentences import taste_sentence

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
