"""The view of one system: its items, why it holds its rank, another system beside it, its card."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gradio as gr
from gradio.components import Component

from leaderboard.assets import asset, template
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.eval_results.components import ModelCard
from leaderboard.eval_results.page import model_card
from leaderboard.eval_results.screen import CLOSED, ModelCardScreen
from leaderboard.page.region import QUIET, Region
from leaderboard.parts.chart_components import ChartsView
from leaderboard.parts.components import Download, Notice, PrintedPage, Table, TemplateComponent
from leaderboard.parts.downloads import JSON, FileValue, file_value
from leaderboard.systems.screen import SystemScreen, compared_with, opened_side
from leaderboard.team_report.screen import PRINT_WORDS, TeamReportScreen


class RankReasons(TemplateComponent):
    """Why a system holds its rank (`comparison.rank_value`); None shows nothing."""

    TEMPLATE = template("rank_reasons")


class ComparedItems(TemplateComponent):
    """Both scores of every common item (`comparison.compared_items_value`); None shows nothing.

    Event: `open` with {place}: "first/ITEM" or "second/ITEM".
    """

    IS_LARGE = True
    TEMPLATE = template("compared_items")
    SCRIPT = asset("compared_items.js")


class SystemCard(TemplateComponent):
    """Boards, attempts and manifest of one system (`card.card_value`); None shows nothing."""

    TEMPLATE = template("system_card")


@dataclass(frozen=True, slots=True)
class SystemParts:
    """Components of the view; `outputs` and `values` go together."""

    screen: SystemScreen
    items: Table
    choice: gr.Dropdown
    to_own: gr.Button
    compared: ComparedItems
    model_card: ModelCard
    outputs: list[Component]

    def values(self, state: RobustnessState, items: Any) -> tuple[Any, ...]:
        """One value per output; `items` is the table of the system's items."""
        screen = self.screen
        choices, card = screen.choices(state), screen.card(state)
        chosen = state.against if state.against in dict(choices).values() else "" if choices else None
        is_alone = not state.against and not state.item
        return (
            None if state.against else screen.rank(state),
            gr.update(choices=choices, value=chosen, visible=bool(choices)),
            gr.update(visible=not state.against),
            items,
            card,
            *(gr.update(visible=card is not None) for _ in ("manifest", "report", "print")),
            None if card is None else CLOSED,
            screen.history_charts(state) if is_alone else None,
            gr.update(visible=bool(state.against)),
            screen.comparison_notice(state),
            None if state.item else screen.comparison_charts(state),
            screen.compared_items(state),
        )

    def wire(self, region: Region[RobustnessState]) -> None:
        """Connects what visitors do with the page state."""
        region.on_inputs((self.choice, compared_with), clicks=[(self.to_own, lambda state: replace(state, against=""))])
        region.on_event(self.compared.open, "place", opened_side)


def system_parts(
    screen: SystemScreen, reports: TeamReportScreen, model_cards: ModelCardScreen, page: gr.State
) -> SystemParts:
    """The components, from the rank down; the head of the view stands above them."""
    rank = RankReasons(elem_id="rank-reasons")
    report_download = Download(elem_id="report-download")
    printed = PrintedPage(elem_id="report-print")
    choice = gr.Dropdown(label="Compare with", elem_id="compare-with", filterable=False, visible=False)
    with gr.Column(elem_id="own-view") as own_view:
        items = Table(elem_id="items-table")
        card = SystemCard(elem_id="system-card")
        with gr.Row():
            manifest = gr.Button("Download manifest", elem_id="download-manifest", size="sm", scale=0, min_width=170)
            report = gr.Button("Download report", elem_id="download-report", size="sm", scale=0, min_width=170)
            paper = gr.Button(PRINT_WORDS, elem_id="print-report", size="sm", scale=0, min_width=230)
        download = Download(elem_id="manifest-download")
        fold = model_card(model_cards, page, elem_id="model-card")
        history = ChartsView(elem_id="system-history")
    with gr.Column(visible=False, elem_id="pair-view") as pair_view:
        with gr.Row():
            to_own = gr.Button("← This system alone", elem_id="to-own", size="sm", scale=0, min_width=180)
            pair_report = gr.Button(
                "Download report, compared",
                elem_id="download-pair-report",
                size="sm",
                scale=0,
                min_width=290,
            )
            pair_paper = gr.Button(PRINT_WORDS, elem_id="print-pair-report", size="sm", scale=0, min_width=230)
        said = Notice(elem_id="comparison-notice")
        chart = ChartsView(elem_id="system-comparison")
        compared = ComparedItems(elem_id="compared-items")

    def manifest_file(state: RobustnessState) -> FileValue | None:
        name_and_text = screen.manifest(state)
        return file_value(name_and_text[0], JSON, name_and_text[1]) if name_and_text else None

    manifest.click(manifest_file, page, download, **QUIET)
    for button in (report, pair_report):
        button.click(reports.file, page, report_download, **QUIET)
    for button in (paper, pair_paper):
        button.click(reports.file, page, printed, **QUIET)
    outputs = [
        *(rank, choice, own_view, items, card, manifest, report, paper, fold, history),
        *(pair_view, said, chart, compared),
    ]
    return SystemParts(screen, items, choice, to_own, compared, fold, outputs)
