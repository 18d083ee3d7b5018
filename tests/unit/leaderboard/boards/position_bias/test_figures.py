from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from evaluator.results import QualityCell
from leaderboard.boards.position_bias import figures
from leaderboard.boards.position_bias.cache import JudgeBoard, judge_board
from leaderboard.boards.position_bias.charts import CHARTS, charts
from leaderboard.boards.position_bias.state import AGREEMENTS
from leaderboard.page.benchmarks import BoardKey
from leaderboard.parts.chart import Chart
from leaderboard.parts.drawing import DARK, LIGHT, Colours, drawn, label_of
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, scored_table, verdicts

KEY = BoardKey("mtbench", 3)
HOSTILE = "<a href='https://x'>j</a>"
JUDGES = {"steady": "AB BA CC", "first": "AA AA AB", HOSTILE: "BB AB NN"}


def board_of(judges: dict[str, str]) -> JudgeBoard:
    return judge_board(KEY, [scored_table(judges_result(verdicts(judges, models=3)))])


@pytest.fixture(scope="module")
def board() -> JudgeBoard:
    return board_of(JUDGES)


def traces(chart: Chart[JudgeBoard], board: JudgeBoard) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(drawn(chart.figure, board, is_dark=False).to_json())["data"]
    return found


def chart(key: str) -> Chart[JudgeBoard]:
    return next(one for one in CHARTS if one.key == key)


@pytest.mark.parametrize("one", CHARTS, ids=lambda one: one.key)
@pytest.mark.parametrize("is_dark", [False, True])
def test_every_chart_draws_with_its_own_colours_and_the_pages_width(
    one: Chart[JudgeBoard], is_dark: bool, board: JudgeBoard
) -> None:
    layout = drawn(one.figure, board, is_dark=is_dark).layout
    colours = DARK if is_dark else LIGHT
    assert layout.template.layout.paper_bgcolor == colours.surface
    assert layout.template.layout.font.color == colours.ink
    assert layout.width is None
    assert layout.annotations == ()  # no message instead of data


@pytest.mark.parametrize("one", [*CHARTS, *(charts(way)[2] for way in AGREEMENTS)], ids=lambda one: one.key)
def test_no_name_is_markup_in_a_chart(one: Chart[JudgeBoard], board: JudgeBoard) -> None:
    assert "<a " not in drawn(one.figure, board, is_dark=False).to_json().encode().decode("unicode_escape")


@pytest.mark.parametrize("one", CHARTS, ids=lambda one: one.key)
def test_a_table_stands_behind_every_chart(one: Chart[JudgeBoard], board: JudgeBoard) -> None:
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
    assert points[-1]["text"] == [row.name for row in board.baselines]


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
        consistency, floor = row.values[-2:]
        assert isinstance(consistency, float)
        assert isinstance(floor, float)
        assert consistency >= floor - 1e-12


CELLS = tuple(
    QualityCell(model=model, task="<b>t</b>", position_consistency=pc, overall_win_rate=rate, n_valid=2)
    for model, pc, rate in (("a", 0.75, 0.25), ("b", 0.5, 0.5), ("c", 0.75, 0.875), ("d", 0.5, 0.625))
)
FIT = {"n_cells": 4, "b0": 1.25, "b1": -3.0, "b2": 3.5, "r2": 0.75}


def measured(board: JudgeBoard, curve: Mapping[str, float | int | None] | None) -> JudgeBoard:
    """The board with cells for its judge called "steady" only."""
    rows = [replace(row, cells=CELLS, quality_curve=curve) if row.name == "steady" else row for row in board.rows]
    return replace(board, rows=tuple(rows))


def test_cells_are_drawn_with_their_parabola_over_the_observed_win_rates(board: JudgeBoard) -> None:
    drawn_traces = traces(chart("quality-gap"), measured(board, FIT))
    lines = [one for one in drawn_traces[1:] if one["mode"] == "lines"]
    (curve,) = lines
    (points,) = [one for one in drawn_traces if one["mode"] == "markers" and one["name"] == "steady"]
    assert (points["x"], points["y"]) == ([0.25, 0.5, 0.875, 0.625], [0.75, 0.5, 0.75, 0.5])
    assert points["text"][0] == "a, &lt;b&gt;t&lt;/b&gt;"
    assert curve["line"]["color"] == points["marker"]["color"]
    assert curve["legendgroup"] == points["legendgroup"]
    assert (curve["x"][0], curve["x"][-1]) == (0.25, 0.875)
    assert curve["x"] == sorted(set(curve["x"]))
    assert curve["y"] == pytest.approx([1.25 - 3 * x + 3.5 * x * x for x in curve["x"]], abs=1e-12)
    # Judges of older results keep one point per model.
    assert sum(one["mode"] == "markers" for one in drawn_traces) == 3
    assert sorted(len(one["x"]) for one in drawn_traces if one["mode"] == "markers") == [2, 3, 4]


def test_the_table_behind_the_parabola_lists_the_fit_and_the_cells(board: JudgeBoard) -> None:
    fit, *rows = chart("quality-gap").table(measured(board, FIT)).rows
    assert (fit.name, fit.values[2:4]) == ("steady", ("b0 1.25, b1 -3.00, b2 +3.50, r2 0.75, n 4", 8))
    assert [row.values for row in rows if row.name == "steady"][:2] == [
        ("a", "<b>t</b>", "", 2, 0.25, 0.75, 0.5),
        ("b", "<b>t</b>", "", 2, 0.5, 0.5, 0.0),
    ]
    assert len(rows) == 4 + 5
    assert len({row.id for row in rows}) == len(rows)
    flat = chart("quality-gap").table(measured(board, {**FIT, "r2": None})).rows[0]
    assert "r2 n/a" in str(flat.values[2])


def test_cells_without_a_fit_have_no_line_and_say_so(board: JudgeBoard) -> None:
    without = measured(board, None)
    assert [one["mode"] for one in traces(chart("quality-gap"), without)] == ["lines", *["markers"] * 3]
    assert chart("quality-gap").table(without).rows[0].values[2] == "none: fewer than three different win rates"


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
    assert label_of("SmolLM2-135M, temperature 0.7, seed 2") == "SmolLM2-135… 0.7, seed 2"  # 11 + 1 + 12 of 24


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
