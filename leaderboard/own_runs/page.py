"""My submissions: everything that the visitor's account sent, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from leaderboard.assets import asset, template
from leaderboard.own_runs.screen import NO_REPORT, OwnRunsValue, OwnScreen
from leaderboard.page.identity import Identity, current_request
from leaderboard.page.region import QUIET, Arrival
from leaderboard.page.state import PageState
from leaderboard.parts.components import Download, Notice, PrintedPage, TemplateComponent
from leaderboard.parts.downloads import FileValue
from leaderboard.parts.notices import NoticeValue


class OwnRunsView(TemplateComponent):
    """An account's runs with their versions (`screen.OwnRunsValue`); None shows nothing.

    Events: `report` and `paper` with {ticket}: the report of that run is asked for, as a file or to print; `choose`
    with {ticket, choice}: it is to be the run that is ranked, or the latest one again.
    """

    IS_LARGE = True
    TEMPLATE = template("own_runs_view")
    SCRIPT = asset("own_runs.js")


@dataclass(frozen=True, slots=True)
class OwnPage:
    """What is filled when somebody comes."""

    screen: OwnScreen
    identity: Identity
    outputs: list[Any]

    def opened(self, state: PageState, arrival: Arrival) -> tuple[PageState, tuple[Any, ...]]:
        """What is theirs."""
        visitor = self.identity.visitor(current_request())
        return state, (self.screen.notice(visitor), self.screen.value(visitor))


def own_page(screen: OwnScreen, identity: Identity) -> OwnPage:
    """The page's components and wiring."""
    gr.Markdown("### My submissions\nEverything this account has submitted. Reload the page to see changes.")
    said = Notice(elem_id="own-notice")
    runs = OwnRunsView(elem_id="own-runs")
    download = Download(elem_id="own-report")
    printed = PrintedPage(elem_id="own-report-print")

    def report(event: gr.EventData, request: gr.Request) -> tuple[FileValue | None, NoticeValue | None]:
        file = screen.report(identity.visitor(request), _carried(event, "ticket"))
        return file, None if file else NO_REPORT

    def choose(event: gr.EventData, request: gr.Request) -> tuple[NoticeValue | None, OwnRunsValue | None]:
        visitor = identity.visitor(request)
        done = screen.chosen(visitor, _carried(event, "ticket"), _carried(event, "choice"))
        return done, screen.value(visitor)

    runs.report(report, None, [download, said], **QUIET)
    runs.paper(report, None, [printed, said], **QUIET)
    runs.choose(choose, None, [said, runs], **QUIET)
    return OwnPage(screen, identity, [said, runs])


def _carried(event: gr.EventData, name: str) -> object:
    data = event._data
    return data.get(name) if isinstance(data, Mapping) else None
