from __future__ import annotations

from leaderboard.boards.robustness.answer_diff import MOST_WORDS, diff_value
from leaderboard.parts.item_values import DiffValue


def text_of(value: DiffValue, *, side: str) -> str:
    """One of the two answers, put together again."""
    left_out = "is_added" if side == "first" else "is_removed"
    return "".join(part["text"] for part in value["parts"] if not part[left_out])  # type: ignore[literal-required]


def test_what_only_one_answer_says_is_marked_and_counted() -> None:
    value = diff_value(1, "The ball is in play.", 3, "The ball is surely not in play.")
    assert value is not None
    assert value["title"] == "What changed from variant 1 to variant 3, word by word"
    assert value["legend"] == "Only in variant 1, struck through: 0 words. Only in variant 3, underlined: 2 words."
    assert [part["text"] for part in value["parts"] if part["is_added"]] == ["surely not"]
    assert value["note"] == ""


def test_both_answers_can_be_read_out_of_the_difference() -> None:
    first, second = "Take the red one.\n\nThen go home.", "Take the blue one.\n\nThen stay."
    value = diff_value(1, first, 2, second)
    assert value is not None
    # Blanks before a changed word belong to neither, words do.
    assert text_of(value, side="first").split() == first.split()
    assert text_of(value, side="second").split() == second.split()
    assert value["legend"] == "Only in variant 1, struck through: 3 words. Only in variant 2, underlined: 2 words."


def test_answers_that_begin_differently_do_not_run_into_each_other() -> None:
    value = diff_value(1, "Go home.", 2, "Stay home.")
    assert value is not None
    assert "".join(part["text"] for part in value["parts"]) == "Go Stay home."


def test_the_same_words_have_no_difference() -> None:
    value = diff_value(1, "All  the same.", 2, "All the same.")
    assert value is not None
    assert value["legend"] == "Both use the same words in the same order."


def test_a_long_answer_is_cut_and_the_cut_is_said() -> None:
    long = " ".join(f"word{number}" for number in range(MOST_WORDS + 5))
    value = diff_value(1, long, 2, long + " more")
    assert value is not None
    assert len(text_of(value, side="first").split()) == MOST_WORDS
    assert value["note"] == f"Only the first {MOST_WORDS} words of each answer are compared."
    exact = " ".join(f"word{number}" for number in range(MOST_WORDS))
    whole = diff_value(1, exact, 2, exact)
    assert whole is not None
    assert (whole["note"], len(text_of(whole, side="second").split())) == ("", MOST_WORDS)


def test_an_absent_answer_is_compared_with_nothing() -> None:
    assert diff_value(1, "", 2, "Some text.") is None
    assert diff_value(1, "Some text.", 2, " \n") is None


def test_characters_that_hide_are_written_out() -> None:
    value = diff_value(1, "plain", 2, "turned\u202e")
    assert value is not None
    assert value["parts"][-1]["text"] == "turned[U+202E]"
