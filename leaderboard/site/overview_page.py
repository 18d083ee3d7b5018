"""The Overview: what this is, who leads, how sure that is, and what to do next."""

from __future__ import annotations

from typing import Any

import gradio as gr

from leaderboard.assets import template
from leaderboard.page.board import live_page
from leaderboard.page.frame import ViewLink
from leaderboard.page.region import LivePage, Region
from leaderboard.page.state import PageState
from leaderboard.parts.components import TemplateComponent
from leaderboard.site.overview_screen import OverviewScreen, loading


class Overview(TemplateComponent):
    """A finding, what each board says, what to do next (`overview_screen.OverviewValue`)."""

    TEMPLATE = template(
        "overview",
        boards=template("overview_board", of=""),
        examples=template("overview_board", of=", samples"),  # landmarks have one name each
    )

    def sent_with_page(self, value: Any) -> Any:
        return value


PREFIX = "overview-"


def overview_page(screen: OverviewScreen, page: gr.State, link: ViewLink) -> LivePage[PageState]:
    """The page's component and wiring; `page` holds the state of the page, `link` shows it."""
    overview = Overview(loading(), elem_id="overview")

    def drawn(state: PageState) -> tuple[Any, ...]:
        return (screen.value(),)

    region = Region(page, link, [overview], drawn)
    return live_page(region, screen.marker, keep=[], prefix=PREFIX)
