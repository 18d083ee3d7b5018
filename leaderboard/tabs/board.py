"""The parts every board has: search, sort, filters, columns, the table, downloads, copies, the timer that renews it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gradio as gr
from gradio.components import Component

from leaderboard.board_kinds import ALL, KINDS, Board, BoardKind, Direction
from leaderboard.board_table import (
    BoardTable,
    columns_chosen,
    direction_chosen,
    filter_chosen,
    preset_chosen,
    searched,
    sort_chosen,
    sorted_by,
    turned_to,
    undone,
)
from leaderboard.components import ChangeMarker, CopyText, Download, Table
from leaderboard.copies import CopyValue
from leaderboard.downloads import CSV, JSON, FileValue, file_value
from leaderboard.filters import ANY
from leaderboard.links import PageState, TableState
from leaderboard.methods_components import ColumnGuide
from leaderboard.methods_page import guide_value
from leaderboard.region import QUIET, Region
from leaderboard.tables import Row, column_of

DIRECTION_LABELS: dict[Direction, str] = {"descending": "largest first", "ascending": "smallest first"}

REFRESH_S = 2.5
"""How often an open board asks whether something changed."""


class Narrowing(NamedTuple):
    """Filters and columns, closed until they are wanted."""

    box: Any
    """A `gr.Accordion`: gradio fills layout blocks as well, yet does not count them as components."""
    filters: list[gr.Dropdown]
    preset: gr.Radio
    columns: gr.CheckboxGroup


class BoardControls(NamedTuple):
    """What a visitor looks at a table by, in the order of the board's values."""

    search: gr.Textbox
    sort: gr.Dropdown
    direction: gr.Dropdown
    narrowing: Narrowing


class BoardParts(NamedTuple):
    """A board's table with what stands around it."""

    looked_by: BoardControls
    reset: gr.Button
    table: Table
    copy: CopyText

    def wire(self, region: Region, board: Board, reset: Callable[[PageState], PageState]) -> None:
        """Connects what visitors do with the page state."""
        search, sort, direction, narrowing = self.looked_by
        region.on_typing(search, lambda state, text: searched(board, state, text))
        region.on_input(sort, lambda state, key: sort_chosen(board, state, key))
        region.on_input(direction, lambda state, value: direction_chosen(board, state, value))
        for one, dropdown in zip(KINDS[board].filters, narrowing.filters, strict=True):
            region.on_input(dropdown, _chooser(board, one.key))
        region.on_input(narrowing.preset, lambda state, key: preset_chosen(board, state, key))
        region.on_input(narrowing.columns, lambda state, keys: columns_chosen(board, state, keys))
        region.on_click(self.reset.click, reset)
        region.on_event(self.table.sort, "key", lambda state, key: sorted_by(board, state, key))
        region.on_event(self.table.turn, "page", lambda state, page: turned_to(board, state, page))
        region.on_event(self.table.undo, "key", lambda state, key: undone(board, state, key))

    @property
    def controls(self) -> list[Component]:
        """What a timer leaves to the person who uses it; filters offer what the new rows have."""
        search, sort, direction, (box, _, preset, columns) = self.looked_by
        return [search, sort, direction, box, preset, columns, self.copy]

    @property
    def outputs(self) -> list[Component]:
        """What `board_values` fills."""
        search, sort, direction, (box, filters, preset, columns) = self.looked_by
        return [search, sort, direction, box, *filters, preset, columns, self.copy, self.table]


def _chooser(board: Board, key: str) -> Callable[[PageState, object], PageState]:
    """What a choice of one filter does."""
    return lambda state, choice: filter_chosen(board, state, key, choice)


def board_values(board: BoardTable[Row], state: PageState) -> tuple[Any, ...]:
    """One value per output of the board's parts."""
    kind, look = KINDS[board.board], state.table(board.board)
    chosen = dict(look.filters)
    choices = zip(kind.filters, board.filter_choices(state), strict=True)
    return (
        *(look.search, look.sort, look.direction),
        gr.update(label=_box_label(kind, look)),
        *(gr.update(choices=offered, value=chosen.get(one.key, ANY)) for one, offered in choices),
        kind.preset_of(look.columns),
        _ticked(kind, look),
        None,  # a text to copy would be of what was shown before
        board.value(state),
    )


