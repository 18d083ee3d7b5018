"""The Robustness tab: the board of 2024 (ranking, one system's items, one item's answers) and the later editions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.board_table import from_first_page
from leaderboard.boards import Boards
from leaderboard.components import ItemView, Notice, ViewLink
from leaderboard.editions_screen import EDITION_LABELS, EditionsScreen, board_of, edition_chosen
from leaderboard.links import PageState
from leaderboard.region import LiveTab, Region
from leaderboard.robustness_screen import VIEW_LABELS, RobustnessScreen, opened_item, opened_pair, opened_row, reset
from leaderboard.system_screen import SystemScreen
from leaderboard.tabs.board import board_parts, board_values, refresh
from leaderboard.tabs.charts import chart_marker, chart_parts
from leaderboard.tabs.editions import edition_parts
from leaderboard.tabs.system import chart_markers, system_parts

TO_SYSTEM = "← All items of this system"
TO_COMPARISON = "← The comparison"


def robustness_tab(
    screen: RobustnessScreen,
    systems: SystemScreen,
    editions: EditionsScreen,
    boards: Boards,
    page: gr.State,
    link: ViewLink,
) -> LiveTab:
    """The tab's components and wiring; `page` holds the state of the page, `link` shows it."""
    markers, waiting = chart_markers(), chart_marker()
    offered = [(label, tab) for tab, label in EDITION_LABELS.items()]
    edition = gr.Radio(offered, label="Edition", elem_id="edition-choice")
    of_editions = edition_parts(editions, page)
    with gr.Column(elem_id="board") as board:
        with gr.Row():
            sets = [(title, set_id) for set_id, title in screen.set_titles().items()]
            views = [(label, view) for view, label in VIEW_LABELS.items()]
            set_choice = gr.Radio(sets, label="Prompt set", elem_id="set-choice")
            view = gr.Radio(views, label="View", elem_id="view-choice")
            variation = gr.Dropdown(
                [("all items", "")],
                label="Items of one variation",
                elem_id="variation-choice",
                filterable=False,
                min_width=170,
            )
            language = gr.Dropdown(
                [("as the view", "")], label="One language", elem_id="language-choice", filterable=False, min_width=150
            )
        parts = board_parts(screen.board, page)
        charts = chart_parts(screen.board_charts, page, waiting)
    with gr.Column(visible=False, elem_id="system-view") as system_view:
        to_board = gr.Button("← Board", elem_id="to-board", size="sm", scale=0, min_width=120)
        system_notice = Notice(elem_id="system-notice")
        system = system_parts(systems, page, markers)
    with gr.Column(visible=False, elem_id="item-view") as item_view:
        to_system = gr.Button(TO_SYSTEM, elem_id="to-system", size="sm", scale=0, min_width=200)
        item_notice = Notice(elem_id="item-notice")
        item = ItemView(elem_id="item")

    def drawn(state: PageState) -> tuple[Any, ...]:
        is_ours = board_of(state) is None
        return (
            gr.update(value=state.tab, visible=not state.system),
            *of_editions.values(state),
            *(board_drawn(state) if is_ours else hidden),
        )

    def board_drawn(state: PageState) -> tuple[Any, ...]:
        in_item = bool(state.system and state.item)
        head = screen.system_notice(state)
        return (
            *(state.set, state.view),
            gr.update(choices=screen.variation_choices(state), value=screen.subset(state).variation),
            gr.update(choices=screen.language_choices(state), value=screen.subset(state).language),
            *board_values(screen.board, state),
            charts.value(state, is_looked_at=not state.system),
            gr.update(visible=not state.system),
            gr.update(visible=bool(state.system) and not in_item),
            head,
            *system.values(state, screen.items_table(state)),
            gr.update(visible=in_item),
            TO_COMPARISON if state.against else TO_SYSTEM,
            head if in_item else None,
            screen.item(state),
        )

    outputs = [
        *(set_choice, view, variation, language, *parts.outputs, charts.waiting),
        *(board, system_view, system_notice, *system.outputs, item_view, to_system, item_notice, item),
    ]
    hidden = tuple(
        gr.update(visible=False) if output in (board, system_view, item_view) else gr.skip() for output in outputs
    )
    region = Region(page, link, [edition, *of_editions.outputs, *outputs], drawn)
    of_editions.wire(region)
    region.on_input(edition, edition_chosen)
    parts.wire(region, "robustness", reset)
    charts.wire(region, opened_row)
    region.on_input(set_choice, lambda state, value: from_first_page("robustness", replace(state, set=value)))
    region.on_input(view, lambda state, value: from_first_page("robustness", replace(state, view=value)))
    region.on_input(
        variation, lambda state, value: from_first_page("robustness", replace(state, variation=value or ""))
    )
    region.on_input(language, lambda state, value: from_first_page("robustness", replace(state, language=value or "")))
    region.on_click(to_board.click, lambda state: replace(state, system="", item="", pair="", against=""))
    region.on_click(to_system.click, lambda state: replace(state, item="", pair=""))
    region.on_event(parts.table.open, "row", opened_row)
    region.on_event(system.items.open, "row", opened_item)
    system.wire(region)
    region.on_event(item.open, "pair", opened_pair)
    kept = [edition, *of_editions.controls, set_choice, view, variation, language, system.choice, *parts.controls]
    return LiveTab(region, refresh(region, boards.marker, keep=kept))
