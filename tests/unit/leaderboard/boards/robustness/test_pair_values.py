"""One opened verdict: which sentences are marked, and what the judge noted."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.judges.protocol import Judgment
from evaluator.results import PairResult
from leaderboard.boards.robustness.pair_values import (
    LEAST_SUPPORTED,
    findings,
    has_details,
    marked_parts,
    opened_pair_value,
    sentence_marks,
)
from leaderboard.parts.item_values import OpenedPairValue

FIRST = "Wash the tube. Dry it well!  Then patch it."
SECOND = "Dry the tube.\n\nBuy a new one."
HOSTILE = "${alert(1)} <b>x</b>. Go."


def pair(**changes: Any) -> PairResult:
    stated: dict[str, Any] = {"a": 1, "b": 3, "ab": 2.0, "ba": 2.5, "score": 2.25, "passes": True, "gated": 2.25}
    return PairResult(**stated | {"key_ab": "one", "key_ba": "two"} | changes)


def marked(value: OpenedPairValue) -> list[tuple[str, str, str]]:
    """(title, sentence, mark) of everything marked."""
    return [
        (answer["title"], part["text"], part["mark"])
        for answer in value["answers"]
        for part in answer["parts"]
        if part["mark"]
    ]


def test_the_least_supported_sentence_of_each_answer_is_marked_once_where_both_orders_agree() -> None:
    # variant 1 stands first in the first order, second in the second: its sentence is least_supported_a, then _b
    judgments = {
        "one": Judgment(2.0, details={"least_supported_a": 2.0, "least_supported_b": 1.0}),
        "two": Judgment(2.5, details={"least_supported_a": 1.0, "least_supported_b": 2.0}),
    }
    value = opened_pair_value(pair(), {1: FIRST, 3: SECOND}, judgments)
    assert marked(value) == [
        ("Variant 1", "Then patch it.", LEAST_SUPPORTED),
        ("Variant 3", "Buy a new one.", LEAST_SUPPORTED),
    ]
    assert value["details"] == []


def test_orders_that_disagree_mark_a_sentence_each_and_say_which_order() -> None:
    judgments = {
        "one": Judgment(2.0, details={"least_supported_a": 0.0}),
        "two": Judgment(2.5, details={"least_supported_b": 1.0}),
    }
    assert marked(opened_pair_value(pair(), {1: FIRST, 3: SECOND}, judgments)) == [
        ("Variant 1", "Wash the tube.", f"{LEAST_SUPPORTED}, first order"),
        ("Variant 1", "Dry it well!", f"{LEAST_SUPPORTED}, second order"),
    ]


def test_one_order_alone_names_its_order() -> None:
    assert sentence_marks(None, 1) == {1: f"{LEAST_SUPPORTED}, second order"}
    assert sentence_marks(None, None) == {}


@pytest.mark.parametrize("text", [FIRST, SECOND, HOSTILE, "One sentence", "Same. Same. Same.", "", "  Spaces.  "])
@pytest.mark.parametrize("place", [0, 1, 7])
def test_no_character_of_an_answer_is_lost_whatever_is_marked(text: str, place: int) -> None:
    assert "".join(part["text"] for part in marked_parts(text, {place: "mark"})) == text


def test_of_equal_sentences_the_right_one_is_marked() -> None:
    assert [part["mark"] for part in marked_parts("Same. Same. Same.", {1: "x"})] == ["", "x", ""]
    assert marked_parts("Same. Same. Same.", {1: "x"})[0]["text"] == "Same. "


def test_what_the_judge_noted_stands_in_both_orders_without_places() -> None:
    judgments = {
        "one": Judgment(2.0, details={"network": -0.504, "windows": 3.0, "numbers": 0.5, "least_supported_a": 1.0}),
        "two": Judgment(2.5, details={"network": 1.25, "windows": 3.0}),
    }
    value = opened_pair_value(pair(), {}, judgments)
    assert value["said"] == ["Numbers differ between them."]
    gated = opened_pair_value(pair(passes=False, gated=0.0), {}, judgments, loss="counted 0: answer 2 is an echo")
    assert gated["said"] == [
        "Numbers differ between them.",
        "Whatever the rating, this pair counted 0: answer 2 is an echo.",
    ]
    assert [tuple(line.values()) for line in value["details"]] == [
        ("reading of both texts (higher: more alike)", "-0.50", "1.25"),
        ("windows read", "3", "3"),
        ("numbers in conflict", "0.50", "n/a"),
    ]


def test_the_judges_findings_are_sentences_and_what_was_never_checked_is_not_said_to_be_absent() -> None:
    both = {"negation": 0.5, "refusal": 1.0, "numbers": 0.0, "network": -3.0}
    assert findings(Judgment(0.4, details=both), None) == [
        "Only one of the two declines to answer.",
        "What one says, the other denies.",
    ]
    (nothing,) = findings(Judgment(4.0, details={"names": 0.0, "exchanged": 0.0}), Judgment(4.0))
    assert nothing == "No contradiction was found in what is checked: names; who does what to whom."
    assert findings(Judgment(4.0, details={"cosine": 0.8}), None) == []
    assert findings(None, None) == []


def test_a_pair_opens_only_where_a_stored_verdict_has_details() -> None:
    noted, silent = Judgment(2.0, details={"cosine": 0.4}), Judgment(2.0)
    assert has_details(pair(), {"two": noted})
    assert not has_details(pair(), {"one": silent, "two": silent})
    assert not has_details(pair(), {})
    assert not has_details(pair(key_ab=None, key_ba=None), {"one": noted})


def test_without_the_file_the_figures_still_stand() -> None:
    value = opened_pair_value(pair(), {}, {"one": Judgment(2.0, details={"cosine": 0.4, "least_supported_a": 1.0})})
    assert value["answers"] == []
    assert [line["name"] for line in value["details"]] == ["cosine of windows"]
