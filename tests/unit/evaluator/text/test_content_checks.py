"""The checks for what cosine is blind to."""

from __future__ import annotations

from collections.abc import Callable

from evaluator.judge_quality.labelled_pairs import labelled_pairs
from evaluator.text.content_checks import (
    counterparts,
    negation_conflict,
    opposite_words,
    sentences,
    word_overlap,
)


def test_negation_counts_only_where_the_other_text_affirms_the_same_words() -> None:
    assert negation_conflict("Salt slows the yeast.", "Salt does not slow the yeast.") > 0
    assert negation_conflict("Do not reuse it.", "It must never be reused.") == 0.0
    assert negation_conflict("It won't hurt.", "The bread is done.") == 0.0


def test_opposites_must_replace_each_other_in_similar_sentences() -> None:
    assert opposite_words("It is a good idea to wait.", "It is a bad idea to wait.") == 0.5
    assert opposite_words("It is a good idea to wait.", "Bread goes bad quickly in summer.") == 0.0


def test_every_check_is_symmetric_in_range_and_silent_on_identical_sentences() -> None:
    checks: tuple[Callable[[str, str], float], ...] = (
        negation_conflict,
        opposite_words,
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
