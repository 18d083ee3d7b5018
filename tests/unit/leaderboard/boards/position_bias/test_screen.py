from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from evaluator.judge_quality.measurement import pin_sha256
from evaluator.judge_quality.shipped import shipped_qualities
from evaluator.results import JudgeCard, JudgesResult, Pin
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.position_bias.screen import JudgesScreen
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.boards.robustness.cache import Boards
from leaderboard.page.board_table import baselines_turned, filter_chosen, first_look
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.services import Services
from leaderboard.page.state import chosen
from leaderboard.parts.board_kind import Direction
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, put_into, verdicts
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE
from tests.unit.leaderboard.page.made_quality import measured_quality

agreement_chosen = chosen("agreement")
benchmark_chosen = chosen("benchmark")
opened_judge = chosen("judge")

HOSTILE = "<img src=x onerror=alert(1)>${alert(2)}"
THREE = {"steady": "AB BA", "fair enough": "AB AA BB AB", HOSTILE: "BB BB AB"}
MTBENCH = JudgesState(benchmark="mtbench-3")


@pytest.fixture
def screen(services: Services) -> JudgesScreen:
    return JudgesScreen(JudgeBoards(services.store, Boards(services.store)), JudgeQualities(services.store))


def shown(screen: JudgesScreen, state: JudgesState, **look: Any) -> list[str]:
    """Names of the judges somebody sent, in the order of the table."""
    rows = screen.board.rows(replace(state, table=replace(state.table, **look)))
    return [row.name for row in rows if row.is_entry]


def store(services: Services, *results: JudgesResult) -> list[str]:
    return put_into(services.store, results)


def test_the_board_follows_sort_and_search(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts(THREE)))
    # PC 1, 1/2, 1/3; |PF| 0, 0, 2/3
    assert shown(screen, MTBENCH) == ["steady", "fair enough", HOSTILE]
    assert shown(screen, MTBENCH, sort="preference_fairness")[0] == HOSTILE
    assert shown(screen, MTBENCH, sort="preference_fairness", direction="ascending")[-1] == HOSTILE
    assert shown(screen, MTBENCH, search="onerror; steady") == ["steady", HOSTILE]
    empty = screen.board.value(replace(MTBENCH, table=replace(MTBENCH.table, search="nobody")))["empty"]
    assert empty == "No judge or family or team matches the search. Clear the search, or press Reset."


def test_benchmarks_and_options_are_boards_of_their_own(screen: JudgesScreen, services: Services) -> None:
    store(
        services,
        judges_result(verdicts({"two": "AB"}), options=2),
        judges_result(verdicts({"three": "AB"})),
        judges_result(verdicts({"own": "AB"}), benchmark="own"),
    )
    assert screen.benchmark_ids() == ("mtbench-3", "devbench-2", "mtbench-2", "own-3")
    assert [shown(screen, replace(MTBENCH, benchmark=id_)) for id_ in ("mtbench-3", "mtbench-2", "own-3")] == [
        ["three"],
        ["two"],
        ["own"],
    ]
    assert screen.benchmark_choices()[-1] == ("own (not registered), A, B or tie", "own-3")


def test_the_first_screen_is_a_board_with_a_judge(screen: JudgesScreen, services: Services) -> None:
    assert screen.completed(JudgesState()).benchmark == "mtbench-3"
    few = judges_result(verdicts({"few": "AB"}), benchmark="devbench", options=2)
    store(services, few)  # 40 of its 1,120 items: unranked
    assert screen.completed(JudgesState()).benchmark == "mtbench-3"
    every = judges_result(verdicts({"all": "AB"}, queries=1120), benchmark="devbench", options=2)
    put_into(services.store, [every], team="Others")
    assert screen.completed(JudgesState()).benchmark == "devbench-2"
    assert screen.completed(MTBENCH).benchmark == "mtbench-3"


