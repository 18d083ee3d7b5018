"""The boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from datetime import datetime
from threading import Lock

from evaluator.results import RobustnessResult, View
from leaderboard.robustness_rows import BoardRow, ScoredTicket, attempt_counts, board_rows, latest_scored
from submissions.personalized import SET_ID as PERSONALIZATION
from submissions.queue import JobStatus, Ticket
from submissions.store import Store
from submissions.verdict_submission import is_verdict_set


class Boards:
    """Rows of the Robustness board by prompt set and view, kept until the store's change marker moves."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._marker: int | None = None
        self._tickets: list[Ticket] = []
        self._rows: dict[tuple[str, View], tuple[BoardRow, ...]] = {}
        self._results: dict[tuple[str, datetime], RobustnessResult] = {}

    def marker(self) -> int:
        """Changes whenever a board or a ticket may have changed."""
        return self._store.change_marker()

    def rows(self, set_id: str, view: View) -> tuple[BoardRow, ...]:
        """The rows of one prompt set in one view, in no particular order."""
        with self._lock:
            self._renew()
            key = (set_id, view)
            if key not in self._rows:
                self._rows[key] = self._computed(set_id, view)
            return self._rows[key]

    def scored(self) -> dict[str, list[ScoredTicket]]:
        """The latest scored run of every system with its result, without its items, by prompt set."""
        with self._lock:
            self._renew()
            sets = dict.fromkeys(ticket.set_id for ticket in self._tickets if _has_prompts(ticket.set_id))
            return {set_id: self._scored(set_id) for set_id in sets}

    def tickets(self) -> list[Ticket]:
        """Every submission, newest first."""
        with self._lock:
            self._renew()
            return list(self._tickets)

    def run(self, ticket_id: str) -> ScoredTicket | None:
        """A scored run of a prompt set, be it the latest of its system or not, without its items; None for others."""
        with self._lock:
            self._renew()
            ticket = next((ticket for ticket in self._tickets if ticket.id == ticket_id), None)
            if ticket is None or ticket.status is not JobStatus.SCORED or not _has_prompts(ticket.set_id):
                return None
            result = self._result(ticket)
            return ScoredTicket(ticket, result) if result else None

    def _renew(self) -> None:
        marker = self._store.change_marker()
        if marker != self._marker:
            self._tickets = self._store.tickets()
            self._rows = {}
            self._marker = marker

    def _computed(self, set_id: str, view: View) -> tuple[BoardRow, ...]:
        tickets = [ticket for ticket in self._tickets if ticket.set_id == set_id]
        return board_rows(self._scored(set_id), attempt_counts(tickets), view)

    def _scored(self, set_id: str) -> list[ScoredTicket]:
        tickets = latest_scored([ticket for ticket in self._tickets if ticket.set_id == set_id])
        read = ((ticket, self._result(ticket)) for ticket in tickets)
        return [ScoredTicket(ticket, result) for ticket, result in read if result is not None]

    def _result(self, ticket: Ticket) -> RobustnessResult | None:
        """The result without its items, which only the item pages need; None when it was withdrawn meanwhile."""
        key = (ticket.id, ticket.status_at)
        if key not in self._results:
            text = self._store.result(ticket.id)
            if text is None:
                return None
            self._results[key] = RobustnessResult.model_validate_json(text).model_copy(update={"items": ()})
        return self._results[key]


def _has_prompts(set_id: str) -> bool:
    """Is it a prompt set, not what verdict tables or personalized answers are entered under?"""
    return set_id != PERSONALIZATION and not is_verdict_set(set_id)
