"""All pages, each with its masthead, its content and what its link asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import gradio as gr

from leaderboard.assets import asset
from leaderboard.boards import registry
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.desk.queue_page import queue_page
from leaderboard.desk.queue_screen import QueueScreen
from leaderboard.desk.submit_page import submit_page
from leaderboard.judge_report.page import judge_report_page
from leaderboard.lab.form import Catalogue
from leaderboard.lab.page import lab_page
from leaderboard.lab.screen import LabScreen, may_rate
from leaderboard.own_runs.page import own_page
from leaderboard.own_runs.screen import OwnScreen
from leaderboard.page.frame import ViewLink, masthead
from leaderboard.page.links import path_of, view_link_value
from leaderboard.page.region import QUIET, Arrival, Content, LivePage
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.parts.components import Notice
from leaderboard.parts.notices import notice
from leaderboard.seasons.head import SeasonHead, seasons_of_page, seasons_value
from leaderboard.site.about_page import about_page
from leaderboard.site.api import ENDPOINTS, PublicApi, expose
from leaderboard.site.link_reader import LinkReader
from leaderboard.site.overview_page import overview_page
from leaderboard.site.overview_screen import OverviewScreen
from leaderboard.site.page_register import beside, navigation
from leaderboard.site.page_register import pages as known_pages
from leaderboard.site.previews import Previews
from leaderboard.site.records_route import records_route
from leaderboard.web.first_values import FirstView
from leaderboard.web.pages import Pages
from submissions.questionsets import demonstration

ARRIVES = asset("arrival.js")
"""gradio decides about colours in the browser, and charts are drawn on the server; a tab keeps its name until it is
closed."""


def build(services: Services) -> Pages:
    """All pages and the public endpoints as gradio blocks; theme, css and head are given at launch."""
    tools = BoardTools(services)
    boards = tools.open(registry.BOARDS)
    links = LinkReader(boards)
    lab = LabScreen(
        services.lab,
        Catalogue(demonstration(), services.desk.prompt_sets),
        tools.report_of,
        is_rated=may_rate(services.settings.judge_names),
        judge_name=next(iter(services.settings.judge_names), ""),
        people_of=tools.qualities.checked_by_people,
        canary_of=tools.qualities.canary,
    )
    contents: dict[str, Callable[[gr.State, ViewLink], Content | None]] = {
        "overview": partial(overview_page, OverviewScreen(tools, boards)),
        **{key: board.page for key, board in boards.items()},
        "judge_report": partial(judge_report_page, services),
        "lab": partial(lab_page, lab),
        "submit": lambda page, link: submit_page(services),
        "mine": lambda page, link: own_page(OwnScreen(tools), services.identity),
        "queue": partial(queue_page, QueueScreen(services)),
        "about": lambda page, link: about_page(services),
    }
    pages = Pages(title="Plumbline", fill_width=True)
    pages.preview_of = Previews(links, boards, tools.reports).of
    pages.own_routes.append(records_route(tools, links))
    with pages:
        # First, so that no event of a page takes one of their names.
        expose(PublicApi(tools, links, tools.shared(RobustnessScreen.of), tools.shared(EditionBoards.of)))
        for tab, content in contents.items():
            pages.turn_to(path_of(tab))
            _page(pages, tab, content, links, services)
    for function in pages.fns.values():
        if function.api_name not in ENDPOINTS:
            function.api_visibility = "private"
    return pages


def _page(
    pages: Pages,
    tab: str,
    content: Callable[[gr.State, ViewLink], Content | None],
    links: LinkReader,
    services: Services,
) -> None:
    """One page: its masthead, its content, and what happens when it is opened."""
    page, signs_in = gr.State(known_pages()[tab]), services.identity.signs_in
    button = masthead(tab, navigation(), beside(tab), signs_in=signs_in)
    link_notice = Notice(elem_id="link-notice")
    seasons = [SeasonHead(elem_id="seasons")] if seasons_of_page(services, tab) else []
    view_link = ViewLink(tab, elem_id="view-link", render=False)
    held = content(page, view_link)
    view_link.render()  # type: ignore[no-untyped-call]
    is_dark, browser_tab = gr.Checkbox(visible=False), gr.Textbox("", visible=False)

    def opened(is_dark: bool, browser_tab: str, request: gr.Request) -> tuple[Any, ...]:
        query = dict(request.query_params)
        link = links.read(query, tab)
        state, values = replace(link.state, is_dark=is_dark, turn=1), ()
        if held and state.tab == tab:
            state, values = held.opened(state, Arrival(query, browser_tab))
        elif held:
            values = (gr.skip(),) * len(held.outputs)
        said = notice("warning", "Part of the link was ignored.", *link.notes) if link.notes else None
        told = (seasons_value(services, tab) for _ in seasons)
        return state, view_link_value(state), said, *told, *values

    if isinstance(held, LivePage):
        held.region.on_revisit(lambda query: links.read(query, tab).state)
    if isinstance(held, LivePage) and held.freshness:
        first_values = partial(_first_values, held, links, tab)
        pages.first_views[f"/{path_of(tab)}"] = FirstView(held.freshness[1], first_values)
    outputs = [page, view_link, link_notice, *seasons, *(held.outputs if held else ())]
    pages.load(opened, [is_dark, browser_tab], outputs, js=ARRIVES, **QUIET)
    if button:
        pages.load(button._check_login_status, None, button, **QUIET)


def _first_values(held: LivePage[Any], links: LinkReader, tab: str) -> dict[int, Any]:
    return held.first_values(links.read({}, tab).state)
