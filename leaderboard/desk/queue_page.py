"""The queue: what waits, what runs, what ended and why; and one submission's ticket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gradio as gr

from leaderboard.desk.components import QueueTable, StatusLine
from leaderboard.desk.queue_screen import JudgeAgain, QueueScreen, opened_ticket, turned_to
from leaderboard.desk.ticket_decisions import ASKED, OrganiserAct, OwnerAct
from leaderboard.page.frame import ViewLink
from leaderboard.page.identity import current_request
from leaderboard.page.links import view_link_value
from leaderboard.page.region import QUIET, LivePage, Region
from leaderboard.page.state import QueueState
from leaderboard.parts.components import Notice, Table, TicketView
from leaderboard.parts.notices import NoticeValue
from submissions.store.decisions import MOST_REASON

REFRESH_S = 2.0
"""How often an open queue is drawn anew."""


OWNER_BUTTONS: dict[OwnerAct, str] = {
    "cancel": "Cancel",
    "withdraw": "Withdraw…",
    "rerun": "Judge again",
    "primary": "Use this run for my rank",
    "latest": "Use the latest run for my rank",
    "erase": "Erase its answers…",
    "keep_answers": "Keep our answers out of exports",
    "share_answers": "Let our answers into exports",
}
ORGANISER_BUTTONS: dict[OrganiserAct, str] = {
    "pause": "Pause the queue",
    "resume": "Resume the queue",
    "hide": "Hide from the boards",
    "show": "Show on the boards again",
    "rerun": "Judge again",
    "primary": "Use this run for its rank",
    "latest": "Use the latest run for its rank",
    "erase": "Erase its answers permanently",
}


SHOWS_QUESTION = """() => {
  const show = () => document.getElementById('ticket-confirm')?.scrollIntoView({block: 'nearest'});
  requestAnimationFrame(() => requestAnimationFrame(show));
}"""
"""The question may be below what the window shows."""


def queue_page(screen: QueueScreen, page: gr.State, link: ViewLink) -> LivePage[QueueState]:
    """The page's components and wiring; `page` holds the state of the page, `link` shows it."""
    pause_notice = Notice(elem_id="pause-notice")
    with gr.Column(visible=False, elem_id="ticket-view") as ticket_column:
        to_queue = gr.Button("← Whole queue", elem_id="to-queue", size="sm", scale=0, min_width=140)
        ticket_notice = Notice(elem_id="ticket-notice")
        ticket = TicketView(elem_id="ticket")
        with gr.Row(visible=False, elem_id="judge-again") as again_row:
            # What was chosen is judged when it is sent: a run that was judged anew meanwhile may have other cells.
            cell = gr.Dropdown(
                [],
                value="",
                label="Request re-scoring",
                elem_id="rejudge-cell",
                allow_custom_value=True,
                min_width=240,
            )
            why = gr.Textbox(
                "", label="Reason (public)", elem_id="rejudge-reason", max_length=MOST_REASON, min_width=240
            )
        with gr.Row(elem_id="ticket-acts"):
            own = {act: _act_button(act, label) for act, label in OWNER_BUTTONS.items()}
        # What is asked stands above the button that answers it, both next to the button that asked.
        act_notice = Notice(elem_id="act-notice")
        with gr.Row(elem_id="ticket-confirm"):
            confirm = gr.Button(
                "Yes, withdraw permanently",
                variant="stop", elem_id="confirm-withdraw", size="sm", scale=0, min_width=260, visible=False,
            )  # fmt: skip
            confirm_erasure = gr.Button(
                "Yes, erase permanently",
                variant="stop", elem_id="confirm-erase", size="sm", scale=0, min_width=260, visible=False,
            )  # fmt: skip
    with gr.Column(elem_id="queue-view") as queue_column:
        worker_line = StatusLine(elem_id="worker-line")
        tickets = QueueTable(elem_id="tickets")
        with gr.Row(elem_id="queue-tables"):
            states = Table(elem_id="states")
            workers = Table(elem_id="workers")
    with gr.Column(visible=False, elem_id="organisers") as organisers:
        gr.Markdown("### Organiser\nWhat you do here is logged below with your account, for everybody to read.")
        reason = gr.Textbox("", label="Reason (public)", elem_id="act-reason", max_length=MOST_REASON)
        with gr.Row(elem_id="organiser-acts"):
            organising = {act: _act_button(f"organiser-{act}", label) for act, label in ORGANISER_BUTTONS.items()}
        organiser_notice = Notice(elem_id="organiser-notice")
    acts = Table(elem_id="acts")

    def draw(state: QueueState) -> tuple[Any, ...]:
        is_open = bool(state.ticket)
        opened = screen.opened(state, screen.visitor(current_request()))
        return (
            screen.pause_notice(),
            gr.update(visible=is_open),
            opened.notice,
            opened.value,
            *(gr.update(visible=act in opened.owner_acts) for act in own),
            *_again_values(opened.again),
            gr.update(visible=not is_open),
            None if is_open else screen.worker_line(),
            screen.tickets_table(state),
            None if is_open else screen.states_table(),
            None if is_open else screen.workers_table(),
            gr.update(visible=bool(opened.organiser_acts)),
            *(gr.update(visible=act in opened.organiser_acts) for act in organising),
            screen.acts_table(state),
        )

    ticket_outputs = [pause_notice, ticket_column, ticket_notice, ticket, *own.values(), again_row, cell, why]
    queue_outputs = [queue_column, worker_line, tickets, states, workers]
    outputs = [*ticket_outputs, *queue_outputs, organisers, *organising.values(), acts]
    region = Region(page, link, outputs, draw)

    def by_owner(act: OwnerAct) -> Callable[[QueueState, str, str, gr.Request], tuple[Any, ...]]:
        def done(state: QueueState, chosen: str, reason: str, request: gr.Request) -> tuple[Any, ...]:
            said = screen.acts.by_owner(act, state.ticket, screen.visitor(request), cell=chosen, reason=reason)
            hidden = gr.update(visible=False)
            return hidden, hidden, said, view_link_value(state), *region.drawn(state)

        return done

    def by_organiser(act: OrganiserAct) -> Callable[[QueueState, str, str, gr.Request], tuple[Any, ...]]:
        def done(state: QueueState, reason: str, chosen: str, request: gr.Request) -> tuple[Any, ...]:
            said = screen.acts.by_organiser(act, state.ticket, screen.visitor(request), reason, cell=chosen)
            return said, "" if said["kind"] == "good" else gr.skip(), view_link_value(state), *region.drawn(state)

        return done

    def ticked(state: QueueState, offered: str) -> tuple[Any, ...]:
        # Drawing a list anew closes it under the hand of whoever chooses.
        offer = screen.offer(state)
        values = list(region.drawn(state, keep=[cell] if offer == offered else []))
        if offered and offer != offered:
            # What was chosen was of the run as it stood; an update while the list is hidden does not arrive.
            values[outputs.index(cell)] |= {"value": ""}
        return offer, view_link_value(state), *values

    region.on_event(tickets.open, "row", opened_ticket)
    region.on_event(tickets.turn, "page", turned_to)
    region.on_click(to_queue.click, lambda state: replace(state, ticket=""))
    # Whichever way a ticket is left: what was asked of it is not asked of another.
    for leaves in (to_queue.click, tickets.open, link.revisited):
        leaves(
            lambda: (gr.update(visible=False), gr.update(visible=False), None, None, "", ""),
            None,
            [confirm, confirm_erasure, act_notice, organiser_notice, cell, why],
            **QUIET,
        )
    questions: tuple[tuple[OwnerAct, gr.Button], ...] = (("withdraw", confirm), ("erase", confirm_erasure))
    for asking, answer in questions:
        asked = own[asking].click(_asks(asking), None, [answer, act_notice], **QUIET)
        asked.then(None, None, None, js=SHOWS_QUESTION, **QUIET)
    for owner_act, button in (own | {"withdraw": confirm, "erase": confirm_erasure}).items():
        answered = [confirm, confirm_erasure, act_notice, link, *outputs]
        button.click(by_owner(owner_act), [page, cell, why], answered, **QUIET)
    for organiser_act, button in organising.items():
        button.click(
            by_organiser(organiser_act), [page, reason, cell], [organiser_notice, reason, link, *outputs], **QUIET
        )
    timer = gr.Timer(REFRESH_S, active=False)
    offered = gr.State("")
    timer.tick(ticked, [page, offered], [offered, link, *outputs], **QUIET)
    return LivePage(region, timer)


def _asks(act: OwnerAct) -> Callable[[], tuple[Any, NoticeValue]]:
    """Return what shows the button that does it for good, and what that means."""

    def asked() -> tuple[Any, NoticeValue]:
        return gr.update(visible=True), ASKED[act]

    return asked


def _again_values(again: JudgeAgain | None) -> tuple[Any, ...]:
    """Of the row, the list of cells, and the reason."""
    if again is None:
        return gr.update(visible=False), gr.update(choices=[], value=""), gr.update(visible=False)
    choices = gr.update(choices=list(again.choices), info=again.reason, interactive=not again.reason)
    return gr.update(visible=True), choices, gr.update(visible=again.asks_why)


def _act_button(name: str, label: str) -> gr.Button:
    # gradio makes a button as wide as it is told, whatever it says.
    return gr.Button(label, elem_id=name, size="sm", scale=0, min_width=max(120, 9 * len(label)), visible=False)
