"""Heat maps of parts x systems: what each cell rests on, which part is hardest, and all cells as rows of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from evaluator.results import MetricValue
from leaderboard.parts.columns import Column, Format
from leaderboard.parts.downloads import csv_text
from leaderboard.parts.interval_bars import Scale

MapKey = Literal["items", "variations", "languages", "questions", "pairs"]

NOT_THERE = MetricValue(value=None, n=0, reason="the system has no answers here")
"""A cell that no result speaks of."""

NOBODY = "no system shown has a figure here"


@dataclass(frozen=True, slots=True)
class MapSystem:
    """One system: a column of every map."""

    id: str
    """Ticket of the run its row on the board shows."""
    name: str
    about: str
    """Team, model and rank, in words."""
    is_null: bool
    """A baseline: shown in grey, part of no mean."""


@dataclass(frozen=True, slots=True)
class MapPart:
    """One row of a map: an item, a type of variation, a language, a question, a pair of languages."""

    id: str
    name: str
    remark: str = ""
    """What to know about it: of an item its type of variation."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One figure of every system on every part."""

    key: MapKey
    title: str
    part_word: str
    """What a row is: "item"."""
    parts_word: str
    """Several of them."""
    units: str
    """What n counts: "answers"."""
    parts: tuple[MapPart, ...]
    """In the order of their ids."""
    cells: Mapping[str, Mapping[str, MetricValue]]
    """Part -> system -> figure; what is missing has no answers."""
    scale: Scale = (0.0, 5.0)
    format: Format = "decimal"
    better: Literal["higher", "nearer_zero"] = "higher"

    def cell(self, part: str, system: str) -> MetricValue:
        """The figure of one system on one part."""
        return self.cells.get(part, {}).get(system, NOT_THERE)

    def size(self, value: float) -> float:
        """A value as colours show it: of figures that are best at 0, how far away it is."""
        return abs(value) if self.better == "nearer_zero" else value


def mean_over_systems(heat_map: HeatMap, part: str, systems: Sequence[MapSystem]) -> MetricValue:
    """How hard a part is: the mean of its figures over the systems that have one, as in the last column of the 2024
    paper's table; n = systems. Baselines are no systems; of figures that are best at 0, the mean distance from it.
    """
    entries = [system for system in systems if not system.is_null]
    values = [heat_map.cell(part, system.id).value for system in entries]
    known = [heat_map.size(value) for value in values if value is not None]
    if not known:
        return MetricValue(value=None, n=0, unscored=len(values), reason=NOBODY)
    return MetricValue(value=fsum(known) / len(known), n=len(known), unscored=len(values) - len(known))


def hardest_first(heat_map: HeatMap, systems: Sequence[MapSystem]) -> list[MapPart]:
    """The parts from the hardest to the easiest; those that nobody was judged on come last. Equals keep their order."""
    means = {part.id: mean_over_systems(heat_map, part.id, systems).value for part in heat_map.parts}
    known = [part for part in heat_map.parts if means[part.id] is not None]
    sign = -1.0 if heat_map.better == "nearer_zero" else 1.0
    return [
        *sorted(known, key=lambda part: sign * (means[part.id] or 0.0)),
        *(part for part in heat_map.parts if means[part.id] is None),
    ]


# --- as a file -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CellRow:
    """One cell, or the mean of one part, as a row of the file."""

    map: str
    part: str
    system: str
    ticket: str
    metric: MetricValue

    @property
    def id(self) -> str:
        return f"{self.map}/{self.part}/{self.ticket}"

    @property
    def tier(self) -> int:
        return 0

    @property
    def style(self) -> str:
        return ""


MEAN = "mean over systems"
"""The name of the column of means."""

CELL_COLUMNS: tuple[Column[CellRow], ...] = (
    Column("map", "Map", "text", lambda row: row.map, "Items, variations, languages, questions or pairs of languages."),
    Column("row", "Row", "text", lambda row: row.part, "Id of the item, question or pair, or name of the part."),
    Column("system", "System", "text", lambda row: row.system, "Name of the system, or the mean over systems."),
    Column("ticket", "Ticket", "code", lambda row: row.ticket, "Ticket of its run; blank for the mean."),
    Column("value", "Value", "decimal", lambda row: row.metric.value, "The figure, unrounded; blank = not judged."),
    Column("n", "n", "whole", lambda row: row.metric.n, "What the figure rests on."),
    Column("low", "Low", "decimal", lambda row: row.metric.low, "Lower end of the 95% interval."),
    Column("high", "High", "decimal", lambda row: row.metric.high, "Upper end of the 95% interval."),
    Column("reason", "Reason", "text", lambda row: row.metric.reason or "", "Why there is no figure."),
)


def cells_csv(maps: Sequence[tuple[HeatMap, Sequence[MapPart]]], systems: Sequence[MapSystem]) -> str:
    """Maps with their rows in order as one file in long form: one line per cell, the mean of a row behind its cells."""
    rows = [row for heat_map, parts in maps for part in parts for row in _rows(heat_map, part, systems)]
    return csv_text(rows, CELL_COLUMNS)


def _rows(heat_map: HeatMap, part: MapPart, systems: Sequence[MapSystem]) -> list[CellRow]:
    cells = [
        CellRow(heat_map.key, part.id, system.name, system.id, heat_map.cell(part.id, system.id)) for system in systems
    ]
    return [*cells, CellRow(heat_map.key, part.id, MEAN, "", mean_over_systems(heat_map, part.id, systems))]
