"""Words of the warnings that can stand at many places of a 2026 zip: message and hint."""

from __future__ import annotations

from submissions.formats.eloquent.wording import MARKS as SHARED

MARKS = {
    **SHARED,
    "id_normalised": (
        "ids in {mark.language} were read in the form of the prompt files: {mark.detail} ({times})",
        'Write ids as texts, like "7" or "7-3"; pandas keeps them with dtype=str.',
    ),
    "junk_file": (
        "files of the operating system were left aside, first {mark.detail} ({times})",
        "Nothing to do; on a Mac, zip -X without __MACOSX leaves them out.",
    ),
}
"""Code of a warning told once -> message with its `mark` and how many `times` it was met, and hint."""
