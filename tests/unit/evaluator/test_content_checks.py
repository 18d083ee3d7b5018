"""The checks for what cosine is blind to."""

from __future__ import annotations

import doctest
from collections.abc import Callable

import pytest

from evaluator.judges import content_checks
from evaluator.judges.content_checks import (
    counterparts,
    exchanged_words,
    name_conflict,
    names,
    negation_conflict,
    number_conflict,
    opposite_words,
    quantities,
    refuses,
    sentences,
    word_overlap,
)
from evaluator.labelled_pairs import labelled_pairs


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(content_checks).failed == 0


@pytest.mark.parametrize(
    ("written", "also"),
    [
        ("twelve", "12"),
        ("a dozen", "12"),
        ("twenty-five minutes", "25 min"),
        ("half an hour", "30 minutes"),
        ("a quarter of an hour", "15 minutes"),
        ("half a litre", "500 ml"),
        ("two thousand five hundred", "2,500"),
        ("1.5 million", "1,500,000"),
        ("three days", "72 hours"),
        ("a fortnight", "2 weeks"),
        ("two years", "24 months"),
        ("four kilometres", "4,000 metres"),
    ],
)
def test_the_same_number_in_other_words_is_no_conflict(written: str, also: str) -> None:
    assert quantities(written) == quantities(also)
    assert quantities(written).total() == 1


def test_one_changed_number_is_half_a_conflict_and_two_are_three_quarters() -> None:
    assert number_conflict("bake 35 minutes at 230", "bake 35 minutes at 160") == 0.5
    assert number_conflict("bake 35 minutes at 230", "bake 70 minutes at 160") == 0.75


def test_an_additional_number_is_detail_not_conflict() -> None:
    assert number_conflict("Two halves.", "Two halves of 45 minutes with 15 between them.") == 0.0


def test_a_bare_one_is_no_number() -> None:
    assert not quantities("One should rest, and no one is a hero.")


@pytest.mark.parametrize("text", ["1.2.3", "½", "9/11", "1,2,3", "²", "12th of June 2024", "1" * 400])
def test_odd_numbers_do_not_crash(text: str) -> None:
    assert number_conflict(text, text) == 0.0


def test_negation_counts_only_where_the_other_text_affirms_the_same_words() -> None:
    assert negation_conflict("Salt slows the yeast.", "Salt does not slow the yeast.") > 0
    assert negation_conflict("Do not reuse it.", "It must never be reused.") == 0.0
    assert negation_conflict("It won't hurt.", "The bread is done.") == 0.0


def test_opposites_must_replace_each_other_in_similar_sentences() -> None:
    assert opposite_words("It is a good idea to wait.", "It is a bad idea to wait.") == 0.5
    assert opposite_words("It is a good idea to wait.", "Bread goes bad quickly in summer.") == 0.0


def test_names_are_found_inside_sentences_only_and_acronyms_anywhere() -> None:
    assert names("Bread rises. Then Anna's friend, from NASA, eats. I too.") == {"anna", "nasa"}
    assert name_conflict("We flew to Oslo.", "We flew to Rome.") == 0.5


def test_exchanged_words_see_swapped_roles_but_not_reordered_clauses() -> None:
    assert exchanged_words("The dog leads and the cat follows.", "The cat leads and the dog follows.") >= 0.5
    first = "Iron your shirt. Print two copies. Check the route."
    assert exchanged_words(first, "Check the route, print two copies, iron your shirt.") == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "As an AI, I have no opinion.",
        "Unfortunately I am not able to advise you.",
        "I won’t be able to assist with this request.",
        "My guidelines do not permit this.",
        "I must decline.",
    ],
)
def test_refusals_are_recognised(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text",
    [
        "You can't mix these two.",
        "Sorry to hear that! Try to rest.",
        "I would take the train.",
        "Say that you cannot come on Friday.",
        "The dog is not able to read.",
    ],
)
def test_answers_are_not_taken_for_refusals(text: str) -> None:
    assert not refuses(text)


def test_every_check_is_symmetric_in_range_and_silent_on_identical_sentences() -> None:
    checks: tuple[Callable[[str, str], float], ...] = (
        number_conflict,
        negation_conflict,
        opposite_words,
        name_conflict,
        exchanged_words,
        word_overlap,
    )
    for pair in labelled_pairs("validation")[::2]:
        first = sentences(pair.a)[0]  # of one sentence: in a long answer one may well deny what another affirms
        for check in checks:
            assert check(pair.a, pair.b) == check(pair.b, pair.a)
            assert 0.0 <= check(pair.a, pair.b) <= 1.0
            assert check is word_overlap or check(first, first) == 0.0


def test_blank_texts_have_no_sentences_and_no_conflicts() -> None:
    assert sentences(" \n ") == []
    assert word_overlap("", "") == 0.0
    assert number_conflict("", "five") == 0.0


def test_a_sentence_repeated_a_thousand_times_is_compared_once() -> None:
    assert counterparts("It is good. " * 1000, "It is good, too. " * 1000) == [("It is good.", "It is good, too.")]
