"""Unicode's normal forms, in time that grows with the text."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

MOST_MARKS = 30
"""Combining marks in a row that are kept, as in Unicode's stream-safe texts (UAX #15, section 13); no language writes
more than a few. Python sorts them one by one: 65,000 on one letter would take seconds."""

_FIRST_MARK = "\u0300"
"""Letters of most languages in Latin script come before it: there is nothing to look for in their texts."""
_PLANES_WITH_MARKS = 0x20000


def normal_form(form: Literal["NFC", "NFKC", "NFKD"], text: str) -> str:
    r"""The text in a normal form; of a letter's combining marks the first `MOST_MARKS`.

    >>> normal_form("NFC", "e\u0301") == "\u00e9"
    True
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, text if max(text) < _FIRST_MARK else _endless_marks().sub(r"\1", text))


@cache
def _endless_marks() -> re.Pattern[str]:
    """More marks in a row than are kept; what becomes marks when it is taken apart is among them."""
    characters = map(chr, range(_PLANES_WITH_MARKS))
    marks = "".join(
        character
        for character in characters
        if all(map(unicodedata.combining, unicodedata.normalize("NFKD", character)))
    )
    return re.compile(f"([{marks}]{{{MOST_MARKS}}})[{marks}]++")
