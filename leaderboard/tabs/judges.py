"""The Judges board: the ranking, the charts, one judge's card."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import gradio as gr
from gradio.components import Component

from leaderboard.boards import Boards
from leaderboard.chart import Chart
from leaderboard.charts import CHARTS
from leaderboard.components import ChangeMarker, JudgeCards, Notice, Table, ViewLink
from leaderboard.figures import AGREEMENT_LABELS
from leaderboard.judges_screen import JudgesScreen, agreement_chosen, benchmark_chosen, opened_judge, reset
from leaderboard.links import PageState
from leaderboard.quality_chart import CALIBRATION
from leaderboard.region import QUIET, LiveTab, Region
from leaderboard.tabs.board import board_parts, board_values, refresh
from leaderboard.tabs.charts import chart_marker, chart_parts

PREFIX = "judges-"
QUALITY_TITLE = "Agreement with labelled pairs"
QUALITY_EXPLANATION = (
    "How well judges tell answers that say the same from answers that do not, on pairs we wrote and graded ourselves "
    "(docs/judges.md). Open a judge for its figures by kind of pair and for what its scores mean."
)


class _Charts(NamedTuple):
    """The charts below the table."""

    column: gr.Column
    agreement: gr.Radio
    shown: list[Component]
    """Plot and table of every chart, in order."""


def judges_tab(screen: JudgesScreen, boards: Boards, page: gr.State, link: ViewLink) -> LiveTab:
    """The tab's components and wiring; `page` holds the state of the page, `link` shows it."""
    # Outside what is hidden: a hidden one would not notice a change.
    marker, calibration_marker = ChangeMarker(elem_id="charts-marker"), ChangeMarker(elem_id="calibration-marker")
    waiting = chart_marker(PREFIX)
    with gr.Column(elem_id="judges-board") as board:
        benchmark = gr.Dropdown(
            screen.benchmark_choices(), label="Benchmark and options", elem_id="benchmark-choice", filterable=False
        )
        state_notice = Notice(elem_id="judges-notice")
        parts = board_parts(screen.board, page, prefix=PREFIX)
        gr.Markdown(f"### {QUALITY_TITLE}\n{QUALITY_EXPLANATION}", container=False, elem_id="qualities-title")
        qualities = Table(elem_id="qualities-table")
        row_charts = chart_parts(screen.board_charts, page, waiting, prefix=PREFIX)
        charts = _charts()
    with gr.Column(visible=False, elem_id="judge-view") as judge_view:
        to_board = gr.Button("← Judges", elem_id="to-judges", size="sm", scale=0, min_width=120)
        judge_notice = Notice(elem_id="judge-notice")
        cards = JudgeCards(elem_id="judge-cards")
        with gr.Column(visible=False) as calibration_box:
            calibration = _chart(CALIBRATION)
        tasks = Table(elem_id="tasks-table")

    def drawn(state: PageState) -> tuple[Any, ...]:
        state = screen.completed(state)
        # A hidden chart would be drawn without a width: it waits until its board is looked at.
        is_looked_at = not state.judge
        return (
            gr.update(choices=screen.benchmark_choices(), value=state.benchmark),
            screen.state_notice(state),
            *board_values(screen.board, state),
            row_charts.value(state, is_looked_at=is_looked_at),
            gr.update(visible=not state.judge),
            gr.update(visible=screen.has_charts(state)),
            state.agreement,
            screen.charts_marker(state) if is_looked_at else gr.skip(),
            gr.update(visible=bool(state.judge)),
            screen.judge_notice(state),
            screen.cards(state),
            screen.tasks_table(state),
            screen.qualities_table(),
            gr.update(visible=screen.has_calibration(state)),
            screen.calibration_marker(state),
        )

    outputs = [
        *(benchmark, state_notice, *parts.outputs, row_charts.waiting, board),
        *(charts.column, charts.agreement, marker),
        *(judge_view, judge_notice, cards, tasks),
        *(qualities, calibration_box, calibration_marker),
    ]
    region = Region(page, link, outputs, drawn)
    parts.wire(region, "judges", reset)
    row_charts.wire(region, opened_judge)
    region.on_input(benchmark, benchmark_chosen)
    region.on_input(charts.agreement, agreement_chosen)
    region.on_event(parts.table.open, "row", opened_judge)
    region.on_event(qualities.open, "row", opened_judge)
    region.on_click(to_board.click, lambda state: replace(state, judge=""))
    marker.moved(lambda state: screen.chart_values(screen.completed(state)), page, charts.shown, **QUIET)
    calibration_marker.moved(
        lambda state: screen.calibration_values(screen.completed(state)), page, calibration, **QUIET
    )
    return LiveTab(region, refresh(region, boards.marker, keep=[*parts.controls, charts.agreement], prefix=PREFIX))


def _charts() -> _Charts:
    """Two charts beside each other where there is room."""
    shown: list[Component] = []
    ways = [(label, way) for way, label in AGREEMENT_LABELS.items()]
    with gr.Column(elem_id="judge-charts", visible=False) as column:
        agreement = gr.Radio(ways, label="Compare judges by", elem_id="agreement-choice", render=False)
        for first in range(0, len(CHARTS), 2):
            with gr.Row():
                for chart in CHARTS[first : first + 2]:
                    shown += _chart(chart, agreement if chart.key == "agreement" else None)
    return _Charts(column, agreement, shown)


def _chart(chart: Chart[Any], control: gr.Radio | None = None) -> list[Component]:
    """Plot and table; `control` stands above the plot."""
    with gr.Column(elem_id=f"chart-{chart.key}", elem_classes=["chart"], min_width=340):
        gr.Markdown(f"### {chart.title}\n{chart.explanation}", container=False)
        if control:
            control.render()  # type: ignore[no-untyped-call]
        plot = gr.Plot(show_label=False, container=False, elem_id=f"plot-{chart.key}")
        with gr.Accordion("The numbers behind this chart", open=False):
            table = Table(elem_id=f"table-{chart.key}")
    return [plot, table]
