"""The charts of a board as a visitor looks at it: which rows, when to draw them anew, figures and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic

from leaderboard.page.board_table import BoardTable
from leaderboard.page.state import State
from leaderboard.parts.chart import ChartSheet, ChartsValue
from leaderboard.parts.row_charts import BoardChart
from leaderboard.parts.shown_rows import Run, ShownRows
from leaderboard.parts.tables import Row


def _no_runs(state: Any) -> Mapping[str, Sequence[Run]]:
    return {}


def drawn_look(state: State) -> State:
    """Return what charts are drawn of: pages, columns and folded rows do not matter."""
    return replace(state, table=replace(state.table, page=1, columns=(), baselines="folded"))


@dataclass(frozen=True, slots=True)
class BoardCharts(Generic[Row, State]):
    """The charts that the board's kind declares, over the rows its table shows."""

    table: BoardTable[Row, State]
    stamp: Callable[[], object]
    """Changes whenever results may have changed."""
    runs: Callable[[State], Mapping[str, Sequence[Run]]] = _no_runs
    """All runs of every row, by the row's id, oldest first."""

    @property
    def charts(self) -> tuple[BoardChart[Row], ...]:
        """In the order of the page."""
        return self.table.kind.charts

    def marker(self, state: State) -> str:
        """Changes whenever the charts have to be drawn anew."""
        return repr((self.stamp(), self.table.about(state), drawn_look(state).table, state.is_dark))

    def shown(self, state: State, width: int = 0) -> ShownRows[Row]:
        """Exactly the rows of the table, in its order, the baselines also while they are folded."""
        name = next(column for column in self.table.columns if column.is_name)
        rows = self.table.rows(state)
        has_twins = len({name.value_text(row) for row in rows}) < len(rows)
        beside = [column for column in self.table.columns if column.key in self.table.kind.beside_name]
        return ShownRows(rows, name, self.runs(state), width, beside if has_twins else ())

    def value(self, state: State, width: int, sheet: ChartSheet[ShownRows[Row]] | None = None) -> ChartsValue:
        """All charts with the tables behind them, whose lines lead where a row of the board does.

        Args:
            width: Pixels the charts have in the visitor's browser.
            sheet: What stands around them; None = nothing.
        """
        shown = self.shown(state, width)
        count = len(shown.rows)
        source = f"Plumbline, {self.table.kind.title}. {self.table.caption(state)}. {count} rows."
        made = replace(sheet or ChartSheet(self.charts), source=source)
        return made.value(shown, is_dark=state.is_dark, opens=self.table.opened is not None)
