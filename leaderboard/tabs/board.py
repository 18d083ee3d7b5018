"""The parts every board has: search, sort, direction, reset, the table, downloads, and the timer that renews it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import gradio as gr
from gradio.components import Component

from leaderboard.board_table import (
    BoardTable,
    direction_chosen,
    searched,
    sort_chosen,
    sorted_by,
    turned_to,
)
from leaderboard.components import ChangeMarker, Download, Table
from leaderboard.downloads import CSV, JSON, FileValue, file_value
from leaderboard.links import Board, Direction, PageState, sort_keys
from leaderboard.region import QUIET, Region
from leaderboard.tables import Row, column_of

DIRECTION_LABELS: dict[Direction, str] = {"descending": "largest first", "ascending": "smallest first"}

REFRESH_S = 2.5
"""How often an open board asks whether something changed."""


@dataclass(frozen=True, slots=True)
class BoardTab:
    """What the page needs of a board's tab."""

    region: Region
    timer: gr.Timer


class BoardControls(NamedTuple):
    """What a visitor looks at a table by."""

    search: gr.Textbox
    sort: gr.Dropdown
    direction: gr.Dropdown


class BoardParts(NamedTuple):
    """A board's table with what stands around it."""

    controls: BoardControls
    reset: gr.Button
    table: Table

    def wire(self, region: Region, board: Board, reset: Callable[[PageState], PageState]) -> None:
        """Connects what visitors do with the page state."""
        region.on_typing(self.controls.search, lambda state, text: searched(board, state, text))
        region.on_input(self.controls.sort, lambda state, key: sort_chosen(board, state, key))
        region.on_input(self.controls.direction, lambda state, value: direction_chosen(board, state, value))
        region.on_click(self.reset.click, reset)
        region.on_event(self.table.sort, "key", lambda state, key: sorted_by(board, state, key))
        region.on_event(self.table.turn, "page", lambda state, page: turned_to(board, state, page))

    @property
    def outputs(self) -> list[Component]:
        """What `values` fills."""
        return [*self.controls, self.table]


def board_values(board: BoardTable[Row], state: PageState) -> tuple[Any, ...]:
    """One value per output of the board's parts."""
    look = state.table(board.board)
    return (look.search, look.sort, look.direction, board.value(state))


def board_parts(board: BoardTable[Row], page: gr.State, *, prefix: str = "") -> BoardParts:
    """Controls, table and downloads of a board.

    Args:
        prefix: of every elem_id, so that boards can be told apart.
    """
    names = ", ".join(column.label.lower() for column in board.columns if column.is_searched)
    sorts = [(column_of(board.columns, key).label, key) for key in sort_keys(board.board)]
    directions = [(label, direction) for direction, label in DIRECTION_LABELS.items()]
    with gr.Row():
        search = gr.Textbox(
            label="Search",
            placeholder=f"{names}; several terms with ;",
            elem_id=f"{prefix}search",
            max_length=200,
            scale=3,
            min_width=240,
        )
        sort = gr.Dropdown(sorts, label="Sort by", elem_id=f"{prefix}sort-by", filterable=False, min_width=150)
        direction = gr.Dropdown(
            directions, label="Direction", elem_id=f"{prefix}direction", filterable=False, min_width=150
        )
        reset = gr.Button("Reset", elem_id=f"{prefix}reset", elem_classes=["reset"], size="sm", scale=0, min_width=90)
    table = Table(elem_id=f"{prefix}board-table")
    _downloads(board, page, prefix)
    return BoardParts(BoardControls(search, sort, direction), reset, table)


def _downloads(board: BoardTable[Row], page: gr.State, prefix: str) -> None:
    """Buttons that hand over the board exactly as it is shown."""
    with gr.Row():
        csv_button = gr.Button("Download CSV", elem_id=f"{prefix}download-csv", size="sm", scale=0, min_width=150)
        json_button = gr.Button("Download JSON", elem_id=f"{prefix}download-json", size="sm", scale=0, min_width=150)
    download = Download(elem_id=f"{prefix}download")
    for button, media_type, text in ((csv_button, CSV, board.csv), (json_button, JSON, board.json)):
        button.click(_file_of(board, media_type, text), page, download, **QUIET)


def _file_of(
    board: BoardTable[Row], media_type: str, text: Callable[[PageState], str]
) -> Callable[[PageState], FileValue]:
    ending = media_type.rpartition("/")[2]
    return lambda state: file_value(f"{board.file_name(state)}.{ending}", media_type, text(state))


def refresh(region: Region, marker_of: Callable[[], int], *, keep: Sequence[Component], prefix: str = "") -> gr.Timer:
    """Draws the open board anew when something changed; what visitors chose, and scroll, stay."""
    timer = gr.Timer(REFRESH_S, active=False)
    marker = ChangeMarker(elem_id=f"{prefix}change-marker")
    timer.tick(marker_of, None, marker, **QUIET)
    marker.moved(lambda state: region.drawn(state, keep), region.page, region.outputs, **QUIET)
    return timer
