"""The sentence of a judge, for each side of guessing and each edge."""

from __future__ import annotations

import pytest

from evaluator.judge_quality.people_values import PeopleFigures, SameAnswer
from evaluator.results import MetricValue
from leaderboard.boards.judge_quality.rows import MeasuredJudge
from leaderboard.boards.judge_quality.sentences import agreement_sentence


def said(auc: MetricValue | None) -> str:
    people = PeopleFigures(same_answer=SameAnswer(auc=auc, accuracy=auc)) if auc else None
    return agreement_sentence(MeasuredJudge(id="pair", name="pair", state="measured", with_people=people))


@pytest.mark.parametrize(
    ("low", "high", "beside"),
    [
        (0.51, 0.9, "guessing reaches 50%"),
        (0.1, 0.49, "that is worse than guessing, which reaches 50%"),
        (0.5, 0.9, "that cannot be told apart from guessing, which reaches 50%"),
        (0.1, 0.5, "that cannot be told apart from guessing, which reaches 50%"),
    ],
)
def test_it_is_set_beside_guessing(low: float, high: float, beside: str) -> None:
    assert said(MetricValue(value=0.5, low=low, high=high, n=200)) == (
        f"pair scores two right answers above a right and a wrong one 50.0% [{100 * low:.1f}, {100 * high:.1f}] of the "
        f"time, by labels of people; {beside}."
    )


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_without_an_interval_it_is_not_called_equal_to_guessing(value: float) -> None:
    assert said(MetricValue(value=value, n=3)).endswith(
        "guessing reaches 50%, and too few were asked to set it beside that."
    )


def test_what_is_not_known_says_why() -> None:
    unknown = "How far pair agrees with people is not known: "
    assert said(None) == f"{unknown}it was not measured on their labels."
    assert said(MetricValue(value=None, n=0, reason="no pair was scored")) == f"{unknown}no pair was scored."
