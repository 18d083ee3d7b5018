from __future__ import annotations

import json
import re
from typing import Any

import pytest

from leaderboard import figures
from leaderboard.benchmarks import BoardKey
from leaderboard.charts import CHARTS, Chart, charts
from leaderboard.figures import DARK, LIGHT, Colours, drawn, label_of
from leaderboard.judge_boards import JudgeBoard, judge_board
from leaderboard.links import AGREEMENTS
from tests.unit.leaderboard.made_judges import judges_result, scored_table, verdicts

KEY = BoardKey("mtbench", 3)
HOSTILE = "<a href='https://x'>j</a>"
JUDGES = {"steady": "AB BA CC", "first": "AA AA AB", HOSTILE: "BB AB NN"}


def board_of(judges: dict[str, str]) -> JudgeBoard:
    return judge_board(KEY, [scored_table(judges_result(verdicts(judges, models=3)))])


@pytest.fixture(scope="module")
def board() -> JudgeBoard:
    return board_of(JUDGES)


def traces(chart: Chart, board: JudgeBoard) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(drawn(chart.figure, board, is_dark=False).to_json())["data"]
    return found


def chart(key: str) -> Chart:
    return next(one for one in CHARTS if one.key == key)


@pytest.mark.parametrize("one", CHARTS, ids=lambda one: one.key)
@pytest.mark.parametrize("is_dark", [False, True])
def test_every_chart_draws_with_its_own_colours_and_the_pages_width(
    one: Chart, is_dark: bool, board: JudgeBoard
) -> None:
    layout = drawn(one.figure, board, is_dark=is_dark).layout
    colours = DARK if is_dark else LIGHT
    assert layout.template.layout.paper_bgcolor == colours.surface
    assert layout.template.layout.font.color == colours.ink
    assert layout.width is None
    assert layout.annotations == ()  # no message instead of data


@pytest.mark.parametrize("one", [*CHARTS, *(charts(way)[2] for way in AGREEMENTS)], ids=lambda one: one.key)
def test_no_name_is_markup_in_a_chart(one: Chart, board: JudgeBoard) -> None:
    assert "<a " not in drawn(one.figure, board, is_dark=False).to_json().encode().decode("unicode_escape")


@pytest.mark.parametrize("one", CHARTS, ids=lambda one: one.key)
def test_a_table_stands_behind_every_chart(one: Chart, board: JudgeBoard) -> None:
    table = one.table(board).value(one.title)
    assert table["rows"]
    assert all(len(row["cells"]) == len(table["columns"]) for row in table["rows"])


def test_outcomes_fill_the_bar(board: JudgeBoard) -> None:
    bars = traces(chart("outcomes"), board)
    assert [bar["name"] for bar in bars] == list(figures.OUTCOME_LABELS.values())
    sums = [sum(values) for values in zip(*(bar["x"] for bar in bars), strict=True)]
    assert sums == pytest.approx([1.0] * 3)
    unusable = [bar["customdata"] for bar in bars if bar["name"] == "unusable"]
    assert sum(unusable[0]) == 40  # NN is every third of 120 pairs


def test_every_point_lies_in_the_triangle(board: JudgeBoard) -> None:
    points = [trace for trace in traces(chart("plane"), board) if trace["mode"] != "lines"]
    for trace in points:
        assert all(x + abs(y) <= 1 + 1e-12 for x, y in zip(trace["x"], trace["y"], strict=True))
    assert points[-1]["text"] == [row.judge for row in board.baselines]


def test_agreement_follows_the_way_of_comparing(board: JudgeBoard) -> None:
    shown = {way: traces(charts(way)[2], board)[0]["text"] for way in AGREEMENTS}
    assert shown["with_ties"] != shown["without_ties"]
    assert shown["kappa"][0][0] == "1.00"
    assert all(len(text) == 3 and all(len(line) == 3 for line in text) for text in shown.values())


def test_fairness_by_task_has_a_symmetric_scale_and_stars(board: JudgeBoard) -> None:
    (heat,) = traces(chart("fairness-by-task"), board)
    assert heat["zmin"] == -heat["zmax"]
    cells = [cell for line in heat["text"] for cell in line]
    assert any(re.fullmatch(r"-0\.\d\d\*", cell) for cell in cells)  # always the first: starred
    assert "0.00" in cells


def test_no_point_lies_below_the_floor(board: JudgeBoard) -> None:
    table = chart("quality-gap").table(board)
    assert len(table.rows) == 8  # three judges, three models, one of which one judge never judged usably
    for row in table.rows:
        _, _, consistency, floor = row.values
        assert isinstance(consistency, float)
        assert isinstance(floor, float)
        assert consistency >= floor - 1e-12


def test_a_chart_without_data_says_why() -> None:
    alone, broken = board_of({"alone": "AB"}), board_of({"one order": "A-"})
    said = {
        one.key: drawn(one.figure, board, is_dark=False).layout.annotations[0].text.replace("<br>", " ")
        for one, board in (
            (chart("agreement"), alone),
            (chart("disagreement"), alone),
            (chart("outcomes"), broken),
            (chart("plane"), broken),
        )
    }
    assert said == {
        "agreement": "One judge alone cannot agree with anybody.",
        "disagreement": "No prompt has usable verdicts of two judges.",
        "outcomes": "No judge has a pair run in both orders.",
        "plane": "No judge has a pair of two usable verdicts, so there is no PC.",
    }


def test_a_failing_chart_shows_its_reason_and_leaves_a_trace_in_the_log(
    board: JudgeBoard, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_board: JudgeBoard, _colours: Colours) -> Any:
        raise ZeroDivisionError

    figure = drawn(broken, board, is_dark=True)
    assert "could not be drawn" in figure.layout.annotations[0].text
    assert "ZeroDivisionError" in caplog.text


def test_long_names_are_shortened() -> None:
    assert label_of("x" * 100) == "x" * 23 + "…"


def contrast(one: str, other: str) -> float:
    """WCAG contrast of two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_numbers_are_legible_on_every_cell_and_marks_on_the_page(colours: Colours) -> None:
    cells = (*colours.sequential, *colours.diverging, colours.surface)
    assert min(contrast(colours.ink, cell) for cell in cells) >= 4.5
    assert min(contrast(mark, colours.surface) for mark in colours.judges) >= 3
