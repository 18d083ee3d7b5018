"""The page of judges that run here: the ranking, the charts, one judge down to what moves it."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from leaderboard.boards.judge_quality.screen import JudgeQualityScreen
from leaderboard.boards.judge_quality.state import JudgeQualityState
from leaderboard.page.board_page import BoardPage, Detail, Piece, board_page
from leaderboard.page.drawn import shows
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import JudgeCards, Notice, Table

PREFIX = "quality-"


def judge_quality_page(
    screen: JudgeQualityScreen, changed: Callable[[], int | str], page: gr.State, link: ViewLink
) -> LivePage[JudgeQualityState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""

    def judge(page: gr.State) -> Piece[JudgeQualityState]:
        return Piece(
            [
                shows(Notice(elem_id=f"{PREFIX}notice"), screen.judge_notice),
                shows(JudgeCards(elem_id=f"{PREFIX}cards"), screen.cards),
                shows(Table(elem_id=f"{PREFIX}attacks"), screen.attacks_table),
                shows(Table(elem_id=f"{PREFIX}shared"), screen.shared_table),
                shows(ChartsView(elem_id=f"{PREFIX}calibration"), screen.calibration),
                shows(ChartsView(elem_id=f"{PREFIX}canary"), screen.canary),
            ]
        )

    opened = Detail("judge", "← Which judge?", f"{PREFIX}to-board", f"{PREFIX}view", judge)
    declared = BoardPage(screen.board, changed, PREFIX, screen.board_charts, details=[opened])
    return board_page(declared, page, link)
