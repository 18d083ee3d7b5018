"""The Robustness board: the ranking, one system's items, one item's answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import gradio as gr
from gradio.components import Component

from leaderboard.boards import Boards
from leaderboard.columns import ROBUSTNESS_COLUMNS
from leaderboard.components import ChangeMarker, Download, ItemView, Notice, Table, ViewLink
from leaderboard.downloads import CSV, JSON, FileValue, file_value
from leaderboard.links import SORT_KEYS, Direction, PageState
from leaderboard.region import QUIET, Region
from leaderboard.robustness_screen import (
    VIEW_LABELS,
    RobustnessScreen,
    opened_item,
    opened_row,
    reset,
    searched,
    sorted_by,
    turned_to,
)
from leaderboard.tables import column_of

DIRECTION_LABELS: dict[Direction, str] = {"descending": "largest first", "ascending": "smallest first"}

REFRESH_S = 2.5
"""How often an open board asks whether something changed."""


@dataclass(frozen=True, slots=True)
class RobustnessTab:
    """What the page needs of the tab."""

    region: Region
    timer: gr.Timer


class _Controls(NamedTuple):
    """What a visitor chooses the board by."""

    set_choice: gr.Radio
    view: gr.Radio
    search: gr.Textbox
    sort: gr.Dropdown
    direction: gr.Dropdown


def robustness_tab(screen: RobustnessScreen, boards: Boards, page: gr.State, link: ViewLink) -> RobustnessTab:
    """The tab's components and wiring; `page` holds the state of the page, `link` shows it."""
    with gr.Column(elem_id="board") as board:
        controls, reset_button = _controls(screen.set_titles())
        table = Table(elem_id="board-table")
        _downloads(screen, page)
    with gr.Column(visible=False, elem_id="system-view") as system_view:
        to_board = gr.Button("← Board", elem_id="to-board", size="sm", scale=0, min_width=120)
        system_notice = Notice(elem_id="system-notice")
        items_table = Table(elem_id="items-table")
    with gr.Column(visible=False, elem_id="item-view") as item_view:
        to_system = gr.Button("← All items of this system", elem_id="to-system", size="sm", scale=0, min_width=200)
        item_notice = Notice(elem_id="item-notice")
        item = ItemView(elem_id="item")

    def drawn(state: PageState) -> tuple[Any, ...]:
        in_item = bool(state.system and state.item)
        head = screen.system_notice(state)
        return (
            *(state.set, state.view, state.search, state.sort, state.direction),
            screen.board_table(state),
            gr.update(visible=not state.system),
            gr.update(visible=bool(state.system) and not in_item),
            head,
            screen.items_table(state),
            gr.update(visible=in_item),
            head if in_item else None,
            screen.item(state),
        )

    outputs = [*controls, table, board, system_view, system_notice, items_table, item_view, item_notice, item]
    region = Region(page, link, outputs, drawn)
    _wire_controls(region, controls)
    region.on_click(reset_button.click, reset)
    region.on_click(to_board.click, lambda state: replace(state, system="", item=""))
    region.on_click(to_system.click, lambda state: replace(state, item=""))
    region.on_event(table.sort, "key", sorted_by)
    region.on_event(table.turn, "page", turned_to)
    region.on_event(table.open, "row", opened_row)
    region.on_event(items_table.open, "row", opened_item)
    return RobustnessTab(region, _refresh(region, boards, keep=controls))


def _controls(set_titles: dict[str, str]) -> tuple[_Controls, gr.Button]:
    sets = [(title, set_id) for set_id, title in set_titles.items()]
    views = [(label, view) for view, label in VIEW_LABELS.items()]
    sorts = [(column_of(ROBUSTNESS_COLUMNS, key).label, key) for key in SORT_KEYS]
    directions = [(label, direction) for direction, label in DIRECTION_LABELS.items()]
    with gr.Row():
        set_choice = gr.Radio(sets, label="Prompt set", elem_id="set-choice")
        view = gr.Radio(views, label="View", elem_id="view-choice")
    with gr.Row():
        search = gr.Textbox(
            label="Search",
            placeholder="system, team or model; several terms with ;",
            elem_id="search",
            max_length=200,
            scale=3,
            min_width=240,
        )
        sort = gr.Dropdown(sorts, label="Sort by", elem_id="sort-by", filterable=False, min_width=150)
        direction = gr.Dropdown(directions, label="Direction", elem_id="direction", filterable=False, min_width=150)
        reset_button = gr.Button("Reset", elem_id="reset", size="sm", scale=0, min_width=90)
    return _Controls(set_choice, view, search, sort, direction), reset_button


def _wire_controls(region: Region, controls: _Controls) -> None:
    region.on_input(controls.set_choice, lambda state, value: replace(state, set=value, page=1))
    region.on_input(controls.view, lambda state, value: replace(state, view=value, page=1))
    region.on_typing(controls.search, searched)
    region.on_input(controls.sort, lambda state, value: replace(state, sort=value, page=1))
    region.on_input(controls.direction, lambda state, value: replace(state, direction=value, page=1))


def _downloads(screen: RobustnessScreen, page: gr.State) -> None:
    """Buttons that hand over the board exactly as it is shown."""
    with gr.Row():
        csv_button = gr.Button("Download CSV", elem_id="download-csv", size="sm", scale=0, min_width=150)
        json_button = gr.Button("Download JSON", elem_id="download-json", size="sm", scale=0, min_width=150)
    download = Download(elem_id="download")
    _wire_download(csv_button, download, page, CSV, screen.csv)
    _wire_download(json_button, download, page, JSON, screen.json)


def _wire_download(
    button: gr.Button, download: Download, page: gr.State, media_type: str, text: Callable[[PageState], str]
) -> None:
    def file(state: PageState) -> FileValue:
        name = f"plumbline-robustness-{state.set}-{state.view}.{media_type.rpartition('/')[2]}"
        return file_value(name, media_type, text(state))

    button.click(file, page, download, **QUIET)


def _refresh(region: Region, boards: Boards, *, keep: Sequence[Component]) -> gr.Timer:
    """Draws the open board anew when something changed; sort, search and scroll stay."""
    timer = gr.Timer(REFRESH_S)
    marker = ChangeMarker(elem_id="change-marker")
    timer.tick(boards.marker, None, marker, **QUIET)
    marker.moved(lambda state: region.drawn(state, keep), region.page, region.outputs, **QUIET)
    return timer
