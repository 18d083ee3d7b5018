"""Scored submissions as a board reads them: each result once, and what is computed of them once per change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import datetime
from threading import RLock
from typing import Any, Generic, TypeVar

from leaderboard.page.board_row import BoardRow
from leaderboard.page.ledger import Ledger
from leaderboard.page.system_keys import system_key
from leaderboard.parts.team_names import TeamNames
from submissions.store.queue import SeasonMark, Ticket
from submissions.store.store import Store

Run = TypeVar("Run")
Row = TypeVar("Row", bound=BoardRow)
Value = TypeVar("Value")

RunKey = tuple[str, datetime, bool, SeasonMark | None]
"""Ticket, since when it is in its state, whether it is primary, its season: what is read of it stays the same."""
Stamp = tuple[tuple[RunKey, str], ...]
"""What a board is computed from: its runs, and what their teams are called."""


class ScoredRuns(Generic[Run]):
    """The scored submissions to a board, for any number of threads.

    Args:
        store: Holds tickets and results.
        is_ours: Does a prompt set belong to the board?
        read: Of a ticket and its result, as JSON, what the board keeps in memory.
        system_of: What submissions of one system have in common, for the counts of attempts.
    """

    def __init__(
        self,
        store: Store,
        is_ours: Callable[[str], bool],
        read: Callable[[Ticket, str], Run],
        *,
        system_of: Callable[[Ticket], Hashable] = system_key,
    ) -> None:
        self._store = store
        self._is_ours = is_ours
        self._read = read
        self._system_of = system_of
        self._teams = TeamNames(store)
        self._lock = RLock()
        self._marker: int | None = None
        self._stamp: Stamp = ()
        self._tickets: tuple[Ticket, ...] = ()
        self._ledger = Ledger(())
        self._runs: dict[RunKey, Run] = {}
        self._kept: dict[Hashable, Any] = {}
        self._rows: dict[Hashable, tuple[Any, ...]] = {}
        """With the counts of the ledger, which change more often than ranks."""

    def tickets(self) -> tuple[Ticket, ...]:
        """Every submission to the board, in whatever state, newest first."""
        with self._lock:
            self._renew()
            return self._tickets

    def on_boards(self) -> list[Ticket]:
        """The scored ones that nobody hides."""
        return [ticket for ticket in self.tickets() if ticket.is_on_boards]

    def of(self, tickets: Iterable[Ticket]) -> list[Run]:
        """What submissions scored, in their order; those that were withdrawn meanwhile are left out."""
        with self._lock:
            return [run for ticket in tickets if (run := self._run(ticket)) is not None]

    def all(self) -> list[Run]:
        """What every submission on the board scored, replaced runs too."""
        return self.of(self.on_boards())

    def run(self, ticket_id: str) -> Run | None:
        """What one submission scored; None where it is on no board."""
        return next(iter(self.of(ticket for ticket in self.on_boards() if ticket.id == ticket_id)), None)

    def kept(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """A value that depends on scored submissions alone, computed when it is first asked for after they changed."""
        with self._lock:
            self._renew()
            if key not in self._kept:
                self._kept[key] = compute()
            value: Value = self._kept[key]
            return value

    def rows(self, key: Hashable, compute: Callable[[], Sequence[Row]]) -> tuple[Row, ...]:
        """Rows of the board by its choices, with team names as they are shown and the counts of the ledger.

        Args:
            compute: The rows; called when scored submissions have changed.
        """
        with self._lock:
            ranked = self.kept(("rows", key), compute)
            if key not in self._rows:
                self._rows[key] = self.completed(ranked)
            return self._rows[key]

    def completed(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        """Rows with team names as they are shown and the counts of the ledger."""
        with self._lock:
            self._renew()
            tickets, ledger = self._tickets, self._ledger
        return ledger.counted(self._teams.named(rows, tickets))

    def stamp(self) -> str:
        """Changes whenever a board has changed, and only then."""
        with self._lock:
            self._renew()
            return str(hash(self._stamp))

    def marker(self) -> int:
        """Changes whenever a board or a ticket may have changed."""
        return self._store.change_marker()

    def _run(self, ticket: Ticket) -> Run | None:
        key = _key(ticket)
        if key not in self._runs:
            text = self._store.result(ticket.id)
            if text is None:
                return None
            self._runs[key] = self._read(ticket, text)
        return self._runs[key]

    def _renew(self) -> None:
        marker = self._store.change_marker()
        if marker == self._marker:
            return
        self._tickets = tuple(ticket for ticket in self._store.tickets() if self._is_ours(ticket.set_id))
        self._ledger = Ledger(self._tickets, self._system_of)
        self._rows = {}
        scored = [ticket for ticket in self._tickets if ticket.is_on_boards]
        teams = self._teams.shown(scored)
        stamp = tuple((_key(ticket), teams[ticket.id]) for ticket in scored)
        if stamp != self._stamp:
            self._stamp, self._kept = stamp, {}
            known = {_key(ticket) for ticket in scored}
            self._runs = {key: run for key, run in self._runs.items() if key in known}
        self._marker = marker


def _key(ticket: Ticket) -> RunKey:
    return (ticket.id, ticket.status_at, ticket.is_primary, ticket.season)
