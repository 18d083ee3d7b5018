"""Our statements in many languages, and the pairs that follow from them."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import get_args

import pytest

from evaluator.judge_quality.multilingual_pair.statements import (
    CONTRADICTIONS,
    Length,
    languages,
    languages_trained,
    pairs_between,
    pairs_within,
    refusals,
    statements,
)


@pytest.mark.parametrize("length", get_args(Length))
def test_no_topic_and_no_text_is_both_trained_on_and_measured_on(length: Length) -> None:
    for language in languages():
        trained = [*statements("train", language, length), *statements("validation", language, length)]
        measured = statements("test", language, length)
        assert not {one.topic for one in trained} & {one.topic for one in measured}
        seen = {text for one in trained for text in (one.said, one.again, one.contradicted, one.other)}
        assert not seen & {text for one in measured for text in (one.said, one.again, one.contradicted)}
        assert not set(refusals("train", language)) & set(refusals("test", language))


@pytest.mark.parametrize("language", languages())
def test_a_language_has_thirty_test_pairs_that_say_the_same_and_many_more_that_do_not(language: str) -> None:
    kinds = Counter(pair.kind for pair in pairs_within(language, "test"))
    # 20 older topics and 12 of our own: one that says the same each, two contradictions; and a pair of refusals
    assert kinds["same"] == 20 + 12 + 1
    assert sum(kinds[kind] for kind in CONTRADICTIONS) == 2 * (20 + 12)
    assert kinds["refusal"] == 12
    assert kinds["other_claim"] == 2 * 20


WITH_ANSWERS = [language for language in languages() if statements("test", language, "answer")]


@pytest.mark.parametrize("language", WITH_ANSWERS)
def test_a_language_has_ten_test_topics_as_long_as_an_answer(language: str) -> None:
    stated = statements("test", language, "answer")
    assert len(stated) == 10
    # of the same topics in every language, and where not too short to be an answer
    assert [statement.topic for statement in stated] == [
        statement.topic for statement in statements("test", "en", "answer")
    ]
    kinds = Counter(pair.kind for pair in pairs_within(language, "test", "answer"))
    assert (kinds["same"], kinds["other_subject"], kinds["refusal"]) == (10, 10, 0)
    assert sum(kinds[kind] for kind in CONTRADICTIONS) == 20
    with_english = Counter(pair.kind for pair in pairs_between("en", language, "test", "answer"))
    assert (with_english["same"], with_english["other_subject"]) == (30, 20)


def test_what_contradicts_stands_nearer_to_its_answer_than_what_says_the_same() -> None:
    """So that words alone give the label away to nobody."""
    for language in WITH_ANSWERS:
        stated = [*statements("train", language, "answer"), *statements("test", language, "answer")]
        nearer = [
            SequenceMatcher(None, statement.said, statement.contradicted).ratio()
            > SequenceMatcher(None, statement.said, statement.again).ratio()
            for statement in stated
        ]
        assert sum(nearer) >= 0.9 * len(nearer), language


def test_between_two_languages_each_side_stands_in_its_own() -> None:
    pairs = pairs_between("en", "sv", "test")
    assert {(pair.first_language, pair.second_language) for pair in pairs} == {("en", "sv")}
    flights = [pair for pair in pairs if pair.topic == "flight" and pair.kind == "changed_number"]
    assert [(pair.first, pair.second) for pair in flights] == [
        ("The flight lasts five hours.", "Flygningen tar elva timmar."),
        ("The flight lasts eleven hours.", "Flygningen tar fem timmar."),
    ]


def test_four_languages_are_measured_without_having_been_trained_on() -> None:
    assert set(languages()) - set(languages_trained()) == {"ca", "he", "sk", "ur"}
