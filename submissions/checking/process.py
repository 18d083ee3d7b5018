"""A process that checks files, as whoever started it holds it: it is killed at the bounds of its budget."""

from __future__ import annotations

import logging
import pickle
import signal
from typing import Any, cast

from submissions.checking.fork_server import ForkServer
from submissions.checking.job import Answer, Budget, Job, Overrun

logger = logging.getLogger(__name__)

STARTS_WITHIN_S = 120.0
"""The first processes wait until their server has imported its readers; on a busy machine that takes a while."""
CHECKS_TO_A_PROCESS = 100
"""Then another one takes its place, so that memory which Python does not give back is given back."""


class Overran(Exception):
    """Raised when there is no report; the process is gone."""

    def __init__(self, overrun: Overrun) -> None:
        self.overrun: Overrun = overrun
        super().__init__(overrun)


class CheckProcess:
    """One process; one job at a time."""

    def __init__(self, server: ForkServer, budget: Budget) -> None:
        self._server, self._budget = server, budget
        self._checks = 0
        self._is_over = False
        self._process = server.fork(budget)

    @property
    def is_usable(self) -> bool:
        """Whether it can take another job; one that has ended has closed its socket."""
        return not self._is_over and self._checks < CHECKS_TO_A_PROCESS and not self._process.jobs.poll()

    def check(self, job: Job[Answer]) -> Answer:
        """What comes of a job.

        Raises:
            Overran: when it is stopped at a bound, is killed by someone else, or ends.
        """
        self._checks += 1
        if not self._begins(job):  # it died while nobody waited, perhaps with its server: that costs nobody a check
            self._end()
            if not self._is_forked_again() or not self._begins(job):
                self._is_over = True
                raise Overran("ended")
        came: Any = pickle.loads(self._answer_within(self._budget.wall_s))
        if isinstance(came, str):
            self.kill()
            if came == "memory":  # of whatever else was raised the process itself told the log
                logger.warning("a reader had no memory left")
            raise Overran(cast(Overrun, came))
        answer: Answer = came
        return answer

    def kill(self) -> None:
        """Ends it, whatever it is doing; from any thread."""
        self._is_over = True
        self._process.kill()

    def close(self) -> None:
        """Ends it and waits until it is gone."""
        self._is_over = True
        self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process.close()

    def _is_forked_again(self) -> bool:
        try:
            self._process = self._server.fork(self._budget)
        except OSError:
            logger.exception("a process that checks files cannot be started again")
            return False
        return True

    def _begins(self, job: Job[object]) -> bool:
        try:
            self._process.jobs.send(job)
            self._received_within(STARTS_WITHIN_S)
        except (EOFError, ConnectionError):
            return self._is_over  # by somebody who wants no answer any more: then it is gone for good
        return True

    def _answer_within(self, wait_s: float) -> bytes:
        try:
            return self._received_within(wait_s)
        except (EOFError, ConnectionError):
            is_killed, self._is_over = self._is_over, True
            number = self._process.wait()
            if not is_killed:
                logger.warning("a reader died: %s", _death(number))
            raise Overran("cpu" if number == signal.SIGXCPU else "ended") from None

    def _received_within(self, wait_s: float) -> bytes:
        if self._process.jobs.poll(wait_s):
            return self._process.jobs.recv_bytes()
        self.kill()
        logger.warning("a reader was killed: it took more than %.0f s", wait_s)
        raise Overran("clock")


def _death(number: int | None) -> str:
    """What a process died of, by the signal that ended it."""
    if number is None:
        return "nobody knows of what"
    if number == signal.SIGXCPU:
        return "its computing time was used up"
    return f"signal {number} ({signal.strsignal(number)})" if number else "it ended by itself"
