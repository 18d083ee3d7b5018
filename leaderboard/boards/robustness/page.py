"""The board of 2024: ranking, charts, atlas and other looks, one system's items, one item's answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.boards.robustness.atlas.page import atlas_parts
from leaderboard.boards.robustness.atlas.screen import AtlasScreen
from leaderboard.boards.robustness.choices.page import choices_parts
from leaderboard.boards.robustness.choices.screen import ChoicesScreen
from leaderboard.boards.robustness.perspectives import is_looked_at, look_choices, look_chosen, look_of
from leaderboard.boards.robustness.screen import (
    VIEW_LABELS,
    RobustnessScreen,
    items_left_out,
    judge_chosen,
    opened_item,
    opened_pair,
    opened_row,
)
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.boards.robustness.table2_values import found_notice
from leaderboard.eval_results.screen import ModelCardScreen
from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.board_table import from_first_page
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.drawers import SHOWN, drawer
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage, Region
from leaderboard.parts.components import ItemView, JudgeCards, Notice
from leaderboard.systems.page import system_parts
from leaderboard.systems.screen import SystemScreen
from leaderboard.team_report.screen import TeamReportScreen

TO_SYSTEM = "← All items of this system"
TO_COMPARISON = "← The comparison"


def robustness_page(
    screen: RobustnessScreen,
    systems: SystemScreen,
    atlas: AtlasScreen,
    choices: ChoicesScreen,
    reports: TeamReportScreen,
    model_cards: ModelCardScreen,
    changed: Callable[[], int],
    page: gr.State,
    link: ViewLink,
) -> LivePage[RobustnessState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    waiting = chart_marker()
    with gr.Column(elem_id="board") as board:
        with toolbar():
            with drawer(SHOWN, "View and prompt set") as shown:
                look = gr.Radio([], label="View", elem_id="look-choice")
                with gr.Row() as ranked:
                    sets = [(title, set_id) for set_id, title in screen.set_titles().items()]
                    views = [(label, view) for view, label in VIEW_LABELS.items()]
                    set_choice = gr.Radio(sets, label="Prompt set", elem_id="set-choice")
                    view = gr.Radio(views, label="Languages", elem_id="view-choice")
                    judged_by = gr.Dropdown(
                        [("as scored", "")],
                        label="Ranked by",
                        elem_id="judged-by-choice",
                        filterable=False,
                        min_width=170,
                        visible=False,
                    )
                with gr.Row() as part:
                    variation = gr.Dropdown(
                        [("all items", "")],
                        label="Items of one variation",
                        elem_id="variation-choice",
                        filterable=False,
                        min_width=170,
                    )
                    language = gr.Dropdown(
                        [("all shown", "")],
                        label="One language",
                        elem_id="language-choice",
                        filterable=False,
                        min_width=150,
                    )
                    without = gr.Dropdown(
                        [], value=[], multiselect=True, label="Leave out items", elem_id="without-choice", min_width=220
                    )
            with toolbar() as tools:
                controls = board_controls(screen.board, page)
        with gr.Column(elem_id="ranking") as ranking:
            parts = board_parts(screen.board, page, controls=controls, notice_id="published-notice")
            charts = chart_parts(screen.board_charts, page, waiting)
    other_choices = choices_parts(choices, page)
    maps = atlas_parts(atlas, page)
    with gr.Column(visible=False, elem_id="system-view") as system_view:
        to_board = gr.Button("← Board", elem_id="to-board", size="sm", scale=0, min_width=120)
        system_notice = Notice(elem_id="system-notice")
        system = system_parts(systems, reports, model_cards, page)
        gate_cards = JudgeCards(elem_id="gate-cards")
    with gr.Column(visible=False, elem_id="item-view") as item_view:
        to_system = gr.Button(TO_SYSTEM, elem_id="to-system", size="sm", scale=0, min_width=200)
        item_notice = Notice(elem_id="item-notice")
        item = ItemView(elem_id="item")

    def drawn(state: RobustnessState) -> tuple[Any, ...]:
        return (
            *maps.values(state),
            *other_choices.values(state),
            *board_drawn(state),
            *item_drawn(state),
        )

    def board_drawn(state: RobustnessState) -> tuple[Any, ...]:
        in_item, is_ranking = bool(state.system and state.item), is_looked_at(state, "board")
        head, subset, judges = screen.system_notice(state), screen.subset(state), screen.judge_choices(state)
        is_printed = is_looked_at(state, "history")  # what the paper printed is of one set
        is_part = not is_looked_at(state, "choices")  # there every part has a column of its own
        return (
            gr.update(label=screen.shown_words(state, is_part=is_part)),
            gr.update(choices=look_choices(state), value=look_of(state)),
            gr.update(visible=not is_printed),
            *(state.set, state.view),
            gr.update(visible=is_part and not is_printed),
            gr.update(choices=screen.variation_choices(state), value=subset.variation),
            gr.update(choices=screen.language_choices(state), value=subset.language),
            gr.update(choices=screen.item_choices(state), value=sorted(subset.without)),
            gr.update(choices=judges, value=screen.judged_by(state), visible=len(judges) > 1),
            found_notice(state),
            *(parts.values(state) if is_ranking else (gr.skip(),) * len(parts.outputs)),
            charts.value(state, is_looked_at=is_ranking),
            gr.update(visible=not state.system),
            *(gr.update(visible=is_ranking),) * 2,
            gr.update(visible=bool(state.system) and not in_item),
            head,
            *system.values(state, screen.items_table(state)),
            screen.gate_cards(state),
        )

    def item_drawn(state: RobustnessState) -> tuple[Any, ...]:
        if not (state.system and state.item):
            return gr.update(visible=False), gr.skip(), None, None
        back = TO_COMPARISON if state.against else TO_SYSTEM
        return gr.update(visible=True), back, screen.system_notice(state), screen.item(state)

    outputs = [
        *(*maps.outputs, *other_choices.outputs),
        *(shown, look, ranked, set_choice, view, part, variation, language, without, judged_by),
        *(parts.notice, *parts.outputs, charts.waiting),
        *(board, ranking, tools, system_view, system_notice, *system.outputs, gate_cards),
        *(item_view, to_system, item_notice, item),
    ]
    region = Region(page, link, outputs, drawn)
    maps.wire(region)
    other_choices.wire(region)
    parts.wire(region)
    charts.wire(region, opened_row)
    region.on_inputs(
        (look, look_chosen),
        (set_choice, lambda state, value: from_first_page(replace(state, set=value))),
        (view, lambda state, value: from_first_page(replace(state, view=value))),
        (variation, lambda state, value: from_first_page(replace(state, variation=value or ""))),
        (language, lambda state, value: from_first_page(replace(state, language=value or ""))),
        (without, items_left_out),
        (judged_by, judge_chosen),
        clicks=[
            (to_board, lambda state: replace(state, system="", item="", pair="", against="")),
            (to_system, lambda state: replace(state, item="", pair="")),
        ],
    )
    region.on_event(parts.table.open, "row", opened_row)
    region.on_event(system.items.open, "row", opened_item)
    system.wire(region)
    region.on_event(item.open, "pair", opened_pair)
    region.on_part(item.vote, item, screen.voted)
    choices_made = [shown, look, ranked, set_choice, view, part, variation, language, without, judged_by]
    kept = [*choices_made, system.choice, system.model_card]
    return live_page(region, changed, keep=[*kept, *parts.controls])
