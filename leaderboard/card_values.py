"""What a judge card says; every string is shown as text."""

from __future__ import annotations

from typing import TypedDict


class CardFactValue(TypedDict):
    """One line of a judge card."""

    name: str
    text: str
    tooltip: str
    is_faint: bool


class JudgeCardValue(TypedDict):
    """A judge as it is shown beside its verdicts; every string is shown as text."""

    title: str
    context: str
    """What the figures rest on."""
    facts: list[CardFactValue]
    notes: list[str]


class JudgeCardsValue(TypedDict):
    """Cards for `components.JudgeCards`."""

    cards: list[JudgeCardValue]
