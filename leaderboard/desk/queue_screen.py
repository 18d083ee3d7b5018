"""Values that the Queue page shows of its state; no components, so that it is tested without a browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, TypedDict

from leaderboard.desk.columns import QUEUE_COLUMNS, STATE_COLUMNS, WORKER_COLUMNS
from leaderboard.desk.decision_rows import ACT_COLUMNS, act_rows
from leaderboard.desk.queue_rows import QueueRow, queue_rows, state_rows, worker_line, worker_rows
from leaderboard.desk.run_titles import run_titles
from leaderboard.desk.ticket_decisions import OrganiserAct, OwnerAct, TicketActs
from leaderboard.desk.ticket_values import TicketValue, ticket_value
from leaderboard.page.identity import Visitor
from leaderboard.page.services import Services
from leaderboard.page.state import QueueState
from leaderboard.parts.notices import LineValue, NoticeValue, notice
from leaderboard.parts.tables import PAGE_ROWS, CellValue, HeadValue, TableValue, table_value
from leaderboard.parts.team_names import TeamNames
from leaderboard.parts.visible_text import visible
from submissions.seasons.review import ReviewLink, last_day
from submissions.store.cells import Cells, cells_of
from submissions.store.eta import MEASURED_RUNS, WaitEstimate, estimates
from submissions.store.queue import JobStatus, Ticket

if TYPE_CHECKING:
    import gradio as gr

SHOWN_ACTS = 30
"""The newest acts are shown; all of them are in the archive."""


class QueueCellValue(CellValue):
    """A cell of the queue; a bar shows how far a running submission is."""

    has_bar: bool
    judged: int
    to_judge: int


class QueueRowValue(TypedDict):
    """One submission."""

    id: str
    style: str
    cells: list[QueueCellValue]


class QueueTableValue(TypedDict):
    """One page of the queue (`components.QueueTable`)."""

    caption: str
    empty: str
    columns: list[HeadValue]
    rows: list[QueueRowValue]
    summary: str
    has_pages: bool
    previous: int
    next: int
    page: str


@dataclass(frozen=True, slots=True)
class JudgeAgain:
    """What of a scored run its visitor may have judged again."""

    choices: tuple[tuple[str, str], ...]
    """Label and cell; the first is chosen until somebody chooses: blank, for the whole run where they may."""
    reason: str
    """Why no cell is among them; blank where one is."""
    asks_why: bool
    """The visitor is its owner and has to give a reason."""


@dataclass(frozen=True, slots=True)
class OpenedTicket:
    """What the page shows of an opened ticket, and what its visitor may do with it."""

    value: TicketValue | None
    notice: NoticeValue | None
    """Says that the ticket is unknown."""
    owner_acts: frozenset[OwnerAct] = frozenset()
    """What its visitor may do with it as its owner."""
    organiser_acts: frozenset[OrganiserAct] = frozenset()
    """The same as an organiser; with the queue where no ticket is opened."""
    again: JudgeAgain | None = None
    """None where the run is not scored, or the visitor decides nothing about it."""


class QueueScreen:
    """Page state -> values of the page's components."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self.acts = TicketActs(services)
        self._teams = TeamNames(services.store)
        # An opened ticket is drawn every few seconds, and a result is large.
        self._cells = lru_cache(maxsize=32)(self._read_cells)

    def visitor(self, request: gr.Request | None) -> Visitor | None:
        """Who makes the request; None where that is not known."""
        return self._services.identity.visitor(request)

    def pause_notice(self) -> NoticeValue | None:
        """That the queue is paused, by whom and why; None while it is not."""
        pause = self._services.store.pause()
        if pause is None:
            return None
        return notice(
            "warning",
            f"The queue is paused since {pause.at:%Y-%m-%d %H:%M} UTC: new runs are accepted, and none is started.",
            f"{visible(pause.who)}: {visible(pause.reason)}",
        )

    def acts_table(self, state: QueueState) -> TableValue | None:
        """What organisers and owners decided, for everybody; of the opened ticket alone where one is."""
        store = self._services.store
        decided = store.acts(about=state.ticket or None, newest=SHOWN_ACTS)
        if not decided:
            return None
        rows = act_rows(decided, store.tickets_of([act.subject for act in decided]))
        return table_value(rows, ACT_COLUMNS, caption="What was decided, and why", empty="", opens=False)

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

    def worker_line(self) -> LineValue:
        """The same in a line."""
        return {"text": worker_line(self._services.store.workers())}

    def tickets_table(self, state: QueueState) -> QueueTableValue | None:
        """One page of all submissions, the open ones first; None behind an opened ticket."""
        if state.ticket:
            return None
        store = self._services.store
        open_tickets, total = store.open_tickets(), sum(store.counts().values())
        pages = max(1, ceil(total / PAGE_ROWS))
        page = min(max(state.queue_page, 1), pages)
        first = (page - 1) * PAGE_ROWS
        shown = open_tickets[first : first + PAGE_ROWS]
        shown += store.ended_tickets(max(0, first - len(open_tickets)), PAGE_ROWS - len(shown))
        rows = queue_rows(
            shown,
            run_titles(self._services),
            self._waits(open_tickets),
            self._teams.shown(shown),
        )
        table = table_value(
            rows,
            QUEUE_COLUMNS,
            caption="Submissions: open one to see its ticket",
            empty="Nothing has been submitted yet. Use the Submit tab.",
        )
        return {
            "caption": table["caption"],
            "empty": table["empty"],
            "columns": table["columns"],
            "rows": [
                {
                    "id": written["id"],
                    "style": written["style"],
                    "cells": [_with_bar(cell, row) for cell in written["cells"]],
                }
                for written, row in zip(table["rows"], rows, strict=True)
            ],
            "summary": f"Rows {first + 1} to {first + len(rows)} of {total}" if pages > 1 else table["summary"],
            "has_pages": pages > 1,
            "previous": page - 1,
            "next": page + 1 if page < pages else 0,
            "page": f"Page {page} of {pages}",
        }

    def opened(self, state: QueueState, visitor: Visitor | None) -> OpenedTicket:
        """The opened ticket, and what the visitor may do; None where none is open or it is unknown."""
        ticket = self._services.store.ticket(state.ticket) if state.ticket else None
        if ticket is None:
            acts = frozenset[OrganiserAct]() if state.ticket else self.acts.of_organiser(None, visitor)
            return OpenedTicket(None, self._unknown(state), organiser_acts=acts)
        title = run_titles(self._services).get(ticket.set_id, ticket.set_id)
        wait = self._waits(self._services.store.open_tickets()).get(ticket.id) if ticket.status.is_open else None
        again = self._again(ticket, visitor)
        return OpenedTicket(
            ticket_value(ticket, title, wait, self._services.store.attempts(ticket.id), self._review(ticket, visitor)),
            None,
            self.acts.of_owner(ticket, visitor, has_cells=again is not None and not again.reason),
            self.acts.of_organiser(ticket, visitor),
            again,
        )

    def offer(self, state: QueueState) -> str:
        """Names what can be judged again, so that a choice under way is left alone while that stays the same."""
        ticket = next(iter(self._services.store.tickets_of([state.ticket]).values()), None)
        return f"{ticket.id} {ticket.status} {ticket.status_at.timestamp()}" if ticket else ""

    def _again(self, ticket: Ticket, visitor: Visitor | None) -> JudgeAgain | None:
        is_owner = visitor is not None and visitor.owner == ticket.owner
        is_organiser = self._services.identity.is_organiser(visitor)
        if ticket.status is not JobStatus.SCORED or not (is_owner or is_organiser):
            return None
        cells = self._cells(ticket.id, ticket.status_at)
        of_owner = "not offered" if cells.reason else "choose a cell"
        first = "the whole run" if is_organiser else of_owner
        choices = ((first, ""), *((visible(cell), cell) for cell in cells.keys))
        reason = f"One cell alone: {cells.reason}." if cells.reason else ""
        return JudgeAgain(choices, reason, asks_why=is_owner and not cells.reason)

    def _review(self, ticket: Ticket, visitor: Visitor | None) -> ReviewLink | None:
        """The link that the visitor may hand to reviewers: organisers of any scored run, a team once its score is
        public, for until then it is not to see it either. Where nobody signs in, every visitor would be the team: there
        the command makes the link."""
        identity = self._services.identity
        is_owner = visitor is not None and visitor.owner == ticket.owner and ticket.is_on_boards and identity.is_public
        is_organiser = identity.is_organiser(visitor)
        is_scored = ticket.status is JobStatus.SCORED and ticket.hidden is None
        key = self._services.settings.pseudonym_key
        if not (key and is_scored and (is_owner or is_organiser)):
            return None
        return ReviewLink.made(key, ticket.id, last_day(self._services.desk.clock()))

    def _read_cells(self, ticket_id: str, scored_at: datetime) -> Cells:
        """Of the result that a run has had since then."""
        return cells_of(self._services.store.result(ticket_id) or "{}")

    def _unknown(self, state: QueueState) -> NoticeValue | None:
        if not state.ticket:
            return None
        return notice("warning", f"No submission has the ticket {state.ticket}.", "Check the link for a typing error.")

    def _waits(self, open_tickets: Sequence[Ticket]) -> dict[str, WaitEstimate]:
        """When each open submission will be scored."""
        if not open_tickets:
            return {}
        store = self._services.store
        return estimates(open_tickets, store.workers(), store.finished_runs(MEASURED_RUNS))


def _with_bar(cell: CellValue, row: QueueRow) -> QueueCellValue:
    """The cell with a bar where it says how far a running submission is."""
    progress = row.progress
    has_bar = "column-progress" in cell["style"] and row.status == JobStatus.RUNNING and progress is not None
    judged, to_judge = (progress.answered, progress.expected or 1) if progress else (0, 1)
    return {**cell, "has_bar": has_bar, "judged": judged, "to_judge": to_judge}


def opened_ticket(state: QueueState, row: object) -> QueueState:
    """A row of the queue."""
    return replace(state, ticket=row) if isinstance(row, str) else state


def turned_to(state: QueueState, page: object) -> QueueState:
    """A page of a long queue."""
    return replace(state, queue_page=page) if isinstance(page, int) and page > 0 else state
