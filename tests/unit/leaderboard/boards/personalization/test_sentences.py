"""The sentences of a system under preferences and of one of its answers, for each edge."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.results import MetricValue, PersonalizedOutcomes
from leaderboard.boards.personalization.rows import PersonalizationRow
from leaderboard.boards.personalization.sentences import answer_sentence, lost_answers_sentence

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


ANSWER = {
    "setting": "relevant", "control_letter": "A", "letter": "A", "c0": True, "c1": True, "rating": 4.0,
    "unparsable": False, "fallback": None,
}  # fmt: skip


def answered(**changes: Any) -> str:
    columns: dict[str, Any] = {name: (value,) for name, value in (ANSWER | changes).items()}
    return answer_sentence(PersonalizedOutcomes.model_construct(**columns), 0)


WRONG = {"letter": "B", "c1": False}
RIGHT_THEN_WRONG = "The right answer (A) turns wrong (B)"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "The answer stays right (A), and follows the relevant preference (4.00 of 5)."),
        ({"rating": 3.0}, "The answer stays right (A), and follows the relevant preference (3.00 of 5)."),  # from 3 on
        ({"rating": 2.99}, "The answer stays right (A), but leaves the relevant preference aside (2.99 of 5)."),
        (WRONG, f"{RIGHT_THEN_WRONG}, but follows the relevant preference (4.00 of 5)."),
        (WRONG | {"rating": 1.0}, f"{RIGHT_THEN_WRONG}, and leaves the relevant preference aside (1.00 of 5)."),
        (WRONG | {"setting": "irrelevant", "rating": None}, f"{RIGHT_THEN_WRONG}."),
        (WRONG | {"setting": "irrelevant", "letter": None}, "The right answer (A) turns wrong (no readable option)."),
        ({"rating": None}, "The answer stays right (A); whether it follows the relevant preference was not judged."),
        (
            {"rating": None, "unparsable": True},
            "The answer stays right (A); the judge's rating cannot be read, so the relevant preference counts as not "
            "followed.",
        ),
        (
            {"setting": "irrelevant", "c0": False, "control_letter": "C"},
            "The answer turns from wrong (C) to right (A); it does not count, because only answers that are right "
            "without preferences do.",
        ),
        (
            WRONG | {"setting": "irrelevant", "c0": False, "control_letter": "C"},
            "The answer is wrong without preferences (C) and with them (B); it does not count, because only answers "
            "that are right without preferences do.",
        ),
        (
            {"c0": None, "c1": None, "setting": "irrelevant"},
            "Whether the answer is right is not known, because the file states no right option.",
        ),
        (
            {"setting": "irrelevant", "fallback": True},
            "The answer stays right (A); the aligner failed, so this is the draft.",
        ),
        ({"setting": "none"}, "Without preferences the answer is right (A)."),
        ({"setting": "none", "c0": False, "letter": "B"}, "Without preferences the answer is wrong (B)."),
        ({"setting": "none", "c0": None}, "Whether the answer is right is not known: the file states no right option."),
    ],
)
def test_an_answer_says_what_preferences_did_to_it(changes: dict[str, Any], expected: str) -> None:
    assert answered(**changes) == expected
