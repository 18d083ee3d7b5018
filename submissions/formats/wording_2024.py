"""Words of the problems that can stand at many places of a 2024 file: message and hint."""

from __future__ import annotations

VALUE_FAULTS = {
    "json_nan": (
        "{found} is not a number JSON knows",
        'Write the answer as a text in double quotes, and an empty text "" where there is none.',
    ),
    "lone_surrogate": (
        "the text holds {found}, one half of a character that JSON writes as two escapes",
        "Cut texts between characters, not between escapes; json.dumps of a Python text never leaves halves.",
    ),
    "control_char": (
        "the text holds the control character {found}; only tab, line feed and carriage return are allowed",
        "Remove it: it is invisible and most often comes from a broken decoding.",
    ),
    "duplicate_key": (
        "the key {found} stands more than once in this object, so one of its values would be lost",
        "Keep one; if the key was written by hand, check which value you meant.",
    ),
}
"""Code of a fault in a value -> message with `found`, and hint."""

MARKS = {
    "extra_key": (
        "the key {mark.detail} is not part of the format and was ignored ({times})",
        "Remove it, or check its spelling if it should mean something.",
    ),
    "id_normalised": (
        "ids were read in the test set's form: {mark.detail} ({times})",
        'Write ids as texts of three digits, like "001".',
    ),
    "responses_as_strings": (
        "responses are plain texts, expected objects ({times})",
        'They were read; write {"response": "..."} to be sure.',
    ),
    "metadata_field": (
        "the {mark.detail}, expected a text; it was ignored ({times})",
        "Write it as a text in double quotes, or leave it out.",
    ),
    "language_alias": (
        "a language is written in another way than in the test set: {mark.detail} ({times})",
        'Write the code of the test set in small letters, like "en".',
    ),
    "language_mismatch": (
        "item {mark.item}: {mark.detail} ({times})",
        "Check the order of the responses: the place in the list decides which prompt a response answers.",
    ),
    "prompt_mismatch": (
        "item {mark.item}: {mark.detail} ({times})",
        "Check the order of the responses, and that the prompts are those of the newest test set.",
    ),
}
"""Code of a warning told once -> message with its `mark` and how many `times` it was met, and hint."""
