"""State of the pages of 2025 and 2026."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leaderboard.boards.editions.kinds import CONSISTENCY, CULTURAL
from leaderboard.boards.editions.rows import EditionBoard
from leaderboard.boards.robustness.state import EditionState
from leaderboard.page.state import TableState, first_table, step, text


@dataclass(frozen=True)
class LaterEditionState(EditionState):
    """What the boards of 2025 and 2026 share."""

    set: str = step("", text)
    """Prompt set; blank = the first one with a team's run, else the first with any row."""


@dataclass(frozen=True)
class ConsistencyState(LaterEditionState):
    """What a visitor of the board of 2025 looks at."""

    kind: ClassVar = CONSISTENCY

    tab: str = CONSISTENCY.key
    table: TableState = first_table(CONSISTENCY)


@dataclass(frozen=True)
class CulturalState(LaterEditionState):
    """What a visitor of the board of 2026 looks at."""

    kind: ClassVar = CULTURAL

    tab: str = CULTURAL.key
    table: TableState = first_table(CULTURAL)


STATES: dict[EditionBoard, type[LaterEditionState]] = {"consistency": ConsistencyState, "cultural": CulturalState}
"""The page of either edition."""
