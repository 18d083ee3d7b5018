"""A few processes that read files, above all to check them, and the line of those who wait for one of them."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, Generic

from submissions.checking.fork_server import ForkServer
from submissions.checking.job import Answer, Budget, Job
from submissions.checking.line import LineFull, WaitingLine
from submissions.checking.process import CheckProcess, Overran

logger = logging.getLogger(__name__)

ENDS_WITHIN_S = 2.0
"""How long a process that was killed while it started may take to go."""
TRIES_AGAIN_S = 1.0
GAVE_WAY = "Others wait to be checked who sent fewer files: send this one again in a minute."


class _Closed(Exception):
    """Raised where a process is wanted of a pool that is closed."""


class CheckTurn(Generic[Answer]):
    """One check, from the moment it is asked for until it is over or nobody wants it any more."""

    def __init__(self, pool: CheckPool, visitor: str, job: Job[Answer]) -> None:
        self._pool = pool
        self.visitor = visitor
        self.job = job
        self.answer: Future[Answer] = Future()
        """Raises `LineFull` where the check had to give way; cancelled when it was left, or the pool is closed."""

    @property
    def ahead(self) -> int:
        """How many checks are ahead of it; 0 while it is under way, and afterwards."""
        return self._pool.ahead_of(self)

    def leave(self) -> None:
        """Nobody wants the answer: the place is free, and what runs is ended. Nothing happens after the end."""
        self._pool.drop(self)


class CheckPool:
    """Does jobs with files in `at_once` processes; visitors take turns, see `Line`.

    A file beyond the budget is refused in words of its job, as is one whose process ends; the pool goes on.

    Args:
        server: Forks the processes; it is closed after the pool.
        budget: Of each job.
        at_once: Number of processes.
    """

    def __init__(self, server: ForkServer, budget: Budget, *, at_once: int) -> None:
        self._server, self._budget = server, budget
        self._line: WaitingLine[CheckTurn[Any]] = WaitingLine()
        self._running: dict[CheckTurn[Any], CheckProcess] = {}
        self._processes: set[CheckProcess] = set()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._at_once = at_once
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Starts the processes; without it, the first check does, and waits for them."""
        with self._changed:
            if not self._threads:
                names = (f"check-{number}" for number in range(self._at_once))
                self._threads = [threading.Thread(target=self._serve, name=name, daemon=True) for name in names]
                for thread in self._threads:
                    thread.start()

    def join(self, visitor: str, job: Job[Answer]) -> CheckTurn[Answer]:
        """Puts a check into the line.

        Args:
            visitor: Whom it is counted for; it cannot choose it.

        Raises:
            LineFull: when it cannot wait there.
        """
        self.start()
        turn: CheckTurn[Answer] = CheckTurn(self, visitor, job)
        with self._changed:
            if self._closing.is_set():
                turn.answer.cancel()
                return turn
            displaced = self._line.add(visitor, turn)
            self._changed.notify_all()
        if displaced is not None:
            with suppress(InvalidStateError):
                displaced.answer.set_exception(LineFull(GAVE_WAY))
        return turn

    def ahead_of(self, turn: CheckTurn[Any]) -> int:
        """As `Turn.ahead`."""
        with self._changed:
            return self._line.ahead(turn.visitor, turn)

    def drop(self, turn: CheckTurn[Any]) -> None:
        """As `Turn.leave`."""
        with self._changed:
            process = self._running.get(turn)
            self._line.remove(turn.visitor, turn)
            if turn.answer.cancel() and process is not None:
                process.kill()

    def close(self) -> None:
        """Ends every process; whoever waits has no answer."""
        with self._changed:
            self._closing.set()
            for turn in (*self._line.clear(), *self._running):
                turn.answer.cancel()
            for process in self._processes:
                process.kill()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(ENDS_WITHIN_S)

    def __enter__(self) -> CheckPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        """One place: a process, and the checks it makes one after the other."""
        with suppress(_Closed):
            process = self._new_process()
            while (turn := self._next()) is not None:
                process = self._usable(process)  # it may have been killed since
                self._run(turn, process)
                process = self._usable(process)  # forked while nobody waits
            self._end(process)

    def _next(self) -> CheckTurn[Any] | None:
        """The check whose turn it is; None when the pool is closed."""
        with self._changed:
            while not self._closing.is_set():
                taken = self._line.take()
                if taken is not None:
                    return taken[1]
                self._changed.wait()
        return None

    def _run(self, turn: CheckTurn[Any], process: CheckProcess) -> None:
        with self._changed:
            self._running[turn] = process
            is_wanted = not (turn.answer.cancelled() or self._closing.is_set())
        try:
            answer = self._answer(turn.job, process) if is_wanted else None
        finally:
            with self._changed:
                del self._running[turn]
                self._line.end(turn.visitor)
                self._changed.notify_all()
        # Whoever left has cancelled it meanwhile.
        with suppress(InvalidStateError):
            if answer is None:
                turn.answer.cancel()
            elif isinstance(answer, OSError):
                turn.answer.set_exception(answer)
            else:
                turn.answer.set_result(answer)

    def _answer(self, job: Job[Answer], process: CheckProcess) -> Answer | OSError:
        try:
            return process.check(job)
        except Overran as stopped:
            overrun = stopped.overrun
        try:
            return job.refused(overrun, self._budget)
        except OSError as error:  # the upload is gone
            return error

    def _usable(self, process: CheckProcess) -> CheckProcess:
        if process.is_usable or self._closing.is_set():
            return process
        self._end(process)
        return self._new_process()

    def _new_process(self) -> CheckProcess:
        while not self._closing.is_set():
            try:
                process = CheckProcess(self._server, self._budget)
                break
            except OSError:  # no memory, or too many processes: that passes
                logger.exception("a process that checks files cannot be started; trying again")
                self._closing.wait(TRIES_AGAIN_S)
        else:
            raise _Closed
        with self._changed:
            self._processes.add(process)
        return process

    def _end(self, process: CheckProcess) -> None:
        with self._changed:
            self._processes.discard(process)
        process.close()
