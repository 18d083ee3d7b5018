"""State of the Judges board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from leaderboard.boards.position_bias.kind import JUDGES
from leaderboard.page.state import PageState, TableState, choice, first_table, one_of, opened, step, text

Agreement = Literal["with_ties", "without_ties", "kappa", "consistent_outcomes"]
AGREEMENTS: tuple[Agreement, ...] = get_args(Agreement)
"""Ways to compare two judges (docs/position_bias.md, "Agreement between judges")."""


@dataclass(frozen=True, slots=True)
class JudgesState(PageState):
    """Which judges, and what of them."""

    kind: ClassVar = JUDGES

    tab: str = JUDGES.key
    table: TableState = first_table(JUDGES)
    benchmark: str = step("", text, undoes=["judge"])
    """Which board (`BoardKey.id`); blank = the first one."""
    judge: str = opened("", text, keeps_page=True)
    """Opened row of that board."""
    agreement: Agreement = choice("with_ties", one_of(AGREEMENTS), keeps_page=True)
