"""One chart of any board: its explanation, its figure, and the table behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from plotly.graph_objects import Figure

from leaderboard.columns import Column, Format, Value
from leaderboard.drawing import Board, Colours, drawn
from leaderboard.tables import TableValue, table_value


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One line of the table behind a chart."""

    id: str
    name: str
    values: tuple[Value, ...]
    style: str = ""
    tier: int = 0


Head = tuple[str, Format]
"""Label and format of a column."""


@dataclass(frozen=True, slots=True)
class ChartTable:
    """The numbers a chart shows."""

    name_label: str
    heads: tuple[Head, ...]
    rows: tuple[ChartRow, ...]

    def value(self, caption: str, *, opens: bool = False) -> TableValue:
        """The table as the page shows it; `opens`: its rows are rows of the board or runs, and lead to them."""
        name: Column[ChartRow] = Column("name", self.name_label, "text", lambda row: row.name, "", is_name=True)
        columns = (name, *(_column(place, label, kind) for place, (label, kind) in enumerate(self.heads)))
        return table_value(self.rows, columns, caption=caption, empty="There is nothing to show yet.", opens=opens)


def _column(place: int, label: str, kind: Format) -> Column[ChartRow]:
    return Column(f"value-{place}", label, kind, lambda row: row.values[place], "", sortable=False)


@dataclass(frozen=True, slots=True)
class Chart(Generic[Board]):
    """One chart: what it shows, how it is drawn, and its numbers."""

    key: str
    title: str
    explanation: str
    figure: Callable[[Board, Colours], Figure]
    table: Callable[[Board], ChartTable]
    is_wide: bool = False
    """Does it need the whole width of a large screen?"""

    def values(self, board: Board, *, is_dark: bool) -> tuple[Figure, TableValue]:
        """The figure and the table behind it."""
        return drawn(self.figure, board, is_dark=is_dark), self.table(board).value(self.title)
