"""The process that judges, from both ends: how it is started, how it is told to stop, and what it tells.

It tells its steps on what was its standard output, and stops when its standard input closes.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from evaluator.steps import Steps
from evaluator.worker.watcher import Child

BESIDE_PAGE_NICE = 10
"""Beside a page server a judge leaves the cores to visitors."""
_PR_SET_PDEATHSIG = 1
_LEAVE_WITHIN_S = 5.0
"""A killed process is gone by then, unless its disk does not answer."""


class WorkerProcess(Child):
    """`python -m evaluator work --child` as the process that started it sees it.

    Args:
        arguments: Behind `--child`.
        environ: Its environment.
        folder: Where it is started; None = here.
    """

    def __init__(self, arguments: Sequence[str], environ: Mapping[str, str], folder: Path | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "evaluator", "work", "--child", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=folder,
            env=environ,
            # Its own session: Ctrl-C in the terminal reaches us, and what it starts itself dies with it.
            start_new_session=True,
        )
        self._rest = b""

    def lines(self, wait_s: float) -> list[str]:
        stream = self._process.stdout
        assert stream is not None
        if not select.select([stream], [], [], wait_s)[0]:
            return []
        data = os.read(stream.fileno(), 2**16)
        if not data:  # it closed its end: what is left is to see it go
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait_s)
            return []
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [line.decode() for line in lines]

    def code(self) -> int | None:
        return self._process.poll()

    def ask_to_stop(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LEAVE_WITHIN_S)

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def become_child(stopped: threading.Event) -> Steps:
    """Makes this process one that is watched: it stops when its standard input closes; returns how it tells its steps.

    It ends with the process that watches it, whatever it is at: where judging holds the interpreter the kernel sees to
    it. (Elsewhere than on Linux it ends once the interpreter is free.)
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    told = os.fdopen(os.dup(sys.__stdout__.fileno()), "wb", buffering=0)  # type: ignore[union-attr]
    # Whatever a library prints goes where it does no harm.
    os.dup2(2, 1)

    def wait_for_end() -> None:
        while os.read(0, 1):
            pass
        stopped.set()

    def write(line: str) -> None:
        with suppress(BrokenPipeError):  # nobody watches any more: it is told to stop
            told.write(f"{line}\n".encode())

    threading.Thread(target=wait_for_end, name="watcher-watch", daemon=True).start()
    return Steps(write)
