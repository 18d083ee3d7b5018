"""The Recommenders board: the ranking, the charts, one recommender down to both answers of a turn."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr

from leaderboard.assets import template
from leaderboard.boards.behavior_alignment.screen import BehaviorScreen, compared_with
from leaderboard.boards.behavior_alignment.state import BehaviorState
from leaderboard.page.board_page import BoardPage, Detail, Piece, board_page
from leaderboard.page.board_table import turned_to
from leaderboard.page.drawn import Choice, chooser, shows, visible, with_notice
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import QUIET, LivePage
from leaderboard.page.state import chosen
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import Download, Notice, Table, TemplateComponent
from leaderboard.parts.downloads import JSON, FileValue, file_value
from submissions.formats.behavior_alignment.submission import KIND
from submissions.formats.behavior_alignment.template import crs_responses_template


class DialogueView(TemplateComponent):
    """One dialogue, both answers at every turn (`dialogues.dialogue_value`); None shows nothing."""

    IS_LARGE = True
    TEMPLATE = template("dialogue_view")


PREFIX = "behavior-"


def behavior_page(
    screen: BehaviorScreen, changed: Callable[[], int], page: gr.State, link: ViewLink
) -> LivePage[BehaviorState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    collection: Choice[BehaviorState] = Choice(
        "conversations", "Human dialogues", lambda state: screen.collection_choices(), "collection-choice"
    )
    basis: Choice[BehaviorState] = Choice(
        "basis",
        "Strategies",
        screen.basis_choices,
        "basis-choice",
        is_list=False,
        is_shown=lambda state: not screen.is_published(state),
    )
    against: Choice[BehaviorState] = Choice(
        "against",
        "Compare with",
        screen.against_choices,
        "recommender-against",
        is_shown=screen.against_choices,
        change=compared_with,
    )

    def first_steps(page: gr.State) -> Piece[BehaviorState]:
        printed = Table(elem_id=f"{PREFIX}printed-table")
        with gr.Column(visible=False, elem_id="behavior-example") as column:
            example = Table(elem_id="behavior-example-table")
            template = gr.Button("Submission template", elem_id="behavior-template", size="sm", scale=0, min_width=180)
        template.click(_template_file, None, Download(elem_id=f"{PREFIX}template-file"), **QUIET)
        return Piece(
            [
                shows(printed, screen.printed_table),
                visible(column, lambda state: screen.is_empty()),
                shows(example, lambda state: screen.example_table() if screen.is_empty() else None),
            ]
        )

    def recommender(page: gr.State) -> Piece[BehaviorState]:
        notice = Notice(elem_id="recommender-notice")
        with gr.Column(elem_id="recommender-details") as details:
            other = chooser(against)
            comparison = Notice(elem_id="recommender-comparison")
            charts = ChartsView(elem_id=f"{PREFIX}turn-charts")
            dialogues = Table(elem_id="dialogues-table")
            with gr.Accordion("Every figure", open=False, elem_id="recommender-figures"):
                figures = Table(elem_id="recommender-figures-table")
            manifest = gr.Button("Download manifest", elem_id="recommender-manifest", size="sm", scale=0, min_width=160)
        download = Download(elem_id=f"{PREFIX}file")
        manifest.click(lambda state: _manifest_file(screen, state), page, download, **QUIET)
        return Piece(
            [
                shows(notice, screen.row_notice),
                visible(details, screen.has_turns),
                other,
                shows(comparison, screen.comparison),
                shows(charts, screen.charts_value),
                shows(dialogues, screen.dialogues_table),
                shows(figures, screen.figures),
            ],
            events=[(dialogues.open, "row", chosen("dialogue")), (dialogues.turn, "page", turned_to)],
        )

    def dialogue(page: gr.State) -> Piece[BehaviorState]:
        notice, view = Notice(elem_id="dialogue-notice"), DialogueView(elem_id="dialogue")
        return Piece([with_notice(notice, screen.dialogue_notice, view, screen.dialogue)])

    declared = BoardPage(
        screen.board,
        changed,
        PREFIX,
        screen.board_charts,
        notice=screen.state_notice,
        notice_id=f"{PREFIX}notice",
        choices=[collection, basis],
        below=first_steps,
        details=[
            Detail("recommender", "← Recommenders", "to-recommenders", "recommender-view", recommender),
            Detail("dialogue", "← All its dialogues", "to-recommender", "dialogue-view", dialogue),
        ],
    )
    return board_page(declared, page, link)


def _template_file() -> FileValue:
    return file_value(f"{KIND.replace('_', '-')}-template.json", JSON, crs_responses_template())


def _manifest_file(screen: BehaviorScreen, state: BehaviorState) -> FileValue | None:
    name_and_text = screen.manifest(state)
    return file_value(name_and_text[0], JSON, name_and_text[1]) if name_and_text else None
