"""`python -m submissions.checking.child`: the fork server, and the processes that check file after file.

It is told what to do through a socket, and ends when that closes. Signals of a terminal are its parent's business.
"""

from __future__ import annotations

import gc
import logging
import math
import os
import pickle
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection, wait
from multiprocessing.reduction import recv_handle
from typing import Any, TypeAlias

from submissions.checking.job import Budget, Fork, Job, Kill, Overrun, Setup
from submissions.priority import step_back
from submissions.promptsets import PromptSets

logger = logging.getLogger(__name__)

NICENESS = 5
"""Pages come first: a check may take longer, a click may not. The worker beside them comes last."""

_MIB = 1024 * 1024
_FRAMES = 6
"""Places that a line of the log names of an error."""

_Wire: TypeAlias = "Connection[Any, Any]"


def main(arguments: Sequence[str]) -> None:
    """Forks and kills as it is told, until the socket, whose number is the only argument, is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    step_back(NICENESS)
    orders: _Wire = Connection(int(arguments[0]))
    try:
        setup = orders.recv()
        assert isinstance(setup, Setup)
        make_ready(setup.preload)
        gc.freeze()  # what is imported stays shared: nobody looks through it for garbage
        Server(orders, setup.prompt_sets).serve()
    except (EOFError, ConnectionError):
        return


def make_ready(preload: Sequence[str]) -> None:
    """Imports modules, and calls the functions that stand behind a colon (`Setup.preload`)."""
    for name in preload:
        module, _, function = name.partition(":")
        imported = import_module(module)
        if function:
            getattr(imported, function)()


class Server:
    """Forks, kills, and tells how each of its processes ended. It has one thread, so that a fork misses none."""

    def __init__(self, orders: _Wire, prompt_sets: PromptSets) -> None:
        self._orders, self._prompt_sets = orders, prompt_sets
        self._alive: dict[int, tuple[int, _Wire]] = {}
        """Process id -> the number it was forked under, and where its end is told."""
        self._ended, self._end = os.pipe()
        os.set_blocking(self._end, False)

    def serve(self) -> None:
        """Does as it is told.

        Raises:
            EOFError: when the socket is closed.
        """
        signal.signal(signal.SIGCHLD, lambda *_: None)  # the next line is done for signals that have a handler
        signal.set_wakeup_fd(self._end, warn_on_full_buffer=False)
        while True:
            ready = wait([self._orders, self._ended])
            if self._ended in ready:
                os.read(self._ended, 4096)
                self._bury()
            if self._orders in ready:
                order = self._orders.recv()
                if isinstance(order, Fork):
                    self._fork(order)
                elif isinstance(order, Kill):
                    self._kill(order)

    def _fork(self, order: Fork) -> None:
        jobs, ending = (Connection(recv_handle(self._orders)) for _ in range(2))
        with jobs:
            try:
                process = os.fork()
            except OSError:  # no memory, or too many processes
                logger.exception("a process that checks files cannot be forked")
                _tell(ending, None)
                return
            if process == 0:
                self._become(jobs, ending, order.budget)
            self._alive[process] = (order.number, ending)

    def _become(self, jobs: _Wire, ending: _Wire, budget: Budget) -> None:
        """In the new process: what is its server's is closed, and jobs are answered until their socket is."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for wire in (self._orders, ending, *(told for _, told in self._alive.values())):
                wire.close()
            for end in (self._ended, self._end):
                os.close(end)
            answer_jobs(jobs, self._prompt_sets, budget)
            status = 0
        finally:
            os._exit(status)

    def _kill(self, order: Kill) -> None:
        for process, (number, _) in self._alive.items():  # one that has ended is no longer among them
            if number == order.number:
                os.kill(process, signal.SIGKILL)

    def _bury(self) -> None:
        while self._alive:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                return
            _, ending = self._alive.pop(process)
            _tell(ending, status)


def _tell(ending: _Wire, status: int | None) -> None:
    with ending, suppress(ConnectionError):  # of those who want to know
        ending.send(status)


def answer_jobs(jobs: _Wire, prompt_sets: PromptSets, budget: Budget) -> None:
    """Answers jobs within a budget, until their socket is closed."""
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_DATA, budget.mebibytes * _MIB)
    try:
        while True:
            job: Any = jobs.recv()
            # CPU time counts from the start of the process.
            _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + budget.seconds)
            jobs.send("begun")
            jobs.send_bytes(_answer(job, prompt_sets))
    except (EOFError, ConnectionError):
        return


def _answer(job: Job[object], prompt_sets: PromptSets) -> bytes:
    """The pickled answer, or why there is none."""
    failed: Overrun
    try:
        return pickle.dumps(job.answered(prompt_sets), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        failed = "memory"
    except Exception as error:  # a fault of ours: whoever asked is told so
        logger.error("a reader raised %s", _where(error))
        failed = "ended"
    return pickle.dumps(failed)


def _where(error: BaseException) -> str:
    """The kind of an error and where it came from, innermost first; its words may be those of a team's file."""
    frames = reversed(traceback.extract_tb(error.__traceback__)[-_FRAMES:])
    places = " < ".join(f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames)
    return f"{type(error).__name__} ({places})"


def _limit(kind: int, most: int) -> None:
    """Sets a bound of this process, as far as the system lets it."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main(sys.argv[1:])
