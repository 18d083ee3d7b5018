"""The queue: what waits, what runs, what ended and why; and one submission's ticket."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gradio as gr

from leaderboard.components import Notice, Table, TicketView, ViewLink
from leaderboard.desk_components import QueueTable, StatusLine
from leaderboard.links import PageState
from leaderboard.queue_screen import QueueScreen, opened_ticket, turned_to
from leaderboard.region import QUIET, Region

REFRESH_S = 2.0
"""How often an open queue is drawn anew."""


@dataclass(frozen=True, slots=True)
class QueueTab:
    """What the page needs of the tab."""

    region: Region
    timer: gr.Timer


def queue_tab(screen: QueueScreen, page: gr.State, link: ViewLink) -> QueueTab:
    """The tab's components and wiring; `page` holds the state of the page, `link` shows it."""
    with gr.Column(visible=False, elem_id="ticket-view") as ticket_column:
        to_queue = gr.Button("← Whole queue", elem_id="to-queue", size="sm", scale=0, min_width=140)
        ticket_notice = Notice(elem_id="ticket-notice")
        ticket = TicketView(elem_id="ticket")
        with gr.Row():
            cancel = gr.Button("Cancel", elem_id="cancel", size="sm", scale=0, min_width=120)
            withdraw = gr.Button("Withdraw…", elem_id="withdraw", size="sm", scale=0, min_width=120)
            confirm = gr.Button(
                "Yes, take it off the board for good",
                variant="stop", elem_id="confirm-withdraw", size="sm", scale=0, min_width=260, visible=False,
            )  # fmt: skip
        act_notice = Notice(elem_id="act-notice")
    with gr.Column(elem_id="queue-view") as queue_column:
        worker_line = StatusLine(elem_id="worker-line")
        tickets = QueueTable(elem_id="tickets")
        with gr.Row(elem_id="queue-tables"):
            states = Table(elem_id="states")
            workers = Table(elem_id="workers")

    def draw(state: PageState) -> tuple[Any, ...]:
        is_open = bool(state.ticket)
        opened = screen.opened(state)
        return (
            gr.update(visible=is_open),
            opened.notice,
            opened.value,
            gr.update(visible=opened.may_cancel),
            gr.update(visible=opened.may_withdraw),
            gr.update(visible=not is_open),
            None if is_open else screen.worker_line(),
            screen.tickets_table(state),
            None if is_open else screen.states_table(),
            None if is_open else screen.workers_table(),
        )

    ticket_outputs = [ticket_column, ticket_notice, ticket, cancel, withdraw]
    outputs = [*ticket_outputs, queue_column, worker_line, tickets, states, workers]
    region = Region(page, link, outputs, draw)

    def act_cancel(state: PageState) -> tuple[Any, ...]:
        return screen.cancelled(state), *region.drawn(state)

    def act_withdraw(state: PageState) -> tuple[Any, ...]:
        said = screen.withdrawn(state)
        return gr.update(visible=False), said, *region.drawn(state)

    region.on_event(tickets.open, "row", opened_ticket)
    region.on_event(tickets.turn, "page", turned_to)
    region.on_click(to_queue.click, lambda state: replace(state, ticket=""))
    to_queue.click(lambda: (gr.update(visible=False), None), None, [confirm, act_notice], **QUIET)
    cancel.click(act_cancel, page, [act_notice, *outputs], **QUIET)
    withdraw.click(lambda: gr.update(visible=True), None, confirm, **QUIET)
    confirm.click(act_withdraw, page, [confirm, act_notice, *outputs], **QUIET)
    timer = gr.Timer(REFRESH_S, active=False)
    timer.tick(region.drawn, page, outputs, **QUIET)
    return QueueTab(region, timer)
