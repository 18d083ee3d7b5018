"""States of the boards of published records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from leaderboard.boards.public_record.alpaca_eval import ALPACA_EVAL
from leaderboard.boards.public_record.llm_bar import LLM_BAR
from leaderboard.page.state import PageState, TableState, first_table


@dataclass(frozen=True, slots=True)
class LlmBarState(PageState):
    """How a visitor looks at judges against people's labels."""

    kind: ClassVar = LLM_BAR

    tab: str = LLM_BAR.key
    table: TableState = first_table(LLM_BAR)


@dataclass(frozen=True, slots=True)
class AlpacaEvalState(PageState):
    """How a visitor looks at AlpacaEval, ranked again."""

    kind: ClassVar = ALPACA_EVAL

    tab: str = ALPACA_EVAL.key
    table: TableState = first_table(ALPACA_EVAL)
