"""The sentence of a system under preferences, for each edge of its figures."""

from __future__ import annotations

from evaluator.results import MetricValue
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.boards.personalization.sentences import lost_answers_sentence

ERROR = MetricValue(value=0.1, low=0.047, high=0.201, n=60)
UNDEFINED = MetricValue(value=None, n=0, reason="no preference is relevant")


def said(**metrics: MetricValue | float | None) -> str:
    return lost_answers_sentence(PersonalizationRow(id="r", name="keel", method="naive", metrics=metrics, n_qstar=60))


def test_an_answer_is_lost_in_two_ways_where_a_preference_is_relevant() -> None:
    assert said(robustness_error=ERROR, alignment_failure=ERROR) == (
        "Of the 60 answers that keel · naive gets right without preferences, 10.0% [4.7, 20.1] turn wrong or leave the "
        "relevant one aside once preferences are given."
    )


def test_where_none_is_relevant_an_answer_can_only_turn_wrong() -> None:
    assert said(robustness_error=0.0, alignment_failure=UNDEFINED) == (
        "Of the 60 answers that keel · naive gets right without preferences, 0.0% turn wrong once preferences are "
        "given."
    )


def test_without_a_judge_of_preferences_what_turned_wrong_is_still_told() -> None:
    unjudged = MetricValue(value=None, n=0, reason="needs a language-model judge")
    assert said(robustness_error=unjudged, breakage_rate=ERROR) == (
        "Of the 60 answers that keel · naive gets right without preferences, 10.0% [4.7, 20.1] turn wrong once "
        "preferences are given; how many leave the relevant one aside is not known: needs a language-model judge."
    )


def test_what_is_not_known_says_why() -> None:
    unknown = "How many right answers keel · naive loses under preferences is not known: "
    assert said(robustness_error=UNDEFINED) == f"{unknown}no preference is relevant."
    assert said() == f"{unknown}it was not measured."
