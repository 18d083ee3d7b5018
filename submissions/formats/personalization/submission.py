"""Answers with and without user preferences (PERG, arXiv 2509.19358), in one shape independent of their file format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from submissions.schema import Names

KIND = "personalized_answers"

SET_ID = "personalization"
"""What every file of this kind is entered under."""

Setting = Literal["none", "relevant", "irrelevant", "mixed"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)
"""Which preferences a row was answered with: none (the control), one relevant, only irrelevant ones, or one relevant
among others."""

FinishReason = Literal["stop", "length", "content_filter", "error", "unknown"]
FINISH_REASONS: tuple[FinishReason, ...] = get_args(FinishReason)

NO_PREFERENCE = "no_preference"
NAIVE = "naive"
PREF_ALIGNER = "pref_aligner"

FOLLOW_THRESHOLD = 3
"""A rating of it or above counts as followed (PERG)."""

ExampleId = tuple[str, str]
"""Dataset and example_id: the unit that is resampled."""


@dataclass(frozen=True, slots=True)
class PersonalizedRow:
    """One answer of one method to one question under one list of preferences."""

    example_id: str
    dataset: str
    setting: Setting
    method: str
    question: str
    options: tuple[str, ...]
    """As this run saw them, in order; () = an open question."""
    option_order_hash: str
    gold: str | None
    """The letter of the right option; None for an open question."""
    preferences: tuple[str, ...]
    """As shown, in order."""
    relevant_index: int | None
    """Which of them bears on the answer; the model is never told."""
    response_without_preference: str | None
    """The control's text; on other rows filled in from the control row where the file has one."""
    response_with_preference: str | None
    """None on control rows."""
    repeat: int = 1
    """2 and more: another run of the control."""
    control_option_order_hash: str | None = None
    draft: str | None = None
    """Stage 1 of a method with two stages."""
    aligner_raw: str | None = None
    """Stage 2 as the model wrote it."""
    fallback: bool | None = None
    """Whether stage 2 was unreadable, so that the draft stands; None = not said."""
    thoughts: str | None = None
    finish_reason: FinishReason | None = None
    followed_rating: float | None = None
    """The team's own rating 1-5: shown as "reported", never part of our figures."""

    @property
    def example(self) -> ExampleId:
        return (self.dataset, self.example_id)

    @property
    def is_control(self) -> bool:
        return self.setting == "none"

    @property
    def relevant_preference(self) -> str | None:
        """The preference the answer is judged against; None where none is relevant."""
        return None if self.relevant_index is None else self.preferences[self.relevant_index]

    @property
    def final(self) -> str:
        """The text this row's method ended with: the control's own on control rows."""
        text = self.response_without_preference if self.is_control else self.response_with_preference
        return text or ""


@dataclass(frozen=True, slots=True)
class PersonalizedEntry:
    """A run as the desk takes it in: who sent what. The rows, up to 256 MiB of text, stay in the file."""

    names: Names
    file_sha256: str

    @property
    def set_id(self) -> str:
        """What it is entered under."""
        return SET_ID


@dataclass(frozen=True, slots=True, eq=False)
class PersonalizedSubmission:
    """One run of one system, with the rows of all its methods, settings and data sets."""

    names: Names
    date: str | None
    notes: str | None
    file_sha256: str
    """Of the bytes as uploaded."""
    rows: tuple[PersonalizedRow, ...]

    @property
    def set_id(self) -> str:
        """What it is entered under."""
        return SET_ID

    def controls(self) -> Iterator[PersonalizedRow]:
        """The first control run of every example."""
        return (row for row in self.rows if row.is_control and row.repeat == 1)
