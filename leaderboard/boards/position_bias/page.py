"""The Judges board: the ranking, the charts, one judge's card."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from leaderboard.boards.position_bias.charts import CHARTS
from leaderboard.boards.position_bias.figures import AGREEMENT_LABELS
from leaderboard.boards.position_bias.screen import JudgesScreen
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.board_page import BoardPage, Detail, Piece, board_page
from leaderboard.page.drawn import Choice, chooser, shows, visible
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage
from leaderboard.page.state import beside_table
from leaderboard.parts.chart import ChartSheet
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import ChangeMarker, JudgeCards, Notice, Table

PREFIX = "judges-"


def judges_page(
    screen: JudgesScreen, changed: Callable[[], int], page: gr.State, link: ViewLink
) -> LivePage[JudgesState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    marker = ChangeMarker(elem_id="charts-marker")  # outside what is hidden, or it would not notice a change
    ways = [(label, way) for way, label in AGREEMENT_LABELS.items()]
    benchmark: Choice[JudgesState] = Choice(
        "benchmark", "Benchmark", lambda state: screen.benchmark_choices(), "benchmark-choice", stays=False
    )
    agreement: Choice[JudgesState] = Choice(
        "agreement", "Agreement between judges by", lambda state: ways, "agreement-choice", is_list=False
    )

    def agreement_charts(page: gr.State) -> Piece[JudgesState]:
        with gr.Column(elem_id="judge-charts", visible=False) as column:
            way = chooser(agreement)
            charts = ChartsView(ChartSheet(CHARTS).empty(), elem_id="judge-charts-view")
        marker.moved(lambda state: screen.charts_value(screen.completed(state)), page, charts, **QUIET)
        return Piece([visible(column, screen.has_charts), way, shows(marker, screen.charts_marker, beside_table)])

    def judge(page: gr.State) -> Piece[JudgesState]:
        return Piece(
            [
                shows(Notice(elem_id="judge-notice"), screen.judge_notice),
                shows(JudgeCards(elem_id="judge-cards"), screen.cards),
                shows(ChartsView(elem_id="calibration"), screen.calibration),
                shows(Table(elem_id="tasks-table"), screen.tasks_table),
                shows(Table(elem_id="models-table"), screen.models_table),
            ]
        )

    declared = BoardPage(
        screen.board,
        changed,
        PREFIX,
        screen.board_charts,
        notice=screen.state_notice,
        notice_id="judges-notice",
        choices=[benchmark],
        after=agreement_charts,
        details=[Detail("judge", "← Judges", "to-judges", "judge-view", judge)],
    )
    return board_page(declared, page, link)
