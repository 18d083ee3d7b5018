"""State of the board of judges that run here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leaderboard.boards.judge_quality.kind import JUDGE_QUALITY
from leaderboard.page.state import PageState, TableState, first_table, step, text


@dataclass(frozen=True, slots=True)
class JudgeQualityState(PageState):
    """Which judges, and which of them is opened."""

    kind: ClassVar = JUDGE_QUALITY

    tab: str = JUDGE_QUALITY.key
    table: TableState = first_table(JUDGE_QUALITY)
    judge: str = step("", text)
    """Opened row; blank = none."""

    @property
    def opened_row(self) -> str:
        """Id of the opened row; blank = none."""
        return self.judge
