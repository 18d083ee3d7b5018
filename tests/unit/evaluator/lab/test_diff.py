"""What changed from draft to final, word by word."""

from __future__ import annotations

import time

import pytest

from evaluator.lab.diff import is_unchanged, word_diff


def marked(old: str, new: str) -> str:
    return "".join(segment.marked for segment in word_diff(old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("It is Mars.", "It is Mars.", "It is Mars."),
        ("It is Mars.", "It is surely Mars.", "It is [+surely+] Mars."),
        ("It is surely Mars.", "It is Mars.", "It is [−surely−] Mars."),
        ("It is Venus.", "It is Mars.", "It is [−Venus.−] [+Mars.+]"),
        ("", "Mars", "[+Mars+]"),
        ("Mars", "", "[−Mars−]"),
        ("", "", ""),
    ],
)
def test_kept_removed_and_added_words_can_be_read_without_colour(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


def test_other_white_space_is_no_change() -> None:
    assert {segment.change for segment in word_diff("It is\n\nMars.", "It  is Mars.\n")} == {"kept"}
    assert is_unchanged("It is\n\nMars.", "It  is Mars.\n")
    assert not is_unchanged("It is Mars.", "It is mars.")


def test_the_segments_but_the_removed_ones_make_up_the_new_text() -> None:
    new = "First line.\n\nAnswer: B\nnow"
    assert "".join(one.text for one in word_diff("Line one. Answer: A", new) if one.change != "removed") == new


def test_longer_texts_than_anybody_reads_keep_what_they_begin_and_end_with() -> None:
    # Every second word is another one: difflib would look at the rest of both texts for each that is kept.
    old, new = (" ".join(f"w{number} {letter}{number}" for number in range(1_001)) for letter in "xy")
    found = word_diff(f"{old} end", f"{new} end")
    assert [segment.change for segment in found] == ["kept", "removed", "added", "kept"]
    assert (found[0].text, found[-1].text) == ("w0", " end")


def test_texts_that_would_take_long_keep_what_they_begin_and_end_with() -> None:
    # 2 x 1,000 and 2 x 1,000 equal words: 2,000,000 pairs; difflib alone takes half a minute.
    old, new = "start " + "a b " * 1000 + "end", "start " + "b a a b " * 500 + "end"
    began = time.process_time()
    found = word_diff(old, new)
    assert time.process_time() - began < 5
    assert [segment.change for segment in found] == ["kept", "removed", "added", "kept"]
    assert (found[0].text, found[-1].text) == ("start", " a b end")