def test_before_anybody_came_published_judges_stand_on_the_board_and_are_said_to_be_so(screen: JudgesScreen) -> None:
    notice = screen.state_notice(MTBENCH)
    assert notice is not None
    assert notice["title"] == "MT-bench, A, B or tie: published verdicts, recomputed; awaiting first submission"
    assert "arXiv 2406.07791. Published figures are never ranked" in notice["lines"][0]
    assert notice["link"] == "submit"
    assert screen.has_charts(MTBENCH)
    assert shown(screen, MTBENCH) == []
    rows = [row for row in screen.board.rows(MTBENCH) if row.published]
    assert {(row.rank, row.measured) for row in rows} == {(None, "published verdicts, recomputed")}


@pytest.mark.parametrize(
    ("judges", "title"),
    [
        ({"one order": "A-"}, "Consistency needs both orders; only one was run."),
        ({"all invalid": "NN"}, "No pair has two usable verdicts"),
        ({"alone": "AB"}, "One judge: nothing to compare it with"),
    ],
)
def test_a_board_that_says_little_says_why(
    screen: JudgesScreen, services: Services, judges: dict[str, str], title: str
) -> None:
    store(services, judges_result(verdicts(judges), benchmark="own"))
    own = JudgesState(benchmark="own-3")
    notice = screen.state_notice(own)
    assert notice is not None
    assert notice["title"].startswith(title)
    drawn = screen.charts_value(own)
    assert [chart["key"] for chart in drawn["charts"]] == [chart.key for chart in screen.charts(own)]
    assert all(chart["table"] for chart in drawn["charts"])
    assert set(drawn["figures"]) == {chart["key"] for chart in drawn["charts"]}


def test_a_full_board_needs_no_word(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts(THREE)))
    assert screen.state_notice(MTBENCH) is None


def test_a_row_opens_its_card_and_its_tasks(screen: JudgesScreen, services: Services) -> None:
    (ticket,) = store(services, judges_result(verdicts(THREE)))
    state = opened_judge(MTBENCH, f"{ticket}/{HOSTILE}")
    cards, tasks, notice = screen.cards(state), screen.tasks_table(state), screen.judge_notice(state)
    assert cards is not None
    assert cards["cards"][0]["title"] == HOSTILE
    assert tasks is not None
    assert [row["id"] for row in tasks["rows"]] == ["maths", "writing"]
    assert notice is not None
    assert notice["link"] == f"queue?ticket={ticket}"


def test_a_baseline_opens_a_card_too(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts(THREE)))
    state = opened_judge(MTBENCH, "null/coin flip")
    cards = screen.cards(state)
    assert cards is not None
    assert cards["cards"][0]["notes"] == ["Baseline: not a judge"]
    said = screen.judge_notice(state)
    assert said is not None
    # With three options a coin says the same candidate twice in 3 of 9 ways.
    assert said["lines"] == [
        "coin flip, a baseline that does not read the answers, gives the same verdict in both orders for 33% of pairs; "
        "it has no clear preference for a position."
    ]


def test_a_judge_that_is_gone_says_so(screen: JudgesScreen, services: Services) -> None:
    (ticket,) = store(services, judges_result(verdicts(THREE)))
    state = opened_judge(MTBENCH, f"{ticket}/steady")
    assert screen.cards(state) is not None
    services.store.withdraw(ticket, "local")
    assert screen.cards(state) is None
    assert screen.tasks_table(state) is None
    notice = screen.judge_notice(state)
    assert notice is not None
    assert notice["kind"] == "warning"
    assert shown(screen, MTBENCH) == []


def test_charts_are_drawn_anew_only_when_they_change(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts(THREE)))
    marker = screen.charts_marker(MTBENCH)
    assert screen.charts_marker(replace(MTBENCH, table=replace(MTBENCH.table, search="gpt"))) == marker
    assert screen.charts_marker(agreement_chosen(MTBENCH, "kappa")) != marker
    assert screen.charts_marker(replace(MTBENCH, is_dark=True)) != marker
    assert screen.charts_marker(benchmark_chosen(MTBENCH, "devbench-2")) != marker
    put_into(services.store, [judges_result(verdicts({"new": "AB"}))], team="Others")
    assert screen.charts_marker(MTBENCH) != marker


