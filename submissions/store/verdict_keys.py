"""Keys of the verdicts that a stored result rests on, whatever board it is for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_OF_ONE = ("key_ab", "key_ba", "key_original", "key_swapped", "group_key", "answers_key")
_OF_MANY = ("letter_key", "control_key", "repeat_key", "rating_key", "asked_keys")
_FIELDS = frozenset((*_OF_ONE, *_OF_MANY))
"""Fields of results that name verdicts: one, or a column of them (`evaluator.results`)."""


def verdict_keys(result: str) -> list[str]:
    """Keys of the verdicts a result (JSON as it is stored) names, sorted, each once.

    >>> verdict_keys('{"pairs": [{"key_ab": "b", "key_ba": null}], "outcomes": {"rating_key": ["a", null, "b"]}}')
    ['a', 'b']
    """
    return sorted(set(verdict_keys_in(json.loads(result))))


def verdict_keys_in(value: Any) -> Iterator[str]:
    """Keys of the verdicts that a part of a result names, in its order; one may come twice."""
    if isinstance(value, list):
        for inner in value:
            yield from verdict_keys_in(inner)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name in _FIELDS:
                yield from (key for key in (inner if isinstance(inner, list) else [inner]) if key)
            else:
                yield from verdict_keys_in(inner)
