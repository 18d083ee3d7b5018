"""The whole page: header, tabs, deep links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.boards import Boards
from leaderboard.components import Notice, ViewLink
from leaderboard.judge_boards import JudgeBoards
from leaderboard.judges_screen import JudgesScreen
from leaderboard.links import BOARDS, TABS, PageState, Tab, parsed, view_link_value
from leaderboard.notices import notice
from leaderboard.queue_screen import QueueScreen
from leaderboard.region import QUIET
from leaderboard.robustness_screen import RobustnessScreen
from leaderboard.services import Services
from leaderboard.tabs.about import about_tab
from leaderboard.tabs.judges import judges_tab
from leaderboard.tabs.queue import queue_tab
from leaderboard.tabs.robustness import robustness_tab
from leaderboard.tabs.submit import submit_tab

TAB_LABELS: dict[Tab, str] = {
    "robustness": "Robustness",
    "judges": "Judges",
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


def build(services: Services) -> gr.Blocks:
    """The page as gradio blocks; theme, css and head are given at launch (`leaderboard.theme`)."""
    boards = Boards(services.store)
    judge_boards = JudgeBoards(services.store, boards)
    screen = RobustnessScreen(services, boards, judge_boards)
    judges_screen = JudgesScreen(judge_boards)
    pages = gr.Blocks(title="Plumbline", fill_width=True, analytics_enabled=False)
    with pages:
        page = gr.State(PageState())
        view_link = ViewLink(elem_id="view-link", render=False)
        gr.HTML(_MASTHEAD, apply_default_css=False)
        link_notice = Notice(elem_id="link-notice")
        with gr.Tabs(elem_id="tabs", overflow_behavior="wrap") as tabs:
            with gr.Tab(TAB_LABELS["robustness"], id="robustness", render_children=True):
                robustness = robustness_tab(screen, boards, page, view_link)
            with gr.Tab(TAB_LABELS["judges"], id="judges", render_children=True):
                judges = judges_tab(judges_screen, boards, page, view_link)
            with gr.Tab(TAB_LABELS["submit"], id="submit", render_children=True):
                submit_tab(services)
            with gr.Tab(TAB_LABELS["queue"], id="queue", render_children=True):
                queue = queue_tab(QueueScreen(services), page, view_link)
            with gr.Tab(TAB_LABELS["about"], id="about", render_children=True):
                about_tab(services)
        view_link.render()  # type: ignore[no-untyped-call]
        regions = (robustness.region, judges.region, queue.region)
        timers = (robustness.timer, judges.timer, queue.timer)

        def drawn(state: PageState) -> tuple[Any, ...]:
            ticking = (gr.Timer(active=state.tab == tab) for tab in (*BOARDS, "queue"))
            return (*ticking, *(value for region in regions for value in region.drawn(state)))

        def restore(is_dark: bool, request: gr.Request) -> tuple[Any, ...]:
            link = parsed(dict(request.query_params), tuple(services.sets()), judges_screen.benchmark_ids())
            state = replace(judges_screen.completed(screen.completed(link.state)), is_dark=is_dark)
            said = notice("warning", "Part of the link was ignored.", *link.notes) if link.notes else None
            return (state, view_link_value(state), said, gr.Tabs(selected=state.tab), *drawn(state))

        def switch(state: PageState, event: gr.SelectData) -> tuple[Any, ...]:
            chosen = next((tab for tab in TABS if TAB_LABELS[tab] == event.value), state.tab)
            changed = replace(state, tab=chosen)
            return (changed, view_link_value(changed), *drawn(changed))

        shown = [*timers, *(output for region in regions for output in region.outputs)]
        is_dark = gr.Checkbox(visible=False)
        pages.load(restore, is_dark, [page, view_link, link_notice, tabs, *shown], js=IS_DARK, **QUIET)
        tabs.select(switch, page, [page, view_link, *shown], **QUIET)
    return pages