def test_downloads_hold_what_is_shown(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts(THREE)))
    state = replace(MTBENCH, table=replace(MTBENCH.table, search="steady; onerror"))
    records = list(csv.DictReader(io.StringIO(screen.board.csv(state))))
    document = json.loads(screen.board.json(state))
    assert [record["judge"] for record in records] == ["steady", HOSTILE]
    assert records[1]["preference_fairness_remark"] == "→ recency"
    assert float(records[1]["preference_fairness"]) == pytest.approx(27 / 40)  # BB in 27 of 40 pairs
    assert document["rows"][1]["preference_fairness"]["value"] == pytest.approx(27 / 40)
    assert document["benchmark"] == "mtbench-3"
    assert document["link"] == "?tab=judges&benchmark=mtbench-3&search=steady%3B+onerror"
    assert screen.board.file_name(state) == "plumbline-judges-mtbench-3"


@pytest.mark.parametrize("value", [None, 3, "by heart", {"a": 1}])
def test_a_choice_that_is_none_changes_nothing(value: object) -> None:
    assert agreement_chosen(MTBENCH, value) == MTBENCH
    if not isinstance(value, str):
        assert benchmark_chosen(MTBENCH, value) == MTBENCH
        assert opened_judge(MTBENCH, value) == MTBENCH


def test_reset_keeps_the_benchmark() -> None:
    state = replace(MTBENCH, table=replace(MTBENCH.table, sort="tie_rate", search="x", page=2))
    assert first_look(replace(state, judge="one/judge")) == MTBENCH


# --- published judges ------------------------------------------------------------------------------------------------

GPT_4 = opened_judge(MTBENCH, "published/gpt-4-0613")


def test_a_published_judge_opens_its_tasks_and_models_and_says_where_its_figures_are_from(screen: JudgesScreen) -> None:
    cards, notice = screen.cards(GPT_4), screen.judge_notice(GPT_4)
    tasks, models = screen.tasks_table(GPT_4), screen.models_table(GPT_4)
    assert cards is not None
    facts = {fact["name"]: fact["text"] for fact in cards["cards"][0]["facts"]}
    assert (facts["Model"], facts["Stability (RS)"]) == ("gpt-4-0613", "0.97 (t=3, floor 0.33)")
    assert tasks is not None
    assert [row["id"] for row in tasks["rows"]] == [
        *("coding", "extraction", "humanities", "math", "reasoning", "roleplay", "stem", "writing")
    ]
    assert models is not None
    assert len(models["rows"]) == 30
    assert notice is not None
    assert notice["title"] == "gpt-4-0613: published verdicts, recomputed"
    assert notice["lines"][0].startswith("gpt-4-0613 gives the same verdict in both orders for 82% [79, 84] of pairs")
    assert notice["lines"][1] == "Consistency (PC) 0.82 [0.79, 0.84]. 2,400 pairs, 2,400 usable, on 80 questions."
    assert any(line.startswith("Source: ") for line in notice["folded"])
    assert notice["link"] == "https://arxiv.org/abs/2406.07791"


def test_is_gpt_4_position_biased_on_mt_bench(screen: JudgesScreen) -> None:
    row = screen.opened(GPT_4)
    assert row is not None
    fairness = row.metric("preference_fairness")
    assert fairness.low is not None
    assert fairness.high is not None
    # The paper finds the same: consistent in four of five, and no place preferred.
    assert fairness.low < 0 < fairness.high
    assert row.direction_words == "no clear position preference"
    assert row.metric("position_consistency").value == pytest.approx(0.82, abs=0.005)


