"""The Recommenders board: the ranking, the charts, one recommender down to both answers of a turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.components import Component

from leaderboard.boards.behavior_alignment.components import DialogueView
from leaderboard.boards.behavior_alignment.screen import (
    BehaviorScreen,
    basis_chosen,
    collection_chosen,
    compared_with,
    opened_dialogue,
    opened_recommender,
)
from leaderboard.boards.behavior_alignment.state import BehaviorState
from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.board_table import turned_to
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage, Region
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import Download, Notice, Table
from leaderboard.parts.downloads import JSON, FileValue, file_value
from submissions.formats.behavior_alignment.submission import KIND
from submissions.formats.behavior_alignment.template import crs_responses_template

PREFIX = "behavior-"


def behavior_page(
    screen: BehaviorScreen, changed: Callable[[], int], page: gr.State, link: ViewLink
) -> LivePage[BehaviorState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    waiting = chart_marker(PREFIX)
    with gr.Column(elem_id="behavior-board") as board:
        with toolbar():
            collection = gr.Dropdown(
                screen.collection_choices(), label="Human dialogues", elem_id="collection-choice", filterable=False
            )
            basis = gr.Radio(screen.basis_choices(BehaviorState()), label="Strategies", elem_id="basis-choice")
            controls = board_controls(screen.board, page, PREFIX)
        parts = board_parts(screen.board, page, controls=controls, prefix=PREFIX, notice_id=f"{PREFIX}notice")
        printed = Table(elem_id=f"{PREFIX}printed-table")
        with gr.Column(visible=False, elem_id="behavior-example") as first_steps:
            example = Table(elem_id="behavior-example-table")
            template = gr.Button("Submission template", elem_id="behavior-template", size="sm", scale=0, min_width=180)
        row_charts = chart_parts(screen.board_charts, page, waiting, prefix=PREFIX)
    with gr.Column(visible=False, elem_id="recommender-view") as view:
        to_board = gr.Button("← Recommenders", elem_id="to-recommenders", size="sm", scale=0, min_width=160)
        row_notice = Notice(elem_id="recommender-notice")
        with gr.Column(elem_id="recommender-details") as details:
            against = gr.Dropdown(label="Compare with", elem_id="recommender-against", filterable=False)
            comparison = Notice(elem_id="recommender-comparison")
            charts = ChartsView(elem_id=f"{PREFIX}turn-charts")
            dialogues = Table(elem_id="dialogues-table")
            with gr.Accordion("Every figure", open=False, elem_id="recommender-figures"):
                figures = Table(elem_id="recommender-figures-table")
            manifest = gr.Button("Download manifest", elem_id="recommender-manifest", size="sm", scale=0, min_width=160)
    with gr.Column(visible=False, elem_id="dialogue-view") as dialogue_column:
        to_system = gr.Button("← All its dialogues", elem_id="to-recommender", size="sm", scale=0, min_width=180)
        dialogue_notice = Notice(elem_id="dialogue-notice")
        dialogue = DialogueView(elem_id="dialogue")
    download = Download(elem_id=f"{PREFIX}file")

    def drawn(state: BehaviorState) -> tuple[Any, ...]:
        state = screen.completed(state)
        # A hidden chart would be drawn without a width: it waits until its board is looked at.
        is_looked_at = state.tab == "behavior" and not state.recommender
        in_dialogue = bool(state.recommender and state.dialogue)
        opened = screen.dialogue(state) if in_dialogue else None
        others = screen.against_choices(state)
        return (
            gr.update(choices=screen.collection_choices(), value=state.conversations or None),
            gr.update(choices=screen.basis_choices(state), value=state.basis, visible=not screen.is_published(state)),
            screen.state_notice(state),
            gr.update(visible=screen.is_empty()),
            screen.example_table() if screen.is_empty() else None,
            *parts.values(state),
            screen.printed_table(state),
            row_charts.value(state, is_looked_at=is_looked_at),
            gr.update(visible=not state.recommender),
            gr.update(visible=bool(state.recommender) and not in_dialogue),
            screen.row_notice(state),
            gr.update(visible=screen.has_turns(state)),
            gr.update(choices=others, value=state.against if others else None, visible=bool(others)),
            screen.comparison(state),
            screen.charts_value(state) if state.recommender and not in_dialogue else None,
            screen.dialogues_table(state) if state.recommender and not in_dialogue else None,
            screen.figures(state),
            gr.update(visible=in_dialogue),
            screen.dialogue_notice(state, opened),
            opened,
        )

    outputs: list[Component] = [
        *(collection, basis, parts.notice, first_steps, example, *parts.outputs, printed, row_charts.waiting, board),
        *(view, row_notice, details, against, comparison, charts, dialogues, figures),
        *(dialogue_column, dialogue_notice, dialogue),
    ]
    region = Region(page, link, outputs, drawn)
    parts.wire(region)
    row_charts.wire(region, opened_recommender)
    region.on_inputs(
        (collection, collection_chosen),
        (basis, basis_chosen),
        (against, compared_with),
        clicks=[
            (to_board, lambda state: opened_recommender(state, "")),
            (to_system, lambda state: replace(state, dialogue=0)),
        ],
    )
    region.on_event(parts.table.open, "row", opened_recommender)
    region.on_event(dialogues.open, "row", opened_dialogue)
    region.on_event(dialogues.turn, "page", turned_to)
    template.click(_template_file, None, download, **QUIET)
    manifest.click(lambda state: _manifest_file(screen, state), page, download, **QUIET)
    return live_page(region, changed, keep=[collection, basis, against, *parts.controls], prefix=PREFIX)


def _template_file() -> FileValue:
    return file_value(f"{KIND.replace('_', '-')}-template.json", JSON, crs_responses_template())


def _manifest_file(screen: BehaviorScreen, state: BehaviorState) -> FileValue | None:
    name_and_text = screen.manifest(state)
    return file_value(name_and_text[0], JSON, name_and_text[1]) if name_and_text else None
