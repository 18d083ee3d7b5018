"""What the charts of a board are drawn from: the rows as shown, and which of their numbers an axis shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic

from evaluator.results import MetricValue
from leaderboard.parts.columns import Column, Format
from leaderboard.parts.tables import Row

Measured = Callable[[Row], MetricValue | None]
"""Reads a number with its interval from a row; None where the row has none."""


@dataclass(frozen=True, slots=True)
class Run:
    """One scored run of what a row stands for."""

    id: str
    received_at: datetime
    score: MetricValue


@dataclass(frozen=True, slots=True)
class ShownRows(Generic[Row]):
    """What a chart is drawn from: the rows of the board as shown, all pages, in their order."""

    rows: Sequence[Row]
    name: Column[Row]
    runs: Mapping[str, Sequence[Run]] = field(default_factory=dict)
    """Row id -> all its scored runs, oldest first; the last one is the one the row shows."""
    width: int = 0
    """Pixels the charts have in the visitor's browser; 0 = not known."""
    beside: Sequence[Column[Row]] = ()
    """What tells rows of one name apart; empty where no two have one name."""

    def called(self, row: Row) -> str:
        """The name of a row with what tells it apart, without what it is."""
        told = ((column, column.value_text(row)) for column in self.beside)
        words = [f"{column.label} = {text}" if column.is_number else text for column, text in told if text]
        return " · ".join([self.name.value_text(row), *words])


@dataclass(frozen=True, slots=True)
class Axis(Generic[Row]):
    """A number of every row, as an axis shows it."""

    label: str
    value: Measured[Row]
    low: float
    high: float
    format: Format = "interval"
    units: str = ""
    """What n counts: "items", "queries"."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A value on the horizontal axis that a reader compares with."""

    value: float
    words: str


Parts = Callable[[Row], Mapping[str, MetricValue]]
"""Reads from a row its number in every part: each language, each variation."""


def parts_of(shown: ShownRows[Row], parts: Parts[Row]) -> list[str]:
    """The parts of the shown rows: those that most was judged on first, then by name."""
    most: dict[str, int] = {}
    for row in shown.rows:
        for part, value in parts(row).items():
            most[part] = max(most.get(part, 0), value.n)
    return sorted(most, key=lambda part: (-most[part], part))
