"""Where a bar's point and whiskers stand, and which cells have one."""

from __future__ import annotations

from typing import Any

import pytest

from evaluator.results import MetricValue
from leaderboard.assets import template
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.columns import Column
from leaderboard.parts.interval_bars import BarValue, Scale, bar_value
from leaderboard.parts.tables import column_of, table_value
from tests.registered import KINDS
from tests.unit.leaderboard.boards.toy_board import Boat


def metric(value: float | None, low: float | None = None, high: float | None = None) -> MetricValue:
    return MetricValue(value=value, low=low, high=high, n=15)


@pytest.mark.parametrize(
    ("figure", "scale", "at", "low", "high", "zero"),
    [
        # 3.75 / 5 = 0.75, 3 / 5 = 0.6, 4.25 / 5 = 0.85
        (metric(3.75, 3.0, 4.25), (0, 5), "0.75", "0.6", "0.85", ""),
        # (-0.4 + 1) / 2 = 0.3, (-0.5 + 1) / 2 = 0.25, (-0.3 + 1) / 2 = 0.35; 0 lies in the middle
        (metric(-0.4, -0.5, -0.3), (-1, 1), "0.3", "0.25", "0.35", "0.5"),
        # the ends of the scale
        (metric(0.0, 0.0, 0.0), (0, 5), "0", "0", "0", ""),
        (metric(5.0, 5.0, 5.0), (0, 5), "1", "1", "1", ""),
        # beyond the scale: drawn at its end
        (metric(0.02, -0.05, 0.1), (0, 1), "0.02", "0", "0.1", ""),
        (metric(0.98, 0.9, 1.04), (0, 1), "0.98", "0.9", "1", ""),
        # 1 / 3 = 0.333..., a thousandth of the bar is less than a pixel
        (metric(1 / 3), (0, 1), "0.333", "", "", ""),
        # a figure without an interval has no whiskers
        (0.25, (0, 1), "0.25", "", "", ""),
        (1, (0, 5), "0.2", "", "", ""),
    ],
)
def test_a_figure_lies_on_its_columns_scale(
    figure: object, scale: Scale, at: str, low: str, high: str, zero: str
) -> None:
    assert bar_value(figure, scale) == BarValue(at=at, low=low, high=high, zero=zero)


@pytest.mark.parametrize("figure", [None, metric(None), "", "not measured"])
def test_what_is_no_figure_draws_nothing(figure: object) -> None:
    assert bar_value(figure, (0, 5)) is None


def cells(column: Column[Boat], *boats: Boat) -> list[Any]:
    return [row["cells"][0] for row in table_value(boats, [column], caption="Boats", empty="None.")["rows"]]


def test_digits_stand_beside_every_bar_and_alone_where_there_is_none() -> None:
    speed: Column[Boat] = Column("speed", "Speed", "decimal", lambda row: row.speed, "Knots.", scale=(0, 20))
    drawn, undrawn = cells(speed, Boat("Keel", 5.0), Boat("Reef", None))
    assert (drawn["text"], drawn["bar"]["at"]) == ("5.00", "0.25")  # 5 of 20 knots
    assert undrawn["text"] == "n/a"
    assert "bar" not in undrawn


def test_a_column_without_a_scale_draws_nothing() -> None:
    speed: Column[Boat] = Column("speed", "Speed", "decimal", lambda row: row.speed, "Knots.")
    assert "bar" not in cells(speed, Boat("Keel", 5.0))[0]


def test_a_bar_is_never_read_aloud() -> None:
    assert template("interval_bar").count("<") == 2  # one element and its end: nothing inside to be read
    assert 'aria-hidden="true"' in template("interval_bar")


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_headline_of_every_board_is_drawn(kind: BoardKind[Any]) -> None:
    headline = column_of(kind.columns, kind.headline)
    assert headline.scale is not None or headline.format == "whole"  # a count has no end
