"""Findings on published records for the Overview."""

from __future__ import annotations

from evaluator.public_record.records import NULL_MODEL
from leaderboard.boards.public_record.alpaca_eval import system_rows
from leaderboard.boards.public_record.llm_bar import misled_judge
from leaderboard.boards.public_record.state import AlpacaEvalState, LlmBarState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Fact
from leaderboard.parts.columns import text_of
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
            claim=f"One text for every prompt wins {text_of(own.win_rate.value, 'share')} of AlpacaEval's comparisons",
            interval=f"95% interval {text_of(own.win_rate.low, 'share')} to {text_of(own.win_rate.high, 'share')}",
            source=f"AlpacaEval 2, {own.prompts} prompts, {SHORT_MARK[RECOMPUTED]}",
            link=address_of(AlpacaEvalState()),
        )
        for own in rows
    ]
