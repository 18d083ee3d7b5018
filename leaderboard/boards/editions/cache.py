"""The 2025 and 2026 boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from functools import partial

from evaluator.consistency.figures import language_values
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
from leaderboard.boards.editions.languages import LanguageComparison, compared_languages
from leaderboard.boards.editions.rows import (
    SETS_OF_BOARD,
    EditionBoard,
    EditionRow,
    ScoredEdition,
    edition_rows,
    latest_runs,
    with_attempts,
)
from leaderboard.page.registered import BoardTools
from leaderboard.page.scored_runs import ScoredRuns
from submissions.store.queue import Ticket
from submissions.store.store import Store

_BOARD_OF_SET = {set_id: board for board, sets in SETS_OF_BOARD.items() for set_id in sets}


class EditionBoards:
    """Rows by board and prompt set, kept until a submission is scored or withdrawn."""

    @classmethod
    def of(cls, tools: BoardTools) -> EditionBoards:
        """Over the stored results."""
        return cls(tools.services.store)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs = {
            set_id: ScoredRuns(store, set_id.__eq__, partial(_scored, board)) for set_id, board in _BOARD_OF_SET.items()
        }
        self._last_run: ScoredEdition | None = None
        """What was opened last: one look at a run asks for it several times."""

    def marker(self) -> int:
        """Changes whenever a board may have changed."""
        return self._store.change_marker()

    def first_set(self, board: EditionBoard) -> str:
        """The set that is shown where none is chosen: the first one with a team's run, else the first with any row."""
        sets = SETS_OF_BOARD[board]
        with_rows = [set_id for set_id in sets if self.rows(board, set_id)]
        with_entries = [set_id for set_id in with_rows if any(row.role == "entry" for row in self.rows(board, set_id))]
        return (with_entries or with_rows or list(sets))[0]

    def rows(self, board: EditionBoard, set_id: str = "") -> tuple[EditionRow, ...]:
        """The rows of a set of a board, in no particular order; of the first one where none is named."""
        runs = self._runs[set_id or self.first_set(board)]
        rows = runs.rows("all", lambda: edition_rows(latest_runs(runs.all())))
        return with_attempts(rows, runs.tickets()) if board == "consistency" else rows

    def languages(self, set_id: str) -> LanguageComparison | None:
        """Which language hurts the ranked systems of a set of 2025 most; None where that cannot be asked."""
        return self._runs[set_id].kept("languages", lambda: compared_languages(self.rows("consistency", set_id)))

    def run(self, ticket_id: str) -> ScoredEdition | None:
        """A scored run with everything in it; None for a ticket without one."""
        ticket = self._store.ticket(ticket_id) if ticket_id else None
        if ticket is None or not ticket.is_on_boards or ticket.set_id not in _BOARD_OF_SET:
            return None
        last = self._last_run
        if last is not None and (last.ticket.id, last.ticket.status_at) == (ticket.id, ticket.status_at):
            return ScoredEdition(ticket, last.result)
        text = self._store.result(ticket.id)
        run = ScoredEdition(ticket, _parsed(_BOARD_OF_SET[ticket.set_id], text)) if text else None
        self._last_run = run
        return run

    def result(self, board: EditionBoard, ticket_id: str) -> ConsistencyResult | CulturalResult | None:
        """What a row of a board was made from, without its answers; None where it is on no board any more."""
        runs = (self._runs[set_id].run(ticket_id) for set_id in SETS_OF_BOARD[board])
        return next((run.result for run in runs if run), None)


def _scored(board: EditionBoard, ticket: Ticket, text: str) -> ScoredEdition:
    result = _parsed(board, text)
    values = language_values(result.questions) if isinstance(result, ConsistencyResult) else {}
    return ScoredEdition(ticket, _slim(result), values)


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
