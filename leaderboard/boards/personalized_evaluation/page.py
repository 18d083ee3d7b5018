"""The boards of predicted ratings and predicted choices, a page each: ranking and charts, one run to its items."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from leaderboard.assets import template
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind
from leaderboard.boards.personalized_evaluation.screen import EvaluatorsScreen
from leaderboard.boards.personalized_evaluation.state import EvaluatorsState
from leaderboard.page.board_page import BoardPage, Detail, Piece, board_page
from leaderboard.page.board_table import turned_to
from leaderboard.page.drawn import Choice, chooser, shows, visible, with_notice
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage
from leaderboard.page.state import chosen
from leaderboard.parts.components import Download, JudgeCards, Notice, Table, TemplateComponent
from leaderboard.parts.downloads import JSON, file_value
from submissions.formats.personalized_evaluation.submission import PAIRS_KIND, RATINGS_KIND
from submissions.formats.personalized_evaluation.template import pairs_template, ratings_template


class ReadingView(TemplateComponent):
    """One item of an evaluator (`items.reading_value`); None shows nothing."""

    TEMPLATE = template("reading_view")


PREFIXES: dict[EvaluatorsKind, str] = {RATINGS_KIND: "ratings-", PAIRS_KIND: "pairs-"}
TEMPLATES = {RATINGS_KIND: ratings_template, PAIRS_KIND: pairs_template}


def evaluators_page(
    kind: EvaluatorsKind, screen: EvaluatorsScreen, changed: Callable[[], int], page: gr.State, link: ViewLink
) -> LivePage[EvaluatorsState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    prefix, written_template = PREFIXES[kind], TEMPLATES[kind]()
    collection: Choice[EvaluatorsState] = Choice(
        "collection", "Data", screen.collection_choices, "collection-choice", look={"scale": 3}
    )
    k: Choice[EvaluatorsState] = Choice(
        "k", "k: reviews shown", screen.k_choices, "k-choice", is_list=False, look={"min_width": 180}
    )
    answered: Choice[EvaluatorsState] = Choice("answered", "Items", screen.answered_choices, "answered-choice")

    def example(page: gr.State) -> Piece[EvaluatorsState]:
        with gr.Accordion("A file as an example", open=False, elem_id="evaluators-example") as box:
            gr.Code(written_template, language="json", interactive=False, show_label=False, max_lines=24)
            template = gr.Button("Download this template", elem_id="evaluators-template", size="sm", scale=0)
        file = Download(elem_id="evaluators-template-file")
        file_name = f"{kind.replace('_', '-')}-template.json"
        template.click(lambda: file_value(file_name, JSON, written_template), None, file, **QUIET)
        printed = Table(elem_id=f"{prefix}printed-table")
        return Piece([visible(box, screen.is_empty), shows(printed, screen.printed_table)])

    def evaluator(page: gr.State) -> Piece[EvaluatorsState]:
        notice = Notice(elem_id="evaluator-notice")
        with gr.Column(elem_id="evaluator-details") as details:
            cards = JudgeCards(elem_id="evaluator-judge-cards")
            way = chooser(answered)
            items = Table(elem_id="predictions-table")
            with gr.Accordion("Every figure of this run", open=False, elem_id="evaluator-figures"):
                figures = Table(elem_id="figures-table")
            manifest = gr.Button("Download manifest", elem_id="evaluator-manifest", size="sm", scale=0, min_width=160)
        manifest.click(screen.manifest, page, Download(elem_id="evaluator-manifest-file"), **QUIET)
        return Piece(
            [
                shows(notice, screen.row_notice),
                visible(details, screen.has_items),
                shows(cards, screen.cards),
                way,
                shows(items, screen.items_table),
                shows(figures, screen.figures_table),
            ],
            events=[(items.open, "row", chosen("reading")), (items.turn, "page", turned_to)],
        )

    def item(page: gr.State) -> Piece[EvaluatorsState]:
        notice, view = Notice(elem_id="reading-notice"), ReadingView(elem_id="reading")
        return Piece([with_notice(notice, screen.reading_notice, view, screen.reading)])

    declared = BoardPage(
        screen.tables[kind],
        changed,
        prefix,
        screen.charts[kind],
        notice=screen.state_notice,
        notice_id="evaluators-notice",
        choices=[collection, k],
        below=example,
        details=[
            Detail("evaluator", "← Personal raters", "to-evaluators", "evaluator-view", evaluator),
            Detail("reading", "← All items of this row", "to-predictions", "reading-view", item),
        ],
    )
    return board_page(declared, page, link)
