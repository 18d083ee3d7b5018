"""The board of 2024: ranking, charts, atlas and other looks, one system's items, one item's answers."""

from __future__ import annotations

from collections.abc import Callable
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
)
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.boards.robustness.table2_values import found_notice
from leaderboard.eval_results.screen import ModelCardScreen
from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.drawers import SHOWN, drawer
from leaderboard.page.drawn import Hidden, Level, Part, shows, visible
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage, Region
from leaderboard.page.state import beside_table, chosen, closed
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

    def is_ranking(state: RobustnessState) -> bool:
        return is_looked_at(state, "board")

    def is_any_part(state: RobustnessState) -> bool:
        """Is a part of the set chosen here? What the paper printed is of one set; *choices* has a column of each."""
        return not is_looked_at(state, "history") and not is_looked_at(state, "choices")

    def shown_words(state: RobustnessState) -> Any:
        return gr.update(label=screen.shown_words(state, is_part=not is_looked_at(state, "choices")))

    def judges(state: RobustnessState) -> Any:
        offered = screen.judge_choices(state)
        return gr.update(choices=offered, value=screen.judged_by(state), visible=len(offered) > 1)

    def item_values(state: RobustnessState) -> tuple[object, object, object]:
        back = TO_COMPARISON if state.against else TO_SYSTEM
        return back, screen.system_notice(state), screen.item(state)

    of_board: list[Hidden[RobustnessState]] = [
        shows(shown, shown_words, beside_table),
        shows(look, lambda state: gr.update(choices=look_choices(state), value=look_of(state)), beside_table),
        visible(ranked, lambda state: not is_looked_at(state, "history")),
        shows(set_choice, lambda state: state.set, beside_table),
        shows(view, lambda state: state.view, beside_table),
        visible(part, is_any_part),
        shows(
            variation,
            lambda state: gr.update(choices=screen.variation_choices(state), value=screen.subset(state).variation),
            beside_table,
        ),
        shows(
            language,
            lambda state: gr.update(choices=screen.language_choices(state), value=screen.subset(state).language),
            beside_table,
        ),
        shows(
            without,
            lambda state: gr.update(choices=screen.item_choices(state), value=sorted(screen.subset(state).without)),
            beside_table,
        ),
        shows(judged_by, judges, beside_table),
        shows(parts.notice, found_notice),
        visible(tools, is_ranking),
        Level(ranking, is_ranking, [parts, charts.asking]),
    ]
    of_system: list[Hidden[RobustnessState]] = [
        shows(system_notice, screen.system_notice),
        Part(system.outputs, lambda state: system.values(state, screen.items_table(state))),
        shows(gate_cards, screen.gate_cards),
    ]
    region: Region[RobustnessState] = Region.of_parts(
        page,
        link,
        [
            maps.level,
            other_choices.level,
            Level(board, lambda state: not state.system, of_board),
            Level(system_view, lambda state: state.system and not state.item, of_system),
            Level(
                item_view,
                lambda state: state.system and state.item,
                [Part([to_system, item_notice, item], item_values)],
            ),
        ],
        changed,
    )
    maps.wire(region)
    other_choices.wire(region)
    parts.wire(region)
    charts.wire(region, chosen("system"))
    region.on_inputs(
        (look, look_chosen),
        (set_choice, chosen("set")),
        (view, chosen("view")),
        (variation, chosen("variation")),
        (language, chosen("language")),
        (without, items_left_out),
        (judged_by, chosen("judged_by")),
        clicks=[(to_board, closed("system")), (to_system, closed("item"))],
    )
    region.on_event(parts.table.open, "row", chosen("system"))
    region.on_event(system.items.open, "row", chosen("item"))
    system.wire(region)
    region.on_event(item.open, "pair", chosen("pair"))
    region.on_part(item.vote, item, screen.voted)
    choices_made = [shown, look, ranked, set_choice, view, part, variation, language, without, judged_by]
    kept = [*choices_made, system.choice, system.model_card]
    return live_page(region, changed, keep=[*kept, *parts.controls])
