"""State of the Recommenders board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leaderboard.boards.behavior_alignment.kind import BEHAVIOR
from leaderboard.boards.behavior_alignment.rows import BASES
from leaderboard.page.state import PageState, TableState, choice, first_table, one_of, step, text, whole_number


@dataclass(frozen=True, slots=True)
class BehaviorState(PageState):
    """Which recommenders, and what of them."""

    kind: ClassVar = BEHAVIOR

    tab: str = BEHAVIOR.key
    table: TableState = first_table(BEHAVIOR)
    conversations: str = step("", text)
    """Which human dialogues: a collection; blank = the first that has systems."""
    basis: str = choice("", one_of(BASES))
    """Annotated or estimated systems of it; blank = the first that there are."""
    recommender: str = step("", text)
    """Opened row: a ticket, or a reference."""
    dialogue: int = step(0, whole_number)
    """Opened dialogue of that row, from 1; 0 = none."""
    against: str = step("", text)
    """Ticket or reference that the opened row is compared with."""

    @property
    def opened_row(self) -> str:
        """Id of the opened row; blank = none."""
        return self.recommender
