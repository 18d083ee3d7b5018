"""The board of AlpacaEval, ranked again, says what the kept figures say."""

from __future__ import annotations

from evaluator.public_record.records import kept_alpaca_eval, kept_gate
from evaluator.statistics.item_selection import RULES, SIZES
from leaderboard.boards.public_record.alpaca_eval import (
    few_prompts,
    gate_line,
    opening_sentence,
    system_rows,
)
from leaderboard.boards.public_record.board import ALPACA_EVAL_TABLE, alpaca_eval_facts
from leaderboard.boards.public_record.state import AlpacaEvalState
from leaderboard.page.board_table import filter_chosen
from leaderboard.page.first_place import NAME_CHARACTERS
from leaderboard.parts.visible_text import shortened


def test_every_printed_system_stands_and_none_is_ranked_with_ours() -> None:
    rows = ALPACA_EVAL_TABLE.rows(AlpacaEvalState())
    assert len(rows) == kept_alpaca_eval().logs
    assert all(row.rank is None and row.published for row in rows)


def test_logs_that_are_not_complete_have_a_rate_and_no_place() -> None:
    rows = ALPACA_EVAL_TABLE.rows(filter_chosen(AlpacaEvalState(), "log", "not complete"))
    assert len(rows) == kept_alpaca_eval().logs - kept_alpaca_eval().complete
    places = next(column for column in ALPACA_EVAL_TABLE.columns if column.key == "places")
    assert {places.value_text(row) for row in rows} == {"log not complete"}
    assert all(row.record.win_rate.value is not None for row in rows)


def test_the_opening_sentence_counts_equal_neighbours_and_names_the_first() -> None:
    kept = kept_alpaca_eval()
    assert kept.systems[0].system == "NullModel"
    assert f"tell {kept.equal_neighbours} of {kept.complete - 1} neighbouring" in opening_sentence()
    assert f"{kept.systems[0].win_rate.value:.0%}" in opening_sentence()


def test_the_page_says_how_few_prompts_decide_which_real_system_is_first() -> None:
    # Shown by hand in tests/golden/test_alpaca_eval_deciding_items.py.
    [said] = ALPACA_EVAL_TABLE.first_place(AlpacaEvalState())
    assert said["claim"] == "Among real systems: 51 of 805 prompts decide who is first"
    assert said["after"] == f" and 45 more, {shortened('FuseChat-Qwen-2.5-7B-Instruct', NAME_CHARACTERS)} leads."
    assert len(said["items"]) == 6


def test_the_one_text_says_beside_its_name_what_it_is() -> None:
    name = next(column for column in ALPACA_EVAL_TABLE.columns if column.is_name)
    assert name.remark is not None
    marks = [name.remark(row) for row in system_rows()]
    assert marks[0] == "(published, one text for every prompt)"
    assert set(marks[1:]) == {"(published, recomputed)"}


def test_the_gate_line_has_both_shares_with_n() -> None:
    gate = kept_gate()
    assert f"NullModel's {gate.null_model.n} replies" in gate_line()
    assert f"{gate.real.n} replies drawn from {gate.systems} real systems" in gate_line()
    assert "805 of 805 replies of NullModel" in gate_line()
    # Set on the other half of the prompts: at least 98% of real replies, which the threshold as served does not reach.
    assert f"the other half, {gate.cross_fitted.real.value:.0%} [" in gate_line()
    assert f"{gate.repeated_real.marked} of {gate.repeated_real.replies:,} of the real systems" in gate_line()


def test_the_line_on_few_prompts_says_so_where_no_rule_beats_random_ones() -> None:
    is_beaten = any(own.is_better_than_random for own in kept_alpaca_eval().selection)
    assert ("no rule beats them" in few_prompts().line()) is not is_beaten


def test_the_table_of_few_prompts_has_every_rule_at_every_size() -> None:
    assert len(few_prompts().table()["rows"]) == len(kept_alpaca_eval().selection) == len(RULES) * len(SIZES)


def test_the_fact_is_of_the_one_text_for_every_prompt() -> None:
    [fact] = alpaca_eval_facts()
    assert fact.claim.startswith("One text for every prompt has a win rate of 77%")  # printed: 76.92
    assert fact.link.endswith("alpaca_eval")
