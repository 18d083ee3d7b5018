"""Replies of judges as text: a letter, or a rating from 1 to 5 (docs/personalization.md#how-a-letter-is-found).

`recommended` reads strictly what was asked for; anything else is None, with the text kept by the caller. `perg` does
what the published implementation does, for comparison only: letters as they stand in the reply's dictionary, ratings
without a range.
"""

from __future__ import annotations

import ast
import json
import re
from string import ascii_uppercase
from typing import Literal, get_args, overload

from submissions.verdicts.thoughts import without_thoughts

Profile = Literal["recommended", "perg"]
PROFILES: tuple[Profile, ...] = get_args(Profile)

PERG_UNREADABLE = -1
"""What the published implementation takes for the letter of a reply it cannot read."""

_MAX_DICTIONARY = 4_000
"""A longer reply is no dictionary of one letter; `ast.literal_eval` is not made for anything longer."""
_FENCED = re.compile(r"\s*```[A-Za-z]*\s(.*)```\s*", re.DOTALL)
_LETTER = re.compile(r"""[\s("'\[*]*([A-Za-z])(?:[.):][\s\S]*|[\s)"'\]*]*)""")
_ANSWER_TAG = re.compile(r"</?answer>", re.IGNORECASE)
_ANSWER = re.compile(r"<answer>\s*(?:\[\s*([1-5])\s*\]|\(\s*([1-5])\s*\)|([1-5]))\s*</answer>", re.IGNORECASE)
_PERG_ANSWER = re.compile(r"<answer>(\d{1,18})</answer>")


@overload
def parse_letter(text: str | None, n_options: int, profile: Literal["recommended"] = ...) -> str | None: ...
@overload
def parse_letter(text: str | None, n_options: int, profile: Profile) -> object: ...
def parse_letter(text: str | None, n_options: int, profile: Profile = "recommended") -> object:
    """The letter in a judge's reply `{"answer": "B"}`; None where there is none of the first `n_options`.

    `recommended` also reads JSON, a fenced block, the letter alone, small letters and "B. a river". `perg` gives the
    value of the key as it stands, whatever it is, and -1 for what is no Python dictionary.

    >>> parse_letter('{"answer": "b"}', 4), parse_letter('{"answer": "b"}', 4, "perg")
    ('B', 'b')
    >>> parse_letter("E", 4) is None
    True
    """
    if profile == "perg":
        return _literal_answer(text or "")
    reply = without_thoughts(text or "") or ""
    if fenced := _FENCED.fullmatch(reply):
        reply = fenced[1]
    dictionary = _dictionary(reply.strip())
    answer = reply if dictionary is None else _answer_of(dictionary)
    match = _LETTER.fullmatch(answer) if isinstance(answer, str) else None
    letter = match[1].upper() if match else ""
    return letter if letter and letter in ascii_uppercase[:n_options] else None


def _literal_answer(reply: str) -> object:
    value = _literal(reply)
    return value.get("answer") if isinstance(value, dict) else PERG_UNREADABLE


def _answer_of(dictionary: dict[object, object]) -> object:
    """The value of the key, whatever its capitals."""
    return next((value for key, value in dictionary.items() if str(key).lower() == "answer"), None)


def _dictionary(reply: str) -> dict[object, object] | None:
    """The dictionary a reply consists of, written as JSON or as Python."""
    try:
        value = json.loads(reply, strict=False)
    except (ValueError, RecursionError):
        value = _literal(reply)
    return value if isinstance(value, dict) else None


def _literal(reply: str) -> object:
    """The Python literal a text consists of; None where it is none."""
    try:
        return ast.literal_eval(reply) if len(reply) <= _MAX_DICTIONARY else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def parse_rating(text: str | None, profile: Profile = "recommended") -> int | None:
    """The rating in a judge's reply `<explanation>...</explanation><answer>4</answer>`; None where it is unreadable.

    `recommended`: exactly one pair of tags, a whole number from 1 to 5. `perg`: the first pair that holds only digits,
    whatever their number.

    >>> parse_rating("<Answer> [4] </Answer>"), parse_rating("<answer>7</answer>")
    (4, None)
    >>> parse_rating("<answer>7</answer>", "perg")
    7
    """
    reply = text or ""
    if profile == "perg":
        digits = _PERG_ANSWER.search(reply)
        return int(digits[1]) if digits else None
    reply = without_thoughts(reply) or ""
    if len(_ANSWER_TAG.findall(reply)) != 2:
        return None
    match = _ANSWER.search(reply)
    return int(next(filter(None, match.groups()))) if match else None
