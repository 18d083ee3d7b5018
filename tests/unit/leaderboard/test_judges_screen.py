from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from evaluator.results import JudgesResult
from leaderboard.boards import Boards
from leaderboard.judge_boards import JudgeBoards
from leaderboard.judges_screen import (
    JudgesScreen,
    agreement_chosen,
    benchmark_chosen,
    opened_judge,
    reset,
)
from leaderboard.links import PageState
from leaderboard.services import Services
from tests.unit.leaderboard.made_judges import judges_result, put_into, verdicts

HOSTILE = "<img src=x onerror=alert(1)>${alert(2)}"
THREE = {"steady": "AB BA", "fair enough": "AB AA BB AB", HOSTILE: "BB BB AB"}
MTBENCH = PageState(tab="judges", benchmark="mtbench-3")


@pytest.fixture
def screen(services: Services) -> JudgesScreen:
    return JudgesScreen(JudgeBoards(services.store, Boards(services.store)))


def shown(screen: JudgesScreen, state: PageState, **look: Any) -> list[str]:
    """Names of the judges in the order of the table, without baselines."""
    rows = screen.board.rows(state.with_table("judges", replace(state.judges, **look)))
    return [row.judge for row in rows if not row.is_baseline]


def store(services: Services, *results: JudgesResult) -> list[str]:
    return put_into(services.store, results)


def test_the_board_follows_sort_and_search(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts(THREE)))
    # PC 1, 1/2, 1/3; |PF| 0, 0, 2/3
    assert shown(screen, MTBENCH) == ["steady", "fair enough", HOSTILE]
    assert shown(screen, MTBENCH, sort="preference_fairness")[0] == HOSTILE
    assert shown(screen, MTBENCH, sort="preference_fairness", direction="ascending")[-1] == HOSTILE
    assert shown(screen, MTBENCH, search="onerror; steady") == ["steady", HOSTILE]
    empty = screen.board.value(MTBENCH.with_table("judges", replace(MTBENCH.judges, search="nobody")))["empty"]
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
    assert screen.completed(PageState()).benchmark == "mtbench-3"
    store(services, judges_result(verdicts({"two": "AB"}), benchmark="devbench", options=2))
    assert screen.completed(PageState()).benchmark == "devbench-2"
    assert screen.completed(MTBENCH).benchmark == "mtbench-3"


def test_an_empty_board_says_how_to_submit(screen: JudgesScreen) -> None:
    notice = screen.state_notice(MTBENCH)
    assert notice is not None
    assert "How to submit a verdict table" in notice["title"]
    assert notice["link"] == "?tab=submit"
    assert not screen.has_charts(MTBENCH)
    assert shown(screen, MTBENCH) == []


@pytest.mark.parametrize(
    ("judges", "title"),
    [
        ({"one order": "A-"}, "Cannot compute PC: only one order was run."),
        ({"all invalid": "NN"}, "No pair has two usable verdicts"),
        ({"alone": "AB"}, "One judge: nothing to compare it with"),
    ],
)
def test_a_board_that_says_little_says_why(
    screen: JudgesScreen, services: Services, judges: dict[str, str], title: str
) -> None:
    store(services, judges_result(verdicts(judges)))
    notice = screen.state_notice(MTBENCH)
    assert notice is not None
    assert notice["title"].startswith(title)
    assert len(screen.chart_values(MTBENCH)) == 2 * len(screen.charts(MTBENCH))


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
    assert notice["link"] == f"?tab=queue&ticket={ticket}"


def test_a_baseline_opens_a_card_too(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts(THREE)))
    state = opened_judge(MTBENCH, "null/coin flip")
    cards = screen.cards(state)
    assert cards is not None
    assert cards["cards"][0]["notes"] == ["null row: not a judge"]
    assert screen.judge_notice(state) is None


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
    assert screen.charts_marker(MTBENCH.with_table("judges", replace(MTBENCH.judges, search="gpt"))) == marker
    assert screen.charts_marker(agreement_chosen(MTBENCH, "kappa")) != marker
    assert screen.charts_marker(replace(MTBENCH, is_dark=True)) != marker
    assert screen.charts_marker(benchmark_chosen(MTBENCH, "devbench-2")) != marker
    put_into(services.store, [judges_result(verdicts({"new": "AB"}))], team="Others")
    assert screen.charts_marker(MTBENCH) != marker


def test_downloads_hold_what_is_shown(screen: JudgesScreen, services: Services) -> None:
    store(services, judges_result(verdicts(THREE)))
    state = MTBENCH.with_table("judges", replace(MTBENCH.judges, search="steady; onerror"))
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
    state = MTBENCH.with_table("judges", replace(MTBENCH.judges, sort="tie_rate", search="x", page=2))
    assert reset(replace(state, judge="one/judge")) == MTBENCH
