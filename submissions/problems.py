"""Problems of a file: one `Problem` per place, all of them at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["error", "warning", "note"]
Decision = Literal["accepted", "accepted_with_warnings", "refused"]

MAX_LISTED_PROBLEMS = 200
"""A report lists at most this many problems; its counts are complete (docs/submit.md#what-the-check-answers)."""

_FIRST_PLACES = 3
"""Places named of problems of one kind."""
_VARYING = re.compile(r"\b(?:row|line) [0-9,]+: |(?<=\$\[)[0-9]+(?=\])")
"""What tells one place from another in messages of one kind."""

_SEVERITY_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


class Problem(BaseModel):
    """One thing found in a file: where it is, what was found and expected, and how to mend it."""

    model_config = ConfigDict(frozen=True)

    code: str
    """A name from `CODES`."""
    severity: Severity
    path: str
    """JSON path (`$.eloquent-robustness-results.items[3].id`), or `NAME:LINE:COLUMN` for faults of the text;
    `$` stands for the whole file. List indices count from 0."""
    item: str | None = None
    variant: int | None = None
    """Position in the item's variants, counted from 1."""
    language: str | None = None
    message: str
    hint: str
    line: int | None = None
    """Line of the file, of a zip that of its entry, counted from 1; None for a whole file, and where a report does not
    list the problem."""
    offset: int | None = Field(default=None, exclude=True)
    """Bytes of the file before the place, for an excerpt."""
    entry: str | None = Field(default=None, exclude=True)
    """Entry of a zip whose line and bytes `line` and `offset` count; None where they are the upload's own."""
    within: str | None = Field(default=None, exclude=True)
    """JSON path inside of the line that `path` names (JSON Lines)."""


class SubmissionError(Exception):
    """Raised when a file that must be readable is refused; carries every problem found."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{p.path}: {p.message}" for p in problems if p.severity == "error"))


class NotTakenNow(Exception):
    """Raised when a file in order is not taken now; the text says why, and when it may come."""


def decision(problems: list[Problem]) -> Decision:
    """An error refuses the file, a warning marks it, a note changes nothing."""
    severities = {problem.severity for problem in problems}
    if "error" in severities:
        return "refused"
    return "accepted_with_warnings" if "warning" in severities else "accepted"


def counts_by_code(problems: list[Problem]) -> dict[str, int]:
    """How many problems carry each code, in order of the codes' names."""
    counts: dict[str, int] = {}
    for problem in sorted(problems, key=lambda p: p.code):
        counts[problem.code] = counts.get(problem.code, 0) + 1
    return counts


def listed(problems: list[Problem], limit: int = MAX_LISTED_PROBLEMS) -> list[Problem]:
    """The problems a report shows: errors first, file order within a severity, one of each code at least."""
    ordered = sorted(problems, key=lambda p: _SEVERITY_ORDER[p.severity])
    if len(ordered) <= limit:
        return ordered
    first_of_code: dict[str, int] = {}
    for index, problem in enumerate(ordered):
        first_of_code.setdefault(problem.code, index)
    kept = set(first_of_code.values())
    for index in range(len(ordered)):
        if len(kept) >= limit:
            break
        kept.add(index)
    return [ordered[index] for index in sorted(kept)]


def grouped(problems: Sequence[Problem]) -> list[Problem]:
    """Return one problem for all of one kind: the first, its message with their number and the next places.

    Problems are of one kind where code, severity, hint and message are the same but for a number of a row or line.
    """
    kinds: dict[tuple[str, str, str, str], list[Problem]] = defaultdict(list)
    for problem in problems:
        message = _VARYING.sub("", problem.message)
        kinds[problem.severity, problem.code, message, problem.hint].append(problem)
    return [_with_count(of_kind) for of_kind in kinds.values()]


def _with_count(problems: Sequence[Problem]) -> Problem:
    first, *others = problems
    if not others:
        return first
    places = ", ".join(dict.fromkeys(problem.path for problem in others[: _FIRST_PLACES - 1]))
    more = ", ..." if len(others) > _FIRST_PLACES - 1 else ""
    return first.model_copy(
        update={"message": f"{first.message} ({len(problems):,} of this kind; also at {places}{more})"}
    )
