"""Question sets for personalization: multiple-choice questions, and preferences to ask them under."""

from __future__ import annotations

from importlib import resources

from submissions.questionsets.set_file import QuestionSetError, read_question_set
from submissions.questionsets.shape import (
    NoPreferences,
    Question,
    QuestionSet,
    ShownPreferences,
    mixed_preferences,
)

__all__ = [
    "NoPreferences",
    "Question",
    "QuestionSet",
    "QuestionSetError",
    "ShownPreferences",
    "demonstration",
    "mixed_preferences",
    "read_question_set",
]


def demonstration() -> QuestionSet:
    """The set shipped with the package: our own questions with certain answers, written for this project."""
    return read_question_set((resources.files(__name__) / "demonstration.json").read_text(encoding="utf-8"))
