"""The board of judges that run here, for the register."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import gradio as gr

from evaluator.results import MetricValue
from leaderboard.boards.judge_quality.rows import MeasuredJudge
from leaderboard.boards.judge_quality.screen import JudgeQualityScreen
from leaderboard.boards.judge_quality.state import JudgeQualityState
from leaderboard.page.board_page import BoardPage, Detail, Piece, board_page
from leaderboard.page.canary_chart import CANARY
from leaderboard.page.drawn import shows
from leaderboard.page.frame import ViewLink
from leaderboard.page.links import address_of
from leaderboard.page.quality_chart import CALIBRATION
from leaderboard.page.region import LivePage
from leaderboard.page.registered import Board, BoardTools, Fact, OpenBoard
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.columns import text_of
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

    opened = Detail("judge", "← Which judge?", "to-measured-judges", f"{PREFIX}view", judge)
    declared = BoardPage(screen.board, changed, PREFIX, screen.board_charts, details=[opened])
    return board_page(declared, page, link)


def baseline_facts(rows: Sequence[MeasuredJudge]) -> list[Fact]:
    """Return the baseline that is right least often about people's labels, alone; nothing where none was measured."""
    measured = [(accuracy.value, row, accuracy) for row in rows if row.is_null and (accuracy := _accuracy(row))]
    if not measured:
        return []
    _, row, accuracy = min(measured, key=lambda right_and_row: (right_and_row[0], right_and_row[1].id))
    right, low, high = (text_of(end, "share") for end in (accuracy.value, accuracy.low, accuracy.high))
    return [
        Fact(
            claim=f"Judging by {row.name} alone agrees with people's labels on {right} of pairs",
            interval=f"95% interval {low} to {high}",
            source=f"{accuracy.n:,} pairs of answers",
            link=address_of(JudgeQualityState(judge=row.id)),
        )
    ]


def _accuracy(row: MeasuredJudge) -> MetricValue | None:
    """The share of people's pairs on the right side, where it has an interval."""
    same = row.with_people.same_answer if row.with_people else None
    has_interval = same is not None and None not in (same.accuracy.value, same.accuracy.low, same.accuracy.high)
    return same.accuracy if same and has_interval else None


def _opened(tools: BoardTools) -> OpenBoard:
    screen = tools.shared(JudgeQualityScreen.of)
    return OpenBoard(
        screen.board,
        partial(judge_quality_page, screen, lambda: f"{tools.marker()} {screen.marker()}"),
        screen.understood,
        facts=lambda: baseline_facts(screen.rows()),
        charts=(CALIBRATION, CANARY),
    )


JUDGE_QUALITY_BOARD: Board = Board(JudgeQualityState, "Judges", _opened, lambda ticket: None)
