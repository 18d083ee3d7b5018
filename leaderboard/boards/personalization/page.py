"""The Personalization board: the ranking, the charts, one run down to its answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.components import Component

from leaderboard.boards.personalization.charts import CHARTS
from leaderboard.boards.personalization.screen import (
    PersonalizationScreen,
    dataset_chosen,
    opened_example,
    opened_row,
    outcome_chosen,
    setting_chosen,
)
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.lab.links import replay_notice
from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.board_table import turned_to
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.drawers import SHOWN, drawer
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage, Region
from leaderboard.parts.chart import ChartSheet
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import AnswersView, ChangeMarker, JudgeCards, Notice, Table

PREFIX = "personalization-"


def personalization_page(
    screen: PersonalizationScreen, changed: Callable[[], int], page: gr.State, link: ViewLink
) -> LivePage[PersonalizationState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    marker = ChangeMarker(elem_id=f"{PREFIX}charts-marker")  # outside what is hidden, or it would not notice a change
    waiting = chart_marker(PREFIX)
    with gr.Column(visible=False, elem_id="answers-view") as answers_view:
        to_board = gr.Button("← Personalization", elem_id="to-personalization", size="sm", scale=0, min_width=160)
        row_notice = Notice(elem_id="row-notice")
        to_lab = Notice(elem_id="to-lab")
    with toolbar() as bar:  # of the answers of an opened row, too: it stands above whichever table is shown
        with drawer(SHOWN, "Preferences", prefix=PREFIX) as choices, gr.Row():
            setting = gr.Radio(screen.setting_choices(), label="Preferences", elem_id="setting-choice")
            dataset = gr.Dropdown(
                screen.dataset_choices(), label="Data sets", elem_id="dataset-choice", filterable=False
            )
        outcome = gr.Dropdown(label="Outcome", elem_id="outcome-choice", filterable=False, visible=False)
        with toolbar() as tools:
            controls = board_controls(screen.board, page, PREFIX)
    with gr.Column(elem_id="personalization-board") as board:
        parts = board_parts(screen.board, page, controls=controls, prefix=PREFIX, notice_id=f"{PREFIX}notice")
        row_charts = chart_parts(screen.board_charts, page, waiting, prefix=PREFIX)
        with gr.Column(elem_id=f"{PREFIX}charts", visible=False) as charts:
            shown = ChartsView(ChartSheet(CHARTS, PREFIX).empty(), elem_id=f"{PREFIX}charts-view")
    examples = Table(elem_id="examples-table")
    with gr.Column(visible=False, elem_id="example-view") as example_view:
        to_answers = gr.Button("← All answers of this row", elem_id="to-answers", size="sm", scale=0, min_width=200)
        example_notice = Notice(elem_id="example-notice")
        example = AnswersView(elem_id="example")
    with gr.Column(visible=False, elem_id="run-details") as details:
        with gr.Accordion(screen.groups_label(None), open=False, elem_id="run-groups") as fold:
            groups = Table(elem_id="groups-table")
        cards = JudgeCards(elem_id="run-judge-cards")
        with gr.Accordion("How the letters were found", open=False):
            rules = Table(elem_id="rules-table")

    def drawn(state: PersonalizationState) -> tuple[Any, ...]:
        state = screen.completed(state)
        # A hidden chart would be drawn without a width: it waits until its board is looked at.
        is_looked_at = not state.answers
        in_example = bool(state.answers and state.example)
        answer = screen.example(state) if in_example else None
        is_list = screen.has_answers(state) and not in_example
        groups_value = screen.groups_table(state)
        return (
            gr.update(visible=not state.answers or is_list),
            gr.update(label=screen.shown_words(state)),
            state.setting,
            gr.update(choices=screen.dataset_choices(), value=state.dataset),
            screen.state_notice(state),
            *parts.values(state),
            row_charts.value(state, is_looked_at=is_looked_at),
            *(gr.update(visible=not state.answers),) * 2,
            gr.update(visible=screen.has_charts(state)),
            screen.charts_marker(state) if is_looked_at else gr.skip(),
            gr.update(visible=bool(state.answers) and not in_example),
            screen.row_notice(state),
            replay_notice(state.answers) if screen.has_answers(state) else None,
            gr.update(visible=is_list),
            gr.update(label=screen.groups_label(groups_value)),
            groups_value,
            screen.cards(state),
            screen.rules_table(state),
            gr.update(choices=screen.outcome_choices(state), value=state.outcome, visible=is_list),
            screen.examples_table(state) if is_list else None,
            gr.update(visible=in_example),
            screen.example_notice(state, answer),
            answer,
        )

    outputs: list[Component] = [
        *(bar, choices, setting, dataset, parts.notice, *parts.outputs, row_charts.waiting),
        *(board, tools, charts, marker),
        *(answers_view, row_notice, to_lab, details, fold, groups, cards, rules, outcome, examples),
        *(example_view, example_notice, example),
    ]
    region = Region(page, link, outputs, drawn)
    parts.wire(region)
    row_charts.wire(region, opened_row)
    region.on_inputs(
        (setting, setting_chosen),
        (dataset, dataset_chosen),
        (outcome, outcome_chosen),
        clicks=[
            (to_board, lambda state: replace(state, answers="", outcome="", example="")),
            (to_answers, lambda state: replace(state, example="")),
        ],
    )
    region.on_event(parts.table.open, "row", opened_row)
    region.on_event(examples.open, "row", opened_example)
    region.on_event(examples.turn, "page", turned_to)
    marker.moved(lambda state: screen.charts_value(screen.completed(state)), page, shown, **QUIET)
    return live_page(region, changed, keep=[choices, setting, dataset, outcome, *parts.controls], prefix=PREFIX)
