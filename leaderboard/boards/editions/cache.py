"""The 2025 and 2026 boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from datetime import datetime
from threading import Lock

from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
from leaderboard.boards.editions.rows import (
    EDITION_BOARDS,
    SET_OF_BOARD,
    EditionBoard,
    EditionRow,
    ScoredRun,
    edition_rows,
    latest_runs,
    with_attempts,
)
from leaderboard.page.ledger import Ledger
from leaderboard.page.registered import BoardTools
from leaderboard.parts.team_names import TeamNames
from submissions.store.queue import Ticket
from submissions.store.store import Store

_BOARD_OF_SET = {set_id: board for board, set_id in SET_OF_BOARD.items()}


class EditionBoards:
    """Rows by board, kept until the store's change marker moves."""

    @classmethod
    def of(cls, tools: BoardTools) -> EditionBoards:
        """Over the stored results."""
        return cls(tools.services.store)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._teams = TeamNames(store)
        self._lock = Lock()
        self._marker: int | None = None
        self._tickets: dict[EditionBoard, list[Ticket]] = {board: [] for board in EDITION_BOARDS}
        self._rows: dict[EditionBoard, tuple[EditionRow, ...]] = {}
        self._results: dict[tuple[str, datetime], ConsistencyResult | CulturalResult] = {}
        self._last_run: ScoredRun | None = None
        """What was opened last: one look at a run asks for it several times."""

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
        last = self._last_run
        if last is not None and (last.ticket.id, last.ticket.status_at) == (ticket.id, ticket.status_at):
            return ScoredRun(ticket, last.result)
        text = self._store.result(ticket.id)
        run = ScoredRun(ticket, _parsed(_BOARD_OF_SET[ticket.set_id], text)) if text else None
        self._last_run = run
        return run

    def result(self, board: EditionBoard, ticket_id: str) -> ConsistencyResult | CulturalResult | None:
        """What a row of a board was made from, without its answers; None where it is on no board any more."""
        with self._lock:
            self._renew()
            ticket = next((one for one in self._tickets[board] if one.id == ticket_id and one.is_on_boards), None)
            return self._result(board, ticket) if ticket else None

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
        rows = Ledger(tickets).counted(edition_rows(scored), "id")
        return self._teams.named(with_attempts(rows, tickets) if board == "consistency" else rows, tickets, "id")

    def _result(self, board: EditionBoard, ticket: Ticket) -> ConsistencyResult | CulturalResult | None:
        """The result, slim; None when it was withdrawn meanwhile."""
        key = (ticket.id, ticket.status_at)
        if key not in self._results:
            text = self._store.result(ticket.id)
            if text is None:
                return None
            self._results[key] = _slim(_parsed(board, text))
        return self._results[key]


def _slim(result: ConsistencyResult | CulturalResult) -> ConsistencyResult | CulturalResult:
    """A result without what no row shows: its questions (2025), the ids of its flagged answers (2026)."""
    if isinstance(result, ConsistencyResult):
        return result.model_copy(update={"questions": ()})
    without = {"flagged": None, "unchecked": ()}
    languages = {language: share.model_copy(update=without) for language, share in result.languages.items()}
    return result.model_copy(update={"languages": languages})


def _parsed(board: EditionBoard, text: str) -> ConsistencyResult | CulturalResult:
    kind = ConsistencyResult if board == "consistency" else CulturalResult
    return kind.model_validate_json(text)