def _box_label(kind: BoardKind[Row], look: TableState) -> str:
    """What is in use, seen while the box is closed."""
    used = []
    if look.filters:
        used.append(f"{len(look.filters)} filter{'s' if len(look.filters) > 1 else ''} in use")
    if look.columns:
        used.append(f"{len(look.columns)} of {len(kind.columns)} columns")
    return "Filters and columns" + (f" ({', '.join(used)})" if used else "")


def _ticked(kind: BoardKind[Row], look: TableState) -> list[str]:
    """Columns ticked in the list, which is without the names."""
    keys = look.columns or tuple(column.key for column in kind.columns)
    return [key for key in keys if key not in kind.name_keys]


def board_parts(board: BoardTable[Row], page: gr.State, *, prefix: str = "") -> BoardParts:
    """Controls, table, downloads and copies of a board.

    Args:
        prefix: of every elem_id, so that boards can be told apart.
    """
    names = ", ".join(column.label.lower() for column in board.columns if column.is_searched)
    sorts = [(column_of(board.columns, key).label, key) for key in KINDS[board.board].sort_keys]
    directions = [(label, direction) for direction, label in DIRECTION_LABELS.items()]
    with gr.Row():
        search = gr.Textbox(
            "",  # of None the first drawing would make "", and that would count as typing
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
    narrowing = _narrowing(KINDS[board.board], prefix)
    table = Table(elem_id=f"{prefix}board-table")
    if KINDS[board.board].about:
        ColumnGuide(guide_value(board.board, board.columns), elem_id=f"{prefix}column-guide")
    _downloads(board, page, prefix)
    copy = _copies(board, page, prefix)
    return BoardParts(BoardControls(search, sort, direction, narrowing), reset, table, copy)


def _narrowing(kind: BoardKind[Row], prefix: str) -> Narrowing:
    """Filters, presets and columns in one box."""
    presets = [*((preset.label, preset.key) for preset in kind.presets), ("All", ALL)]
    ticks = [(column.label, column.key) for column in kind.columns if not column.is_name]
    with gr.Accordion("Filters and columns", open=False, elem_id=f"{prefix}narrowing") as box:
        with gr.Row():
            filters = [
                gr.Dropdown(
                    [("any", ANY)],
                    value=ANY,
                    label=one.label,
                    elem_id=f"{prefix}filter-{one.key}",
                    filterable=False,
                    min_width=170,
                )
                for one in kind.filters
            ]
        preset = gr.Radio(presets, value=ALL, label="Columns that are read together", elem_id=f"{prefix}preset")
        columns = gr.CheckboxGroup(ticks, label="Columns beside the name", elem_id=f"{prefix}columns")
    return Narrowing(box, filters, preset, columns)


def _copies(board: BoardTable[Row], page: gr.State, prefix: str) -> CopyText:
    """Buttons that write out the board, exactly as it is shown, to paste into a paper."""
    texts = (("Markdown", board.markdown), ("LaTeX", board.latex), ("BibTeX", board.bibtex))
    with gr.Accordion("Copy the table, cite the board", open=False, elem_id=f"{prefix}copies"):
        with gr.Row():
            buttons = [
                gr.Button(title, elem_id=f"{prefix}copy-{title.lower()}", size="sm", scale=0, min_width=120)
                for title, _ in texts
            ]
        copy = CopyText(elem_id=f"{prefix}copy-text")
    for button, (title, text) in zip(buttons, texts, strict=True):
        button.click(_copy_of(title, text), page, copy, **QUIET)
    return copy


def _copy_of(title: str, text: Callable[[PageState], str]) -> Callable[[PageState], CopyValue]:
    return lambda state: {"title": title, "text": text(state)}


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


def refresh(
    region: Region, marker_of: Callable[[], int | str], *, keep: Sequence[Component], prefix: str = ""
) -> gr.Timer:
    """Draws the open board anew when something changed; what visitors chose, and scroll, stay."""
    timer = gr.Timer(REFRESH_S, active=False)
    marker = ChangeMarker(elem_id=f"{prefix}change-marker")
    timer.tick(marker_of, None, marker, **QUIET)

    def again(state: PageState) -> Any:
        values = region.drawn(state, keep)
        return values if len(values) > 1 else values[0]  # gradio takes apart what several outputs get, and only that

    marker.moved(again, region.page, region.outputs, **QUIET)
    return timer
