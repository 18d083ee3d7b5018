"""A board of boats: one table of columns, one reader of rows, one tab function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from leaderboard.boards.kinds import BoardKind, Paper, Preset
from leaderboard.page.board_table import BoardTable
from leaderboard.parts.columns import Column
from leaderboard.parts.filters import Filter
from leaderboard.parts.tables import NULL_ROW


@dataclass(frozen=True, slots=True)
class Boat:
    """A row."""

    id: str
    speed: float | None
    harbour: str = ""
    paint: tuple[str, ...] = ()
    crew: float | None = None
    built: datetime | None = None
    style: str = ""
    tier: int = 0


def built(day: int) -> datetime:
    """A day of November 2026, late in the evening."""
    return datetime(2026, 11, day, 23, 30, tzinfo=UTC)


FLEET = (
    Boat("Keel", 4.0, "Kiel", ("red", "white"), 1.0, built(3)),
    Boat("Tide", 2.0, "Oslo", ("white",), 0.9, built(5)),
    Boat("Reef", None, "Oslo", (), None, None),
    Boat("Drift", 1.0, style=NULL_ROW),
)

COLUMNS: tuple[Column[Boat], ...] = (
    Column("boat", "Boat", "text", lambda row: row.id, "Its name.", is_name=True, is_searched=True),
    Column("speed", "Speed", "decimal", lambda row: row.speed, "Knots.", "higher"),
    Column("harbour", "Harbour", "text", lambda row: row.harbour, "Where it lies."),
    Column("built", "Built", "day", lambda row: row.built, "When it was built."),
)

TOY: BoardKind[Boat] = BoardKind(
    "Boats",
    COLUMNS,
    "speed",
    filters=(
        Filter("harbour", "Harbour", "one_of", lambda row: row.harbour),
        Filter("paint", "Paint", "text_set", lambda row: row.paint),
        Filter("crew", "Crew", "at_least", lambda row: row.crew, steps=(50, 100)),
        Filter("built", "Built", "since", lambda row: row.built),
        Filter("kind", "Kind", "one_of", lambda row: "null row" if row.style else "boat", reaches_null_rows=True),
    ),
    presets=(Preset("essential", "Essential", ("boat", "speed")),),
    paper=Paper("noah", "Noah", "The Ark", 1, "Genesis"),
)


def toy_table(fleet: Sequence[Boat] = FLEET) -> BoardTable[Boat]:
    """The board of a fleet."""
    return BoardTable(
        "toy",
        COLUMNS,
        all_rows=lambda state: fleet,
        caption=lambda state: "Boats by speed",
        empty=lambda state: "No boat yet: build one.",
        about=lambda state: {"sea": "north"},
    )
