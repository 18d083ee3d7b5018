"""BLEU, DIST and copies, by hand."""

from __future__ import annotations

import math

import pytest

from evaluator.behavior_alignment.response_texts import bleu, copied_share, mean_bleu, variety


def test_a_shorter_response_pays_the_brevity_penalty() -> None:
    # 2 of 2 words found; 2 words against 4: exp(1 - 4/2).
    assert bleu("a tale", "a tale of ships", 1) == pytest.approx(math.exp(-1))
    assert bleu("a tale of two ships", "a tale of ships", 1) == 4 / 5


def test_a_word_counts_as_often_as_the_reference_has_it() -> None:
    assert bleu("the the the the", "the cat", 1) == 1 / 4


def test_orders_beyond_the_text_score_nothing() -> None:
    assert bleu("go on", "go on", 3) == 0.0
    assert bleu("", "go on", 1) == 0.0
    assert bleu("  ", "go on", 1) == 0.0


def test_case_does_not_count_and_punctuation_does() -> None:
    assert bleu("Go On", "go on", 2) == 1.0
    assert bleu("go on!", "go on", 1) == 1 / 2


def test_means_are_over_pairs() -> None:
    assert mean_bleu([("go on", "go on"), ("", "go on")])["1"] == 1 / 2
    assert mean_bleu([]) == {"1": None, "2": None, "3": None, "4": None}


def test_dist_counts_words_of_all_responses_together() -> None:
    # "a b a b": 2 different of 4 words, pairs ab ba ab: 2 of 3; "a": 1 word.
    found = variety(["a b a b", "a"])
    assert found["1"] == {"per_response": 1.0, "ratio": 2 / 5}
    assert found["2"] == {"per_response": 1.0, "ratio": 2 / 3}
    assert found["4"] == {"per_response": 0.5, "ratio": 1.0}
    assert variety([""])["1"] == {"per_response": 0.0, "ratio": None}
    assert variety([])["1"] == {"per_response": None, "ratio": None}


@pytest.mark.parametrize(
    ("response", "is_copy"),
    [
        ("Oh: IT RUNS, for two hours!", True),
        ("it runs for two hourses", True),  # 2 letters more, of 21: a tenth
        ("it runs for about two hours", False),  # 6
        ("ｉｔ runs for two hours", True),  # full-width letters, NFKC
        ("", False),
    ],
)
def test_a_copy_holds_the_words_whole_or_nearly_so(response: str, is_copy: bool) -> None:
    assert copied_share([(response, "It runs for two hours.")]) == float(is_copy)


def test_short_human_answers_are_no_evidence_of_copying() -> None:
    assert copied_share([("It runs long.", "It runs long.")]) is None
