"""The page of a board: its choices, its table, its charts, and what stands in their place while a row is opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import gradio as gr

from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import BoardTable
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.drawn import Choice, Chooser, Hidden, Level, chooser, shows
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage, Region
from leaderboard.page.state import State, beside_table, closed
from leaderboard.parts.notices import NoticeValue
from leaderboard.parts.tables import Row


@dataclass(frozen=True, slots=True)
class Piece(Generic[State]):
    """Components that were made for one place of the page."""

    parts: Sequence[Hidden[State]]
    """What they show."""
    events: Sequence[tuple[Any, str, Callable[[State, object], State]]] = ()
    """Events of ours that change the state, the field that each carries, and the change (`Region.on_event`)."""

    @property
    def choosers(self) -> list[Chooser[State]]:
        """The controls of choices among them."""
        return [part for part in self.parts if isinstance(part, Chooser)]


@dataclass(frozen=True, slots=True)
class Detail(Generic[State]):
    """What stands in place of the board while something is opened."""

    name: str
    """The field of the state that says what is opened (`state.opened`)."""
    back: str
    """Words of the button that closes it."""
    back_id: str
    view_id: str
    made: Callable[[gr.State], Piece[State]]
    """Makes what stands below the button; its argument holds the state of the page."""


@dataclass(frozen=True, slots=True)
class BoardPage(Generic[Row, State]):
    """All that the page of a board is made from."""

    table: BoardTable[Row, State]
    changed: Callable[[], int | str]
    """Changes whenever what is shown may have changed."""
    prefix: str
    """Of every elem_id."""
    charts: BoardCharts[Row, State] | None = None
    notice: Callable[[State], NoticeValue | None] | None = None
    """What the board has to say below its table, however that is looked at."""
    notice_id: str | None = None
    choices: Sequence[Choice[State]] = ()
    """Which rows are shown."""
    below: Callable[[gr.State], Piece[State]] | None = None
    """Makes what stands between the table and its charts; its argument holds the state of the page."""
    after: Callable[[gr.State], Piece[State]] | None = None
    """The same below the charts."""
    details: Sequence[Detail[State]] = ()
    """Of an opened row, then of an item of it."""


def board_page(declared: BoardPage[Row, State], page: gr.State, link: ViewLink) -> LivePage[State]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    table, prefix = declared.table, declared.prefix
    # Outside what is hidden: a hidden one would not notice a change.
    waiting = chart_marker(prefix) if declared.charts else None
    with gr.Column(elem_id=f"{prefix}board") as board:
        with toolbar():
            choosers = [chooser(choice) for choice in declared.choices]
            controls = board_controls(table, page, prefix)
        ranking = board_parts(table, page, controls=controls, prefix=prefix, notice_id=declared.notice_id)
        below = declared.below(page) if declared.below else Piece(())
        charts = chart_parts(declared.charts, page, waiting, prefix=prefix) if declared.charts and waiting else None
        after = declared.after(page) if declared.after else Piece(())
    made = [_made(detail, page) for detail in declared.details]
    says: list[Hidden[State]] = [shows(ranking.notice, declared.notice, beside_table)] if declared.notice else []
    asks: list[Hidden[State]] = [charts.asking] if charts else []
    of_board: list[Hidden[State]] = [*choosers, *says, ranking, *below.parts, *asks, *after.parts]
    names = [detail.name for detail in declared.details]
    levels: list[Level[State]] = [Level(board, _is_looked_at(names, -1), of_board)]
    levels += [Level(view, _is_looked_at(names, depth), piece.parts) for depth, (view, _, piece) in enumerate(made)]
    region = Region.of_parts(page, link, levels, declared.changed, table.completed)
    ranking.wire(region)
    if table.opened:
        region.on_event(ranking.table.open, "row", table.opened)
        if charts:
            charts.wire(region, table.opened)
    pieces = [below, after, *(piece for _, _, piece in made)]
    every = [*choosers, *(each for piece in pieces for each in piece.choosers)]
    backs = [(button, closed(detail.name)) for detail, (_, button, _) in zip(declared.details, made, strict=True)]
    if every or backs:
        region.on_inputs(*((each.control, each.change) for each in every), clicks=backs)
    for trigger, key, change in (event for piece in pieces for event in piece.events):
        region.on_event(trigger, key, change)
    keep = [*ranking.controls, *(each.control for each in every if each.choice.stays)]
    return live_page(region, declared.changed, keep=keep, prefix=prefix)


def _made(detail: Detail[State], page: gr.State) -> tuple[gr.Column, gr.Button, Piece[State]]:
    with gr.Column(visible=False, elem_id=detail.view_id) as view:
        button = gr.Button(detail.back, elem_id=detail.back_id, size="sm", scale=0, min_width=180)
        return view, button, detail.made(page)


def _is_looked_at(names: Sequence[str], depth: int) -> Callable[[State], bool]:
    """Is the level shown? The board (-1) is while nothing is opened, an opened row (0) while none of its items is."""

    def is_shown(state: State) -> bool:
        opened = [bool(getattr(state, name)) for name in names]
        # An item alone is none: it is of a row.
        reached = opened.index(False) if False in opened else len(opened)
        return reached == depth + 1

    return is_shown
