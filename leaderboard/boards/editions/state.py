"""State of the pages of 2025 and 2026."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leaderboard.boards.editions.kinds import CONSISTENCY, CULTURAL
from leaderboard.boards.editions.rows import EditionBoard
from leaderboard.boards.robustness.state import EditionState
from leaderboard.page.state import TableState, first_table


@dataclass(frozen=True)
class ConsistencyState(EditionState):
    """What a visitor of the board of 2025 looks at."""

    kind: ClassVar = CONSISTENCY

    tab: str = CONSISTENCY.key
    table: TableState = first_table(CONSISTENCY)


@dataclass(frozen=True)
class CulturalState(EditionState):
    """What a visitor of the board of 2026 looks at."""

    kind: ClassVar = CULTURAL

    tab: str = CULTURAL.key
    table: TableState = first_table(CULTURAL)


STATES: dict[EditionBoard, type[EditionState]] = {"consistency": ConsistencyState, "cultural": CulturalState}
"""The page of either edition."""
