"""The boards of published records, for the register."""

from __future__ import annotations

from functools import partial

from evaluator.public_record.records import NULL_MODEL, kept_alpaca_eval, kept_llm_bar
from leaderboard.boards.public_record import alpaca_eval
from leaderboard.boards.public_record.alpaca_eval import ReRankedRow, system_rows
from leaderboard.boards.public_record.llm_bar import (
    LabelledJudgeRow,
    effects_line,
    few_pairs,
    label_rows,
    measured_lines,
    measured_rows,
    misled_judge,
    opening_sentence,
)
from leaderboard.boards.public_record.page import opening_notice, record_page
from leaderboard.boards.public_record.state import AlpacaEvalState, LlmBarState
from leaderboard.page.board_table import BoardTable
from leaderboard.page.links import address_of
from leaderboard.page.registered import Board, BoardTools, Fact, OpenBoard
from leaderboard.parts.columns import text_of
from leaderboard.parts.notices import notice
from leaderboard.parts.published import RECOMPUTED, SHORT_MARK


def llm_bar_facts() -> list[Fact]:
    """Return the judge that good-looking wrong answers mislead most; nothing where none does worse than a coin."""
    row = misled_judge()
    if row is None:
        return []
    right = row.record.adversarial
    share, low, high = (text_of(end, "share") for end in (right.value, right.low, right.high))
    return [
        Fact(
            claim=f"{row.name} is right on {share} of LLMBar's misleading pairs",
            interval=f"95% interval {low} to {high}",
            source=f"{right.n} pairs, {SHORT_MARK[RECOMPUTED]}",
            link=address_of(LlmBarState()),
        )
    ]


def alpaca_eval_facts() -> list[Fact]:
    """Return how often one text for every prompt wins on AlpacaEval; nothing where it stands nowhere."""
    rows = [row.record for row in system_rows() if row.name == NULL_MODEL]
    return [
        Fact(
            claim=f"One text for every prompt has a win rate of {text_of(own.win_rate.value, 'share')} on AlpacaEval",
            interval=f"95% interval {text_of(own.win_rate.low, 'share')} to {text_of(own.win_rate.high, 'share')}",
            source=f"AlpacaEval 2, {own.prompts} prompts, {SHORT_MARK[RECOMPUTED]}",
            link=address_of(AlpacaEvalState()),
        )
        for own in rows
    ]


LLM_BAR_TABLE: BoardTable[LabelledJudgeRow, LlmBarState] = BoardTable(
    LlmBarState,
    all_rows=lambda state: (*label_rows(), *measured_rows()),
    caption=lambda state: "Judges by right verdicts: share of 419 labelled pairs with 95% interval, higher is better",
    empty=lambda state: "No figures are kept.",
    about=lambda state: {},
    says_who_leads=False,
)


def _llm_bar_opened(tools: BoardTools) -> OpenBoard:
    opening = opening_notice(opening_sentence(), kept_llm_bar(), effects_line(), few_pairs().line())
    below = notice("plain", "Measured by us, without a place among them", *measured_lines())
    return OpenBoard(
        LLM_BAR_TABLE,
        partial(record_page, LLM_BAR_TABLE, opening, below, (few_pairs().table(),)),
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
    says_who_leads=False,
)


def _alpaca_eval_opened(tools: BoardTools) -> OpenBoard:
    opening = opening_notice(alpaca_eval.opening_sentence(), kept_alpaca_eval())
    below = notice("plain", "What else these logs say", alpaca_eval.gate_line(), alpaca_eval.few_prompts().line())
    return OpenBoard(
        ALPACA_EVAL_TABLE,
        partial(record_page, ALPACA_EVAL_TABLE, opening, below, (alpaca_eval.few_prompts().table(),)),
        facts=alpaca_eval_facts,
        takes_rows=False,
    )


ALPACA_EVAL_BOARD: Board = Board(AlpacaEvalState, "Judges", _alpaca_eval_opened, lambda ticket: None, "AlpacaEval")
