"""Values of a judge card; every string is shown as text."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class CardFactValue(TypedDict):
    """One line of a judge card."""

    name: str
    text: str
    tooltip: str
    is_faint: bool


class QualityLineValue(TypedDict):
    """One kind of labelled pairs: what the judge and the baselines reach on it."""

    name: str
    number: str
    """Of pairs."""
    cells: list[str]


class QualityPanelValue(TypedDict):
    """A judge's agreement with our labelled pairs by kind of pair, beside baselines."""

    title: str
    explanation: str
    is_open: bool
    heads: list[str]
    lines: list[QualityLineValue]


class JudgeCardValue(TypedDict):
    """A judge as it is shown beside its verdicts; every string is shown as text."""

    title: str
    context: str
    """What the figures rest on."""
    facts: list[CardFactValue]
    version: NotRequired[list[CardFactValue]]
    """What tells it from any other version of itself; folded."""
    notes: list[str]
    quality: list[QualityPanelValue]
    """One where the judge was measured on our labelled pairs, and one for each way of reading languages."""


class JudgeCardsValue(TypedDict):
    """Cards for `components.JudgeCards`."""

    cards: list[JudgeCardValue]


class FactValue(TypedDict):
    """A named line of text."""

    name: str
    text: str
