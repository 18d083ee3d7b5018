"""What changed between two texts, word by word: draft and final answer side by side.

The standard library's difflib does it. Packages made for it (diff-match-patch, rapidfuzz's editops) compare characters
faster, but texts here have a few hundred words, and words are what a reader wants to see kept, removed or added.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

MAX_PAIRS = 100_000
"""Pairs of equal words, one from each text. With more, as in long texts of few different words, difflib takes seconds,
and only what the texts begin and end with in common is kept."""

MOST_WORDS = 2_000
"""Words of either text that are compared one by one, more than any answer has that is written here: of longer texts,
too, only what they begin and end with in common is kept."""

Change = Literal["kept", "removed", "added"]

_WORD = re.compile(r"(?<!\s)\s*+\S+")
"""A word with all blanks before it; blanks at the end are looked at once."""
_MARKS: dict[Change, tuple[str, str]] = {"kept": ("", ""), "removed": ("[−", "−]"), "added": ("[+", "+]")}


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of words with the same fate."""

    change: Change
    text: str
    """With the blanks before each word; all but what was removed make up the new text."""

    @property
    def marked(self) -> str:
        """Readable without colour: `[−removed−]`, `[+added+]`."""
        before, after = _MARKS[self.change]
        lead = self.text[: len(self.text) - len(self.text.lstrip())] if before else ""
        return f"{lead}{before}{self.text[len(lead) :]}{after}"


def is_unchanged(old: str, new: str) -> bool:
    """Whether two texts are equal but for white space (specs: personalization, section 5, `unchanged_rate`)."""
    return "".join(old.split()) == "".join(new.split())


def word_diff(old: str, new: str) -> tuple[Segment, ...]:
    """The way from one text to the other, in reading order; what is removed stands before what replaces it.

    Words are compared without the white space around them.

    >>> [segment.marked for segment in word_diff("It is Mars.", "It is surely Mars.")]
    ['It is', ' [+surely+]', ' Mars.']
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
