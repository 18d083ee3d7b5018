"""What a question set consists of: multiple-choice questions, and preferences to ask them under."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from submissions.formats.personalization.submission import Setting

IRRELEVANT_IN_MIXED = 5
"""So many irrelevant preferences stand around the relevant one (docs/generators.md#question-sets)."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question as models see it."""

    example_id: str
    text: str
    options: tuple[str, ...]
    """In the order shown; () = an open question."""
    gold: str | None
    """The letter of the right option; None for an open question."""


class ShownPreferences(NamedTuple):
    """What one question is asked under."""

    preferences: tuple[str, ...]
    """As shown, in order."""
    relevant_index: int | None
    """Which of them bears on the answer; the model is never told."""


class NoPreferences(Exception):
    """Raised when a question set has not the preferences that a setting asks for."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions of one data set, with the preferences they are asked under."""

    dataset: str
    """`[a-z0-9_]{1,40}`."""
    title: str
    version: str
    source: str
    """Who wrote it, and under which licence."""
    questions: tuple[Question, ...]
    style_preferences: tuple[str, ...]
    """Preferences that bear on any answer (its form, tone, length): each can be the relevant one."""
    irrelevant_preferences: tuple[str, ...]
    """Preferences that bear on none of the questions."""

    def shown(self, setting: Setting, index: int) -> ShownPreferences:
        """What question number `index`, counted from 0, is asked under: preference `index` modulo the list's length.

        Source of the rule: the published code of PERG (arXiv 2509.19358). `mixed` surrounds the relevant preference
        with up to five irrelevant ones that follow each other in their list; its place moves on with each question.

        Raises:
            NoPreferences: when the set has none of a kind the setting needs.
        """
        style, irrelevant = self.style_preferences, self.irrelevant_preferences
        if setting == "none":
            return ShownPreferences((), None)
        if setting in ("relevant", "mixed") and not style:
            raise NoPreferences(f"{self.dataset} has no style preferences, which the setting {setting} needs")
        if setting in ("irrelevant", "mixed") and not irrelevant:
            raise NoPreferences(f"{self.dataset} has no irrelevant preferences, which the setting {setting} needs")
        if setting == "relevant":
            return ShownPreferences((style[index % len(style)],), 0)
        if setting == "irrelevant":
            return ShownPreferences((irrelevant[index % len(irrelevant)],), None)
        around = [irrelevant[(index + step) % len(irrelevant)] for step in range(self._around)]
        return mixed_preferences(style[index % len(style)], around, index % (self._around + 1))

    @property
    def _around(self) -> int:
        return min(IRRELEVANT_IN_MIXED, len(self.irrelevant_preferences))


def mixed_preferences(relevant: str, irrelevant: list[str], place: int) -> ShownPreferences:
    """The relevant preference at that place among irrelevant ones.

    >>> mixed_preferences("Use a table.", ["I like tea.", "I own a dog."], 1)
    ShownPreferences(preferences=('I like tea.', 'Use a table.', 'I own a dog.'), relevant_index=1)
    """
    return ShownPreferences((*irrelevant[:place], relevant, *irrelevant[place:]), place)
