"""What changed between two texts, word by word."""

from __future__ import annotations

import time
import unicodedata

import pytest

from leaderboard.parts.text_difference import amount, difference_parts, word_difference

MARKS = {"kept": ("", ""), "removed": ("[−", "−]"), "added": ("[+", "+]")}


def marked(old: str, new: str) -> str:
    """The difference as a reader sees it, with signs in place of lines."""
    shown = []
    for part in difference_parts(old, new):
        before, after = MARKS["added" if part["is_added"] else "removed" if part["is_removed"] else "kept"]
        shown.append(f"{before}{part['text']}{after}")
    return "".join(shown)


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
        # The second of two first words has no blank before it: none may be missing between the two.
        ("Go home.", "Stay home.", "[−Go−] [+Stay+] home."),
        ("Go home.", "home.", "[−Go−] home."),
    ],
)
def test_kept_removed_and_added_words_are_told_apart(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # Chinese: "I like red apples" -> "I like green apples": one character, as no blank tells words apart.
        ("我喜欢红苹果。", "我喜欢绿苹果。", "我喜欢[−红−][+绿+]苹果。"),
        # Japanese with a Latin word in it.
        ("私はPythonが好きです", "私はJavaが好きです", "私は[−Python−] [+Java+]が好きです"),
        # Thai: "good" -> "very good" before a tone mark that belongs to the character under it.
        ("ดี", "ดีมาก", "ดี[+มาก+]"),
        # Arabic, written from right to left, has blanks as English has.
        ("السماء زرقاء اليوم", "السماء رمادية اليوم", "السماء [−زرقاء−] [+رمادية+] اليوم"),
    ],
)
def test_other_scripts_are_compared_by_what_they_are_written_in(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


def test_no_mark_is_cut_off_the_character_that_carries_it() -> None:
    # น้ำ (water) and น่า differ in their marks alone: all of น + mark is removed or added.
    for part in difference_parts("น้ำดื่ม", "น่าดื่ม"):
        assert not unicodedata.category(part["text"][0]).startswith("M"), part


def test_other_white_space_is_no_change() -> None:
    assert {segment.change for segment in word_difference("It is\n\nMars.", "It  is Mars.\n")} == {"kept"}


def test_the_segments_but_the_removed_ones_make_up_the_new_text() -> None:
    new = "First line.\n\nAnswer: B\nnow 火星。"
    kept = (one.text for one in word_difference("Line one. Answer: A", new) if one.change != "removed")
    assert "".join(kept) == new


def test_hidden_characters_are_written_out() -> None:
    assert marked("plain", "turned\u202e") == "[−plain−] [+turned[U+202E]+]"


def test_the_amount_counts_words_and_characters_of_scripts_without_spaces() -> None:
    assert amount(difference_parts("It is Venus.", "It is surely Mars.")) == ("2 words", "1 word")
    assert amount(difference_parts("It is Mars.", "It is Mars.")) == ("0 words", "0 words")
    # 火星 and 。 are three characters, "Mars" is a word.
    assert amount(difference_parts("It is", "It is 火星。 Mars")) == ("1 word and 3 characters", "0 words")


def test_longer_texts_than_anybody_reads_keep_what_they_begin_and_end_with() -> None:
    # Every second word is another one: difflib would look at the rest of both texts for each that is kept.
    old, new = (" ".join(f"w{number} {letter}{number}" for number in range(1_001)) for letter in "xy")
    found = word_difference(f"{old} end", f"{new} end")
    assert [segment.change for segment in found] == ["kept", "removed", "added", "kept"]
    assert (found[0].text, found[-1].text) == ("w0", " end")


@pytest.mark.parametrize(
    ("old", "new", "beginning", "end"),
    [
        # 2 x 1,000 and 2 x 1,000 equal words: 2,000,000 pairs; difflib alone takes half a minute.
        ("start " + "a b " * 1000 + "end", "start " + "b a a b " * 500 + "end", "start", " a b end"),
        ("始" + "的一" * 1000 + "终", "始" + "一的的一" * 500 + "终", "始", "的一终"),
    ],
)
def test_texts_that_would_take_long_keep_what_they_begin_and_end_with(
    old: str, new: str, beginning: str, end: str
) -> None:
    began = time.process_time()
    found = word_difference(old, new)
    assert time.process_time() - began < 5
    assert [segment.change for segment in found] == ["kept", "removed", "added", "kept"]
    assert (found[0].text, found[-1].text) == (beginning, end)
