"""Two more looks at the boards of Robustness: the variation atlas of every edition, and what the 2024 paper printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from leaderboard.assets import asset, template
from leaderboard.boards.robustness.atlas.screen import AtlasScreen, followed
from leaderboard.boards.robustness.perspectives import is_looked_at
from leaderboard.boards.robustness.state import Edition, EditionState
from leaderboard.boards.robustness.table2_components import PublishedTable
from leaderboard.boards.robustness.table2_values import published_file, published_value
from leaderboard.page.drawn import Level, shows
from leaderboard.page.region import QUIET, Region
from leaderboard.parts.components import Download, TemplateComponent

FOLLOWS = asset("atlas_links.js")
"""Links of the component change the page state, unless they are to be opened elsewhere."""


class AtlasView(TemplateComponent):
    """Heat maps side by side (`values.AtlasValue`); None shows nothing.

    Colours lie behind the numbers and say nothing more. Events: `open` with {place: the parameters of a link},
    `save`.
    """

    IS_LARGE = True
    TEMPLATE = template("atlas_view")
    SCRIPT = FOLLOWS + asset("atlas_keys.js")


@dataclass(frozen=True, slots=True)
class AtlasParts:
    """The components."""

    screen: AtlasScreen
    column: gr.Column
    view: AtlasView
    published: PublishedTable

    @property
    def level(self) -> Level[Any]:
        """What they show, while either is looked at."""
        parts = [shows(self.view, self.screen.value), shows(self.published, published_value)]
        return Level(self.column, _is_shown, parts)

    def wire(self, region: Region[Edition]) -> None:
        """Connects what visitors do with the page state."""
        region.on_event(self.view.open, "place", followed)


def _is_shown(state: EditionState) -> bool:
    return is_looked_at(state, "atlas") or is_looked_at(state, "history")


def atlas_parts(screen: AtlasScreen, page: gr.State) -> AtlasParts:
    """The components; `page` holds the state of the page."""
    with gr.Column(visible=False, elem_id="atlas") as column:
        view = AtlasView(elem_id="atlas-view")
        published = PublishedTable(elem_id="published-table")
        download = Download(elem_id="atlas-download")
    view.save(screen.file, page, download, **QUIET)
    published.save(published_file, None, download, **QUIET)
    return AtlasParts(screen, column, view, published)
