"""Pace of one visitor's files: so many at once, the others one after the other."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

AT_ONCE = 20
"""Files that are uploaded, checked or submitted without waiting, by whoever has sent none for a while."""
LONGEST_WAIT_S = 10.0


class TooFast(Exception):
    """Raised instead of a wait that would be too long; carries the whole seconds after which there is a turn."""

    def __init__(self, after_s: int, a_minute: int) -> None:
        super().__init__(f"You send more than {a_minute:,} files a minute: send this one again in {after_s} s.")
        self.after_s = after_s


class Pace:
    """The turns of visitors. Not for several threads.

    Waiting instead of refusing: a program that sends a folder of files is slowed down and none of them is lost.

    Args:
        a_minute: Turns after the first; 0 = as fast as they come.
        clock: Seconds, from any start.
    """

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_minute = a_minute
        self._step_s = 60 / a_minute if a_minute else 0.0
        self._clock = clock
        self._taken_until: dict[str, float] = {}
        """When all turns that a visitor has had would be over, were there one every step."""

    def turn(self, visitor: str) -> float:
        """Takes the visitor's next turn; returns the seconds until it comes, 0 or more.

        Raises:
            TooFast: when that would be too long; no turn is taken then.
        """
        now = self._clock()
        begins = max(self._taken_until.get(visitor, now), now)
        wait_s = max(0.0, begins - now - (AT_ONCE - 1) * self._step_s)
        if wait_s > LONGEST_WAIT_S:
            raise TooFast(math.ceil(wait_s - LONGEST_WAIT_S), self._a_minute)
        if visitor not in self._taken_until:
            self._forget_before(now)
        self._taken_until[visitor] = begins + self._step_s
        return wait_s

    def _forget_before(self, now: float) -> None:
        """Whoever has sent nothing for a while is as new: nothing is kept of them."""
        over = [visitor for visitor, until in self._taken_until.items() if until <= now]
        for visitor in over:
            del self._taken_until[visitor]
