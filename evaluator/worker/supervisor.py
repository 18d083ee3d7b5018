"""Keeps one worker process alive beside the page server, and lets it die with it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from evaluator.worker.child import WorkerProcess
from evaluator.worker.watcher import WatchedLimits, Watcher
from submissions.store.store import Store

HUB_TOKENS = frozenset(
    (
        "HF_TOKEN",
        "HF_TOKEN_PATH",
        "HUGGING_FACE_HUB_TOKEN",
        "HUGGINGFACE_HUB_TOKEN",
        "OAUTH_CLIENT_SECRET",
        "PLUMBLINE_INFERENCE_TOKEN",
        "PLUMBLINE_JOBS_TOKEN",
        "PLUMBLINE_PSEUDONYM_KEY",
    )
)
"""Variables a worker does not get: the archive, the providers of models, who has signed in and whose a pseudonym is,
are the page process's business."""


class Supervisor:
    """Watches a worker from a thread of the page server (`evaluator.worker.watcher`).

    Args:
        store: Where its jobs are.
        environ: Its environment; Hub tokens are taken out, a worker has no use for them.
        limits: Of time, for what it does.
    """

    def __init__(self, store: Store, environ: Mapping[str, str], limits: WatchedLimits) -> None:
        kept = {name: value for name, value in environ.items() if name not in HUB_TOKENS}
        root = Path(__file__).parents[2]
        watcher = Watcher(store, lambda name: WorkerProcess(["--beside-page", "--name", name], kept, root), limits)
        self._stop = threading.Event()
        # The child dies with the thread that starts it: this one lives until `stop`.
        self._thread = threading.Thread(target=watcher.run, args=(self._stop,), name="supervisor", daemon=True)

    def start(self) -> None:
        """Starts the first worker."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the worker to stop after its current batch, and ends it when patience ends."""
        self._stop.set()
        self._thread.join()
