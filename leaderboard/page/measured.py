"""What a row is: where it comes from, and whether its figures were measured here or are what the submitter states."""

from __future__ import annotations

from typing import Any

from leaderboard.parts.columns import Column
from leaderboard.parts.filters import Filter
from leaderboard.parts.published import SHORT_MARK
from leaderboard.parts.tables import NULL_ROW
from submissions.store.queue import Role

SELF_REPORTED = "self-reported"
"""The submitter states what the figures are made of: nobody here has seen it come about."""
HERE = "measured here"
OWN_EXAMPLE = "written by us to show the scale"
"""What the note of a row says that is there to show what a board looks like."""
ORIGIN: dict[Role, str] = {"example": OWN_EXAMPLE, "recorded": "a very small real model, recorded by us"}
"""The same of all rows that no team sent."""

_MARK: dict[Role, str] = {"baseline": "null row", "example": "written by us", "recorded": "real model, recorded by us"}

UNGATED = "scored before responses were asked whether they answer: to be judged again"
"""Said of a run whose pairs count in full although other runs of its board had to pass the answer gate."""


def name_mark(row: Any) -> str:
    """What a row is, for the column of names, which no choice of columns leaves out; blank for a ranked entry."""
    published = getattr(row, "published", None)  # boards on which nothing published can stand have no such field
    if published:
        mark = SHORT_MARK[published]
    elif row.style == NULL_ROW:
        mark = _MARK["baseline"]
    else:
        origin = _MARK.get(getattr(row, "role", "entry"), "")
        mark = ", ".join(part for part in (origin, "not ranked" if getattr(row, "unranked", "") else "") if part)
    return f"({mark})" if mark else ""


MEASURED_FILTER: Filter[Any] = Filter(
    "measured", "Measured", "one_of", lambda row: row.measured, reaches_published=True
)


def measured_column(stated: str) -> Column[Any]:
    """The column that says which.

    Args:
        stated: What submitters of the board state, for the end of a sentence.
    """
    meaning = (
        f"Self-reported figures rest on {stated}; those measured here on what this site has seen; published ones are "
        "other people's, as printed or recomputed from what they released, and never ranked with the others."
    )
    return Column("measured", "Measured", "text", lambda row: row.measured, meaning)
