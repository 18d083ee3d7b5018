"""The parts every board has: search, sort, filters, columns, the table, downloads, copies, the timer that renews it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

import gradio as gr
from gradio.components import Component

from leaderboard.page.board_table import (
    BoardTable,
    baselines_turned,
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
from leaderboard.page.drawers import COLUMNS, FILTERS, SHARE, drawer
from leaderboard.page.links import link_of
from leaderboard.page.methods_page import guide_value
from leaderboard.page.region import EACH, QUIET, LivePage, Region
from leaderboard.page.state import PageState, State, beside_table
from leaderboard.parts.board_kind import ALL, Direction
from leaderboard.parts.components import Freshness, FreshnessValue, Notice, Table
from leaderboard.parts.downloads import CSV, JSON, file_at, file_value
from leaderboard.parts.export_components import (
    RECORDS_PATH,
    Handover,
    HandoverValue,
    file_ready,
    nothing_ready,
    site_address,
    text_ready,
)
from leaderboard.parts.filters import ANY
from leaderboard.parts.methods_components import ColumnGuide
from leaderboard.parts.tables import Row, column_of

DIRECTION_LABELS: dict[Direction, str] = {"descending": "high to low", "ascending": "low to high"}

REFRESH_S = 2.5
"""How often an open board asks whether something changed."""


class Narrowing(NamedTuple):
    """Order and filters in one drawer, columns in another."""

    filters_drawer: Any
    """A `gr.Accordion`: gradio fills layout blocks as well, yet does not count them as components."""
    sort: gr.Dropdown
    direction: gr.Dropdown
    filters: list[gr.Dropdown]
    columns_drawer: Any
    preset: gr.Radio
    columns: gr.CheckboxGroup


class BoardControls(NamedTuple):
    """What a visitor looks at a table by."""

    search: gr.Textbox
    reset: gr.Button
    """Shown where there is something to take back."""
    narrowing: Narrowing
    handover: Handover


class BoardParts(NamedTuple):
    """A board's table with what stands around it."""

    looked_by: BoardControls
    table: Table
    notice: Notice
    """What the board has to say, below its table: filled by the page."""
    shown: BoardTable[Any, Any]
    prefix: str
    """Of every elem_id."""

    def wire(self, region: Region[State]) -> None:
        """Connects what visitors do with the page state."""
        search, button, narrowing, _ = self.looked_by
        region.on_typing(search, searched, lambda state: state.table.search)
        filters = zip(self.shown.filters, narrowing.filters, strict=True)
        region.on_inputs(
            (narrowing.sort, sort_chosen),
            (narrowing.direction, direction_chosen),
            *((dropdown, _chooser(filter_.key)) for filter_, dropdown in filters),
            (narrowing.preset, preset_chosen),
            (narrowing.columns, self._columns_chosen),
            clicks=[(button, self.shown.reset)],
        )
        region.on_event(self.table.sort, "key", sorted_by)
        region.on_event(self.table.turn, "page", turned_to)
        region.on_event(self.table.undo, "key", undone)
        region.on_event(self.table.fold, "baselines", baselines_turned)

    def hidden_values(self, state: PageState) -> tuple[Any, ...]:
        """One value per output while a row is opened: the rows stay, to which a visitor comes back."""
        return tuple(gr.skip() for _ in self.outputs)

    @property
    def controls(self) -> list[Component]:
        """What a timer leaves to the person who uses it; filters offer what the new rows have."""
        filters_drawer, sort, direction, _, *columns = self.looked_by.narrowing
        return [self.looked_by.search, filters_drawer, sort, direction, *columns, self.looked_by.handover]

    @property
    def outputs(self) -> list[Component]:
        """What `values` fills."""
        search, reset, narrowing, handover = self.looked_by
        filters_drawer, sort, direction, filters, *columns = narrowing
        return [search, reset, sort, direction, filters_drawer, *filters, *columns, handover, self.table]

    def values(self, state: PageState) -> tuple[Any, ...]:
        """One value per output."""
        shown = self.shown.with_rows_of(state)
        return self._drawn(shown, state, _filter_values(shown, state), _column_values(shown, state))

    def changes(self, state: PageState, before: PageState) -> tuple[Any, ...]:
        """The table, and of its controls what looks otherwise than on a page that shows `before`."""
        shown = self.shown.with_rows_of(state)
        has_other_rows = beside_table(state) != beside_table(before)
        look, was = state.table, before.table
        filters: tuple[Any, ...] = (gr.skip(),) * (1 + len(self.shown.filters))
        if has_other_rows or look.filters != was.filters:
            filters = _filter_values(shown, state)
        columns: tuple[Any, ...] = (gr.skip(),) * 3
        if has_other_rows or (look.columns, look.sort) != (was.columns, was.sort):
            columns = _column_values(shown, state)
        return self._drawn(shown, state, filters, columns)

    def _drawn(
        self, shown: BoardTable[Any, Any], state: PageState, filters: tuple[Any, ...], columns: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """One value per output."""
        look = state.table
        reset = gr.update(visible=shown.is_changed(state))
        handed_over, table = nothing_ready(self.prefix), shown.value(state)
        return look.search, reset, look.sort, look.direction, *filters, *columns, handed_over, table

    def _columns_chosen(self, state: State, keys: object) -> State:
        """What was ticked; columns that were not offered stay as they were."""
        if not isinstance(keys, list):
            return state
        offered = {key for _, key in _columns(self.shown.with_rows_of(state), state)[0]}
        before = state.table.columns or tuple(column.key for column in self.shown.kind.columns)
        return columns_chosen(state, [*keys, *(key for key in before if key not in offered)])


def _columns(table: BoardTable[Any, Any], state: PageState) -> tuple[list[tuple[str, str]], list[str]]:
    """The columns that have something to say here, beside the name, and the keys of those that are shown."""
    whole = replace(state, table=replace(state.table, columns=()))
    every, shown = (table.drawn_columns(page_state) for page_state in (whole, state))
    offered = [(column.label, column.key) for column in every if not column.is_name]
    return offered, [column.key for column in shown if not column.is_name]


def _filter_values(shown: BoardTable[Any, Any], state: PageState) -> tuple[Any, ...]:
    """Of the drawer, which says how many filters are in use, and of each filter."""
    used = dict(state.table.filters)
    choices = zip(shown.kind.filters, shown.filter_choices(state), strict=True)
    return (
        gr.update(label=f"Filters ({len(used)})" if used else "Filters"),
        *(gr.update(choices=offered, value=used.get(filter_.key, ANY)) for filter_, offered in choices),
    )


def _column_values(shown: BoardTable[Any, Any], state: PageState) -> tuple[Any, ...]:
    """Of the drawer, the presets and the list of columns."""
    offered, ticked = _columns(shown, state)
    return (
        gr.update(label=_columns_label(offered, ticked)),
        shown.kind.preset_of(state.table.columns),
        gr.update(choices=offered, value=ticked),
    )


def _columns_label(offered: Sequence[object], ticked: Sequence[object]) -> str:
    """How many of the columns are shown, seen while their drawer is closed."""
    return f"Columns ({len(ticked)} of {len(offered)})" if len(ticked) < len(offered) else "Columns"


def _chooser(key: str) -> Callable[[State, object], State]:
    """What a choice of one filter does."""
    return lambda state, choice: filter_chosen(state, key, choice)


def board_parts(
    board: BoardTable[Row, State],
    page: gr.State,
    *,
    controls: BoardControls | None = None,
    prefix: str = "",
    notice_id: str | None = None,
) -> BoardParts:
    """Controls, table and notice of a board.

    Args:
        controls: Those in a line of the page's own (`board_controls`); None = they get a line here.
        notice_id: elem_id of the notice, where the page fills it.
        prefix: of every elem_id, so that boards can be told apart.
    """
    if controls is None:
        with toolbar():
            controls = board_controls(board, page, prefix)
    table = Table(elem_id=f"{prefix}board-table")
    notice = Notice(elem_id=notice_id or f"{prefix}board-notice")
    if board.kind.about:
        ColumnGuide(guide_value(board.board, board.columns), elem_id=f"{prefix}column-guide")
    return BoardParts(controls, table, notice, board, prefix)


def toolbar() -> gr.Row:
    """The line of controls above a table; an open drawer among them takes a line below it.

    A line within a line is one with it, and is shown and hidden by itself.
    """
    return gr.Row(elem_classes=["toolbar"])


def board_controls(board: BoardTable[Row, State], page: gr.State, prefix: str = "") -> BoardControls:
    """Search, filters, columns, downloads and copies, within a `toolbar`, after what chooses the rows."""
    names = ", ".join(column.label.lower() for column in board.columns if column.is_searched)
    search = gr.Textbox(
        "",  # of None the first drawing would make "", and that would count as typing
        label=f"Search {names}; separate terms with ;",  # read aloud only
        placeholder="Search (separate with ;)",  # fits beside *Share / export* on a phone, too
        elem_id=f"{prefix}search",
        max_length=200,
        scale=3,
        min_width=240,
    )
    reset = gr.Button("Reset", elem_id=f"{prefix}reset", size="sm", scale=0, min_width=90, visible=False)
    narrowing = _narrowing(board, prefix)
    with drawer(SHARE, "Share / export", prefix=prefix):
        handover = _handover(board, page, prefix)
    return BoardControls(search, reset, narrowing, handover)


def _narrowing(board: BoardTable[Row, State], prefix: str) -> Narrowing:
    """Order and filters; presets and columns."""
    kind = board.kind
    sorts = [(column_of(board.columns, key).label, key) for key in kind.sort_keys]
    directions = [(label, direction) for direction, label in DIRECTION_LABELS.items()]
    presets = [*((preset.label, preset.key) for preset in kind.presets), ("All", ALL)]
    ticks = [(column.label, column.key) for column in kind.columns if not column.is_name]
    with drawer(FILTERS, "Filters", prefix=prefix) as filters_drawer, gr.Row():
        sort = gr.Dropdown(sorts, label="Sort by", elem_id=f"{prefix}sort-by", filterable=False, min_width=150)
        direction = gr.Dropdown(
            directions, label="Direction", elem_id=f"{prefix}direction", filterable=False, min_width=150
        )
        filters = [
            gr.Dropdown(
                [("any", ANY)],
                value=ANY,
                label=filter_.label,
                elem_id=f"{prefix}filter-{filter_.key}",
                filterable=False,
                min_width=170,
            )
            for filter_ in kind.filters
        ]
    with drawer(COLUMNS, "Columns", prefix=prefix) as columns_drawer:
        preset = gr.Radio(
            presets,
            value=kind.preset_of(kind.first_columns),
            label="Column presets",
            elem_id=f"{prefix}preset",
        )
        columns = gr.CheckboxGroup(ticks, label="Columns beside the name", elem_id=f"{prefix}columns")
    return Narrowing(filters_drawer, sort, direction, filters, columns_drawer, preset, columns)


def _today() -> date:
    return datetime.now(UTC).date()


def _handover(board: BoardTable[Row, State], page: gr.State, prefix: str) -> Handover:
    """What writes the board out, exactly as it is shown."""
    handover = Handover(nothing_ready(prefix), elem_id=f"{prefix}handover")

    def written(state: State, event: gr.EventData) -> HandoverValue:
        carried = event._data
        carried = carried if isinstance(carried, Mapping) else {}
        match carried.get("kind"):
            case "csv":
                return file_ready(prefix, file_value(f"{board.file_name(state)}.csv", CSV, board.csv(state)))
            case "json":
                return file_ready(prefix, file_value(f"{board.file_name(state)}.json", JSON, board.json(state)))
            case "every-eval-ever":
                address = f".{RECORDS_PATH}{link_of(state)}"
                return file_ready(prefix, file_at(f"{board.file_name(state)}-every-eval-ever.zip", address))
            case "markdown":
                return text_ready(prefix, "Markdown", board.markdown(state))
            case "latex":
                return text_ready(prefix, "LaTeX", board.latex(state, _today()))
            case "cite":
                line, bibtex = board.citation(state, site_address(carried.get("address")), _today())
                return text_ready(prefix, "BibTeX", bibtex, line)
            case _:
                return nothing_ready(prefix)

    handover.wanted(written, page, handover, **EACH)
    return handover


def live_page(
    region: Region[State], marker_of: Callable[[], int | str], *, keep: Sequence[Component], prefix: str = ""
) -> LivePage[State]:
    """A page that is drawn anew when something changed; what visitors chose, and scroll, stay.

    Args:
        marker_of: Changes whenever what is shown may have changed.
        keep: Controls that a timer leaves to the person who uses them.
        prefix: of the elem_id.
    """
    timer = gr.Timer(REFRESH_S, active=False)
    freshness = Freshness(elem_id=f"{prefix}freshness")

    def now() -> FreshnessValue:
        return {"marker": marker_of()}

    timer.tick(now, None, freshness, **QUIET)
    # What changes while the answer is on its way asks once more.
    region.on_stale(freshness.stale, keep)
    return LivePage(region, timer, (freshness, now))
