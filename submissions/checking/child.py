"""`python -m submissions.checking.child`: the process that checks file after file for whoever started it.

It is told what to do through a socket, and ends when that closes. Signals of a terminal are its parent's business.
"""

from __future__ import annotations

import logging
import math
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from submissions.checking.job import Job, Overrun, Setup
from submissions.promptsets import PromptSets

logger = logging.getLogger(__name__)

NICENESS = 5
"""Pages come first: a check may take longer, a click may not. The worker beside them comes last."""

_MIB = 1024 * 1024


def main(arguments: Sequence[str]) -> None:
    """Answers jobs until the socket, whose number is the only argument, is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(NICENESS)
    parent: Connection[object, object] = Connection(int(arguments[0]))
    try:
        setup = parent.recv()
        assert isinstance(setup, Setup)
        for name in setup.preload:
            import_module(name)
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_DATA, setup.budget.mebibytes * _MIB)
        while True:
            job: Any = parent.recv()
            # CPU time counts from the start of the process.
            _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + setup.budget.seconds)
            parent.send("begun")
            parent.send_bytes(_answer(job, setup.prompt_sets))
    except (EOFError, ConnectionError):
        return


def _answer(job: Job[object], prompt_sets: PromptSets) -> bytes:
    """The pickled answer, or why there is none."""
    failed: Overrun
    try:
        return pickle.dumps(job.answered(prompt_sets), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        failed = "memory"
    except Exception:  # a fault of ours: whoever asked is told so, and the log has the traceback
        logger.exception("a check raised")
        failed = "ended"
    return pickle.dumps(failed)


def _limit(kind: int, most: int) -> None:
    """Sets a bound of this process, as far as the system lets it."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main(sys.argv[1:])
