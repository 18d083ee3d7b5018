"""The line of visitors who wait for a check: they take turns, and none has two checks at a time."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

MOST_WAITING = 16
"""Checks that wait in a line. Each holds one of the 40 places in which gradio runs events."""
MOST_OF_ONE = 8
"""Of one visitor."""

Waiting = TypeVar("Waiting")


class LineFull(Exception):
    """Raised when a check cannot wait in the line; carries the sentence for whoever sent it."""


_OWN_ARE_MANY = f"{MOST_OF_ONE} files of yours wait to be checked already: wait for one of them, then send this again."
_ALL_ARE_MANY = "Too many files wait to be checked: send this one again in a minute."


class WaitingLine(Generic[Waiting]):
    """The waiting checks of each visitor in their order, and the visitors in theirs. Not for several threads."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[Waiting]] = {}
        """In order of the visitors' turns."""
        self._running: set[str] = set()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, visitor: str, check: Waiting) -> Waiting | None:
        """Puts a check at the end of its visitor's; returns the one that gave way to it, if any.

        In a full line the last check of whoever has most of them gives way to a visitor with fewer, so that no one
        keeps the others out.

        Raises:
            LineFull: when there is no room for it.
        """
        own = len(self._waiting.get(visitor, ()))
        if own >= MOST_OF_ONE:
            raise LineFull(_OWN_ARE_MANY)
        displaced = None
        if len(self) >= MOST_WAITING:
            most = max(self._waiting, key=lambda each: len(self._waiting[each]))
            if len(self._waiting[most]) <= own + 1:
                raise LineFull(_ALL_ARE_MANY)
            displaced = self._waiting[most].pop()
        self._waiting.setdefault(visitor, deque()).append(check)
        return displaced

    def take(self) -> tuple[str, Waiting] | None:
        """The next check and its visitor, whose turn then comes last; None where nobody may begin now."""
        visitor = next((each for each in self._waiting if each not in self._running), None)
        if visitor is None:
            return None
        waiting = self._waiting.pop(visitor)
        check = waiting.popleft()
        if waiting:
            self._waiting[visitor] = waiting
        self._running.add(visitor)
        return visitor, check

    def end(self, visitor: str) -> None:
        """The check that a visitor had under way is over."""
        self._running.discard(visitor)

    def remove(self, visitor: str, check: Waiting) -> None:
        """Takes a check out; nothing happens where it does not wait."""
        waiting = self._waiting.get(visitor, deque())
        if check in waiting:
            waiting.remove(check)
        if not waiting:
            self._waiting.pop(visitor, None)

    def clear(self) -> list[Waiting]:
        """Takes everything out."""
        left = [check for waiting in self._waiting.values() for check in waiting]
        self._waiting.clear()
        return left

    def ahead(self, visitor: str, check: Waiting) -> int:
        """How many checks come before one: those under way, and those whose turn is earlier; 0 if it does not wait."""
        if check not in self._waiting.get(visitor, ()):
            return 0
        own_earlier = self._waiting[visitor].index(check)
        place = list(self._waiting).index(visitor)
        rounds = (own_earlier + (number < place) for number in range(len(self._waiting)))
        earlier = (min(len(waiting), most) for waiting, most in zip(self._waiting.values(), rounds, strict=True))
        return len(self._running) + sum(earlier)
