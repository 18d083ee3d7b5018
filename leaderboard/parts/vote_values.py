"""What the human check shows beside a judge's verdicts; every string is shown as text."""

from __future__ import annotations

from typing import TypedDict


class ChoiceValue(TypedDict):
    """One button: "Agree" or "Disagree" with one verdict."""

    verdict: str
    label: str
    name: str
    """What the button does, for people who do not see the row it stands in."""
    is_chosen: bool
    stance: str
    """What pressing it says: a chosen one is taken back."""


class BallotValue(TypedDict):
    """What the judge says of one pair, and the visitor's vote on it."""

    says: str
    choices: list[ChoiceValue]
    """Two; none where the visitor cannot vote, or there is no verdict."""


class HumanCheckValue(TypedDict):
    """What people say of the judge of an item's verdicts."""

    line: str
    notes: list[str]
    said: str
    """Why a vote was not kept; blank where nothing went wrong."""
