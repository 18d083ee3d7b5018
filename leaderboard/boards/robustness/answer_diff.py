"""Differences between two answers, word by word, ready for the page."""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.parts.item_values import DiffValue
from leaderboard.parts.text_difference import DifferencePart, amount, difference_parts

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
    parts = difference_parts(_beginning(first), _beginning(second))
    is_cut = any(len(text.split()) > MOST_WORDS for text in (first, second))
    return {
        "title": f"What changed from variant {a} to variant {b}, word by word",
        "legend": _legend(parts, a, b),
        "note": f"Only the first {MOST_WORDS} words of each answer are compared." if is_cut else "",
        "parts": parts,
    }


def _beginning(text: str) -> str:
    """The first words of a text as it was written."""
    words = text.split(maxsplit=MOST_WORDS)
    return text[: -len(words[-1])].rstrip() if len(words) > MOST_WORDS else text


def _legend(parts: Sequence[DifferencePart], a: int, b: int) -> str:
    if not any(part["is_added"] or part["is_removed"] for part in parts):
        return "Both use the same words in the same order."
    added, removed = amount(parts)
    return f"Only in variant {a}, struck through: {removed}. Only in variant {b}, underlined: {added}."
