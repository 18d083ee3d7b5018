"""The process that has imported what reads files, and forks one for each place where files are checked.

This is the side of whoever asks; `submissions.checking.child` is the other.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import send_handle
from pathlib import Path

from submissions.checking.job import Budget, Fork, Kill, Setup
from submissions.promptsets import PromptSets

_ROOT = Path(__file__).parents[2]
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
"""Several checks run at once, bounds of memory count every thread's share, and a fork has but one."""


class ForkServer:
    """Forks processes that need not import anything, and share the memory of what it has imported.

    Not that of `multiprocessing`: its processes import the program that started them, here gradio and all pages, and
    have its environment. The first fork starts it, and one that finds that it has ended starts it again.

    Args:
        prompt_sets: What files are compared with.
        preload: Modules that the views of jobs are of, and functions that make something ready, as `module:function`.
    """

    def __init__(self, prompt_sets: PromptSets, preload: tuple[str, ...] = ()) -> None:
        self._setup = Setup(prompt_sets, preload)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: Connection[object, object]
        self._forked = 0
        self._is_closed = False

    def fork(self, budget: Budget) -> ForkedProcess:
        """A new process, which answers as soon as everything is imported.

        Raises:
            OSError: where the system has no room for it, and when it is closed.
        """
        jobs, their_jobs = Pipe()
        ending, their_ending = Pipe(duplex=False)
        with self._lock, their_jobs, their_ending:
            if self._is_closed:
                raise OSError("the fork server is closed")
            if self._process is None or self._process.poll() is not None:
                self._process = self._start()
            self._forked += 1
            self._orders.send(Fork(self._forked, budget))
            for theirs in (their_jobs, their_ending):
                send_handle(self._orders, theirs.fileno(), None)
            return ForkedProcess(self, self._process, self._forked, jobs, ending)

    def kill(self, number: int) -> None:
        """Ends one of its processes. Those of a server that has ended itself end with their job."""
        with self._lock, suppress(OSError):
            self._orders.send(Kill(number))

    def close(self) -> None:
        """Ends it and all of its processes, whatever they are doing."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
                self._orders.close()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> subprocess.Popen[bytes]:
        ours, theirs = Pipe()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", "submissions.checking.child", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                env=_environment(),
                start_new_session=True,  # its processes are of its group, and can be ended with it
            )
        self._orders = ours
        ours.send(self._setup)
        return process


class ForkedProcess:
    """A process of a fork server, as whoever asked for it holds it."""

    def __init__(
        self,
        server: ForkServer,
        forked_by: subprocess.Popen[bytes],
        number: int,
        jobs: Connection[object, object],
        ending: Connection[object, object],
    ) -> None:
        self._server, self._forked_by, self._number, self._ending = server, forked_by, number, ending
        self._is_ended = False
        self._signal: int | None = None
        self.jobs: Connection[object, object] = jobs
        """Closed at its end when it has ended; it speaks only when it is asked."""

    def kill(self) -> None:
        """Ends it, whatever it is doing; from any thread."""
        self._server.kill(self._number)

    def wait(self) -> int | None:
        """Waits until it has ended. Returns the signal that ended it, 0 without one; None where nobody knows: its
        server has ended too, or could not fork it."""
        if not self._is_ended:
            self._is_ended, self._signal = True, self._ended_by()
        return self._signal

    def _ended_by(self) -> int | None:
        try:
            status = self._ending.recv()
        except EOFError:
            self._forked_by.wait()  # so that the next fork finds it gone
            return None
        if status is None:
            return None
        assert isinstance(status, int)
        return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0

    def close(self) -> None:
        """Lets go of it."""
        self.jobs.close()
        self._ending.close()


def _environment() -> dict[str, str]:
    """Of such processes: they read files that anybody sent, and no setting or secret of ours is their business."""
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return {**kept, **ONE_THREAD, "PYTHONPATH": str(_ROOT)}
