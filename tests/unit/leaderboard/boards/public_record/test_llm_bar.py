"""The board of judges against people's labels says what the kept figures say."""

from __future__ import annotations

from datetime import date

from evaluator.public_record.records import kept_llm_bar, kept_measured
from evaluator.statistics.intervals import excludes_zero
from leaderboard.boards.public_record.board import LLM_BAR_TABLE, llm_bar_facts
from leaderboard.boards.public_record.llm_bar import (
    effects_line,
    few_pairs,
    label_rows,
    measured_lines,
    measured_rows,
    opening_sentence,
)
from leaderboard.boards.public_record.page import opening_notice
from leaderboard.boards.public_record.state import LlmBarState
from leaderboard.page.board_table import searched
from leaderboard.page.first_place import NAME_CHARACTERS
from leaderboard.parts.visible_text import shortened


def test_the_most_accurate_judge_stands_first_and_no_row_is_ranked() -> None:
    rows = LLM_BAR_TABLE.rows(LlmBarState())
    shares = [row.record.accuracy.value or 0.0 for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert len([row for row in rows if row.published]) == 65
    assert all(row.rank is None for row in rows)


def test_a_judge_that_we_asked_stands_beside_the_published_ones_marked_and_without_a_place() -> None:
    measured = [row for row in LLM_BAR_TABLE.rows(LlmBarState()) if not row.published]
    assert len(measured) == len(kept_measured().judges)
    columns = {column.key: column for column in LLM_BAR_TABLE.columns}
    for row, own in zip(measured, kept_measured().judges, strict=True):
        assert row.record.places is None
        assert columns["places"].value_text(row) == ""
        assert columns["judge"].remark is not None
        some = "" if own.record.pairs == 419 else f", {own.record.pairs} of 419 pairs"
        assert columns["judge"].remark(row) == f"(measured by us{some})"
        assert row.note.startswith(f"measured by us on {own.asked_on} with preference-pair 2, weights")
        assert own.commit in row.note
    assert all(place.places is not None for place in kept_llm_bar().judges)


def test_the_opening_sentence_speaks_of_published_judges_alone() -> None:
    assert opening_sentence().startswith("The best of 65 judges")
    assert len(measured_lines()) == len(kept_measured().judges)


def test_the_opening_sentence_counts_places_and_judges_below_a_coin() -> None:
    best, *others = kept_llm_bar().judges
    assert best.accuracy.value is not None
    sharing = [judge for judge in others if judge.places and judge.places.low == 1]
    worse = [judge for judge in kept_llm_bar().judges if judge.accuracy.high and judge.accuracy.high < 0.5]
    sentence = opening_sentence()
    assert f"{best.accuracy.value:.0%}" in sentence
    assert f"; {len(sharing)} others cannot be told from it, and {len(worse)} are wrong" in sentence


def test_the_page_names_paper_commit_and_licence() -> None:
    notice = opening_notice(opening_sentence(), kept_llm_bar())
    assert (notice["link"], notice["link_text"]) == ("https://arxiv.org/abs/2310.07641", "arXiv 2310.07641")
    assert "900616bff90b6c6c8e1681f7d079250637c55992 (MIT" in notice["folded"][0]


def test_the_page_counts_what_judges_favour_besides_quality() -> None:
    effects = [effect for judge in kept_llm_bar().judges for effect in judge.effects]
    # Judges that rated each answer by itself have no order of answers to favour.
    assert len(effects) == 2 * 65 - sum("/Rating" in judge.judge for judge in kept_llm_bar().judges)
    longer = [effect for effect in effects if effect.kind == "length" and (effect.size.value or 0) > 0]
    found = sum(effect.is_found for effect in longer)
    assert f"of 65 judges, {found} favour longer answers and none shorter ones" in effects_line()
    assert all(excludes_zero(effect.size) for effect in effects if effect.is_found)


def test_a_judge_says_which_biases_were_found_and_which_would_have_been() -> None:
    biases, gains = (
        next(column for column in LLM_BAR_TABLE.columns if column.key == key) for key in ("biases", "length_effect")
    )
    rows = {row.name: row for row in label_rows()}
    assert biases.value_text(rows["ChatGPT (Vanilla)"]) == "first place, longer answers"
    assert biases.value_text(rows["GPT-4 (Vanilla)"]) == "none"
    assert gains.hint is not None
    assert gains.hint(rows["GPT-4 (Vanilla)"]).startswith("not found (false discovery rate ")
    assert "0.06 would be seen in 80 of 100" in gains.hint(rows["GPT-4 (Vanilla)"])
    assert all(biases.value_text(row) == "not tested" for row in measured_rows())


def test_the_page_says_that_no_rule_of_choosing_few_pairs_beats_random_ones() -> None:
    # No interval of a gain lies above 0.
    assert few_pairs().line().endswith("and no rule beats them.")
    assert "as all 419 do" in few_pairs().line()
    assert len(few_pairs().table()["rows"]) == 18


def test_the_page_names_the_pairs_that_decide_which_judge_is_first() -> None:
    [said] = LLM_BAR_TABLE.first_place(LlmBarState())
    assert said["claim"] == "5 of 419 pairs decide who is first"
    assert [item["label"] for item in said["items"]][:2] == ["Adversarial/GPTInst 31", "Adversarial/GPTOut 11"]
    assert said["after"] == f", {shortened('GPT-4 (Rating Metrics Reference)', NAME_CHARACTERS)} leads."


def test_a_judge_that_rated_answers_has_no_position_figure_and_the_cell_says_why() -> None:
    row = next(row for row in label_rows() if row.name == "GPT-4 (Rating)")
    column = next(column for column in LLM_BAR_TABLE.columns if column.key == "same_in_both_orders")
    assert column.value_text(row) == "n/a"
    assert column.hint is not None
    assert column.hint(row) == "it rated each answer by itself"


def test_the_table_leaves_as_csv_and_latex() -> None:
    state = searched(LlmBarState(), "GPT-4 (Swap CoT)")
    assert LLM_BAR_TABLE.csv(state).count("GPT-4 (Swap CoT)") == 1
    assert "zeng2024llmbar" in LLM_BAR_TABLE.citation(state, "", date(2026, 11, 29))[1]


def test_names_lead_nowhere_where_no_row_can_be_opened() -> None:
    cells = [cell for row in LLM_BAR_TABLE.value(LlmBarState())["rows"] for cell in row["cells"]]
    assert not any(cell["opens"] for cell in cells)


def test_the_fact_is_of_the_judge_that_is_misled_most() -> None:
    [fact] = llm_bar_facts()
    lowest = min(judge.adversarial.value or 1.0 for judge in kept_llm_bar().judges)
    assert f"is right on {lowest:.0%} of" in fact.claim
    assert fact.link.endswith("llm_bar")
