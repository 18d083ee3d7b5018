"""Differences between two texts, word by word: a draft and its final answer, two answers to one question.

parts = difference_parts(draft, final)      # shown by assets/text_difference.html, in an element with dir="auto"
amount(parts)                               # ("2 words", "1 word"): how much was added, how much removed

The standard library's difflib does it. Packages made for it (diff-match-patch, rapidfuzz's editops) compare characters
faster, but texts here have a few hundred words, and words are what a reader wants to see kept, removed or added.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypedDict

from leaderboard.parts.visible_text import visible

MAX_PAIRS = 100_000
"""Pairs of equal words, one from each text. With more, as in long texts of few different words, difflib takes seconds,
and only what the texts begin and end with in common is kept."""

MOST_WORDS = 2_000
"""Words of either text that are compared one by one, more than any answer has that is written here: of longer texts,
too, only what they begin and end with in common is kept."""

Change = Literal["kept", "removed", "added"]

_STACKING = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Tibetan, Burmese, Khmer: marks stand above and below the character they belong to."""
_UNSPACED = (
    f"{_STACKING}\u3001-\u303f\u3040-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff9f"
    "\U00020000-\U0003ffff"
)
"""The same, and Chinese and Japanese with their punctuation: there, words are not told apart by blanks. Finding them
takes a dictionary, so each character is compared by itself, with its marks."""

_MARKS = "\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef" + "".join(
    chr(code)
    for begin, end in re.findall("(.)-(.)", _STACKING)
    for code in range(ord(begin), ord(end) + 1)
    if unicodedata.category(chr(code)).startswith("M")
)
_WORD = re.compile(rf"(?<!\s)\s*+(?:[{_UNSPACED}][{_MARKS}]*+|[^\s{_UNSPACED}]++)")
"""A word, or a character of a script without spaces, with all blanks before it; blanks at the end are looked at once.

>>> _WORD.findall("It is  Mars. 火星。")
['It', ' is', '  Mars.', ' 火', '星', '。']
"""
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of words with the same fate."""

    change: Change
    text: str
    """With the blanks before each word; all but what was removed make up the new text."""


def word_difference(old: str, new: str) -> tuple[Segment, ...]:
    """The way from one text to the other, in reading order; what is removed stands before what replaces it.

    Words are compared without the white space around them. The time is bounded for texts of any length.

    >>> [(segment.change, segment.text) for segment in word_difference("It is Mars.", "It is surely Mars.")]
    [('kept', 'It is'), ('added', ' surely'), ('kept', ' Mars.')]
    """
    changes = _changes(_WORD.findall(old), _WORD.findall(new))
    return tuple(Segment(change, "".join(words)) for change, words in changes if words)


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[Change, Sequence[str]]]:
    old, new = [word.strip() for word in before], [word.strip() for word in after]
    for is_equal, start, end, new_start, new_end in _blocks(old, new):
        if is_equal:
            yield "kept", after[new_start:new_end]
        else:
            yield "removed", before[start:end]
            yield "added", after[new_start:new_end]


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[bool, int, int, int, int]]:
    """Whether they are equal, and where: stretches of the one and the other."""
    counts, new_counts = Counter(old), Counter(new)
    is_long = max(len(old), len(new)) > MOST_WORDS
    if is_long or sum(count * new_counts[word] for word, count in counts.items()) > MAX_PAIRS:
        shortest = min(len(old), len(new))
        head = next((place for place in range(shortest) if old[place] != new[place]), shortest)
        rest = shortest - head
        tail = next((step for step in range(rest) if old[-1 - step] != new[-1 - step]), rest)
        yield True, 0, head, 0, head
        yield False, head, len(old) - tail, head, len(new) - tail
        yield True, len(old) - tail, len(old), len(new) - tail, len(new)
        return
    # Without autojunk: it would take words that occur often for noise.
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield tag == "equal", start, end, new_start, new_end


# --- on the page ------------------------------------------------------------------------------------------------------


class DifferencePart(TypedDict):
    """A stretch of a text as it is shown; neither added nor removed = in both texts."""

    text: str
    is_added: bool
    is_removed: bool


def difference_parts(old: str, new: str) -> list[DifferencePart]:
    """The way from one text to the other for `assets/text_difference.html`, with hidden characters written out.

    Each changed stretch begins with its first word, so that no blank is underlined or struck through.
    """
    parts: list[DifferencePart] = []
    ends_with = ""
    for segment in word_difference(old, new):
        words = segment.text.lstrip()
        blanks = segment.text[: len(segment.text) - len(words)]
        if not blanks and _needs_blank(ends_with, words[0]):
            blanks = " "  # the first word of one text behind the first of the other
        if blanks:
            parts.append(same_part(blanks))
        is_added, is_removed = segment.change == "added", segment.change == "removed"
        parts.append({"text": visible(words), "is_added": is_added, "is_removed": is_removed})
        ends_with = words[-1]
    return parts


def same_part(text: str) -> DifferencePart:
    """A text without any change."""
    return {"text": visible(text), "is_added": False, "is_removed": False}


def _needs_blank(before: str, after: str) -> bool:
    return bool(before) and not (_IS_UNSPACED.match(before) or _IS_UNSPACED.match(after))


def amount(parts: Sequence[DifferencePart]) -> tuple[str, str]:
    """How much was added and how much removed, in words.

    >>> amount(difference_parts("It is Venus.", "It is surely Mars."))
    ('2 words', '1 word')
    """
    added = "".join(part["text"] + " " for part in parts if part["is_added"])
    removed = "".join(part["text"] + " " for part in parts if part["is_removed"])
    return _counted(added), _counted(removed)


def _counted(text: str) -> str:
    units = [bool(_IS_UNSPACED.match(word.strip())) for word in _WORD.findall(text)]
    characters, words = units.count(True), units.count(False)
    named = ((words, "word"), (characters, "character"))
    return " and ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in named if count) or "0 words"
