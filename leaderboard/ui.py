"""All pages, each with its masthead, its content and what its link asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import gradio as gr

from leaderboard.api import ENDPOINTS, PublicApi, expose
from leaderboard.atlas_screen import AtlasScreen
from leaderboard.behavior_boards import BehaviorBoards
from leaderboard.behavior_screen import BehaviorScreen
from leaderboard.boards import Boards
from leaderboard.choices_screen import ChoicesScreen
from leaderboard.components import Notice
from leaderboard.edition_boards import EditionBoards
from leaderboard.edition_items_screen import EditionItemsScreen
from leaderboard.editions_screen import EditionsScreen
from leaderboard.evaluators_boards import EvaluatorsBoards
from leaderboard.evaluators_screen import EvaluatorsScreen
from leaderboard.judge_boards import JudgeBoards
from leaderboard.judge_quality import JudgeQualities
from leaderboard.judges_screen import JudgesScreen
from leaderboard.lab_form import Catalogue
from leaderboard.lab_screen import LabScreen, may_rate
from leaderboard.link_reader import LinkReader
from leaderboard.links import PageState, Tab, path_of, view_link_value
from leaderboard.notices import notice
from leaderboard.overview_screen import OverviewScreen
from leaderboard.page_frame import ViewLink, masthead
from leaderboard.pages import Pages
from leaderboard.personalization_boards import PersonalizationBoards
from leaderboard.personalization_screen import PersonalizationScreen
from leaderboard.queue_screen import QueueScreen
from leaderboard.region import QUIET, Arrival, Content
from leaderboard.robustness_screen import RobustnessScreen
from leaderboard.services import Services
from leaderboard.system_screen import SystemScreen
from leaderboard.tabs.about import about_page
from leaderboard.tabs.behavior import behavior_page
from leaderboard.tabs.editions import edition_page
from leaderboard.tabs.evaluators import evaluators_page
from leaderboard.tabs.judges import judges_page
from leaderboard.tabs.lab import lab_page
from leaderboard.tabs.overview import overview_page
from leaderboard.tabs.personalization import personalization_page
from leaderboard.tabs.queue import queue_page
from leaderboard.tabs.robustness import robustness_page
from leaderboard.tabs.submit import submit_page
from submissions.questionsets import demonstration

ARRIVES = """() => {
  let name = '';
  try {
    const made = () => Array.from(crypto.getRandomValues(new Uint32Array(5)), (part) => part.toString(36)).join('-');
    name = sessionStorage.getItem('plumbline-tab') || made();
    sessionStorage.setItem('plumbline-tab', name);
  } catch { /* a browser that keeps nothing */ }
  return [document.body.classList.contains('dark'), name];
}"""
"""gradio decides about colours in the browser, and charts are drawn on the server; a tab keeps its name until it is
closed."""


def build(services: Services) -> Pages:
    """All pages and the public endpoints as gradio blocks; theme, css and head are given at launch."""
    boards = Boards(services.store)
    judge_boards = JudgeBoards(services.store, boards)
    qualities = JudgeQualities(services.store)
    robustness = RobustnessScreen(services, boards, judge_boards, qualities)
    judges = JudgesScreen(judge_boards, qualities)
    personalization_boards = PersonalizationBoards(services.store)
    personalization = PersonalizationScreen(services, personalization_boards, judge_boards, qualities)
    behavior_boards = BehaviorBoards(services.store, services.settings.collection_names)
    behavior = BehaviorScreen(services, behavior_boards)
    evaluators_boards = EvaluatorsBoards(services.store)
    evaluators = EvaluatorsScreen(services, evaluators_boards, judge_boards, qualities)
    edition_boards = EditionBoards(services.store)
    editions = EditionsScreen(services, edition_boards)
    questions = EditionItemsScreen(services, editions, judge_boards, qualities)
    atlas = AtlasScreen(boards, robustness, edition_boards, editions)
    choices = ChoicesScreen(services, boards, robustness)
    links = LinkReader(services, robustness, judges, personalization, behavior, evaluators, editions)
    overview = OverviewScreen(services, boards, tuple(links.tables.values()), qualities)
    system = SystemScreen(services, boards, judge_boards, personalization_boards, behavior_boards, evaluators_boards)
    lab = LabScreen(
        services.lab,
        Catalogue(demonstration(), services.desk.prompt_sets),
        judge_boards.report_of,
        is_rated=may_rate(services.settings.judge_names),
        judge_name=next(iter(services.settings.judge_names), ""),
        people_of=qualities.checked_by_people,
    )
    contents: dict[Tab, Callable[[gr.State, ViewLink], Content | None]] = {
        "overview": partial(overview_page, overview),
        "robustness": partial(robustness_page, robustness, system, atlas, choices, boards),
        "consistency": partial(edition_page, "consistency", editions, questions, atlas, boards),
        "cultural": partial(edition_page, "cultural", editions, questions, atlas, boards),
        "judges": partial(judges_page, judges, boards),
        "personalization": partial(personalization_page, personalization, boards),
        "personalized_ratings": partial(evaluators_page, "personalized_ratings", evaluators, boards),
        "personalized_pairs": partial(evaluators_page, "personalized_pairs", evaluators, boards),
        "behavior": partial(behavior_page, behavior, boards),
        "lab": partial(lab_page, lab),
        "submit": lambda page, link: submit_page(services),
        "queue": partial(queue_page, QueueScreen(services)),
        "about": lambda page, link: about_page(services),
    }
    pages = Pages(title="Plumbline", fill_width=True)
    with pages:
        expose(PublicApi(services, links, robustness))  # first, so that no event of a page takes one of their names
        for tab, content in contents.items():
            pages.turn_to(path_of(tab))
            _page(pages, tab, content, links, signs_in=services.identity.signs_in)
    for function in pages.fns.values():
        if function.api_name not in ENDPOINTS:
            function.api_visibility = "private"
    return pages


def _page(
    pages: Pages,
    tab: Tab,
    content: Callable[[gr.State, ViewLink], Content | None],
    links: LinkReader,
    *,
    signs_in: bool,
) -> None:
    """One page: its masthead, its content, and what happens when it is opened."""
    page = gr.State(PageState(tab=tab))
    button = masthead(tab, signs_in=signs_in)
    link_notice = Notice(elem_id="link-notice")
    view_link = ViewLink(tab, elem_id="view-link", render=False)
    held = content(page, view_link)
    view_link.render()  # type: ignore[no-untyped-call]
    is_dark, browser_tab = gr.Checkbox(visible=False), gr.Textbox(visible=False)

    def opened(is_dark: bool, browser_tab: str, request: gr.Request) -> tuple[Any, ...]:
        query = dict(request.query_params)
        link = links.read(query, tab)
        state, values = replace(link.state, is_dark=is_dark), ()
        if held and state.tab == tab:
            state, values = held.opened(state, Arrival(query, browser_tab))
        elif held:
            values = (gr.skip(),) * len(held.outputs)
        said = notice("warning", "Part of the link was ignored.", *link.notes) if link.notes else None
        return state, view_link_value(state), said, *values

    outputs = [page, view_link, link_notice, *(held.outputs if held else ())]
    pages.load(opened, [is_dark, browser_tab], outputs, js=ARRIVES, **QUIET)
    if button:
        pages.load(button._check_login_status, None, button, **QUIET)
