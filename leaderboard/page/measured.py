"""Origin of a row: where it comes from, and whether its figures were measured here or are what the submitter states."""

from __future__ import annotations

from typing import Protocol

from submissions.store.queue import Role

SELF_REPORTED = "self-reported"
"""The submitter states what the figures are made of: nobody here has seen it come about."""
HERE = "measured here"
OWN_EXAMPLE = "written by us to show the scale"
"""What the note of a row says that is there to show what a board looks like."""
ORIGIN: dict[Role, str] = {"example": OWN_EXAMPLE, "recorded": "a very small real model, recorded by us"}
"""The same of all rows that no team sent."""

ROLE_MARK: dict[Role, str] = {
    "baseline": "baseline",
    "example": "written by us",
    "recorded": "recorded by us",
}

UNGATED = "scored before responses were asked whether they answer: to be judged again"
"""Said of a run whose pairs count in full although other runs of its board had to pass the answer gate."""
EARLIER_HEAD = "checked by an earlier version of the relevance check: to be judged again"
"""Said of a run whose pairs may count for what would be no answer today."""


class HasRole(Protocol):
    """A row that a submission made."""

    @property
    def role(self) -> Role:
        """What it was entered as."""


def is_ours(row: HasRole) -> bool:
    """Is the row one that no team sent, entered so that there is something to look at?"""
    return row.role in ORIGIN
