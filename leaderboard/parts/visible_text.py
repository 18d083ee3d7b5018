"""Text of strangers as it is shown: characters that hide, or turn the reading direction, are written out."""

from __future__ import annotations

import re
from string import hexdigits

NAME_CHARACTERS = 40
"""Of a name in a sentence."""

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks, embeddings, overrides, isolates
    "\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # breaks and signs without a width
    "\U000e0000-\U000e007f"  # tags: a second, unseen alphabet
    "\ud800-\udfff"  # halves of characters
    "]"
)
"""Joiners (U+200C, U+200D) are not among them: Persian, Hindi and many emoji are spelled with them."""


def visible(text: str) -> str:
    r"""The text with every hidden or direction-turning character as its code point; line breaks and tabs stay.

    >>> visible("a\u202eb\nc\x00")
    'a[U+202E]b\nc[U+0000]'
    """
    return _HIDDEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text.replace("\r\n", "\n"))


def shortened(text: str, most: int) -> str:
    """A name of at most so many characters, whose beginning and end are kept: runs of one model differ at the end.

    >>> shortened("SmolLM2-135M, temperature 0.7, seed 2", 24), shortened("SmolLM2-135M, greedy", 24)
    ('SmolLM2-135… 0.7, seed 2', 'SmolLM2-135M, greedy')
    """
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[head + 1 - most :]}"


_SPELLED = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def spelled(count: int) -> str:
    """Return a count as a sentence has it: in letters below ten.

    >>> spelled(3), spelled(12)
    ('three', '12')
    """
    return _SPELLED[count] if count < len(_SPELLED) else str(count)


def without_digest(model: str) -> str:
    """Return a model's name without the beginning of its weights' SHA-256, with which names of folders end.

    >>> without_digest("smollm2-135m-instruct-b179c9523d0e"), without_digest("Qwen/Qwen3-8B")
    ('smollm2-135m-instruct', 'Qwen/Qwen3-8B')
    """
    name, _, digest = model.rpartition("-")
    return name if len(digest) == _DIGEST_DIGITS and set(digest) <= set(hexdigits) else model


_DIGEST_DIGITS = 12
