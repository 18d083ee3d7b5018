"""The view of one system: its items, why it holds its rank, another system beside it, its card."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import gradio as gr
from gradio.components import Component

from leaderboard.components import ChangeMarker, Download, Notice, Table
from leaderboard.downloads import JSON, FileValue, file_value
from leaderboard.links import PageState
from leaderboard.region import QUIET, Region
from leaderboard.system_charts import HISTORY
from leaderboard.system_components import ComparedItems, RankReasons, SystemCard
from leaderboard.system_screen import SystemScreen, compared_with, opened_side

COMPARISON_TITLE = "Item by item"
COMPARISON_EXPLANATION = (
    "Both scores of every common item on one line, sorted by difference: where all lines lean to one side the systems "
    "differ, where they lean both ways the items decide."
)


@dataclass(frozen=True, slots=True)
class SystemParts:
    """Components of the view; `outputs` and `values` go together."""

    screen: SystemScreen
    items: Table
    choice: gr.Dropdown
    to_own: gr.Button
    compared: ComparedItems
    outputs: list[Component]

    def values(self, state: PageState, items: Any) -> tuple[Any, ...]:
        """One value per output; `items` is the table of the system's items."""
        screen = self.screen
        # A hidden chart would be drawn without a width: it waits until it is looked at.
        is_looked_at = not state.item
        choices, card = screen.choices(state), screen.card(state)
        chosen = state.against if state.against in dict(choices).values() else "" if choices else None
        comparison_marker, history_marker = screen.comparison_marker(state), screen.history_marker(state)
        return (
            None if state.against else screen.rank(state),
            gr.update(choices=choices, value=chosen, visible=bool(choices)),
            gr.update(visible=not state.against),
            items,
            card,
            gr.update(visible=card is not None),
            gr.update(visible=bool(history_marker)),
            history_marker if is_looked_at and not state.against else gr.skip(),
            gr.update(visible=bool(state.against)),
            screen.comparison_notice(state),
            gr.update(visible=bool(comparison_marker)),
            comparison_marker if is_looked_at else gr.skip(),
            screen.compared_items(state),
        )

    def wire(self, region: Region) -> None:
        """Connects what visitors do with the page state."""
        region.on_input(self.choice, compared_with)
        region.on_click(self.to_own.click, lambda state: replace(state, against=""))
        region.on_event(self.compared.open, "place", opened_side)


class ChartMarkers(NamedTuple):
    """They stand outside what is hidden: a hidden one would not notice a change."""

    history: ChangeMarker
    comparison: ChangeMarker


def chart_markers() -> ChartMarkers:
    """What tells that a chart of the view has to be drawn anew."""
    return ChartMarkers(ChangeMarker(elem_id="history-marker"), ChangeMarker(elem_id="comparison-marker"))


def system_parts(screen: SystemScreen, page: gr.State, markers: ChartMarkers) -> SystemParts:
    """The components, from the rank down; the head of the view stands above them."""
    rank = RankReasons(elem_id="rank-reasons")
    choice = gr.Dropdown(label="Compare with", elem_id="compare-with", filterable=False, visible=False)
    with gr.Column(elem_id="own-view") as own_view:
        items = Table(elem_id="items-table")
        card = SystemCard(elem_id="system-card")
        manifest = gr.Button("Download manifest", elem_id="download-manifest", size="sm", scale=0, min_width=170)
        download = Download(elem_id="manifest-download")
        with gr.Column(elem_id="chart-history", elem_classes=["chart"], visible=False) as history:
            gr.Markdown(f"### {HISTORY.title}\n{HISTORY.explanation}", container=False)
            history_plot = gr.Plot(show_label=False, container=False, elem_id="plot-history")
            with gr.Accordion("The numbers behind this chart", open=False):
                history_table = Table(elem_id="table-history")
    with gr.Column(visible=False, elem_id="pair-view") as pair_view:
        to_own = gr.Button("← This system alone", elem_id="to-own", size="sm", scale=0, min_width=180)
        said = Notice(elem_id="comparison-notice")
        with gr.Column(elem_id="chart-comparison", elem_classes=["chart"], visible=False) as chart:
            gr.Markdown(f"### {COMPARISON_TITLE}\n{COMPARISON_EXPLANATION}", container=False)
            plot = gr.Plot(show_label=False, container=False, elem_id="plot-comparison")
        compared = ComparedItems(elem_id="compared-items")

    def manifest_file(state: PageState) -> FileValue | None:
        found = screen.manifest(state)
        return file_value(found[0], JSON, found[1]) if found else None

    manifest.click(manifest_file, page, download, **QUIET)
    markers.history.moved(screen.history_values, page, [history_plot, history_table], **QUIET)
    markers.comparison.moved(screen.comparison_chart, page, plot, **QUIET)
    outputs = [
        *(rank, choice, own_view, items, card, manifest, history, markers.history),
        *(pair_view, said, chart, markers.comparison, compared),
    ]
    return SystemParts(screen, items, choice, to_own, compared, outputs)
