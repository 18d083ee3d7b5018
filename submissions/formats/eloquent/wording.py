"""Words of the problems that files of every edition can have."""

from __future__ import annotations

from collections.abc import Mapping

from submissions.findings import Findings, ProblemTally
from submissions.reading.limits import Limits
from submissions.reading.quoting import described
from submissions.schema import Response

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
    "metadata_field": (
        "the {mark.detail}, expected a text; it was ignored ({times})",
        "Write it as a text in double quotes, or leave it out.",
    ),
    "language_alias": (
        "a language is written in another way than in the test set: {mark.detail} ({times})",
        'Write the code of the test set in small letters, like "en".',
    ),
}
"""Code of a warning told once -> message with its `mark` and how many `times` it was met, and hint."""


def report_marks(tally: ProblemTally, wording: Mapping[str, tuple[str, str]], findings: Findings) -> None:
    """Reports every warning of a tally in the words of its code."""
    for mark in tally.marks:
        message, hint = wording[mark.code]
        times = "once" if mark.count == 1 else f"{mark.count} times, first here"
        findings.add(
            mark.code,
            mark.path,
            message.format(mark=mark, times=times),
            hint,
            item=mark.item,
            variant=mark.variant,
            language=mark.language,
        )


def report_empty(
    first: Response, place: str, skipped: int, read: int, findings: Findings, *, noun: str, root: str, is_whole: bool
) -> None:
    """Tells of prompts without an answer: a note, and an error where a file that was read whole holds nothing else.

    Args:
        first: The first blank response, which stands at `place`.
        skipped: How many are blank, of all that were `read`.
        noun: What the edition calls them, "answers".
        root: Where all of them stand.
    """
    if skipped == read and is_whole:
        hint = f"Fill in the {noun}; perhaps the template was sent instead of them."
        findings.add("all_empty", root, f"all {read:,} {noun} are empty", hint)
        return
    findings.add(
        "skipped_responses",
        place,
        f"{skipped:,} of {read:,} {noun} are empty: these prompts count as not answered",
        "Nothing to do if they were skipped on purpose.",
        item=first.item_id,
        variant=first.variant,
        language=first.language,
    )


def response_fault(value: object, limits: Limits) -> tuple[str, str, str] | None:
    """What keeps a value from being a response: code, message and hint; None of a text that can be read."""
    if not isinstance(value, str):
        return "response_type", f"expected a text, found {described(value)}", _response_type_hint(value)
    if len(value) > limits.response_characters:
        return (
            "response_too_long",
            f"the response has {len(value):,} characters; at most {limits.response_characters:,} are read",
            "Shorten it; a response of this length is most often a model repeating itself.",
        )
    return None


def _response_type_hint(value: object) -> str:
    if isinstance(value, list):
        return "Give one text; several samples are several submissions, told apart by the name of the run."
    if value is None:
        return 'A prompt you skip needs an empty text "", not null.'
    return "Write the response as a text in double quotes."
