"""The charts below a board's table: drawn when somebody comes near them, each with its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import gradio as gr

from leaderboard.page.board_charts import BoardCharts, drawn_look
from leaderboard.page.drawn import Part, shows
from leaderboard.page.region import CHOSEN, Region
from leaderboard.page.state import PageState, State
from leaderboard.parts.chart import ChartSheet, ChartsValue
from leaderboard.parts.chart_components import ChartsView, DrawnWhenNear, WaitingValue
from leaderboard.parts.tables import Row

MOST_PIXELS = 10_000
"""Wider screens are nobody's."""
NOTE = "Same rows and order as the table, baselines included."


class ChartParts(NamedTuple):
    """The charts of one board."""

    charts: BoardCharts[Any, Any]
    waiting: DrawnWhenNear
    """The one output that is drawn with the board."""
    target: str
    view: ChartsView

    @property
    def asking(self) -> Part[Any]:
        """What asks for them, where the board is looked at: hidden charts would be drawn without a width."""

        def asked(state: PageState) -> WaitingValue:
            return {"marker": self.charts.marker(state), "target": self.target}

        return shows(self.waiting, asked, drawn_look)

    def wire(self, region: Region[State], opened: Callable[[State, object], State]) -> None:
        """Lets every line of the tables lead where a row of the board does."""
        region.on_event(self.view.open, "row", opened)


def chart_marker(prefix: str = "") -> DrawnWhenNear:
    """Stands outside what is hidden: a hidden one would not notice a change."""
    return DrawnWhenNear(elem_id=f"{prefix}board-charts-marker")


def chart_parts(
    charts: BoardCharts[Row, State], page: gr.State, waiting: DrawnWhenNear, *, prefix: str = "", title: str = "Charts"
) -> ChartParts:
    """Every chart the board declares, below each other; small ones beside each other.

    Args:
        prefix: of every id, so that boards can be told apart.
    """
    target = f"{prefix}board-charts"
    sheet = ChartSheet(charts.charts, prefix, title, NOTE)
    view = ChartsView(sheet.empty(), elem_id=target)

    def values(state: State, event: gr.EventData) -> ChartsValue:
        carried = event._data
        width = _width(carried.get("width") if isinstance(carried, Mapping) else None)
        return charts.value(state, width, sheet)

    waiting.near(values, page, view, **CHOSEN)
    return ChartParts(charts, waiting, target, view)


def _width(carried: object) -> int:
    """The width a browser states; 0 for anything that is none."""
    return carried if isinstance(carried, int) and 0 < carried < MOST_PIXELS else 0
