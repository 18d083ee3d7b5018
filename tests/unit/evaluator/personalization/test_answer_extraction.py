"""Which letter an answer settles on, and by which rule."""

from __future__ import annotations

import time

import pytest

from evaluator.personalization.answer_extraction import extract_answer

FOUR = ("a lake", "a river", "a pond", "a spring")


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The answer is B.", "B"),
        ("the ANSWER is: B", "B"),
        ("Answer: B", "B"),
        ("**Answer:** **B**", "B"),
        ("Final answer: (B) a river", "B"),
        ('The right option would be "B".', "B"),
        ("My choice is C, the pond", "C"),
        ("The option is D", "D"),
        ("It is clear: \\boxed{B}", "B"),
        ("So \\boxed{\n**B** } it is", "B"),
        ("It is clear: \\boxed{\\text{B}}", "B"),
        ("It is clear: \\boxed{ \\mathrm{B} }.", "B"),
        ("It is clear: $\\boxed{\\textbf{(B)}}$", "B"),
        ("The correct choice among the four, all things considered, is:\n\n`D`", "D"),
        ("The answer is not obvious but is C", "C"),
    ],
)
def test_a_statement_settles_the_letter(text: str, letter: str) -> None:
    assert extract_answer(text, FOUR) == (letter, "statement")


@pytest.mark.parametrize(
    "text",
    [
        "The answer is A",
        "The answer is A.",
        "The answer is **A**",
        "The answer is A because of its size",
        "The answer is A as shown",
        "The answer is A\nThis follows from its size",
        "The answer is A - a lake",
    ],
)
def test_a_is_a_letter_where_no_noun_can_follow(text: str) -> None:
    assert extract_answer(text, FOUR) == ("A", "statement")


@pytest.mark.parametrize(
    "text",
    [
        "The answer is A narrow stretch",
        "The answer is I think hard to find",
        "The answer is I'm not sure",
        "The answer is B's neighbour",
        "The answer is Bright",
        "The answer is b",
        "The answer is not B",
        "The answer depends. It is B",
        "The answer depends; it is B",
        "Unanswered is B",
        "The answer " + "x" * 121 + " is B",
        "this option says it is C",
    ],
)
def test_a_sentence_that_only_resembles_a_statement_settles_nothing(text: str) -> None:
    assert extract_answer(text, FOUR) == (None, "no_rule")


def test_the_gap_of_a_statement_is_120_characters_at_most() -> None:
    # "answer", then " xx...x ": 120 characters with both blanks.
    assert extract_answer("answer " + "x" * 118 + " is B", FOUR) == ("B", "statement")
    assert extract_answer("answer " + "x" * 119 + " is B", FOUR) == (None, "no_rule")


def test_two_stated_letters_are_a_conflict_and_one_letter_twice_is_none() -> None:
    assert extract_answer("The answer is B. So the final answer is \\boxed{C}", FOUR) == (None, "conflict")
    assert extract_answer("The answer is B. So the final answer is \\boxed{B}", FOUR) == ("B", "statement")


def test_a_letter_past_the_options_is_no_answer() -> None:
    assert extract_answer("The answer is E.", FOUR) == (None, "not_an_option")
    assert extract_answer("The answer is A.", ()) == (None, "not_an_option")
    assert extract_answer("E. an eclipse", FOUR) == (None, "not_an_option")


@pytest.mark.parametrize(
    "text", ["B", "B.", "b) no".upper(), "B: yes", "(B)", "**B.** a river", "**B**. a river", "[B]"]
)
def test_a_leading_letter_settles_it(text: str) -> None:
    assert extract_answer(text, FOUR) == ("B", "leading")


def test_a_walk_through_all_options_has_no_leading_letter() -> None:
    assert extract_answer("A. too hot.\nB. too cold.", FOUR) == (None, "no_rule")
    assert extract_answer("B. cold.\nIt is far away.\nB. again", FOUR) == ("B", "leading")


def test_a_statement_goes_before_a_leading_letter() -> None:
    assert extract_answer("A. too hot, so the answer is B.", FOUR) == ("B", "statement")


def test_the_text_of_exactly_one_option_settles_it() -> None:
    assert extract_answer("It must be  A\nRiver!", FOUR) == ("B", "option_text")
    assert extract_answer("a lake or a river", FOUR) == (None, "no_rule")
    assert extract_answer("a riverside", FOUR) == (None, "no_rule")


def test_an_option_inside_a_longer_one_does_not_count() -> None:
    assert extract_answer("a black cat", ["cat", "black cat", "dog"]) == ("B", "option_text")


def test_options_are_compared_whatever_way_an_accent_is_written() -> None:
    assert extract_answer("C'est l'E\u0301TE\u0301", ["l'\u00e9t\u00e9", "l'hiver"]) == ("A", "option_text")


def test_a_text_of_more_than_200_characters_names_no_option() -> None:
    # "a river" are 7 characters, so 193 more are allowed.
    assert extract_answer("a river" + "." * 193, FOUR) == ("B", "option_text")
    assert extract_answer("a river" + "." * 194, FOUR) == (None, "no_rule")


def test_thoughts_are_dropped_up_to_their_last_end() -> None:
    text = "<think>The answer is A.</think> so <think>no, C.</think>The answer is B."
    assert extract_answer(text, FOUR) == ("B", "statement")


@pytest.mark.parametrize("text", ["<think>The answer is A.", "<think>A</think> B. <think>or C"])
def test_thoughts_that_never_end_are_no_answer(text: str) -> None:
    assert extract_answer(text, FOUR) == (None, "unfinished_thinking")


@pytest.mark.parametrize("text", ["", " \n", "<think>The answer is A.</think>\n"])
def test_a_blank_answer_is_empty(text: str) -> None:
    assert extract_answer(text, FOUR) == (None, "empty")


@pytest.mark.parametrize(
    "text",
    [
        "answer is" + " " * 200_000,
        "option is" + "\n" * 200_000,
        "answer :" + "*" * 200_000 + "b",
        "the answer " * 20_000,
        "\\boxed{" * 50_000,
        "*" * 200_000,
    ],
)
def test_no_text_keeps_a_worker_busy(text: str) -> None:
    started = time.process_time()
    extract_answer(text, FOUR)
    assert time.process_time() - started < 3
