"""The whole page: header, tabs, deep links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.api import ENDPOINTS, PublicApi, expose
from leaderboard.atlas_screen import AtlasScreen
from leaderboard.behavior_boards import BehaviorBoards
from leaderboard.behavior_screen import BehaviorScreen
from leaderboard.boards import Boards
from leaderboard.choices_screen import ChoicesScreen
from leaderboard.components import Notice, ViewLink
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
from leaderboard.links import TABS, PageState, Tab, view_link_value
from leaderboard.notices import notice
from leaderboard.overview_screen import OverviewScreen
from leaderboard.pages import Pages
from leaderboard.personalization_boards import PersonalizationBoards
from leaderboard.personalization_screen import PersonalizationScreen
from leaderboard.queue_screen import QueueScreen
from leaderboard.region import QUIET, LiveTab
from leaderboard.robustness_screen import RobustnessScreen
from leaderboard.services import Services
from leaderboard.system_screen import SystemScreen
from leaderboard.tabs.about import about_tab
from leaderboard.tabs.behavior import behavior_tab
from leaderboard.tabs.evaluators import evaluators_tab
from leaderboard.tabs.judges import judges_tab
from leaderboard.tabs.lab import lab_tab
from leaderboard.tabs.overview import overview_tab
from leaderboard.tabs.personalization import personalization_tab
from leaderboard.tabs.queue import queue_tab
from leaderboard.tabs.robustness import robustness_tab
from leaderboard.tabs.submit import submit_tab
from submissions.questionsets import demonstration

TAB_LABELS: dict[Tab, str] = {
    "overview": "Overview",
    "robustness": "Robustness",
    "consistency": "Robustness",
    "cultural": "Robustness",
    "judges": "Judges",
    "personalization": "Personalization",
    "personalized_ratings": "Evaluators",
    "personalized_pairs": "Evaluators",
    "behavior": "Recommenders",
    "lab": "Preference lab",
    "submit": "Submit",
    "queue": "Queue",
    "about": "About",
}
IS_DARK = "() => document.body.classList.contains('dark')"
"""gradio decides in the browser; charts are drawn on the server and have to be told."""

_MASTHEAD = """
<header class="masthead">
<svg viewBox="0 0 26 46" aria-hidden="true"><path d="M13 0v22" stroke="currentColor" stroke-width="2"/>
<path d="M6 22h14l2 6-9 18-9-18z" fill="currentColor"/></svg>
<div><h1>Plumbline</h1>
<p>Does a language model say the same thing when only the style of the question changes? Does its judge hold still?</p>
</div>
</header>
"""


def shown_in(tab: Tab) -> Tab:
    """The tab of the page that shows it: both boards of evaluators share one, and so do the editions.

    >>> shown_in("personalized_pairs"), shown_in("cultural"), shown_in("judges")
    ('personalized_ratings', 'robustness', 'judges')
    """
    return next(known for known in TABS if TAB_LABELS[known] == TAB_LABELS[tab])


def build(services: Services) -> Pages:
    """The page and its public endpoints as gradio blocks; theme, css and head are given at launch."""
    boards = Boards(services.store)
    judge_boards = JudgeBoards(services.store, boards)
    qualities = JudgeQualities(services.store)
    screen = RobustnessScreen(services, boards, judge_boards, qualities)
    judges_screen = JudgesScreen(judge_boards, qualities)
    personalization_boards = PersonalizationBoards(services.store)
    personalization_screen = PersonalizationScreen(services, personalization_boards, judge_boards, qualities)
    behavior_boards = BehaviorBoards(services.store, services.settings.collection_names)
    behavior_screen = BehaviorScreen(services, behavior_boards)
    evaluators_boards = EvaluatorsBoards(services.store)
    evaluators_screen = EvaluatorsScreen(services, evaluators_boards, judge_boards, qualities)
    edition_boards = EditionBoards(services.store)
    editions_screen = EditionsScreen(services, edition_boards)
    questions_screen = EditionItemsScreen(services, editions_screen, judge_boards, qualities)
    atlas_screen = AtlasScreen(boards, screen, edition_boards, editions_screen)
    choices_screen = ChoicesScreen(services, boards, screen)
    links = LinkReader(
        services,
        screen,
        judges_screen,
        personalization_screen,
        behavior_screen,
        evaluators_screen,
        editions_screen,
    )
    overview_screen = OverviewScreen(services, boards, tuple(links.tables.values()), qualities)
    system_screen = SystemScreen(
        services, boards, judge_boards, personalization_boards, behavior_boards, evaluators_boards
    )
    lab_screen = LabScreen(
        services.lab,
        Catalogue(demonstration(), services.desk.prompt_sets),
        judge_boards.report_of,
        is_rated=may_rate(services.settings.judge_names),
        judge_name=next(iter(services.settings.judge_names), ""),
        people_of=qualities.checked_by_people,
    )
    pages = Pages(title="Plumbline", fill_width=True)
    with pages:
        expose(PublicApi(services, links, screen))  # first, so that no event of the page takes one of their names
        page = gr.State(PageState())
        view_link = ViewLink(elem_id="view-link", render=False)
        with gr.Row(elem_id="top"):
            gr.HTML(_MASTHEAD, apply_default_css=False)
            if services.identity.signs_in:
                gr.LoginButton(logout_value="Sign out ({})", elem_id="sign-in", size="sm", scale=0, min_width=220)
        link_notice = Notice(elem_id="link-notice")
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:
            with gr.Tab(TAB_LABELS["overview"], id="overview", render_children=True):
                overview = overview_tab(overview_screen, page, view_link)
            with gr.Tab(TAB_LABELS["robustness"], id="robustness", render_children=True):
                robustness = robustness_tab(
                    screen,
                    system_screen,
                    editions_screen,
                    questions_screen,
                    atlas_screen,
                    choices_screen,
                    boards,
                    page,
                    view_link,
                )
            with gr.Tab(TAB_LABELS["judges"], id="judges", render_children=True):
                judges = judges_tab(judges_screen, boards, page, view_link)
            with gr.Tab(TAB_LABELS["personalization"], id="personalization", render_children=True):
                personalization = personalization_tab(personalization_screen, boards, page, view_link)
            with gr.Tab(TAB_LABELS["personalized_ratings"], id="personalized_ratings", render_children=True):
                evaluators = evaluators_tab(evaluators_screen, boards, page, view_link)
            with gr.Tab(TAB_LABELS["behavior"], id="behavior", render_children=True):
                behavior = behavior_tab(behavior_screen, boards, page, view_link)
            with gr.Tab(TAB_LABELS["lab"], id="lab", render_children=True):
                lab = lab_tab(lab_screen, page, view_link)
            with gr.Tab(TAB_LABELS["submit"], id="submit", render_children=True):
                submit_tab(services)
            with gr.Tab(TAB_LABELS["queue"], id="queue", render_children=True):
                queue = queue_tab(QueueScreen(services), page, view_link)
            with gr.Tab(TAB_LABELS["about"], id="about", render_children=True):
                about_tab(services)
        view_link.render()  # type: ignore[no-untyped-call]
        live: dict[Tab, LiveTab] = {
            "overview": overview,
            "robustness": robustness,
            "judges": judges,
            "personalization": personalization,
            "personalized_ratings": evaluators,
            "behavior": behavior,
            "queue": queue,
        }

        def drawn(state: PageState) -> tuple[Any, ...]:
            opened = shown_in(state.tab)
            return tuple(value for key, tab in live.items() for value in tab.values(state, is_open=opened == key))

        def restore(is_dark: bool, request: gr.Request) -> tuple[Any, ...]:
            query = dict(request.query_params)
            link = links.read(query)
            state = replace(link.state, is_dark=is_dark, lab=lab.link(query))
            said = notice("warning", "Part of the link was ignored.", *link.notes) if link.notes else None
            return (
                state,
                view_link_value(state),
                said,
                # A bare link opens the first tab anyway; meanwhile somebody may have chosen another.
                gr.skip() if state.tab == "overview" else gr.Tabs(selected=shown_in(state.tab)),
                *lab.restored(query),
                *drawn(state),
            )

        def switch(state: PageState, event: gr.SelectData) -> tuple[Any, ...]:
            # A tab that shows two boards goes on with the one it showed.
            known = (state.tab, *TABS)
            chosen = next((tab for tab in known if TAB_LABELS[tab] == event.value), state.tab)
            changed = replace(state, tab=chosen)
            return (changed, view_link_value(changed), *drawn(changed))

        shown = [output for tab in live.values() for output in tab.outputs]
        is_dark = gr.Checkbox(visible=False)
        pages.load(restore, is_dark, [page, view_link, link_notice, tabs, *lab.outputs, *shown], js=IS_DARK, **QUIET)
        tabs.select(switch, page, [page, view_link, *shown], **QUIET)
    for function in pages.fns.values():
        # gradio's own button to sign in asks for its label with a public event.
        if function.api_name not in ENDPOINTS:
            function.api_visibility = "private"
    return pages
