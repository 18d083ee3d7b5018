"""The boards of published records, for the register."""

from __future__ import annotations

from functools import partial

from evaluator.public_record.records import kept_alpaca_eval, kept_llm_bar
from leaderboard.boards.public_record import alpaca_eval
from leaderboard.boards.public_record.alpaca_eval import ReRankedRow, system_rows
from leaderboard.boards.public_record.facts import alpaca_eval_facts, llm_bar_facts
from leaderboard.boards.public_record.llm_bar import (
    LabelledJudgeRow,
    label_rows,
    measured_lines,
    measured_rows,
    opening_sentence,
)
from leaderboard.boards.public_record.page import opening_notice, record_page
from leaderboard.boards.public_record.state import AlpacaEvalState, LlmBarState
from leaderboard.page.board_table import BoardTable
from leaderboard.page.registered import Board, BoardTools, OpenBoard
from leaderboard.parts.notices import notice

LLM_BAR_TABLE: BoardTable[LabelledJudgeRow, LlmBarState] = BoardTable(
    LlmBarState,
    all_rows=lambda state: (*label_rows(), *measured_rows()),
    caption=lambda state: "Judges by right verdicts: share of 419 labelled pairs with 95% interval, higher is better",
    empty=lambda state: "No figures are kept.",
    about=lambda state: {},
)


def _llm_bar_opened(tools: BoardTools) -> OpenBoard:
    below = notice("plain", "Measured by us, without a place among them", *measured_lines())
    return OpenBoard(
        LLM_BAR_TABLE,
        partial(record_page, LLM_BAR_TABLE, opening_notice(opening_sentence(), kept_llm_bar()), below, ()),
        facts=llm_bar_facts,
        takes_rows=False,
    )


LLM_BAR_BOARD: Board = Board(LlmBarState, "Judges", _llm_bar_opened, lambda ticket: None, "Against people's labels")

ALPACA_EVAL_TABLE: BoardTable[ReRankedRow, AlpacaEvalState] = BoardTable(
    AlpacaEvalState,
    all_rows=lambda state: system_rows(),
    caption=lambda state: "Systems by win rate over GPT-4 Turbo: share of 805 prompts with 95% interval",
    empty=lambda state: "No figures are kept.",
    about=lambda state: {},
)


def _alpaca_eval_opened(tools: BoardTools) -> OpenBoard:
    opening = opening_notice(alpaca_eval.opening_sentence(), kept_alpaca_eval())
    below = notice("plain", "What else these logs say", alpaca_eval.gate_line(), alpaca_eval.selection_line())
    return OpenBoard(
        ALPACA_EVAL_TABLE,
        partial(record_page, ALPACA_EVAL_TABLE, opening, below, (alpaca_eval.selection_table(),)),
        facts=alpaca_eval_facts,
        takes_rows=False,
    )


ALPACA_EVAL_BOARD: Board = Board(AlpacaEvalState, "Judges", _alpaca_eval_opened, lambda ticket: None, "AlpacaEval")
