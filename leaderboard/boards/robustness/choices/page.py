"""How stable each rank is, on the Robustness page: one table that leads to the board under any of them."""

from __future__ import annotations

from dataclasses import dataclass

import gradio as gr

from leaderboard.assets import asset, template
from leaderboard.boards.robustness.choices.screen import ChoicesScreen
from leaderboard.boards.robustness.perspectives import is_looked_at
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.drawn import Level, shows
from leaderboard.page.region import QUIET, Region
from leaderboard.page.state import chosen
from leaderboard.parts.components import Download, TemplateComponent


class ChoicesTable(TemplateComponent):
    """Systems x choices (`values.choices_value`); None shows nothing.

    Events: `choose` with {choice}, from a heading or any cell below it; `open` with {row}, from a name.
    """

    IS_LARGE = True
    TEMPLATE = template("choices_table")
    # A cell leads where its heading leads; the two columns after the name lead nowhere.
    SCRIPT = asset("choices_table.js")


@dataclass(frozen=True, slots=True)
class ChoicesParts:
    """Components of the view."""

    screen: ChoicesScreen
    column: gr.Column
    table: ChoicesTable

    @property
    def level(self) -> Level[RobustnessState]:
        """What they show, while it is looked at."""
        return Level(self.column, lambda state: is_looked_at(state, "choices"), [shows(self.table, self.screen.value)])

    def wire(self, region: Region[RobustnessState]) -> None:
        """Connects what visitors do with the page state."""
        region.on_event(self.table.choose, "choice", self.screen.chosen)
        region.on_event(self.table.open, "row", chosen("system"))


def choices_parts(screen: ChoicesScreen, page: gr.State) -> ChoicesParts:
    """The components; `page` holds the state of the page."""
    with gr.Column(visible=False, elem_id="choices-view") as column:
        table = ChoicesTable(elem_id="choices-table")
        button = gr.Button("Download CSV", elem_id="choices-csv", size="sm", scale=0, min_width=150)
        download = Download(elem_id="choices-download")
    button.click(screen.file, page, download, **QUIET)
    return ChoicesParts(screen, column, table)
