"""Codes of languages: where a prompt set calls one otherwise than ISO 639-1."""

from __future__ import annotations

from collections.abc import Iterable

SET_CODES = {"uk": "ua"}
"""ISO 639-1 -> code in the prompt sets."""

_ISO_CODES = {code: iso for iso, code in SET_CODES.items()}


def with_set_codes(languages: Iterable[str]) -> tuple[str, ...]:
    """Sorted, each also under the code that the prompt sets use for it.

    >>> with_set_codes(["uk", "fi"])
    ('fi', 'ua', 'uk')
    """
    known = set(languages)
    return tuple(sorted(known | {SET_CODES[code] for code in known if code in SET_CODES}))


def iso_code(language: str) -> str:
    """The code of ISO 639-1.

    >>> iso_code("ua"), iso_code("fi")
    ('uk', 'fi')
    """
    return _ISO_CODES.get(language, language)
