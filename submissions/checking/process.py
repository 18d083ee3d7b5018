"""A process that checks files, as whoever started it holds it: it is killed at the bounds of its budget."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, cast

from submissions.checking.job import Answer, Job, Overrun, Setup

STARTS_WITHIN_S = 120.0
"""A process imports its readers first; on a busy machine that takes a while."""
CHECKS_TO_A_PROCESS = 100
"""Then another one takes its place, so that memory which Python does not give back is given back."""

_ROOT = Path(__file__).parents[2]
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV")


class Overran(Exception):
    """Raised when there is no report; the process is gone."""

    def __init__(self, overrun: Overrun) -> None:
        self.overrun: Overrun = overrun
        super().__init__(overrun)


class CheckProcess:
    """One process; one job at a time.

    Not one of `multiprocessing`: its processes import the program that started them, here gradio and all pages.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._checks = 0
        self._is_over = False
        here, there = Pipe()
        self._socket: Connection[object, object] = here
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "submissions.checking.child", str(there.fileno())],
                pass_fds=(there.fileno(),),
                stdin=subprocess.DEVNULL,
                env=_environment(),
                start_new_session=True,
            )
        self._send(setup)

    @property
    def is_usable(self) -> bool:
        """Whether it can take another job."""
        return not self._is_over and self._checks < CHECKS_TO_A_PROCESS and self._process.poll() is None

    def check(self, job: Job[Answer]) -> Answer:
        """What comes of a job.

        Raises:
            Overran: when it is stopped at a bound, is killed by someone else, or ends.
        """
        self._checks += 1
        self._send(job)
        self._answer_within(STARTS_WITHIN_S, job)
        came: Any = pickle.loads(self._answer_within(self._setup.budget.wall_s, job))
        if isinstance(came, str):
            self.kill()
            raise Overran(cast(Overrun, came))
        answer: Answer = came
        return answer

    def kill(self) -> None:
        """Ends it, whatever it is doing; from any thread."""
        self._is_over = True
        self._process.kill()

    def close(self) -> None:
        """Ends it and waits until it is gone."""
        self.kill()
        self._process.wait()
        self._socket.close()

    def _send(self, message: object) -> None:
        try:
            self._socket.send(message)
        except ConnectionError:
            self._process.wait()  # it is gone: reading from it says why

    def _answer_within(self, wait_s: float, job: Job[object]) -> bytes:
        try:
            if self._socket.poll(wait_s):
                return self._socket.recv_bytes()
        except (EOFError, ConnectionError):
            self._is_over = True
            status = self._process.wait()
            raise Overran("cpu" if status == -signal.SIGXCPU else "ended") from None
        self.kill()
        raise Overran("clock")


def _environment() -> dict[str, str]:
    """Of such a process: it reads files that anybody sent, and no setting or secret of ours is its business."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    # One thread each: several checks run at once, and bounds of memory count every thread's share.
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    return {**kept, **threads, "PYTHONPATH": str(_ROOT)}
