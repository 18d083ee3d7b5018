"""Watches the process that judges: keeps its leases, ends it where it stands still, and starts it again.

A judge can hold the interpreter, in a regular expression or in C, so that no thread of its process runs any more. Hence
what keeps a job's lease, its limits of time and the end of a job that was cancelled is this process's business. It
hears at which step its child is (`evaluator.steps`) and asks nothing of it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy.exc import SQLAlchemyError

from evaluator.steps import StepStanding, fault_in, heard
from submissions.settings import Settings
from submissions.store.queue import LeaseLost
from submissions.store.store import Store, StoreError

logger = logging.getLogger(__name__)

TICK_S = 0.2
"""How often the limits are looked at."""
LOOK_S = 1.0
"""How often the database is asked whether the job is still the child's."""
LEAVE_PATIENCE_S = 2.5
"""How long a child may take to leave a job that is no longer its own: with the look before it, less than 5 s."""
STOP_PATIENCE_S = 4.0
"""How long a child may take to end its batch when the service closes."""
GOODBYE_S = 1.0
"""How long the database is waited for then."""
LONGEST_TICK_S = 2.0
"""More than this between two looks, and this process itself did not run: that is not the child's time."""
ANSWERS_WITHIN_S = 5.0
"""A database that has not answered for longer is away: no time is counted until it is back."""

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 10.0
"""Between two starts of a child that does not come to work."""


@dataclass(frozen=True, slots=True)
class WatchedLimits:
    """How long judging may take; 0 = no limit."""

    step_s: float
    """Without getting on: at one judgement, or at one other step."""
    job_s: float
    """From the claim to the result."""

    @classmethod
    def of(cls, settings: Settings) -> WatchedLimits:
        return cls(settings.step_s, settings.job_s)

    def passed(self, standing: StepStanding, stood_s: float, job_s: float) -> str:
        """Why a job is ended that has stood at a step and been at work for so long; blank = it is not.

        >>> at = StepStanding("pair", "t1", 1, step="reading the file")
        >>> WatchedLimits(120, 0).passed(at, 121.0, 500.0).partition(". ")[0]
        'stopped after 120 s without getting on, at this: reading the file (limit PLUMBLINE_STEP_S=120)'
        >>> WatchedLimits(120, 0).passed(at, 119.0, 500.0)
        ''
        """
        if self.step_s and stood_s > self.step_s:
            said = f"{self.step_s:g} s without getting on", f"PLUMBLINE_STEP_S={self.step_s:g}"
        elif self.job_s and job_s > self.job_s:
            said = f"{self.job_s:g} s of work", f"PLUMBLINE_JOB_S={self.job_s:g}"
        else:
            return ""
        return f"stopped after {said[0]}, at this: {standing.words} (limit {said[1]}). What was judged before is kept."


class Child(Protocol):
    """A process that judges."""

    def lines(self, wait_s: float) -> list[str]:
        """What it told since the last call; waits so long for it, no longer."""
        ...

    def code(self) -> int | None:
        """How it ended; None while it runs."""
        ...

    def ask_to_stop(self) -> None:
        """Lets it end after its current batch."""
        ...

    def kill(self) -> None:
        """Ends it at once, with all it has started."""
        ...

    def close(self) -> None:
        """Gives back what held it, once it has ended."""
        ...


StartChild = Callable[[str], Child]
"""Starts a process that judges, under the name of a worker."""


