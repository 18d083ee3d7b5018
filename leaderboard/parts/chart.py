"""One chart of any board: its explanation, its figure, and the table behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypedDict

from plotly.graph_objects import Figure

from leaderboard.parts.columns import Column, Format, Value
from leaderboard.parts.drawing import Board, Colours, drawn
from leaderboard.parts.tables import TableValue, table_value


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
    leads: bool = True
    """Do its lines stand for rows of the board or runs, so that they can lead there?"""

    def value(self, caption: str, *, opens: bool = False) -> TableValue:
        """The table as the page shows it; `opens`: lines that stand for rows of the board or runs lead to them."""
        name: Column[ChartRow] = Column("name", self.name_label, "text", lambda row: row.name, "", is_name=True)
        columns = (name, *(_column(place, label, kind) for place, (label, kind) in enumerate(self.heads)))
        return table_value(
            self.rows, columns, caption=caption, empty="There is nothing to show yet.", opens=opens and self.leads
        )


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
    sentence: Callable[[Board], str] = lambda board: ""
    """What it shows of these rows, before how it is to be read; blank = the table says it."""

    def values(self, board: Board, *, is_dark: bool, opens: bool = False) -> tuple[Figure, TableValue]:
        """The figure and the table behind it; `opens`: rows of the table lead somewhere."""
        return drawn(self.figure, board, is_dark=is_dark), self.table(board).value(self.title, opens=opens)


class ChartValue(TypedDict):
    """One chart without its figure, ready for the page."""

    key: str
    title: str
    sentence: str
    explanation: str
    is_wide: bool
    table: TableValue | None
    """None before it is drawn."""


class ChartsValue(TypedDict):
    """Charts that stand together, ready for the page."""

    prefix: str
    """Of every id, so that boards can be told apart."""
    title: str
    """Above them; blank where they need none."""
    note: str
    source: str
    """What they are drawn from, for files of them."""
    charts: list[ChartValue]
    figures: dict[str, Figure]
    """By key; a chart that has none yet is not drawn."""


@dataclass(frozen=True, slots=True)
class ChartSheet(Generic[Board]):
    """Charts that stand together on the page."""

    charts: Sequence[Chart[Board]]
    prefix: str = ""
    title: str = ""
    note: str = ""
    source: str = ""
    """What they are drawn from, for files of them."""

    def empty(self) -> ChartsValue:
        """Before anything is drawn: what each of them will show."""
        return self._value([_view(chart, "", None) for chart in self.charts], {})

    def value(self, board: Board, *, is_dark: bool, opens: bool = False) -> ChartsValue:
        """All of them; `opens`: the rows of their tables lead somewhere."""
        made = [(chart, *chart.values(board, is_dark=is_dark, opens=opens)) for chart in self.charts]
        views = [_view(chart, chart.sentence(board), table) for chart, _, table in made]
        return self._value(views, {chart.key: figure for chart, figure, _ in made})

    def _value(self, views: list[ChartValue], figures: dict[str, Figure]) -> ChartsValue:
        return {
            "prefix": self.prefix,
            "title": self.title,
            "note": self.note,
            "source": self.source,
            "charts": views,
            "figures": figures,
        }


def _view(chart: Chart[Board], sentence: str, table: TableValue | None) -> ChartValue:
    return {
        "key": chart.key,
        "title": chart.title,
        "sentence": sentence,
        "explanation": chart.explanation,
        "is_wide": chart.is_wide,
        "table": table,
    }
