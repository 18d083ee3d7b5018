"""The boards of predicted ratings and predicted choices, a page each: ranking and charts, one run to its items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.components import Component

from leaderboard.boards.personalized_evaluation.components import ReadingView
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind
from leaderboard.boards.personalized_evaluation.screen import (
    EvaluatorsScreen,
    answered_chosen,
    collection_chosen,
    k_chosen,
    opened_item,
    opened_row,
)
from leaderboard.boards.personalized_evaluation.state import EvaluatorsState
from leaderboard.page.board import board_controls, board_parts, live_page, toolbar
from leaderboard.page.board_table import turned_to
from leaderboard.page.charts import chart_marker, chart_parts
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage, Region
from leaderboard.parts.components import Download, JudgeCards, Notice, Table
from leaderboard.parts.downloads import JSON, file_value
from submissions.formats.personalized_evaluation.submission import PAIRS_KIND, RATINGS_KIND
from submissions.formats.personalized_evaluation.template import pairs_template, ratings_template

PREFIXES: dict[EvaluatorsKind, str] = {RATINGS_KIND: "ratings-", PAIRS_KIND: "pairs-"}
TEMPLATES = {RATINGS_KIND: ratings_template, PAIRS_KIND: pairs_template}


def evaluators_page(
    kind: EvaluatorsKind, screen: EvaluatorsScreen, changed: Callable[[], int], page: gr.State, link: ViewLink
) -> LivePage[EvaluatorsState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    prefix, written_template = PREFIXES[kind], TEMPLATES[kind]()
    waiting = chart_marker(prefix)
    with gr.Column(elem_id="evaluators-choices") as choices:
        with toolbar():
            collection = gr.Dropdown(label="Data", elem_id="collection-choice", filterable=False, scale=3)
            k = gr.Radio(label="k: reviews shown", elem_id="k-choice", min_width=180)
            controls = board_controls(screen.tables[kind], page, prefix)
        template_file = Download(elem_id="evaluators-template-file")
    with gr.Column(elem_id=f"{prefix}board") as ranking:
        parts = board_parts(screen.tables[kind], page, controls=controls, prefix=prefix, notice_id="evaluators-notice")
        with gr.Accordion("A file as an example", open=False, elem_id="evaluators-example") as example_box:
            gr.Code(written_template, language="json", interactive=False, show_label=False, max_lines=24)
            template = gr.Button("Download this template", elem_id="evaluators-template", size="sm", scale=0)
        printed = Table(elem_id=f"{prefix}printed-table")
        charts = chart_parts(screen.charts[kind], page, waiting, prefix=prefix)
    with gr.Column(visible=False, elem_id="evaluator-view") as evaluator_view:
        to_board = gr.Button("← Personal raters", elem_id="to-evaluators", size="sm", scale=0, min_width=160)
        row_notice = Notice(elem_id="evaluator-notice")
        with gr.Column(elem_id="evaluator-details") as details:
            cards = JudgeCards(elem_id="evaluator-judge-cards")
            answered = gr.Dropdown(label="Items", elem_id="answered-choice", filterable=False)
            items = Table(elem_id="predictions-table")
            with gr.Accordion("Every figure of this run", open=False, elem_id="evaluator-figures"):
                figures = Table(elem_id="figures-table")
            manifest = gr.Button("Download manifest", elem_id="evaluator-manifest", size="sm", scale=0, min_width=160)
        manifest_file = Download(elem_id="evaluator-manifest-file")
    with gr.Column(visible=False, elem_id="reading-view") as reading_view:
        to_items = gr.Button("← All items of this row", elem_id="to-predictions", size="sm", scale=0, min_width=200)
        reading_notice = Notice(elem_id="reading-notice")
        reading = ReadingView(elem_id="reading")

    def ranking_drawn(state: EvaluatorsState) -> tuple[Any, ...]:
        """What is not looked at stays as it is, and costs nothing."""
        if state.evaluator:
            return gr.update(visible=False), *(gr.skip() for _ in parts.outputs), gr.skip(), None
        table = screen.printed_table(state)
        return gr.update(visible=True), *parts.values(state), table, charts.value(state, is_looked_at=True)

    def drawn(state: EvaluatorsState) -> tuple[Any, ...]:
        state = screen.completed(state)
        in_item = bool(state.evaluator and state.reading)
        read = screen.reading(state) if in_item else None
        return (
            gr.update(visible=not state.evaluator),
            gr.update(choices=screen.collection_choices(state), value=state.collection),
            gr.update(choices=screen.k_choices(state), value=state.k),
            screen.state_notice(state),
            gr.update(visible=screen.is_empty(state)),
            *ranking_drawn(state),
            gr.update(visible=bool(state.evaluator) and not in_item),
            screen.row_notice(state),
            gr.update(visible=screen.has_items(state)),
            screen.cards(state),
            gr.update(choices=screen.answered_choices(state), value=state.answered),
            screen.items_table(state) if not in_item else None,
            screen.figures_table(state) if not in_item else None,
            gr.update(visible=in_item),
            screen.reading_notice(state, read),
            read,
        )

    outputs: list[Component] = [
        *(choices, collection, k, parts.notice, example_box),
        *(ranking, *parts.outputs, printed, charts.waiting),
        *(evaluator_view, row_notice, details, cards, answered, items, figures),
        *(reading_view, reading_notice, reading),
    ]
    region = Region(page, link, outputs, drawn)
    parts.wire(region)
    charts.wire(region, opened_row)
    region.on_event(parts.table.open, "row", opened_row)
    region.on_inputs(
        (collection, collection_chosen),
        (k, k_chosen),
        (answered, answered_chosen),
        clicks=[
            (to_board, lambda state: replace(state, evaluator="", answered="", reading="")),
            (to_items, lambda state: replace(state, reading="")),
        ],
    )
    region.on_event(items.open, "row", opened_item)
    region.on_event(items.turn, "page", turned_to)
    file_name = f"{kind.replace('_', '-')}-template.json"
    template.click(lambda: file_value(file_name, JSON, written_template), None, template_file, **QUIET)
    manifest.click(screen.manifest, page, manifest_file, **QUIET)
    kept = [collection, k, answered, *parts.controls]
    return live_page(region, changed, keep=kept, prefix="evaluators-")
