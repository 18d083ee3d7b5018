"""Turns in the lab: one run per visitor at a time, and a fair queue for the few places a page server has."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass

MAX_WAITING = 20
"""Waiting runs of all visitors together (docs/lab.md#limits)."""
MAX_RUNNING = 2
"""Runs that write at the same time; each writes up to four texts at once."""

POLL_S = 0.2


class GateRefused(Exception):
    """Raised when a visitor may not run now; the text is for the visitor."""


@dataclass(frozen=True, slots=True)
class LabVisitor:
    """Who asks for a run."""

    key: str
    """Whom it is counted for; taken on the server, never from what a client says."""
    page: str = ""
    """Which of the visitor's pages asks, where one visitor may have several at once; it only keeps places apart."""
    people: int = 1
    """So many may stand behind the key: it has the places and the quota of so many."""

    @property
    def name(self) -> str:
        """Of whoever holds the place: one page of the visitor."""
        return f"{self.key} {self.page}".rstrip()


class LabTurn:
    """One run's place in the queue, until `leave`."""

    def __init__(self, gate: Gate, visitor: LabVisitor) -> None:
        self._gate = gate
        self.visitor = visitor

    @property
    def position(self) -> int | None:
        """1 = next; None once it may run, or has left."""
        return self._gate._position(self)

    async def wait(self, shown: int, stop: threading.Event) -> int | None:
        """Waits until the position is another than the one shown, or `stop` is set; the position then."""
        while self.position == shown and not stop.is_set():
            await asyncio.sleep(POLL_S)
        return self.position

    def leave(self) -> None:
        """Gives the place back, waiting or running; the next one in line may start. May be called again."""
        self._gate._leave(self)


class Gate:
    """The one gate of a page server. Safe to use from many threads and event loops.

    Runs start in the order they came. A page has one of them in line, a visitor as many as people may stand behind it,
    so nobody can hold others up by asking more often. How many runs a visitor may start is counted in the store
    (`ledger`), for all page servers.

    Args:
        max_waiting: Runs that may wait, of all visitors together.
        max_running: Runs that may write at the same time.
    """

    def __init__(
        self,
        *,
        max_waiting: int = MAX_WAITING,
        max_running: int = MAX_RUNNING,
    ) -> None:
        self._max_waiting = max_waiting
        self._max_running = max_running
        self._lock = threading.Lock()
        self._running: set[LabTurn] = set()
        self._waiting: list[LabTurn] = []

    def join(self, visitor: LabVisitor) -> LabTurn:
        """Takes a place in the queue; it may run at once where a place is free.

        Raises:
            GateRefused: when the visitor has as many runs as it may, or too many runs wait.
        """
        with self._lock:
            others = [turn.visitor for turn in (*self._running, *self._waiting) if turn.visitor.key == visitor.key]
            if any(other.name == visitor.name for other in others):
                raise GateRefused("You already have a run here: wait for it, or cancel it first.")
            if len(others) >= visitor.people:
                raise GateRefused(f"Your network address already has {len(others)} runs here: wait for one of them.")
            if len(self._running) >= self._max_running and len(self._waiting) >= self._max_waiting:
                raise GateRefused(f"{len(self._waiting)} runs are waiting already: please try again in a few minutes.")
            turn = LabTurn(self, visitor)
            self._waiting.append(turn)
            self._start_next()
            return turn

    def _position(self, turn: LabTurn) -> int | None:
        with self._lock:
            return self._waiting.index(turn) + 1 if turn in self._waiting else None

    def _leave(self, turn: LabTurn) -> None:
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
            self._running.discard(turn)
            self._start_next()

    def _start_next(self) -> None:
        while self._waiting and len(self._running) < self._max_running:
            self._running.add(self._waiting.pop(0))
