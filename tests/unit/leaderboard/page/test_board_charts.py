"""The charts of the Robustness board follow its rows, its filters and its results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from evaluator.results import MetricValue, RobustnessResult
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.charts import LANGUAGES, by_language, by_variation
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import columns_chosen, filter_chosen, searched, sort_chosen, turned_to
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.services import Services
from leaderboard.page.state import PageState
from leaderboard.parts.row_charts import scores_chart
from leaderboard.parts.shown_rows import Axis
from submissions.promptsets import PromptSets
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.boards.toy_board import TOY, Boat, ToyState, toy_table
from tests.unit.leaderboard.conftest import Submit

ITEMS = [f"90{number}" for number in range(1, 8)]
DEMONSTRATION = RobustnessState(set="demonstration")


@pytest.fixture
def charts(services: Services) -> BoardCharts[RobustnessRow, Any]:
    boards = Boards(services.store)
    screen = RobustnessScreen(
        services, boards, JudgeBoards(services.store, boards).report_of, JudgeQualities(services.store)
    )
    return screen.board_charts


def two_systems(score: Submit) -> None:
    score(rated(2.0), team="Aurora", system="Keel")
    score(rated(4.0), team="Nordlicht", system="Tide", role="example")


def rated(value: float) -> RobustnessResult:
    return robustness_result(dict.fromkeys(ITEMS, value))


def names(charts: BoardCharts[RobustnessRow, Any], state: PageState, chart: int = 0) -> list[str]:
    """Names in the table behind a chart."""
    table = charts.value(state, 1400)["charts"][chart]["table"]
    assert table is not None
    return [row["cells"][0]["text"] for row in table["rows"]]


def test_charts_hold_exactly_the_rows_of_the_table_in_its_order(
    charts: BoardCharts[RobustnessRow, Any], score: Submit
) -> None:
    two_systems(score)
    states = (
        DEMONSTRATION,
        sort_chosen(DEMONSTRATION, "team"),
        searched(DEMONSTRATION, "aurora"),
        filter_chosen(DEMONSTRATION, "kind", "designed example"),
    )
    example = "Tide (written by us)"
    expected = ([example, "Keel"], [example, "Keel"], ["Keel"], [example])
    for state, rows in zip(states, expected, strict=True):
        for chart in range(5):
            assert names(charts, state, chart) == rows
        assert [name.split(" (")[0] for name in names(charts, state)] == [row.name for row in charts.table.rows(state)]


def test_the_numbers_behind_the_charts_are_those_of_the_board(
    charts: BoardCharts[RobustnessRow, Any], score: Submit
) -> None:
    two_systems(score)
    table = charts.table.value(DEMONSTRATION)
    heads = [head["key"] for head in table["columns"]]
    system, score_ = heads.index("system"), heads.index("score")
    board = {row["cells"][system]["text"]: row["cells"][score_]["text"] for row in table["rows"]}
    behind = charts.value(DEMONSTRATION, 1400)["charts"][0]["table"]
    assert behind is not None
    names = [row["cells"][0]["text"].split(" (")[0] for row in behind["rows"]]
    assert dict(zip(names, [row["cells"][1]["text"] for row in behind["rows"]], strict=True)) == board
    # Seven items of 4; one more at an end weighs at most 1 - 0.025^(1/7) = 0.41: 4 x 0.59 and 4 + 0.41.
    assert board["Tide"] == "4.00 [2.36, 4.41]"


def test_a_line_behind_a_chart_leads_to_its_system(charts: BoardCharts[RobustnessRow, Any], score: Submit) -> None:
    ticket = score(rated(2.0))
    table = charts.value(DEMONSTRATION, 1400)["charts"][0]["table"]
    assert table is not None
    assert [(row["id"], row["cells"][0]["opens"]) for row in table["rows"]] == [(ticket, True)]


@dataclass(frozen=True, slots=True)
class RegattaState(ToyState):
    """Of boats with a chart of their speed."""

    kind: ClassVar = replace(
        TOY,
        charts=(
            scores_chart(
                Axis("knots", lambda boat: MetricValue(value=boat.speed, n=1) if boat.speed else None, 0, 5),
                title="Speed",
                explanation="Fast boats are above.",
            ),
        ),
    )


def test_a_line_leads_nowhere_where_no_row_of_the_board_opens() -> None:
    charts: BoardCharts[Boat, Any] = BoardCharts(replace(toy_table(), state=RegattaState), lambda: 0)
    table = charts.value(RegattaState(), 1400)["charts"][0]["table"]
    assert table is not None
    assert {row["cells"][0]["opens"] for row in table["rows"]} == {False}


def test_charts_are_drawn_anew_for_other_rows_and_only_then(
    charts: BoardCharts[RobustnessRow, Any], score: Submit
) -> None:
    two_systems(score)
    first = charts.marker(DEMONSTRATION)
    same = (
        turned_to(DEMONSTRATION, 2),
        columns_chosen(DEMONSTRATION, ["score"]),
        replace(DEMONSTRATION, system="7f3a"),
    )
    other = (
        searched(DEMONSTRATION, "keel"),
        filter_chosen(DEMONSTRATION, "coverage", "50"),
        replace(DEMONSTRATION, view="all"),
        replace(DEMONSTRATION, is_dark=True),
    )
    assert {charts.marker(state) for state in same} == {first}
    assert first not in {charts.marker(state) for state in other}
    score(rated(3.0), system="Sextant")
    assert charts.marker(DEMONSTRATION) != first


def test_all_runs_of_a_system_stand_over_time_and_null_rows_do_not(services: Services, score: Submit) -> None:
    first = score(rated(2.0), team="Aurora", system="Keel")
    second = score(rated(3.0), team="Aurora again", system="Keel", owner="local")
    score(rated(0.0), team="Nobody", system="Null: refusal", role="baseline")
    third = score(rated(4.0), team="Aurora", system="Keel", owner="somebody else")
    runs = Boards(services.store).runs("demonstration", "english")
    # Team names differ, and an account belongs to the key: three systems of one run each.
    assert {id_: [run.score.value for run in found] for id_, found in runs.items()} == {
        first: [2.0],
        second: [3.0],
        third: [4.0],
    }


def test_another_run_of_a_system_joins_its_line(services: Services, demonstration_file: Any) -> None:
    boards = Boards(services.store)
    tickets = []
    for number, value in enumerate((2.0, 3.0)):
        data = demonstration_file("Aurora").replace(b"Answer 0", f"Reply {number}".encode())
        ticket = services.desk.submit(data, "aurora.json", owner="local").ticket
        job = services.store.claim("worker")
        assert job is not None
        services.store.finish(job.id, "worker", rated(value).model_dump_json())
        tickets.append(ticket.id)
    runs = boards.runs("demonstration", "english")
    assert {id_: [run.id for run in found] for id_, found in runs.items()} == {tickets[1]: tickets}
    services.desk.withdraw(tickets[0], "local")
    assert [run.id for run in boards.runs("demonstration", "english")[tickets[1]]] == [tickets[1]]


def test_rows_know_their_parts_and_what_was_not_judged_is_missing(services: Services, score: Submit) -> None:
    score(rated(2.0))
    (row,) = Boards(services.store).rows("demonstration", "english")
    languages = by_language(row)
    # The made result judges seven English items; its Swedish is not read by the judge.
    assert (languages["English"].value, languages["English"].n) == (2.0, 7)
    assert languages["Swedish"].value is None
    assert {name: value.n for name, value in by_variation(row).items()} == {"formality": 7}
    assert row.pass_share == MetricValue(value=1.0, n=35)  # 7 items with 3 English and 2 Swedish answers


def test_every_language_of_the_prompt_sets_has_a_name() -> None:
    sets = PromptSets.load(None)
    found = {
        variant.language
        for one in (sets.eloquent_2024, sets.demonstration)
        for item in one.items
        for variant in item.variants
    }
    assert found <= LANGUAGES.keys()


def test_another_board_has_charts_by_declaring_them() -> None:
    def speed(row: Boat) -> MetricValue | None:
        return None if row.speed is None else MetricValue(value=row.speed, n=1)

    declared = scores_chart(Axis("knots", speed, 0.0, 5.0), title="Speed", explanation="How fast.")

    class WithCharts(ToyState):
        kind = replace(TOY, charts=(declared,))

    charts = BoardCharts(replace(toy_table(), state=WithCharts), lambda: 1)
    drawn = charts.value(WithCharts(), 800)
    figure, table = drawn["figures"]["scores"], drawn["charts"][0]["table"]
    assert table is not None
    assert [row["cells"][1]["text"] for row in table["rows"]] == ["4.00", "2.00", "1.00", "n/a"]
    assert {trace.name for trace in figure.data if trace.name} == {"ranked", "baseline"}
