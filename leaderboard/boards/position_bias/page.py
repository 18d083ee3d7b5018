"""The Judges board: the ranking, the charts, one judge's card."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.boards.position_bias.charts import CHARTS
from leaderboard.boards.position_bias.figures import AGREEMENT_LABELS
from leaderboard.boards.position_bias.screen import (
    JudgesScreen,
    agreement_chosen,
    benchmark_chosen,
    opened_judge,
)
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage, Region
from leaderboard.parts.chart import ChartSheet
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import ChangeMarker, JudgeCards, Notice, Table

PREFIX = "judges-"


def judges_page(
    screen: JudgesScreen, changed: Callable[[], int], page: gr.State, link: ViewLink
) -> LivePage[JudgesState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    # Outside what is hidden: a hidden one would not notice a change.
    marker, waiting = ChangeMarker(elem_id="charts-marker"), chart_marker(PREFIX)
    ways = [(label, way) for way, label in AGREEMENT_LABELS.items()]
    with gr.Column(elem_id="judges-board") as board:
        with toolbar():
            benchmark = gr.Dropdown(
                screen.benchmark_choices(), label="Benchmark", elem_id="benchmark-choice", filterable=False
            )
            controls = board_controls(screen.board, page, PREFIX)
        parts = board_parts(screen.board, page, controls=controls, prefix=PREFIX, notice_id="judges-notice")
        row_charts = chart_parts(screen.board_charts, page, waiting, prefix=PREFIX)
        with gr.Column(elem_id="judge-charts", visible=False) as charts_column:
            agreement = gr.Radio(ways, label="Agreement between judges by", elem_id="agreement-choice")
            charts = ChartsView(ChartSheet(CHARTS).empty(), elem_id="judge-charts-view")
    with gr.Column(visible=False, elem_id="judge-view") as judge_view:
        to_board = gr.Button("← Judges", elem_id="to-judges", size="sm", scale=0, min_width=120)
        judge_notice = Notice(elem_id="judge-notice")
        cards = JudgeCards(elem_id="judge-cards")
        calibration = ChartsView(elem_id="calibration")
        tasks = Table(elem_id="tasks-table")
        models = Table(elem_id="models-table")

    def drawn(state: JudgesState) -> tuple[Any, ...]:
        state = screen.completed(state)
        # A hidden chart would be drawn without a width: it waits until its board is looked at.
        is_looked_at = not state.judge
        return (
            gr.update(choices=screen.benchmark_choices(), value=state.benchmark),
            screen.state_notice(state),
            *parts.values(state),
            row_charts.value(state, is_looked_at=is_looked_at),
            gr.update(visible=not state.judge),
            gr.update(visible=screen.has_charts(state)),
            state.agreement,
            screen.charts_marker(state) if is_looked_at else gr.skip(),
            gr.update(visible=bool(state.judge)),
            screen.judge_notice(state),
            screen.cards(state),
            screen.tasks_table(state),
            screen.models_table(state),
            screen.calibration(state),
        )

    outputs = [
        *(benchmark, parts.notice, *parts.outputs, row_charts.waiting, board),
        *(charts_column, agreement, marker),
        *(judge_view, judge_notice, cards, tasks, models),
        calibration,
    ]
    region = Region(page, link, outputs, drawn)
    parts.wire(region)
    row_charts.wire(region, opened_judge)
    region.on_inputs(
        (benchmark, benchmark_chosen),
        (agreement, agreement_chosen),
        clicks=[(to_board, lambda state: replace(state, judge=""))],
    )
    region.on_event(parts.table.open, "row", opened_judge)
    marker.moved(lambda state: screen.charts_value(screen.completed(state)), page, charts, **QUIET)
    return live_page(region, changed, keep=[*parts.controls, agreement], prefix=PREFIX)