def test_judges_that_were_asked_only_part_of_the_pairs_come_last_and_say_so(screen: JudgesScreen) -> None:
    rows = [row for row in screen.board.rows(MTBENCH) if row.published]
    assert [row.count("n_pairs") for row in rows] == [2_400] * 3 + [96] * 6
    assert "covers 96 of 2400 items" in rows[-1].note


@pytest.mark.parametrize("direction", ["descending", "ascending"])
def test_judges_that_cannot_be_compared_and_baselines_stand_under_headings(
    screen: JudgesScreen, direction: Direction
) -> None:
    table = screen.board.value(replace(MTBENCH, table=replace(MTBENCH.table, direction=direction)))
    # Of the released verdicts three judges saw all 80 queries, six saw 24; below them the four baselines.
    places = {row["heading"]: place for place, row in enumerate(table["rows"]) if "heading" in row}
    # One of the six also lost verdicts: its note says so, the heading what all six have in common.
    assert places == {"Not comparable with the others: covers 96 of 2400 items (at least 98%)": 3}
    assert len(table["rows"]) == 9
    # They do not read the answers: that "always a tie" is always consistent makes it no best judge.
    assert [fold["label"] for fold in table["folds"]] == ["4 baselines"]
    first = "gpt-4-0613" if direction == "descending" else "gemini-pro"
    assert table["rows"][0]["id"] == f"published/{first}"
    assert {row["span"] for row in table["rows"] if "span" in row} == {len(table["columns"])}
    opened = screen.board.value(baselines_turned(MTBENCH, "shown"))["rows"]
    assert [place for place, row in enumerate(opened) if "folds" in row] == [9]  # in place of a heading
    assert not any("heading" in row for row in opened[9:])


def test_a_rank_column_without_a_rank_is_left_out(screen: JudgesScreen, services: Services) -> None:
    assert "rank" not in [column.key for column in screen.board.shown_columns(MTBENCH)]


@pytest.mark.parametrize("columns", [(), ("judge", "position_consistency")])
def test_no_choice_of_columns_takes_the_mark_off_what_is_downloaded_or_copied(
    screen: JudgesScreen, columns: tuple[str, ...]
) -> None:
    state = replace(MTBENCH, table=replace(MTBENCH.table, columns=columns, search="gpt-4-0613"))
    (record,) = csv.DictReader(io.StringIO(screen.board.csv(state)))
    assert (record["judge"], record["judge_remark"]) == ("gpt-4-0613", "(published, recomputed)")
    (row,) = json.loads(screen.board.json(state))["rows"]
    assert row["judge_remark"] == "(published, recomputed)"
    assert "gpt-4-0613 (published, recomputed)" in screen.board.latex(state, date(2026, 11, 30)).replace(
        r"\allowbreak{}", ""
    )
    assert "gpt-4-0613 (published, recomputed)" in screen.board.markdown(state)
    (cells,) = (row["cells"] for row in screen.board.value(state)["rows"])
    (name,) = (cell for cell in cells if cell["is_name"])
    assert (name["text"], name["mark"]) == ("gpt-4-0613", "(published, recomputed)")


def test_what_was_measured_filters_published_rows_too(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts({"sent": "AB"})))
    sent, published = (
        [row.name for row in screen.board.rows(filter_chosen(MTBENCH, "measured", choice)) if not row.is_null]
        for choice in ("self-reported", "published verdicts, recomputed")
    )
    assert sent == ["sent"]
    assert len(published) == 9
    by_team = screen.board.rows(filter_chosen(MTBENCH, "team", "Team"))
    assert sum(row.published is not None for row in by_team) == 9  # in sight, as baselines are


# --- agreement with labelled pairs -----------------------------------------------------------------------------------


def cells(screen: JudgesScreen, state: JudgesState, key: str) -> dict[str, str]:
    """Judge -> text of one column of the board, with its baselines opened."""
    table = screen.board.value(baselines_turned(state, "shown"))
    names = [column["key"] for column in table["columns"]]
    return {row["cells"][names.index("judge")]["text"]: row["cells"][names.index(key)]["text"] for row in table["rows"]}


