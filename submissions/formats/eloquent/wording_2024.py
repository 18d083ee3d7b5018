"""Words of the warnings that can stand at many places of a 2024 file: message and hint."""

from __future__ import annotations

from submissions.formats.eloquent.wording import MARKS as SHARED

MARKS = {
    **SHARED,
    "id_normalised": (
        "ids were read in the test set's form: {mark.detail} ({times})",
        'Write ids as texts of three digits, like "001".',
    ),
    "responses_as_strings": (
        "responses are plain texts, expected objects ({times})",
        'They were read; write {"response": "..."} to be sure.',
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
