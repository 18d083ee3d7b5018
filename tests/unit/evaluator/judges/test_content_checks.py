"""The checks for what cosine is blind to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evaluator.judges.content_checks import (
    counterparts,
    exchanged_words,
    negation_conflict,
    opposite_words,
    refuses,
    sentences,
    word_overlap,
)
from evaluator.judges.quality.labelled_pairs import labelled_pairs


def test_negation_counts_only_where_the_other_text_affirms_the_same_words() -> None:
    assert negation_conflict("Salt slows the yeast.", "Salt does not slow the yeast.") > 0
    assert negation_conflict("Do not reuse it.", "It must never be reused.") == 0.0
    assert negation_conflict("It won't hurt.", "The bread is done.") == 0.0


def test_opposites_must_replace_each_other_in_similar_sentences() -> None:
    assert opposite_words("It is a good idea to wait.", "It is a bad idea to wait.") == 0.5
    assert opposite_words("It is a good idea to wait.", "Bread goes bad quickly in summer.") == 0.0


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
        "That isn't a question I can answer.",
        "I can't confirm or discuss the details.",
        "Tracing lost suitcases is beyond what I can do for you.",
        "Being afraid of water is nothing I could help with.",
        "I don't give recommendations about animals.",
        "I'd rather not say.",
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
        "I'd rather not patch it at the roadside.",
        "Come on Friday. Bring a coat. I can't tell you yet where we shall eat.",
    ],
)
def test_answers_are_not_taken_for_refusals(text: str) -> None:
    assert not refuses(text)


def test_every_check_is_symmetric_in_range_and_silent_on_identical_sentences() -> None:
    checks: tuple[Callable[[str, str], float], ...] = (
        negation_conflict,
        opposite_words,
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


def test_a_text_of_very_many_sentences_is_read_in_runs_and_nothing_of_it_is_lost() -> None:
    text = " ".join(f"Word{number}." for number in range(1000))
    runs = sentences(text)
    assert len(runs) == 250  # 1000 / 300, rounded up to 4 neighbours a run
    assert " ".join(runs) == text


def test_a_repeated_sentence_is_compared_once() -> None:
    assert counterparts("It is good. " * 300, "It is good, too. " * 300) == [("It is good.", "It is good, too.")]