def own_result(pin: Pin) -> JudgesResult:
    """A judge of this installation on the board."""
    result = judges_result(verdicts({"ours": "AB AA", "theirs": "AB"}))
    reports = tuple(
        report.model_copy(update={"pin": pin}) if report.judge == "ours" else report for report in result.judges
    )
    return result.model_copy(update={"judges": reports})


def test_agreement_is_shown_for_the_measured_judge_only_and_null_rows_guess(
    screen: JudgesScreen, services: Services
) -> None:
    current = shipped_qualities()[0].measured_on
    measured = measured_quality(JUDGE, measured_on=current)
    services.store.save_judge_quality(pin_sha256(JUDGE), measured.model_dump_json())
    (ticket,) = store(services, own_result(JUDGE))
    found = cells(screen, MTBENCH, "labelled_agreement")
    assert found["ours"] == "1.00 [0.54, 1.00] (n=12)"
    assert found["theirs"] == "not measured"
    assert found["coin flip"] == "0.50"
    assert shown(screen, MTBENCH, sort="labelled_agreement")[0] == "ours"

    state = opened_judge(MTBENCH, f"{ticket}/ours")
    cards = screen.cards(state)
    assert cards is not None
    assert cards["cards"][0]["quality"][0]["is_open"]
    drawn = screen.calibration(state)
    assert drawn is not None
    table = drawn["charts"][0]["table"]
    assert table is not None
    assert len(drawn["figures"]["calibration"].data[1].x) == len(table["rows"]) == 2

    theirs = opened_judge(MTBENCH, f"{ticket}/theirs")
    assert screen.calibration(theirs) is None


def test_a_changed_judge_shows_nothing_stale(screen: JudgesScreen, services: Services) -> None:
    measured = measured_quality(JUDGE, measured_on=shipped_qualities()[0].measured_on)
    services.store.save_judge_quality(pin_sha256(JUDGE), measured.model_dump_json())
    store(services, own_result(JUDGE.model_copy(update={"prompt": "calibration 2"})))
    rows = screen.board.rows(MTBENCH)
    assert [row.agreement for row in rows if row.name == "ours"] == [None]
    assert "labelled_agreement" not in [column.key for column in screen.board.shown_columns(MTBENCH)]


def test_an_old_link_to_a_measured_judge_leads_to_the_board_of_those(screen: JudgesScreen) -> None:
    state = opened_judge(MTBENCH, "labelled/39b991a21d77")
    notice = screen.judge_notice(state)
    assert notice is not None
    assert notice["link"] == "judge_quality?judge=39b991a21d77"
    assert (screen.cards(state), screen.calibration(state)) == (None, None)


# --- filters ---------------------------------------------------------------------------------------------------------


def test_judges_are_filtered_by_what_their_cards_state_and_baselines_stay(
    screen: JudgesScreen, services: Services
) -> None:
    result = judges_result(verdicts(THREE))
    cards = {"steady": JudgeCard(family="gpt")}
    reports = tuple(one.model_copy(update={"card": cards.get(one.judge, one.card)}) for one in result.judges)
    store(services, result.model_copy(update={"judges": reports}))
    of_family = filter_chosen(MTBENCH, "family", "gpt")
    assert shown(screen, of_family) == ["steady"]
    assert [row.name for row in screen.board.rows(of_family) if row.is_null]
    assert all(row.is_entry for row in screen.board.rows(filter_chosen(of_family, "kind", "judge")))
    assert first_look(of_family) == MTBENCH
    unfiltered, filtered = (
        {row.name: row.rank for row in screen.board.rows(state) if row.name == "steady"}
        for state in (MTBENCH, of_family)
    )
    assert unfiltered == filtered  # ranks are those of the whole board
