"""Hugging Face Jobs as extra hands: one is started when more submissions wait than a setting, and none runs.

A job is a worker that ends when the queue is empty (docs/deploy.md). Whether one runs is asked of the Hub, where each
carries the name of its Space: so a page server that starts anew, or never heard the answer to its call, starts no
second one.
"""

from __future__ import annotations

import logging
import shlex
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from submissions.settings import Settings
from submissions.store.queue import JobStatus
from submissions.store.store import Store, StoreUnavailable

if TYPE_CHECKING:
    from huggingface_hub import HfApi

logger = logging.getLogger(__name__)

LOOK_S = 60.0
"""How often the queue is looked at."""
QUIET_S = 300.0
"""After a call no other job is started for so long: the Hub's list may not show the new one yet, also where the call
itself was said to have failed."""
TIMEOUT = "2h"
"""Longest job; a submission that it leaves goes back to the queue."""
IMAGE = "python:3.11"
LABEL = "plumbline-space"


class HubJobs:
    """Looks at the queue, from a thread of the page server, and starts jobs.

    Args:
        store: The queue.
        settings: Of the Space; with what a job needs (`Settings.from_env` has seen to that).
        api: Of the Hub, with the token that pays.
        clock: Seconds.
    """

    def __init__(
        self, store: Store, settings: Settings, api: HfApi, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._settings = settings
        self._api = api
        self._clock = clock
        self._called_at: float | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hub-jobs", daemon=True)

    @classmethod
    def of(cls, settings: Settings, store: Store) -> HubJobs | None:
        """None where no backlog starts any."""
        if not settings.jobs_backlog:
            return None
        from huggingface_hub import HfApi

        return cls(store, settings, HfApi(token=settings.jobs_token))

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Jobs that run go on."""
        self._stop.set()
        self._thread.join()

    def look(self) -> str | None:
        """Starts a job where one is wanted and none runs; its id.

        Raises:
            HTTPError: of the Hub client, where the Hub refuses or does not answer.
        """
        if self._called_at is not None and self._clock() < self._called_at + QUIET_S:
            return None
        waiting = self._store.counts()[JobStatus.QUEUED]
        if waiting <= self._settings.jobs_backlog or self._runs():
            return None
        self._called_at = self._clock()
        job = self._api.run_job(**self._asked())
        logger.info("%d submissions wait: job %s was started", waiting, job.id)
        return job.id

    def _runs(self) -> bool:
        """Is there a job of this Space that has not ended?"""
        jobs = self._api.list_jobs(status=["SCHEDULING", "RUNNING"], labels=self._labels, namespace=self._owner)
        return any(True for _ in jobs)

    @property
    def _owner(self) -> str:
        return self._settings.space_id.partition("/")[0]

    @property
    def _labels(self) -> dict[str, str]:
        return {LABEL: self._settings.space_id.replace("/", "--")}

    def _asked(self) -> dict[str, Any]:
        settings = self._settings
        worker = (
            f"git clone --depth 1 https://huggingface.co/spaces/{settings.space_id} plumbline && cd plumbline"
            " && pip install --quiet -r requirements-torch.txt -r requirements.txt"
            f" && exec python -m evaluator work --until-empty --judge {shlex.quote(settings.judge_names[0])}"
        )
        secrets = {"PLUMBLINE_DATABASE_URL": settings.database_url}
        if settings.judge_api_key:
            secrets["PLUMBLINE_JUDGE_API_KEY"] = settings.judge_api_key
        return {
            "image": IMAGE,
            "command": ["bash", "-c", worker],
            "secrets": secrets,
            "flavor": settings.jobs_flavor,
            "timeout": TIMEOUT,
            "labels": self._labels,
            "namespace": self._owner,
        }

    def _run(self) -> None:
        from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

        while not self._stop.wait(LOOK_S):
            try:
                self.look()
            except StoreUnavailable as gone:
                logger.warning("no job was started: %s", gone)
            except (httpx.HTTPError, OSError, ValueError, KeyError, TypeError) as error:
                # The Hub refused, was not reached, or its answer was cut off: it may be back at the next look.
                logger.warning("no job was started, as far as is known: %s", error)
