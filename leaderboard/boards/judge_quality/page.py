"""The page of judges that run here: the ranking, the charts, one judge down to what moves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.components import Component

from leaderboard.boards.judge_quality.screen import JudgeQualityScreen, opened_judge
from leaderboard.boards.judge_quality.state import JudgeQualityState
from leaderboard.page.board import board_parts, live_page
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage, Region
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import JudgeCards, Notice, Table

PREFIX = "quality-"


def judge_quality_page(
    screen: JudgeQualityScreen, changed: Callable[[], int | str], page: gr.State, link: ViewLink
) -> LivePage[JudgeQualityState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    waiting = chart_marker(PREFIX)
    with gr.Column(elem_id=f"{PREFIX}board") as board:
        parts = board_parts(screen.board, page, prefix=PREFIX)
        row_charts = chart_parts(screen.board_charts, page, waiting, prefix=PREFIX)
    with gr.Column(visible=False, elem_id=f"{PREFIX}view") as view:
        to_board = gr.Button("← Which judge?", elem_id=f"{PREFIX}to-board", size="sm", scale=0, min_width=160)
        judge_notice = Notice(elem_id=f"{PREFIX}notice")
        cards = JudgeCards(elem_id=f"{PREFIX}cards")
        attacks = Table(elem_id=f"{PREFIX}attacks")
        shared = Table(elem_id=f"{PREFIX}shared")
        calibration = ChartsView(elem_id=f"{PREFIX}calibration")
        canary = ChartsView(elem_id=f"{PREFIX}canary")

    def drawn(state: JudgeQualityState) -> tuple[Any, ...]:
        # A hidden chart would be drawn without a width: it waits until its board is looked at.
        is_looked_at = not state.judge
        return (
            *parts.values(state),
            row_charts.value(state, is_looked_at=is_looked_at),
            gr.update(visible=is_looked_at),
            gr.update(visible=not is_looked_at),
            screen.judge_notice(state),
            screen.cards(state),
            screen.attacks_table(state),
            screen.shared_table(state),
            screen.calibration(state),
            screen.canary(state),
        )

    outputs: list[Component] = [
        *(*parts.outputs, row_charts.waiting, board, view),
        *(judge_notice, cards, attacks, shared, calibration, canary),
    ]
    region = Region(page, link, outputs, drawn)
    parts.wire(region)
    row_charts.wire(region, opened_judge)
    region.on_inputs(clicks=[(to_board, lambda state: replace(state, judge=""))])
    region.on_event(parts.table.open, "row", opened_judge)
    return live_page(region, changed, keep=parts.controls, prefix=PREFIX)
