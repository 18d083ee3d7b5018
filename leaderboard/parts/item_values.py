"""One item of one system, ready for the page."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from leaderboard.parts.card_values import JudgeCardValue
from leaderboard.parts.text_difference import DifferencePart
from leaderboard.parts.vote_values import BallotValue, HumanCheckValue


class PartValue(TypedDict):
    """A stretch of an answer; `mark` says why it is marked, blank for the rest."""

    text: str
    mark: str


class MarkedAnswerValue(TypedDict):
    """One answer of the opened pair."""

    title: str
    parts: list[PartValue]


class DetailValue(TypedDict):
    """One figure the judge noted, in both orders."""

    name: str
    first_order: str
    second_order: str


class OpenedPairValue(TypedDict):
    """The opened pair of a group, ready for the page."""

    title: str
    answers: list[MarkedAnswerValue]
    """None where the file is no longer at hand."""
    said: list[str]
    """What the judge found, in sentences."""
    details: list[DetailValue]


class DiffValue(TypedDict):
    """One answer turned into the other; every string is shown as text."""

    title: str
    legend: str
    note: str
    """What is left out; blank for nothing."""
    parts: list[DifferencePart]


class TurnValue(TypedDict):
    """One turn of a conversation, ready for the page."""

    title: str
    question: str
    answer: str
    is_judged: bool


class VariantValue(TypedDict):
    """One answer, ready for the page."""

    title: str
    prompt: str
    answer: str
    turns: list[TurnValue]
    """The whole conversation, in place of prompt and answer, where it has several turns."""
    is_blank: bool
    absent: str
    """Why an answer that was given is not shown; blank where it is."""
    flags: list[str]
    relevance: str


class PairValue(TypedDict):
    """One pair of answers, ready for the page."""

    id: str
    """What it is opened by; blank where there is nothing to open."""
    is_opened: bool
    title: str
    first_order: str
    second_order: str
    score: str
    gated: str
    counts: str
    """How much of it the gate counts."""
    is_worst: bool
    reason: str
    ballot: NotRequired[BallotValue]
    """What people may vote on (`human_check.HumanChecks`)."""


class GroupValue(TypedDict):
    """The answers to one item in one language, ready for the page."""

    language: str
    """Or what else the answers have in common."""
    summary: str
    variants: list[VariantValue]
    paired: str
    """What two of make a pair, for the head of the column."""
    pairs: list[PairValue]
    has_ballots: NotRequired[bool]
    opened: list[OpenedPairValue]
    """The opened pair: one, or none where the judge noted nothing about any pair."""
    diffs: list[DiffValue]
    """The two answers of the opened pair, or else of the worst one, word by word: one, or none where there is no pair,
    no text at hand, or the two are in different languages."""
    cards: list[JudgeCardValue]
    """The judge of the verdicts: one, or none where there are no verdicts."""


class PreferenceValue(TypedDict):
    """One answer against the reference's, judged in both orders, ready for the page."""

    title: str
    first_order: str
    second_order: str
    outcome: str
    is_flip: bool
    label_mass: str
    reason: str


class ComparisonValue(TypedDict):
    """The item's answers against those of the reference system, ready for the page."""

    title: str
    rows: list[PreferenceValue]
    cards: list[JudgeCardValue]


class ItemValue(TypedDict):
    """One item of one system, ready for the page."""

    title: str
    variation: str
    sentence: str
    """What came of it; above everything else."""
    groups: list[GroupValue]
    comparisons: list[ComparisonValue]
    """One where the judge compared the item's answers with the reference's, else none."""
    checks: NotRequired[list[HumanCheckValue]]
    """What people say of the judge: one, where there is a verdict to vote on."""
