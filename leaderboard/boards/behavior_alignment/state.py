"""State of the Recommenders board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leaderboard.boards.behavior_alignment.kind import BEHAVIOR
from leaderboard.boards.behavior_alignment.rows import BASES
from leaderboard.page.state import PageState, TableState, choice, first_table, one_of, opened, step, text, whole_number


@dataclass(frozen=True, slots=True)
class BehaviorState(PageState):
    """Which recommenders, and what of them."""

    kind: ClassVar = BEHAVIOR

    tab: str = BEHAVIOR.key
    table: TableState = first_table(BEHAVIOR)
    conversations: str = step("", text, undoes=["basis", "recommender", "dialogue", "against"])
    """Which human dialogues: a collection; blank = the first that has systems."""
    basis: str = choice("", one_of(BASES), undoes=["recommender", "dialogue", "against"])
    """Annotated or estimated systems of it; blank = the first that there are."""
    recommender: str = opened("", text, undoes=["dialogue", "against"])
    """Opened row: a ticket, or a reference."""
    dialogue: int = opened(0, whole_number, keeps_page=True)
    """Opened dialogue of that row, from 1; 0 = none."""
    against: str = step("", text)
    """Ticket or reference that the opened row is compared with."""
