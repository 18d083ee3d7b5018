"""The language and prompt a file states beside a response, in a form that can be compared with the test set's."""

from __future__ import annotations

import unicodedata

from submissions.promptsets.set_file import LANGUAGE_CORRECTIONS
from submissions.reading.normal_forms import normal_form

_LANGUAGE_ALIASES = LANGUAGE_CORRECTIONS | {
    "eng": "en", "swe": "sv", "ara": "ar", "arb": "ar", "fin": "fi", "ell": "el", "gre": "el", "gr": "el",
    "ger": "de", "deu": "de", "ajp": "apc", "english": "en", "swedish": "sv", "arabic": "ar", "finnish": "fi",
    "greek": "el", "german": "de", "scots": "sco",
}  # fmt: skip
"""Other ways to write the languages of the sets: three-letter codes, names, merged and mistaken codes."""


def comparable_prompt(prompt: str) -> str:
    """A prompt as it is compared: NFC, trimmed, blanks collapsed, without format characters."""
    kept = "".join(character for character in prompt if unicodedata.category(character) != "Cf")
    return " ".join(normal_form("NFC", kept).split())


def comparable_language(stated: str) -> str:
    """A language code in the form of the test set: "EN", "eng", "en-GB" and "English" mean en."""
    code = stated.strip().casefold().replace("_", "-")
    code = _LANGUAGE_ALIASES.get(code, code)
    main, _, region = code.partition("-")
    return _LANGUAGE_ALIASES.get(main, main) if region else code
