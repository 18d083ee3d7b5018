"""The 2025 and 2026 boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from datetime import datetime
from threading import Lock

from evaluator.eloquent_results import ConsistencyResult, CulturalResult
from leaderboard.edition_rows import (
    EDITION_BOARDS,
    SET_OF_BOARD,
    EditionBoard,
    EditionRow,
    ScoredRun,
    attempts_of,
    edition_rows,
    latest_runs,
)
from leaderboard.team_names import TeamNames
from submissions.queue import Ticket
from submissions.store import Store

_BOARD_OF_SET = {set_id: board for board, set_id in SET_OF_BOARD.items()}


class EditionBoards:
    """Rows by board, kept until the store's change marker moves."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._teams = TeamNames(store)
        self._lock = Lock()
        self._marker: int | None = None
        self._tickets: dict[EditionBoard, list[Ticket]] = {board: [] for board in EDITION_BOARDS}
        self._rows: dict[EditionBoard, tuple[EditionRow, ...]] = {}
        self._results: dict[tuple[str, datetime], ConsistencyResult | CulturalResult] = {}

    def marker(self) -> int:
        """Changes whenever a board may have changed."""
        return self._store.change_marker()

    def rows(self, board: EditionBoard) -> tuple[EditionRow, ...]:
        """The rows of a board, in no particular order."""
        with self._lock:
            self._renew()
            if board not in self._rows:
                self._rows[board] = self._computed(board)
            return self._rows[board]

    def run(self, ticket_id: str) -> ScoredRun | None:
        """A scored run with everything in it; None for a ticket without one."""
        ticket = self._store.ticket(ticket_id) if ticket_id else None
        if ticket is None or not ticket.is_on_boards or ticket.set_id not in _BOARD_OF_SET:
            return None
        text = self._store.result(ticket.id)
        return ScoredRun(ticket, _parsed(_BOARD_OF_SET[ticket.set_id], text)) if text else None

    def _renew(self) -> None:
        marker = self._store.change_marker()
        if marker != self._marker:
            tickets = self._store.tickets()
            self._tickets = {
                board: [one for one in tickets if one.set_id == set_id] for board, set_id in SET_OF_BOARD.items()
            }
            known = {(one.id, one.status_at) for of_board in self._tickets.values() for one in of_board}
            self._results = {key: result for key, result in self._results.items() if key in known}
            self._rows = {}
            self._marker = marker

    def _computed(self, board: EditionBoard) -> tuple[EditionRow, ...]:
        tickets = self._tickets[board]
        read = ((ticket, self._result(board, ticket)) for ticket in tickets if ticket.is_on_boards)
        scored = latest_runs([ScoredRun(ticket, result) for ticket, result in read if result is not None])
        return self._teams.named(edition_rows(scored, attempts_of(tickets)), tickets, "id")

    def _result(self, board: EditionBoard, ticket: Ticket) -> ConsistencyResult | CulturalResult | None:
        """The result, of 2025 without its questions; None when it was withdrawn meanwhile."""
        key = (ticket.id, ticket.status_at)
        if key not in self._results:
            text = self._store.result(ticket.id)
            if text is None:
                return None
            found = _parsed(board, text)
            slim = found.model_copy(update={"questions": ()}) if isinstance(found, ConsistencyResult) else found
            self._results[key] = slim
        return self._results[key]


def _parsed(board: EditionBoard, text: str) -> ConsistencyResult | CulturalResult:
    kind = ConsistencyResult if board == "consistency" else CulturalResult
    return kind.model_validate_json(text)
