"""What the Queue tab shows of a page state; no components, so that it is tested without a browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from leaderboard.columns import QUEUE_COLUMNS, STATE_COLUMNS, WORKER_COLUMNS
from leaderboard.links import PageState
from leaderboard.notices import NoticeValue, notice
from leaderboard.queue_rows import queue_rows, state_rows, worker_rows
from leaderboard.services import Services
from leaderboard.tables import TableValue, table_value
from leaderboard.ticket_values import TicketValue, ticket_value
from submissions.queue import JobStatus, NotYours, Ticket
from submissions.store import StoreError


class QueueScreen:
    """Page state -> values of the tab's components."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def states_table(self) -> TableValue:
        """Every state with its sentence and count."""
        return table_value(
            state_rows(self._services.store.counts()), STATE_COLUMNS, caption="States", empty="", opens=False
        )

    def workers_table(self) -> TableValue:
        """Who is judging."""
        return table_value(
            worker_rows(self._services.store.workers()),
            WORKER_COLUMNS,
            caption="Workers",
            empty="No worker is running: submissions wait until one is started.",
            opens=False,
        )

    def tickets_table(self, state: PageState) -> TableValue | None:
        """Every submission, the open ones first; None behind an opened ticket."""
        if state.ticket:
            return None
        tickets = self._services.store.tickets()
        waiting_first = sorted(tickets, key=lambda ticket: (not ticket.status.is_open, ticket.position or 0))
        return table_value(
            queue_rows(waiting_first, self._services.set_titles()),
            QUEUE_COLUMNS,
            caption="Submissions: open one to see its ticket",
            empty="Nothing has been submitted yet. Use the Submit tab.",
            page=state.queue_page,
        )

    def ticket(self, state: PageState) -> Ticket | None:
        """The opened ticket; None when none is open or it is unknown."""
        return self._services.store.ticket(state.ticket) if state.ticket else None

    def ticket_value(self, state: PageState) -> TicketValue | None:
        """The opened ticket, ready for the page."""
        ticket = self.ticket(state)
        return ticket_value(ticket, self._services.set_titles().get(ticket.set_id, ticket.set_id)) if ticket else None

    def ticket_notice(self, state: PageState) -> NoticeValue | None:
        """Says that the opened ticket is unknown; None when there is nothing to say."""
        if not state.ticket or self.ticket(state) is not None:
            return None
        return notice("warning", f"No submission has the ticket {state.ticket}.", "Check the link for a typing error.")

    def may_cancel(self, state: PageState) -> bool:
        """Is this a visitor who may stop the opened ticket, and is there anything to stop?"""
        ticket = self._own_ticket(state)
        return ticket is not None and ticket.status.is_open

    def may_withdraw(self, state: PageState) -> bool:
        """Is this a visitor who may take the opened ticket's run off the boards?"""
        ticket = self._own_ticket(state)
        return ticket is not None and ticket.status is not JobStatus.WITHDRAWN

    def _own_ticket(self, state: PageState) -> Ticket | None:
        ticket = self.ticket(state)
        is_own = ticket is not None and ticket.owner == self._services.owner
        return ticket if is_own and self._services.visitors_may_end_runs else None

    def cancelled(self, state: PageState) -> NoticeValue:
        """Cancels the opened ticket and says how that went."""
        return self._done(lambda: self._services.desk.cancel(state.ticket, self._services.owner), "Cancelled.")

    def withdrawn(self, state: PageState) -> NoticeValue:
        """Withdraws the opened ticket and says how that went."""
        return self._done(
            lambda: self._services.desk.withdraw(state.ticket, self._services.owner), "Withdrawn; a tombstone stays."
        )

    def _done(self, act: Callable[[], None], said: str) -> NoticeValue:
        if not self._services.visitors_may_end_runs:
            return notice("bad", "Runs of this public installation can only be ended by its organisers.")
        try:
            act()
        except NotYours:
            return notice("bad", "Only the account that submitted this run can do that.")
        except StoreError as error:
            return notice("warning", str(error))
        return notice("good", said)


def opened_ticket(state: PageState, row: object) -> PageState:
    """A row of the queue."""
    return replace(state, ticket=row) if isinstance(row, str) else state


def turned_to(state: PageState, page: object) -> PageState:
    """A page of a long queue."""
    return replace(state, queue_page=page) if isinstance(page, int) and page > 0 else state
