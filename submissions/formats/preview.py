"""What would be scored of a checked file: its first rows as read, the work it makes, and what was normalised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from submissions.formats.personalization.coverage import PersonalizedCoverage
from submissions.problems import Problem
from submissions.schema import Flag, Response, Submission

FIRST_ROWS = 5
"""So many rows of a file are shown."""

NORMALISATIONS = frozenset(
    {
        "crlf",
        "utf8_bom",
        "id_normalised",
        "year_normalised",
        "responses_as_strings",
        "language_alias",
        "file_name",
        "nested_folder",
        "junk_file",
        "item_order",
        "extra_key",
        "unknown_field",
        "metadata_field",
        "identity_conflict",
        "tie_counted_as_error",
    }
)
"""Codes of what was read otherwise than it is written, filled in, or left out."""


def normalisations(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that say how the file was read, in their order."""
    return tuple(problem for problem in problems if problem.code in NORMALISATIONS)


def expected_judgements(submission: Submission) -> int:
    """Judgements a submission may need: both orders of every two different answers to one item in one language.

    A judge is not asked about languages it does not read, and never twice about the same texts, so that it can be
    fewer; a judge that also rates whole groups, or compares with a reference system, makes more.
    """
    groups: dict[tuple[str, str], Counter[str]] = {}
    for response in submission.responses():
        if not response.is_blank:
            groups.setdefault((response.item_id, response.language), Counter())[response.response.strip()] += 1
    # Of all ordered pairs those of different texts.
    return sum(texts.total() ** 2 - sum(count**2 for count in texts.values()) for texts in groups.values())


def expected_ratings(held: PersonalizedCoverage) -> int:
    """Answers under a relevant preference: a judge that reads language rates how each of them follows it."""
    return sum(group.n_rows for group in held.groups if group.setting in ("relevant", "mixed"))


def guard_flags(responses: Iterable[Response]) -> Mapping[Flag, int]:
    """How many responses carry each flag, in order of the flags' names."""
    counts = Counter(flag for response in responses for flag in response.flags)
    return dict(sorted(counts.items()))


def first_answers(submission: Submission) -> Sequence[Response]:
    """The first responses that are not blank."""
    answered = (response for response in submission.responses() if not response.is_blank)
    return [response for response, _ in zip(answered, range(FIRST_ROWS), strict=False)]
