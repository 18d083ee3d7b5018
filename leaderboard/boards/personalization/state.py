"""State of the Personalization board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evaluator.personalization import OUTCOMES
from leaderboard.boards.personalization.kind import PERSONALIZATION
from leaderboard.page.state import PageState, TableState, choice, first_table, one_of, opened, step, text
from submissions.formats.personalization.submission import SETTINGS, Setting


@dataclass(frozen=True, slots=True)
class PersonalizationState(PageState):
    """Which answers, and what of them."""

    kind: ClassVar = PERSONALIZATION

    tab: str = PERSONALIZATION.key
    table: TableState = first_table(PERSONALIZATION)
    setting: Setting = choice("relevant", one_of(SETTINGS), undoes=["outcome", "example"])
    """Which preferences the answers were given under."""
    dataset: str = step("", text, undoes=["outcome", "example"])
    """Which of the data sets, or which of them pooled; blank = the first choice that has rows."""
    answers: str = opened("", text, undoes=["outcome", "example"])
    """Opened row: a ticket, and a method after a slash."""
    outcome: str = choice("", one_of(OUTCOMES))
    """Which of its answers are listed; blank = all."""
    example: str = opened("", text, keeps_page=True)
    """Opened example of that row: its row of the file."""
