"""The charts below a board's table: drawn when somebody comes near them, each with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any, NamedTuple

import gradio as gr
from gradio.components import Component

from leaderboard.board_charts import BoardCharts
from leaderboard.chart_components import DrawnWhenNear, WaitingValue
from leaderboard.components import Table
from leaderboard.links import PageState
from leaderboard.region import QUIET, Region
from leaderboard.row_charts import BoardChart
from leaderboard.tables import Row

MOST_PIXELS = 10_000
"""Wider screens are nobody's."""


class ChartParts(NamedTuple):
    """The charts of one board."""

    charts: BoardCharts[Any]
    waiting: DrawnWhenNear
    """The one output that is drawn with the board."""
    target: str
    tables: list[Table]

    def value(self, state: PageState, *, is_looked_at: bool) -> WaitingValue | None:
        """What asks for them; None while nobody can see them: a hidden chart would be drawn without a width."""
        return {"marker": self.charts.marker(state), "target": self.target} if is_looked_at else None

    def wire(self, region: Region, opened: Callable[[PageState, object], PageState]) -> None:
        """Lets every line of the tables lead where a row of the board does."""
        for table in self.tables:
            region.on_event(table.open, "row", opened)


def chart_marker(prefix: str = "") -> DrawnWhenNear:
    """Stands outside what is hidden: a hidden one would not notice a change."""
    return DrawnWhenNear(elem_id=f"{prefix}board-charts-marker")


def chart_parts(
    charts: BoardCharts[Row], page: gr.State, waiting: DrawnWhenNear, *, prefix: str = "", title: str = "Charts"
) -> ChartParts:
    """Plots and tables of every chart the board declares, below each other; small ones beside each other.

    Args:
        prefix: of every elem_id, so that boards can be told apart.
    """
    target = f"{prefix}board-charts"
    shown: list[Component] = []
    with gr.Column(elem_id=target, elem_classes=["board-charts"]):
        gr.Markdown(f"## {title}\nOf exactly the rows the table shows, in its order.", container=False)
        for is_wide, some in groupby(charts.charts, key=lambda chart: chart.is_wide):
            for line in _lines(list(some), 1 if is_wide else 2):
                with gr.Row():
                    for chart in line:
                        shown += _chart(chart, prefix)

    def values(state: PageState, event: gr.EventData) -> tuple[Any, ...]:
        carried = event._data
        return charts.values(state, _width(carried.get("width") if isinstance(carried, Mapping) else None))

    waiting.near(values, page, shown, **{**QUIET, "trigger_mode": "always_last"})
    return ChartParts(charts, waiting, target, [part for part in shown if isinstance(part, Table)])


def _lines(charts: list[BoardChart[Row]], most: int) -> list[list[BoardChart[Row]]]:
    return [charts[first : first + most] for first in range(0, len(charts), most)]


def _width(carried: object) -> int:
    """The width a browser states; 0 for anything that is none."""
    return carried if isinstance(carried, int) and 0 < carried < MOST_PIXELS else 0


def _chart(chart: BoardChart[Row], prefix: str) -> list[Component]:
    """A plot and the table behind it."""
    with gr.Column(elem_id=f"{prefix}chart-{chart.key}", elem_classes=["chart"], min_width=340):
        gr.Markdown(f"### {chart.title}\n{chart.explanation}", container=False)
        plot = gr.Plot(show_label=False, container=False, elem_id=f"{prefix}plot-{chart.key}")
        with gr.Accordion("The numbers behind this chart", open=False):
            table = Table(elem_id=f"{prefix}table-{chart.key}")
    return [plot, table]
