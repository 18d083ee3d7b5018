"""The boards of published records, for the register."""

from __future__ import annotations

from functools import partial

from evaluator.public_record.llm_bar import kept_llm_bar
from leaderboard.boards.public_record.facts import llm_bar_facts
from leaderboard.boards.public_record.llm_bar import LabelledJudgeRow, label_rows, opening_sentence
from leaderboard.boards.public_record.page import opening_notice, record_page
from leaderboard.boards.public_record.state import LlmBarState
from leaderboard.page.board_table import BoardTable
from leaderboard.page.registered import Board, BoardTools, OpenBoard

LLM_BAR_TABLE: BoardTable[LabelledJudgeRow, LlmBarState] = BoardTable(
    LlmBarState,
    all_rows=lambda state: label_rows(),
    caption=lambda state: "Judges by right verdicts: share of 419 labelled pairs with 95% interval, higher is better",
    empty=lambda state: "No figures are kept.",
    about=lambda state: {},
)


def _llm_bar_opened(tools: BoardTools) -> OpenBoard:
    return OpenBoard(
        LLM_BAR_TABLE,
        partial(record_page, LLM_BAR_TABLE, opening_notice(opening_sentence(), kept_llm_bar())),
        understood=lambda state: (state, ()),
        exported=lambda: [LlmBarState()],
        facts=llm_bar_facts,
    )


LLM_BAR_BOARD: Board = Board(LlmBarState, "Judges", _llm_bar_opened, lambda ticket: None, "Against people's labels")
