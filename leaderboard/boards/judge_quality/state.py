"""State of the board of judges that run here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leaderboard.boards.judge_quality.kind import JUDGE_QUALITY
from leaderboard.page.state import PageState, TableState, first_table, opened, text


@dataclass(frozen=True, slots=True)
class JudgeQualityState(PageState):
    """Which judges, and which of them is opened."""

    kind: ClassVar = JUDGE_QUALITY

    tab: str = JUDGE_QUALITY.key
    table: TableState = first_table(JUDGE_QUALITY)
    judge: str = opened("", text, keeps_page=True)
    """Opened row; blank = none."""
