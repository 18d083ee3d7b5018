"""Charts of exactly the rows shown: places, intervals, what is missing, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from plotly.graph_objects import Figure

from evaluator.results import MetricValue
from leaderboard.parts.columns import Column
from leaderboard.parts.drawing import DARK, LIGHT, drawn
from leaderboard.parts.row_charts import BoardChart, front_chart, parts_chart, plane_chart, runs_chart, scores_chart
from leaderboard.parts.row_figures import MOST_LOOKS, MOST_PANEL_ROWS, MOST_ROWS, front, panels_across
from leaderboard.parts.shown_rows import Axis, Run, ShownRows, Threshold, parts_of
from leaderboard.parts.tables import NULL_ROW, TableValue


@dataclass(frozen=True, slots=True)
class Boat:
    """A row."""

    id: str
    speed: MetricValue | None = None
    range_: MetricValue | None = None
    by_sea: Mapping[str, MetricValue] = field(default_factory=dict)
    style: str = ""
    tier: int = 0


NAME: Column[Boat] = Column("boat", "Boat", "text", lambda row: row.id, "Its name.", is_name=True)
SPEED: Axis[Boat] = Axis("speed, 0-5", lambda row: row.speed, 0.0, 5.0, units="trips")
RANGE: Axis[Boat] = Axis("range, 0-1", lambda row: row.range_, 0.0, 1.0)
SCORES = scores_chart(SPEED, title="Speed", explanation="")
SEAS = parts_chart("seas", SPEED, lambda row: row.by_sea, title="By sea", explanation="")
PLANE = plane_chart(
    "plane", RANGE, SPEED, title="Speed and range", explanation="", threshold=Threshold(0.5, "half the way")
)
RUNS = runs_chart(SPEED, title="Over time", explanation="")

SURE = MetricValue(value=3.0, low=2.5, high=4.0, n=8)
UNSURE = MetricValue(value=1.0, n=3)
UNKNOWN = MetricValue(value=None, n=0, unscored=3, reason="nobody looked")


def shown(*rows: Boat, width: int = 0, runs: Mapping[str, Sequence[Run]] | None = None) -> ShownRows[Boat]:
    return ShownRows(rows, NAME, runs or {}, width)


def figure(chart: BoardChart[Boat], rows: ShownRows[Boat], *, is_dark: bool = False) -> Figure:
    return chart.figure(rows, DARK if is_dark else LIGHT)


def said(drawn_figure: Figure) -> str:
    return " | ".join(str(note.text) for note in drawn_figure.layout.annotations)


def cells(chart: BoardChart[Boat], rows: ShownRows[Boat]) -> list[list[str]]:
    table: TableValue = chart.table(rows).value(chart.title, opens=True)
    return [[cell["text"] for cell in row["cells"]] for row in table["rows"]]


def trace(drawn_figure: Figure, name: str) -> Any:
    return next(one for one in drawn_figure.data if one.name == name)


# --- the sentence above ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [Boat("Ark", SURE), Boat("Raft", UNSURE), Boat("Buoy", MetricValue(value=0.0, n=3), style=NULL_ROW)],
            "Speed, 0-5: highest Ark (3.00 [2.50, 4.00]), lowest Raft (1.00).",
        ),
        (
            [Boat("Ark", SURE), Boat("Raft", UNSURE), Boat("Jet", MetricValue(value=5.0, n=3), tier=1)],
            "Speed, 0-5: highest Ark (3.00 [2.50, 4.00]), lowest Raft (1.00).",
        ),
        ([Boat("Ark", SURE), Boat("Raft", UNKNOWN)], ""),  # nothing to compare it with
        ([Boat("Ark", SURE), Boat("Raft", SURE)], ""),
        ([], ""),
    ],
)
def test_a_chart_says_who_has_most_and_least(rows: list[Boat], sentence: str) -> None:
    assert SCORES.sentence(shown(*rows)) == sentence


def test_a_plane_says_both_and_hidden_characters_of_names_are_seen() -> None:
    ark, raft = Boat("Ark\u202e", SURE, MetricValue(value=0.2, n=3)), Boat("Raft", UNSURE, MetricValue(value=0.4, n=3))
    told = PLANE.sentence(shown(ark, raft))
    assert "\u202e" not in told
    assert told.endswith("lowest Raft (1.00). Range, 0-1: highest Raft (0.40), lowest Ark[U+202E] (0.20).")


# --- scores ----------------------------------------------------------------------------------------------------------


def test_every_row_stands_at_its_place_with_its_interval_and_in_the_look_of_its_kind() -> None:
    rows = shown(Boat("Keel", SURE), Boat("Tide", UNSURE), Boat("Drift", SURE, style=NULL_ROW))
    found = figure(SCORES, rows)
    ranked, null = trace(found, "ranked"), trace(found, "baseline")
    assert (list(ranked.x), list(ranked.y)) == ([3.0, 1.0], [0, 1])
    # 3.0 [2.5, 4.0]: 1.0 up, 0.5 down; the second has no interval, so no whisker and a hollow marker.
    assert (list(ranked.error_x.array), list(ranked.error_x.arrayminus)) == ([1.0, None], [0.5, None])
    assert list(ranked.marker.symbol) == ["circle", "circle-open"]
    assert (list(null.y), list(null.marker.symbol), null.marker.color) == ([2], ["diamond"], LIGHT.muted)
    assert list(ranked.text) == ["Keel: 3.00 [2.50, 4.00], n = 8 trips", "Tide: 1.00, n = 3 trips"]


def test_a_row_without_a_number_says_so_in_its_place_and_is_never_at_zero() -> None:
    found = figure(SCORES, shown(Boat("Keel", SURE), Boat("Reef", UNKNOWN), Boat("Hull", None)))
    assert list(trace(found, "ranked").y) == [0]
    (missing,) = [one for one in found.data if one.mode == "text"]
    assert (list(missing.y), list(missing.text)) == ([1, 2], ["n/a", "n/a"])


def test_the_numbers_behind_the_chart_are_those_of_the_chart() -> None:
    rows = shown(Boat("Keel", SURE), Boat("Reef", UNKNOWN))
    assert cells(SCORES, rows) == [["Keel", "3.00 [2.50, 4.00]", "8"], ["Reef", "n/a", "0"]]


def test_a_long_board_draws_its_beginning_and_says_so() -> None:
    rows = shown(*(Boat(str(number), SURE) for number in range(MOST_ROWS + 5)))
    found = figure(SCORES, rows)
    assert len(trace(found, "ranked").x) == MOST_ROWS
    assert said(found) == "the first 40 of 45 rows, in the order of the board"
    assert len(cells(SCORES, rows)) == MOST_ROWS + 5


@pytest.mark.parametrize("chart", [SCORES, SEAS, PLANE, RUNS])
@pytest.mark.parametrize("is_dark", [False, True])
def test_without_a_number_a_chart_says_why_in_both_themes(chart: BoardChart[Boat], is_dark: bool) -> None:
    found = drawn(chart.figure, shown(Boat("Reef", UNKNOWN)), is_dark=is_dark)
    assert said(found).startswith("No row shown")
    assert found.layout.template.layout.paper_bgcolor == (DARK if is_dark else LIGHT).surface


# --- small multiples -------------------------------------------------------------------------------------------------

BY_SEA = (
    Boat("Keel", by_sea={"Baltic": SURE, "North": UNSURE, "Red": UNKNOWN}),
    Boat("Tide", by_sea={"Baltic": UNSURE, "Red": UNKNOWN}),
)


def test_parts_that_rest_on_most_come_first() -> None:
    # Baltic rests on up to 8, North on 3, Red on 0.
    assert parts_of(shown(*BY_SEA), lambda row: row.by_sea) == ["Baltic", "North", "Red"]


def test_every_part_is_a_panel_on_one_scale_that_says_how_much_it_rests_on() -> None:
    found = figure(SEAS, shown(*BY_SEA, width=1400))
    assert (
        said(found)
        == "<b>Baltic</b><br>n = 3 to 8 trips | <b>North</b><br>n = 3 trips | not judged for any row shown: Red"
    )
    ranges = {tuple(found.layout[name].range) for name in ("xaxis", "xaxis2")}
    # 3% of the scale of 5 on either side.
    assert ranges == {(-0.15, 5.15)}
    assert tuple(found.layout.yaxis.ticktext) == ("Keel", "Tide")


def test_a_part_that_a_row_lacks_is_missing_there_and_not_zero() -> None:
    found = figure(SEAS, shown(*BY_SEA, width=1400))
    north = [one for one in found.data if one.xaxis == "x2"]
    assert [list(one.y) for one in north if one.mode == "markers"] == [[0]]
    assert [(list(one.y), list(one.text)) for one in north if one.mode == "text"] == [([1], ["n/a"])]
    assert cells(SEAS, shown(*BY_SEA)) == [
        ["Keel", "3.00 [2.50, 4.00]", "8", "1.00", "3", "n/a", "0"],
        ["Tide", "1.00", "3", "n/a", "0", "n/a", "0"],
    ]


def test_a_phone_gets_the_panels_below_each_other() -> None:
    # (360 - 170) / 230 is less than one panel: one column; (1400 - 170) / 230 = 5.3: both beside each other.
    assert (panels_across(2, 360), panels_across(2, 1400), panels_across(9, 0)) == (1, 2, 1)
    phone, screen = (figure(SEAS, shown(*BY_SEA, width=width)) for width in (360, 1400))
    assert phone.layout.yaxis2.domain[1] < phone.layout.yaxis.domain[0]
    assert screen.layout.xaxis2.domain[0] > screen.layout.xaxis.domain[1]
    assert phone.layout.height > screen.layout.height


def test_panels_of_a_long_board_draw_its_beginning_and_say_so() -> None:
    rows = shown(*(Boat(str(number), by_sea={"Baltic": SURE}) for number in range(MOST_PANEL_ROWS + 1)), width=1400)
    assert "the first 16 of 17 rows" in said(figure(SEAS, rows))


# --- two numbers -----------------------------------------------------------------------------------------------------


def test_rows_stand_where_their_two_numbers_meet_with_both_intervals_and_the_threshold() -> None:
    half = MetricValue(value=0.75, low=0.5, high=1.0, n=4)
    rows = shown(
        Boat("Keel", SURE, half),
        Boat("Tide", UNSURE, half),
        Boat("Drift", SURE, half, style=NULL_ROW),
        Boat("Reef", SURE),
    )
    found = figure(PLANE, rows)
    keel = trace(found, "Keel")
    assert (keel.x, keel.y) == ((0.75,), (3.0,))
    assert (keel.error_x.array, keel.error_x.arrayminus) == ((0.25,), (0.25,))
    assert (keel.error_y.array, keel.error_y.arrayminus) == ((1.0,), (0.5,))
    assert keel.marker.symbol != trace(found, "Tide").marker.symbol
    assert trace(found, "baselines").marker.color == LIGHT.muted
    assert found.layout.shapes[0].x0 == 0.5
    assert said(found) == "half the way | 1 row lacks one of the two numbers"
    assert cells(PLANE, rows)[3] == ["Reef", "n/a", "", "3.00 [2.50, 4.00]", "8"]


def test_rows_beyond_the_looks_share_one() -> None:
    whole = MetricValue(value=1.0, n=4)
    rows = shown(*(Boat(str(number), SURE, whole) for number in range(MOST_LOOKS + 3)))
    found = figure(PLANE, rows)
    looks = {(one.marker.color, one.marker.symbol) for one in found.data if one.name != "other rows"}
    assert len(looks) == MOST_LOOKS
    assert len(trace(found, "other rows").x) == 3


# --- over time -------------------------------------------------------------------------------------------------------


def run(id_: str, day: int, score: MetricValue = SURE) -> Run:
    return Run(id_, datetime(2026, 11, day, tzinfo=UTC), score)


def test_the_run_on_the_board_is_filled_and_earlier_ones_are_hollow() -> None:
    rows = shown(
        Boat("Keel"), Boat("Tide"), runs={"Keel": [run("k1", 1, UNSURE), run("k2", 5)], "Tide": [run("t1", 3)]}
    )
    found = figure(RUNS, rows)
    keel, tide = trace(found, "Keel"), trace(found, "Tide")
    assert (list(keel.y), list(keel.marker.symbol), keel.mode) == (
        [1.0, 3.0],
        ["circle-open", "circle"],
        "lines+markers",
    )
    assert (list(tide.marker.symbol), tide.mode) == (["square"], "markers")
    assert said(found) == "1 of 2 rows have more than one scored run"
    assert cells(RUNS, rows) == [
        ["Keel", "2026-11-01 00:00:00 UTC", "1.00", "3", "an earlier run"],
        ["Keel", "2026-11-05 00:00:00 UTC", "3.00 [2.50, 4.00]", "8", "this run"],
        ["Tide", "2026-11-03 00:00:00 UTC", "3.00 [2.50, 4.00]", "8", "this run"],
    ]
    assert [line.id for line in RUNS.table(rows).rows] == ["k1", "k2", "t1"]  # each line leads to its own run


def test_lines_of_rows_beyond_the_looks_are_one_trace_and_do_not_touch() -> None:
    names = [str(number) for number in range(MOST_LOOKS + 2)]
    runs = {name: [run(f"{name}a", 1), run(f"{name}b", 2)] for name in names}
    others = trace(figure(RUNS, shown(*map(Boat, names), runs=runs)), "other rows")
    assert list(others.y) == [3.0, 3.0, None, 3.0, 3.0]
    assert list(others.marker.symbol) == ["circle-open", "circle", "circle", "circle-open", "circle"]
    assert others.connectgaps is False


def test_one_run_alone_is_drawn_around_its_hour() -> None:
    found = figure(RUNS, shown(Boat("Keel"), runs={"Keel": [run("k1", 1)]}))
    first, last = found.layout.xaxis.range
    assert (last - first).total_seconds() == 3600  # half an hour on either side
    assert said(found) == "every row has one scored run so far"


# --- hostile names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chart", [SCORES, SEAS, PLANE, RUNS])
def test_no_name_is_markup_in_any_chart(chart: BoardChart[Boat]) -> None:
    name = "<a href='x'>k</a>"
    boat = Boat(name, SURE, UNSURE, {"<b>sea</b>": SURE})
    written = figure(chart, shown(boat, width=1400, runs={name: [run("k1", 1)]})).to_json()
    assert "<a href" not in written
    assert "\\u003ca href" not in written
    assert "<b>sea" not in written
    assert "\\u003cb\\u003esea" not in written


# --- cost and trust --------------------------------------------------------------------------------------------------

COST: Axis[Boat] = Axis("crew", lambda row: row.range_, 0.0, 1.0, "decimal")
FRONT = front_chart("front", COST, SPEED, title="Speed for crew", explanation="")


def priced(name: str, cost: float | None, speed: float | None, style: str = "") -> Boat:
    """A boat; None = it is not known."""
    known = [
        None if one is None else MetricValue(value=one, low=one - 0.1, high=one + 0.1, n=8) for one in (cost, speed)
    ]
    return Boat(name, speed=known[1], range_=known[0], style=style)


FLEET = (
    priced("dear and fast", 9.0, 4.0),
    priced("cheap", 1.0, 2.0),
    priced("as cheap and slower", 1.0, 1.0),
    priced("dearer and no faster", 2.0, 2.0),
    priced("twin of the fast one", 9.0, 4.0),
    priced("unknown cost", None, 5.0),
    priced("unknown speed", 0.5, None),
    priced("null", 0.1, 5.0, NULL_ROW),
)


def test_the_front_holds_what_nothing_beats_in_both() -> None:
    assert front(FLEET, COST, SPEED) == ["cheap", "dear and fast", "twin of the fast one"]
    assert front((), COST, SPEED) == []


def test_the_chart_of_costs_draws_the_front_as_steps_and_says_what_it_leaves_out() -> None:
    made = figure(FRONT, shown(*FLEET))
    line = made.data[0]
    assert (list(line.x), list(line.y), line.line.shape) == ([1.0, 9.0, 9.0], [2.0, 4.0, 4.0], "hv")
    assert [trace.name for trace in made.data[1:]] == [boat.id for boat in FLEET[:5]]
    assert made.layout.xaxis.type == "log"
    assert list(made.layout.xaxis.tickvals) == [1.0, 2.0, 5.0, 10.0]  # costs from 1 to 9
    assert said(made) == "2 rows lack one of the two numbers"
    assert "crew: 9.00" in made.data[1].text[0]
    assert "n = " not in made.data[1].text[0].split("crew")[1]  # a price is no estimate
    table = FRONT.table(shown(*FLEET)).value("t")
    told = {row["cells"][0]["text"]: row["cells"][-1]["text"] for row in table["rows"]}
    assert told["cheap"] == "yes"
    assert told["as cheap and slower"] == "no"
    assert told["unknown cost"] == told["unknown speed"] == "one of the two is not known"


def test_where_something_is_free_costs_stand_on_an_even_scale() -> None:
    made = figure(FRONT, shown(priced("free", 0.0, 1.0), priced("dear", 4.0, 2.0)))
    assert made.layout.xaxis.type == "linear"
    assert list(made.data[0].x) == [0.0, 4.0]


def test_without_a_cost_the_chart_says_what_is_missing() -> None:
    made = drawn(FRONT.figure, shown(priced("unknown", None, 1.0)), is_dark=False)
    assert "No row shown has a value for both" in said(made)


def test_the_null_row_is_no_way_to_save() -> None:
    table = FRONT.table(shown(*FLEET)).value("t")
    assert next(row["cells"][-1]["text"] for row in table["rows"] if row["id"] == "null") == "no"
