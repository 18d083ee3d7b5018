"""Keeps one worker process alive beside the page server, and lets it die with it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from pathlib import Path

from submissions.store import Store, StoreUnavailable

logger = logging.getLogger(__name__)

HUB_TOKENS = frozenset(
    (
        "HF_TOKEN",
        "HF_TOKEN_PATH",
        "HUGGING_FACE_HUB_TOKEN",
        "HUGGINGFACE_HUB_TOKEN",
        "OAUTH_CLIENT_SECRET",
        "PLUMBLINE_INFERENCE_TOKEN",
    )
)
"""Variables a worker does not get: the archive, the providers of models, and who has signed in, are the page process's
business."""
FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 10.0
STOP_PATIENCE_S = 15.0
"""How long a worker may take to end its batch before it is killed."""


class Supervisor:
    """Starts `python -m evaluator work` as a child process and starts it again, with back-off, when it dies.

    The child reads our end of a pipe on its standard input: when this process goes, however it goes, the pipe
    closes and the child stops. A dead worker's leases are released at once.

    Args:
        store: To release what a dead worker held.
        environ: Environment of the child; Hub tokens are taken out, a worker has no use for them.
    """

    def __init__(self, store: Store, environ: Mapping[str, str]) -> None:
        self._store = store
        self._environ = {name: value for name, value in environ.items() if name not in HUB_TOKENS}
        self._stop = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_running, name="supervisor", daemon=True)

    def start(self) -> None:
        """Starts the first worker."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the worker to stop after its current batch, waits for it, and kills it when patience ends."""
        self._stop.set()
        deadline = time.monotonic() + STOP_PATIENCE_S
        while self._thread.is_alive():
            process = self._process
            if process is not None and process.stdin is not None:
                process.stdin.close()
                if time.monotonic() > deadline:
                    process.kill()
            self._thread.join(timeout=0.1)

    def _keep_running(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._stop.is_set():
            name = f"{os.uname().nodename}-{uuid.uuid4().hex[:8]}"
            began = time.monotonic()
            self._process = self._spawn(name)
            code = self._process.wait()
            held_work = self._signed_off(name)
            if self._stop.is_set():
                return
            # A worker that died at work is worth starting again at once: what kills it in the end fails its job
            # after the allowed attempts. One that cannot even start is given time.
            was_well = held_work or time.monotonic() - began > LONGEST_WAIT_S
            wait_s = FIRST_WAIT_S if was_well else min(2 * wait_s, LONGEST_WAIT_S)
            logger.warning("worker %s ended with code %d; starting another in %.1f s", name, code, wait_s)
            self._stop.wait(wait_s)

    def _signed_off(self, name: str) -> bool:
        """Releases what a dead worker held; False when it held nothing, or nobody can tell now."""
        try:
            held_work = self._store.release_worker(name)
            self._store.worker_gone(name)
        except StoreUnavailable as gone:
            logger.error("what worker %s held comes back when its lease ends: %s", name, gone)
            return False
        return held_work

    def _spawn(self, name: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "evaluator", "work", "--name", name, "--child"],
            stdin=subprocess.PIPE,
            cwd=Path(__file__).parent.parent,
            env=self._environ,
            # Its own session: Ctrl-C in the terminal reaches the page server, which then stops the worker.
            start_new_session=True,
        )
