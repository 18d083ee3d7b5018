"""The boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from threading import Lock

from evaluator.rank_bands import Ranking
from evaluator.results import HEADLINE, RobustnessResult, View
from evaluator.robustness import Subset, of_subset
from leaderboard.robustness_rows import (
    BoardRow,
    ScoredTicket,
    SystemKey,
    attempt_counts,
    board_rows,
    latest_scored,
    system_key,
)
from leaderboard.shown_rows import Run
from leaderboard.team_names import TeamNames
from submissions.crs_responses import SET_ID as RECOMMENDER
from submissions.perse import SET_ID as PERSONALIZED_EVALUATION
from submissions.personalized import SET_ID as PERSONALIZATION
from submissions.promptsets import ELOQUENT_2025, ELOQUENT_2026
from submissions.queue import Ticket
from submissions.store import Store
from submissions.verdict_submission import is_verdict_set

WHOLE = Subset()
"""The whole prompt set."""


class Boards:
    """Rows of the Robustness board by prompt set and view, kept until the store's change marker moves."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._marker: int | None = None
        self._tickets: list[Ticket] = []
        self._rows: dict[tuple[str, View, Subset], tuple[BoardRow, ...]] = {}
        self._rankings: defaultdict[tuple[str, View], Ranking] = defaultdict(Ranking)
        self._runs: dict[tuple[str, View], dict[str, tuple[Run, ...]]] = {}
        self._results: dict[tuple[str, datetime], RobustnessResult] = {}
        self._teams = TeamNames(store)

    def marker(self) -> int:
        """Changes whenever a board or a ticket may have changed."""
        return self._store.change_marker()

    def rows(self, set_id: str, view: View, subset: Subset = WHOLE) -> tuple[BoardRow, ...]:
        """The rows of one prompt set in one view, or of a part of it, in no particular order."""
        with self._lock:
            self._renew()
            key = (set_id, view, subset)
            if key not in self._rows:
                found = self._computed(set_id, view) if subset.is_whole else self._part(set_id, view, subset)
                self._rows[key] = self._teams.named(found, self._tickets, "id")
            return self._rows[key]

    def scored(self) -> dict[str, list[ScoredTicket]]:
        """The run every system is ranked by with its result, without its items, by prompt set."""
        with self._lock:
            self._renew()
            sets = dict.fromkeys(ticket.set_id for ticket in self._tickets if _has_prompts(ticket.set_id))
            return {set_id: self._scored(set_id) for set_id in sets}

    def runs(self, set_id: str, view: View) -> dict[str, tuple[Run, ...]]:
        """All scored runs of every system of a prompt set, oldest first, by the ticket its row shows; no null rows."""
        with self._lock:
            self._renew()
            key = (set_id, view)
            if key not in self._runs:
                self._runs[key] = self._all_runs(set_id, view)
            return self._runs[key]

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
            if ticket is None or not ticket.is_on_boards or not _has_prompts(ticket.set_id):
                return None
            result = self._result(ticket)
            return ScoredTicket(ticket, result) if result else None

    def _renew(self) -> None:
        marker = self._store.change_marker()
        if marker != self._marker:
            self._tickets = self._store.tickets()
            self._rows = {}
            self._runs = {}
            self._marker = marker

    def _computed(self, set_id: str, view: View) -> tuple[BoardRow, ...]:
        tickets = [ticket for ticket in self._tickets if ticket.set_id == set_id]
        return board_rows(self._scored(set_id), attempt_counts(tickets), view, self._rankings[set_id, view])

    def _part(self, set_id: str, view: View, subset: Subset) -> tuple[BoardRow, ...]:
        """Rows as they come out of part of the set; results are read again, as their items are not kept."""
        found = []
        for entry in self._scored(set_id):
            text = self._store.result(entry.ticket.id)
            if text is not None:
                items = RobustnessResult.model_validate_json(text).items
                views = {**entry.result.views, view: of_subset(items, view, subset)}
                found.append(ScoredTicket(entry.ticket, entry.result.model_copy(update={"views": views})))
        tickets = [ticket for ticket in self._tickets if ticket.set_id == set_id]
        return board_rows(found, attempt_counts(tickets), view)

    def _all_runs(self, set_id: str, view: View) -> dict[str, tuple[Run, ...]]:
        entered = [one for one in self._tickets if one.set_id == set_id and one.role != "baseline"]
        scored = [one for one in entered if one.is_on_boards]
        runs: dict[SystemKey, list[Run]] = {}
        for ticket in sorted(scored, key=lambda one: (one.received_at, one.id)):
            result = self._result(ticket)
            if result is not None:
                score = result.views[view].figures[HEADLINE].mean
                runs.setdefault(system_key(ticket), []).append(Run(ticket.id, ticket.received_at, score))
        shown = {system_key(ticket): ticket.id for ticket in latest_scored(scored)}
        return {shown[key]: tuple(found) for key, found in runs.items()}

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


_OTHERS = frozenset({ELOQUENT_2025, ELOQUENT_2026, PERSONALIZATION, PERSONALIZED_EVALUATION, RECOMMENDER})


def _has_prompts(set_id: str) -> bool:
    """Is it a prompt set of this board, not what other editions and kinds of files are entered under?"""
    return set_id not in _OTHERS and not is_verdict_set(set_id)
