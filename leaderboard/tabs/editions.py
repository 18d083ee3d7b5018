"""The boards of 2025 and 2026 inside of the Robustness tab: each with ranking and charts, one run to its parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import gradio as gr
from gradio.components import Component

from leaderboard.board_table import turned_to
from leaderboard.components import Download, Notice, Table
from leaderboard.edition_rows import EDITION_BOARDS, EditionBoard
from leaderboard.editions_screen import EditionsScreen, board_of, opened_run, reset
from leaderboard.links import PageState
from leaderboard.looks import is_looked_at
from leaderboard.region import QUIET, Region
from leaderboard.robustness_screen import opened_item
from leaderboard.tabs.board import BoardParts, board_parts
from leaderboard.tabs.charts import ChartParts, chart_marker, chart_parts

PREFIXES: dict[EditionBoard, str] = {"consistency": "consistency-", "cultural": "cultural-"}


@dataclass(frozen=True, slots=True)
class EditionParts:
    """The components of both boards, and how they are filled and wired."""

    screen: EditionsScreen
    columns: dict[EditionBoard, gr.Column]
    boards: dict[EditionBoard, BoardParts]
    charts: dict[EditionBoard, ChartParts]
    notice: Notice
    run: gr.Column
    to_board: gr.Button
    run_notice: Notice
    languages: Table
    parts: Table
    pairs: Table

    @property
    def outputs(self) -> list[Any]:
        """What `values` fills."""
        of_boards = (
            output
            for board in EDITION_BOARDS
            for output in (self.columns[board], *self.boards[board].outputs, self.charts[board].waiting)
        )
        return [self.notice, *of_boards, self.run, self.run_notice, self.languages, self.parts, self.pairs]

    @property
    def controls(self) -> list[Component]:
        """What a timer leaves to the person who uses it."""
        return [control for board in EDITION_BOARDS for control in self.boards[board].controls]

    def values(self, state: PageState) -> tuple[Any, ...]:
        """One value per output: the board that is looked at, or its opened run."""
        is_run = board_of(state) is not None and bool(state.system) and not state.item
        screen = self.screen
        of_run = (screen.run_notice, screen.languages_table, screen.parts_table, screen.pairs_table)
        return (
            self.screen.state_notice(state),
            *(value for board in EDITION_BOARDS for value in self._of_board(board, state)),
            gr.update(visible=is_run),
            *(value(state) if is_run else None for value in of_run),
        )

    def _of_board(self, board: EditionBoard, state: PageState) -> tuple[Any, ...]:
        """What is not looked at stays as it is, and costs nothing."""
        if board_of(state) != board or not is_looked_at(state, "board"):
            return (gr.update(visible=False), *(gr.skip() for _ in self.boards[board].outputs), None)
        values = self.boards[board].values(state)
        return (gr.update(visible=True), *values, self.charts[board].value(state, is_looked_at=True))

    def wire(self, region: Region) -> None:
        """Connects what visitors do with the page state."""
        for board in EDITION_BOARDS:
            opener = partial(opened_run, board)
            self.boards[board].wire(region, partial(reset, board))
            self.charts[board].wire(region, opener)
            region.on_event(self.boards[board].table.open, "row", opener)
        region.on_click(self.to_board.click, lambda state: replace(state, system=""))
        region.on_event(self.parts.open, "row", opened_item)
        for table in (self.parts, self.pairs):
            region.on_event(
                table.turn, "page", lambda state, page: turned_to(board_of(state) or "consistency", state, page)
            )


def edition_parts(screen: EditionsScreen, page: gr.State) -> EditionParts:
    """The components; `page` holds the state of the page."""
    notice = Notice(elem_id="edition-notice")
    columns, boards, charts = {}, {}, {}
    for board in EDITION_BOARDS:
        waiting = chart_marker(PREFIXES[board])
        with gr.Column(visible=False, elem_id=f"{PREFIXES[board]}board") as columns[board]:
            boards[board] = board_parts(screen.tables[board], page, prefix=PREFIXES[board])
            charts[board] = chart_parts(screen.charts[board], page, waiting, prefix=PREFIXES[board])
    with gr.Column(visible=False, elem_id="run-view") as run:
        to_board = gr.Button("← Board", elem_id="to-edition-board", size="sm", scale=0, min_width=120)
        run_notice = Notice(elem_id="run-notice")
        manifest = gr.Button("Download manifest", elem_id="run-manifest", size="sm", scale=0, min_width=170)
        manifest_file = Download(elem_id="run-manifest-file")
        languages = Table(elem_id="run-languages-table")
        parts = Table(elem_id="run-parts-table")
        pairs = Table(elem_id="run-pairs-table")
    manifest.click(screen.manifest, page, manifest_file, **QUIET)
    return EditionParts(screen, columns, boards, charts, notice, run, to_board, run_notice, languages, parts, pairs)
