"""What the second stage of Pref-Aligner replied: the edited answer and the thoughts behind it."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import NamedTuple

# A raw newline inside a string is what models write most often against the letter of JSON.
_DECODER = json.JSONDecoder(strict=False)
_FENCED = re.compile(r"```[A-Za-z]*\s(.*?)```", re.DOTALL)
_OBJECT_START = re.compile(r'\{\s*"')
_HALF_CHARACTER = re.compile(r"[\ud800-\udfff]")
"""What is left of a character whose escape was cut in two: no file can hold it."""
_MOST_STARTS = 100
"""Places of a text at which an object is looked for: a reply of braces only must not keep a worker busy."""


class AlignerReply(NamedTuple):
    """A readable reply."""

    response: str
    """The final answer, never blank."""
    thoughts: str | None
    """None where the model gave none, or something other than a text."""


def parse_aligner(text: str | None) -> str | None:
    """The final answer in a stage-2 reply; None where it is unreadable, so that the draft stands (a fallback).

    >>> parse_aligner('My edit: {"response": "B. a river", "thoughts": "shorter"}')
    'B. a river'
    >>> parse_aligner("I would leave it as it is.") is None
    True
    """
    reply = read_aligner_reply(text)
    return None if reply is None else reply.response


def read_aligner_reply(text: str | None) -> AlignerReply | None:
    """Reads `{"response": ..., "thoughts": ...}` from the whole text, a fenced block, or the first object in the text.

    The first of these places that holds a JSON object decides. None without one, or where its `response` is not a text
    or blank, or holds half a character. See docs/personalization.md#profiles.

    >>> read_aligner_reply('```json\\n{"response": "B. a river", "thoughts": "kept"}\\n```')
    AlignerReply(response='B. a river', thoughts='kept')
    """
    members = _first_object(text or "")
    response = members.get("response")
    if not isinstance(response, str) or not response.strip() or _HALF_CHARACTER.search(response):
        return None
    thoughts = members.get("thoughts")
    return AlignerReply(response, thoughts if isinstance(thoughts, str) else None)


def _first_object(text: str) -> dict[str, object]:
    """The object the reply consists of or holds; empty where there is none."""
    for whole in (text, *(block[1] for block in _FENCED.finditer(text))):
        if (members := _object_at(whole.strip(), 0, whole=True)) is not None:
            return members
    for start in islice(_OBJECT_START.finditer(text), _MOST_STARTS):
        if (members := _object_at(text, start.start(), whole=False)) is not None:
            return members
    return {}


def _object_at(text: str, start: int, *, whole: bool) -> dict[str, object] | None:
    """The JSON object that starts there, and with `whole` ends with the text."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):  # not JSON, a number of thousands of digits, or nested without end
        return None
    return value if isinstance(value, dict) and (not whole or end == len(text)) else None
