"""What differs between two answers, word by word, ready for the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluator.lab.diff import Segment, word_diff
from leaderboard.parts.item_values import DiffPartValue, DiffValue
from leaderboard.parts.visible_text import visible

MOST_WORDS = 400
"""Words of each answer that are compared: the rest of a long answer is left out, and the page says so."""


def diff_value(a: int, first: str, b: int, second: str) -> DiffValue | None:
    """The way from one answer to the other; None where there is no answer to compare.

    Args:
        a: Variant number of the first answer.
        b: Variant number of the second one.
    """
    if not first.strip() or not second.strip():
        return None
    parts = list(_parts(word_diff(_beginning(first), _beginning(second))))
    is_cut = any(len(text.split()) > MOST_WORDS for text in (first, second))
    return {
        "title": f"Word by word: variants {a} and {b}, the worst pair",
        "legend": _legend(parts, a, b),
        "note": f"Only the first {MOST_WORDS} words of each answer are compared." if is_cut else "",
        "parts": parts,
    }


def _beginning(text: str) -> str:
    """The first words of a text as it was written."""
    words = text.split(maxsplit=MOST_WORDS)
    return text[: -len(words[-1])].rstrip() if len(words) > MOST_WORDS else text


def _parts(segments: Sequence[Segment]) -> Iterator[DiffPartValue]:
    """Stretches of words; each begins with its first word, so that no blank is underlined or struck through."""
    for place, segment in enumerate(segments):
        words = segment.text.lstrip()
        # Of two answers that begin differently, the second has no blank before its first word.
        blanks = segment.text[: len(segment.text) - len(words)] or (" " if place else "")
        if blanks:
            yield {"text": blanks, "is_added": False, "is_removed": False}
        is_added, is_removed = segment.change == "added", segment.change == "removed"
        yield {"text": visible(words), "is_added": is_added, "is_removed": is_removed}


def _legend(parts: Sequence[DiffPartValue], a: int, b: int) -> str:
    removed = sum(len(part["text"].split()) for part in parts if part["is_removed"])
    added = sum(len(part["text"].split()) for part in parts if part["is_added"])
    if not (added or removed):
        return "Both use the same words in the same order."
    return f"Only in variant {a}, struck through: {_words(removed)}. Only in variant {b}, underlined: {_words(added)}."


def _words(count: int) -> str:
    return f"{count} word" if count == 1 else f"{count} words"