class Watcher:
    """Keeps one process at work.

    Args:
        store: Where jobs are.
        start: Starts a process.
        limits: Of what it does.
        name: Of the worker, also after a restart; blank = a new one each time.
        stays: Starts another one also where a process ends because nothing is left to do, or where none was ever ready;
            else the watcher ends with it.
        clock: Seconds that never go back.
    """

    def __init__(
        self,
        store: Store,
        start: StartChild,
        limits: WatchedLimits,
        *,
        name: str = "",
        stays: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._start = start
        self._limits = limits
        self._name = name
        self._stays = stays
        self._clock = clock

    def run(self, stopped: threading.Event) -> int:
        """Watches until stopped, or until the process has ended for good; returns its exit code."""
        wait_s, ever_ready = FIRST_WAIT_S, False
        while True:
            name = self._name or f"{os.uname().nodename}-{uuid.uuid4().hex[:8]}"
            watch = _Watch(self._store, name, self._start(name), self._limits, self._clock)
            code = watch.run(stopped)
            if stopped.is_set():
                return 0
            ever_ready |= watch.was_ready
            if not self._stays and (code == 0 or not ever_ready):
                return code if code >= 0 else 1
            # A worker that died at work is started again at once: what kills it in the end fails its job after the
            # allowed attempts. One that cannot even start is given time: the judge's cluster or server may be away,
            # and where a worker came to work before, it does again once that is back.
            wait_s = FIRST_WAIT_S if watch.was_ready else min(2 * wait_s, LONGEST_WAIT_S)
            logger.warning("worker %s ended with code %d; starting another in %.1f s", name, code, wait_s)
            stopped.wait(wait_s)


class _Watch:
    """One process from its start to its end."""

    def __init__(
        self, store: Store, name: str, child: Child, limits: WatchedLimits, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._name = name
        self._child = child
        self._limits = limits
        self._clock = clock
        self._keeper = _Keeper(store, name, clock)
        self._standing: StepStanding | None = None
        self._stood_s = 0.0
        self._job_s = 0.0
        self._lost_s = 0.0
        self._is_killed = False
        self._ending: Callable[[], object] = _nothing
        """What is to be told the database once the process is dead."""

    @property
    def was_ready(self) -> bool:
        """It came to work."""
        return self._standing is not None

    def run(self, stopped: threading.Event) -> int:
        """Watches until the process has ended; returns its exit code."""
        self._keeper.start()
        last, asked_at = self._clock(), None
        while (code := self._child.code()) is None:
            self._hear(self._child.lines(TICK_S))
            if self._is_killed:
                continue
            now = self._clock()
            self._count(min(now - last, LONGEST_TICK_S))
            last = now
            if stopped.is_set():
                if asked_at is None:
                    self._child.ask_to_stop()
                    asked_at = now
                if now - asked_at > STOP_PATIENCE_S:
                    self._kill("it did not stop", self._give_back)
            elif self._lost_s > LEAVE_PATIENCE_S:
                self._kill("it did not leave a job that is no longer its own", _nothing)
            elif self._standing and (reason := self._limits.passed(self._standing, self._stood_s, self._job_s)):
                self._kill(reason, lambda: self._end_job(reason))
        self._hear(self._child.lines(0))
        self._child.close()
        self._keeper.stop()
        _until(self._sign_off, stopped)
        return code

    def _hear(self, lines: list[str]) -> None:
        for line in lines:
            if unusable := fault_in(line):
                self._ending = lambda: self._store.worker_failed(self._name, *unusable)
                continue
            before, self._standing = self._standing, heard(self._standing, line)
            self._stood_s = 0.0
            if before is None or self._standing is None or before.job != self._standing.job:
                self._job_s = 0.0
                self._lost_s = 0.0
        self._keeper.standing = self._standing

    def _count(self, passed_s: float) -> None:
        """Adds time that is the child's own: not while the database is away."""
        if self._standing is None or not self._standing.job:
            self._stood_s = 0.0
        elif self._keeper.is_answered:
            self._stood_s += passed_s
            self._job_s += passed_s
            self._lost_s = self._lost_s + passed_s if self._keeper.is_lost else 0.0

    def _kill(self, why: str, ending: Callable[[], object]) -> None:
        logger.warning("worker %s is ended: %s", self._name, why)
        self._child.kill()
        self._is_killed = True
        self._ending = ending

    # What the database is told afterwards

    def _sign_off(self) -> None:
        """Of whatever the dead worker held the leases end now, not when they run out."""
        self._keeper.join()
        self._ending()
        self._store.release_worker(self._name)
        self._store.worker_gone(self._name)

    def _end_job(self, reason: str) -> None:
        standing = self._standing
        assert standing is not None
        self._store.fail_claim(standing.job, standing.claim, reason)

    def _give_back(self) -> None:
        if self._standing and self._standing.job:
            with suppress(LeaseLost):
                self._store.release(self._standing.job, self._name)


class _Keeper(threading.Thread):
    """Keeps the leases of a child at work, and notices when its job is no longer its own.

    A thread of its own: where the database does not answer it waits, and the watch goes on.
    """

    def __init__(self, store: Store, name: str, clock: Callable[[], float]) -> None:
        super().__init__(name="lease-keeper", daemon=True)
        self.standing: StepStanding | None = None
        """As last heard."""
        self._store = store
        self._worker = name
        self._clock = clock
        self._done = threading.Event()
        self._looked_at = -float("inf")
        """When the database last said whose the job is."""
        self._renewed_at = -float("inf")
        self._lost: tuple[str, int] | None = None

    @property
    def is_answered(self) -> bool:
        """The database is there."""
        return self._clock() - self._looked_at < ANSWERS_WITHIN_S

    @property
    def is_lost(self) -> bool:
        """The job the child is at is not its own any more."""
        return self.standing is not None and self._lost == (self.standing.job, self.standing.claim)

    def stop(self) -> None:
        """Lets it end; a question to the database that is under way is not waited for."""
        self._done.set()

    def run(self) -> None:
        while not self._done.wait(min(LOOK_S, self._store.lease_s / 3)):
            standing = self.standing
            if standing is None or not standing.job:
                continue
            try:
                self._look(standing)
            except (StoreError, SQLAlchemyError) as gone:
                logger.warning("worker %s: no lease was renewed: %s", self._worker, gone)

    def _look(self, standing: StepStanding) -> None:
        is_current = self._store.is_current(standing.job, standing.claim)
        self._lost = None if is_current else (standing.job, standing.claim)
        self._looked_at = self._clock()
        if not is_current or self._done.is_set() or self._looked_at < self._renewed_at + self._store.lease_s / 3:
            return
        with suppress(LeaseLost):  # the next look learns it
            self._store.heartbeat(standing.job, self._worker)
        self._store.worker_seen(self._worker, standing.judge)
        self._renewed_at = self._looked_at


def _nothing() -> None:
    """Nothing is to be told."""


def _until(act: Callable[[], None], stopped: threading.Event) -> None:
    """Repeats a transaction until the database is there; once stopped, no longer than a moment.

    What is not told then comes out when the leases end.
    """
    done = threading.Event()

    def tell() -> None:
        try:
            while not done.is_set():
                try:
                    return act()
                except (StoreError, SQLAlchemyError) as gone:
                    logger.error("the end of a worker cannot be recorded now: %s", gone)
                    done.wait(LOOK_S)
        finally:
            done.set()

    threading.Thread(target=tell, name="sign-off", daemon=True).start()
    while not done.wait(TICK_S):
        if stopped.is_set():
            done.wait(GOODBYE_S)
            done.set()
