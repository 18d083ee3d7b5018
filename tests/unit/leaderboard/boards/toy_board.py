"""A board of boats, registered by one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar

import gradio as gr

from leaderboard.page.board_page import BoardPage, board_page
from leaderboard.page.board_table import BoardTable
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage
from leaderboard.page.registered import Board, OpenBoard
from leaderboard.page.state import PageState, TableState, choice, first_table, one_of
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.columns import Column
from leaderboard.parts.filters import Filter
from leaderboard.parts.methods import BoardAbout, Method
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
    "toy",
    "Boats",
    COLUMNS,
    "speed",
    filters=(
        Filter("harbour", "Harbour", "one_of", lambda row: row.harbour),
        Filter("paint", "Paint", "text_set", lambda row: row.paint),
        Filter("crew", "Crew", "at_least", lambda row: row.crew, steps=(50, 100)),
        Filter("built", "Built", "since", lambda row: row.built),
        Filter("kind", "Kind", "one_of", lambda row: "baseline" if row.style else "boat", reaches_null_rows=True),
    ),
    presets=(Preset("essential", "Essential", ("boat", "speed")),),
    paper=Paper("noah", "Noah", "The Ark", 1, "Genesis"),
    about=BoardAbout(
        ranks="Boats, by their speed.",
        steps=("They sail.",),
        ranking="Nobody is ranked.",
        null_rows=(("Drift", "Has no sail."),),
        guards=(),
        limits=("In calm weather nothing moves.",),
        licence="None.",
        methods={"speed": Method("knots", "distance / time")},
    ),
    question="Which boat is fast?",
)

SEAS = ("north", "south")


@dataclass(frozen=True, slots=True)
class ToyState(PageState):
    """What a visitor of the harbour looks at."""

    kind: ClassVar = TOY

    tab: str = TOY.key
    table: TableState = first_table(TOY)
    sea: str = choice("", one_of(SEAS))


def toy_table(fleet: Sequence[Boat] = FLEET) -> BoardTable[Boat, Any]:
    """The board of a fleet."""
    return BoardTable(
        ToyState,
        all_rows=lambda state: fleet,
        caption=lambda state: "Boats by speed",
        empty=lambda state: "No boat yet: build one.",
        about=lambda state: {"sea": state.sea or "north"},
    )


def toy_page(board: BoardTable[Boat, Any], page: gr.State, link: ViewLink) -> LivePage[ToyState]:
    """The board alone."""
    return board_page(BoardPage(board, lambda: 1, "toy-"), page, link)


def opened_toy(board: BoardTable[Boat, Any]) -> OpenBoard:
    """The board over a fleet."""
    return OpenBoard(board, partial(toy_page, board), lambda state: (state, ()), lambda: [ToyState(sea="north")])


TOY_BOARD = Board(ToyState, "Boats", lambda tools: opened_toy(toy_table()), lambda ticket: None)
