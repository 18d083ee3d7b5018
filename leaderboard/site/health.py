"""Is the service well? `/healthz` for whoever restarts it, `/metrics` for whoever draws it (docs/api.md)."""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import Generic, Literal, Protocol, TypeVar

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from submissions.store.queue import JobStatus
from submissions.store.store import Store, StoreError
from submissions.version import VERSION

logger = logging.getLogger(__name__)

KEPT_S = 2.0
"""What was looked up serves every request for so long: however many ask, the database is asked no more often."""
DAMAGE_KEPT_S = 10.0
"""Damaged files are read again, to see whether they still are."""
JUDGEMENTS_KEPT_S = 60.0
"""Counting them is the one query whose cost grows with the store."""
PATIENCE_S = 3.0
"""A part that does not answer within it is not well: the store itself would wait for its database for longer."""

MEBIBYTE = 1024 * 1024
LEAST_FREE_BYTES = 3 * 256 * MEBIBYTE
"""The largest file is kept three times: as it was uploaded, in the archive, and in the database."""

_BLOCK = b"\0" * 4096

Value = TypeVar("Value")


class Looked(Generic[Value]):
    """What a lookup found, at most `kept_s` seconds ago; one that hangs is waited for `patience_s`, not repeated."""

    def __init__(
        self, name: str, lookup: Callable[[], Value], kept_s: float = KEPT_S, patience_s: float = PATIENCE_S
    ) -> None:
        self.name = name
        self._lookup = lookup
        self._kept_s = kept_s
        self._patience_s = patience_s
        self._lock = Lock()
        self._found: Future[Value] | None = None
        self._begun = 0.0

    def value(self) -> Value:
        """The value.

        Raises:
            TimeoutError: when the lookup does not end; else whatever it raised.
        """
        with self._lock:
            is_old = time.monotonic() - self._begun > self._kept_s
            if self._found is None or (is_old and self._found.done()):
                self._found, self._begun = Future(), time.monotonic()
                Thread(target=self._look, args=(self._found,), name="health", daemon=True).start()
            future = self._found
        return future.result(self._patience_s)

    def _look(self, future: Future[Value]) -> None:
        try:
            future.set_result(self._lookup())
        except BaseException as error:
            future.set_exception(error)


@dataclass(frozen=True, slots=True)
class StoreVitals:
    """What the store says about the service."""

    jobs: dict[JobStatus, int]
    oldest_wait_s: float
    workers_alive: int
    worker_fault: str = ""
    """Why the last worker could not begin to judge; blank where one did."""


PAGE_PARTS = ("store", "archive")
"""Without these the page server is of no use, and a restart may help. Workers may be anywhere, start later than the
page, and live longer: without one visitors are served and runs wait."""


@dataclass(frozen=True, slots=True)
class Part:
    """How a part of the service is."""

    status: Literal["ok", "degraded", "failed"]
    reason: str = ""
    """What is wrong, and what to do; blank where nothing is."""

    @property
    def as_json(self) -> dict[str, str]:
        return {"status": self.status} | ({"reason": self.reason} if self.reason else {})


OK = Part("ok")


class Keeper(Protocol):
    """Who keeps the archive up, as far as its health goes."""

    def damaged(self) -> int:
        """How many of the archive's files are damaged."""

    def trouble(self) -> str:
        """Why the archive falls behind; blank while it does not."""


class Health:
    """The parts of the service: its store, its archive and its workers.

    Args:
        store: Asked how it is.
        archive: The folder of the archive.
        keeper: Who keeps the archive up; None = nobody does here.
    """

    def __init__(self, store: Store, archive: Path, keeper: Keeper | None = None) -> None:
        self._store = store
        self._archive = archive
        self._keeper = keeper
        self.damaged = Looked("damage of the archive", keeper.damaged if keeper else lambda: 0, DAMAGE_KEPT_S)
        self.vitals = Looked("store", lambda: _vitals(store))
        self.judgements = Looked("count of judgements", store.judgements, JUDGEMENTS_KEPT_S)
        self._archive_fault = Looked("archive", lambda: _write_fault(archive))

    def parts(self) -> dict[str, Part]:
        """Every part by its name."""
        vitals = _or_none(self.vitals)
        return {"store": self._store_part(vitals), "archive": self._archive_part(), "workers": _workers_part(vitals)}

    def _store_part(self, vitals: StoreVitals | None) -> Part:
        if self._store.damage is not None:
            return Part("failed", "the database is damaged: stop Plumbline and run `python app.py --rebuild`")
        return OK if vitals else Part("failed", "the database does not answer")

    def _archive_part(self) -> Part:
        fault = _or_none(self._archive_fault)
        if fault != "":
            return Part("failed", fault or "its folder does not answer")
        damaged = _or_none(self.damaged)
        if damaged:
            what = "file of the archive is" if damaged == 1 else "files of the archive are"
            return Part("degraded", f"{damaged} {what} damaged: `python -m submissions rebuild` names what and why")
        trouble = self._keeper.trouble() if self._keeper else ""
        free = self.free_bytes()
        if not trouble and free < LEAST_FREE_BYTES:
            trouble = f"{free // MEBIBYTE} MiB are free: the largest submission needs {LEAST_FREE_BYTES // MEBIBYTE}"
        return Part("degraded", trouble) if trouble else OK

    def free_bytes(self) -> int:
        """Space left where the archive lies."""
        return shutil.disk_usage(_existing(self._archive)).free


def routes(health: Health, event_seconds: Histogram) -> list[Route]:
    """The routes beside the page's own.

    Args:
        event_seconds: How long the events of the page took.
    """
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(event_seconds)
    registry.register(_ServiceCollector(health))

    def healthz(request: Request) -> Response:
        parts = health.parts()
        is_of_use = all(parts[name].status != "failed" for name in PAGE_PARTS)
        is_well = all(part == OK for part in parts.values())
        status = "failed" if not is_of_use else "ok" if is_well else "degraded"
        said = {name: part.as_json for name, part in parts.items()}
        return JSONResponse({"status": status, "version": VERSION, "parts": said}, 200 if is_of_use else 503)

    def metrics(request: Request) -> Response:
        return Response(generate_latest(registry), headers={"content-type": CONTENT_TYPE_LATEST})

    return [Route("/healthz", healthz), Route("/metrics", metrics)]


class _ServiceCollector(Collector):
    """Figures of the whole service. What the store cannot say now is left out, not 0."""

    def __init__(self, health: Health) -> None:
        self._health = health

    def describe(self) -> Iterator[Metric]:
        # Without it, registering would look everything up.
        yield GaugeMetricFamily("plumbline_part_up", "")

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("plumbline_part_up", "Is this part of the service well?", labels=["part"])
        for name, part in self._health.parts().items():
            up.add_metric([name], 0.0 if part.status == "failed" else 1.0)
        yield up
        damaged = _or_none(self._health.damaged)
        if damaged is not None:
            yield GaugeMetricFamily(
                "plumbline_archive_damaged_files", "Files of the archive that are known to be damaged.", damaged
            )
        vitals = _or_none(self._health.vitals)
        if vitals:
            jobs = GaugeMetricFamily("plumbline_jobs", "Submissions by state.", labels=["state"])
            for state, number in vitals.jobs.items():
                jobs.add_metric([state.value], number)
            yield jobs
            yield GaugeMetricFamily(
                "plumbline_oldest_queued_seconds",
                "How long the submission that waits longest has waited; 0 where none waits.",
                vitals.oldest_wait_s,
            )
            yield GaugeMetricFamily(
                "plumbline_workers_alive", "Workers heard of within their lease.", vitals.workers_alive
            )
        judgements = _or_none(self._health.judgements)
        if judgements is not None:
            yield CounterMetricFamily("plumbline_judgements", "Verdicts stored, on any machine.", judgements)
        try:
            yield GaugeMetricFamily(
                "plumbline_archive_free_bytes", "Space left where the archive lies.", self._health.free_bytes()
            )
        except OSError:
            return


def _or_none(looked: Looked[Value]) -> Value | None:
    """What was found; None where the lookup failed or hangs: then something is wrong, whatever it is."""
    try:
        return looked.value()
    except (TimeoutError, StoreError, SQLAlchemyError) as error:
        logger.warning("health: %s does not answer: %s", looked.name, type(error).__name__)
        return None


def _vitals(store: Store) -> StoreVitals:
    workers = store.workers()
    workers_alive = sum(worker.is_alive for worker in workers)
    fault = next((worker.fault for worker in workers if worker.fault), "")
    return StoreVitals(store.counts(), store.oldest_wait_s(), workers_alive, fault)


def _workers_part(vitals: StoreVitals | None) -> Part:
    if vitals is None:
        return Part("failed", "not known while the database does not answer")
    if not vitals.workers_alive and vitals.worker_fault:
        return Part("failed", f"the judge cannot be used, so submissions wait: {vitals.worker_fault}")
    if not vitals.workers_alive:
        return Part("failed", "no worker was heard of within its lease, so submissions wait")
    return OK


def _existing(folder: Path) -> Path:
    """The folder, or the one it will be made in: the archive's comes with the first submission."""
    return next((parent for parent in (folder, *folder.parents) if parent.exists()), folder)


def _write_fault(folder: Path) -> str:
    """Why nothing can be written to a folder; blank where it can. Leaves nothing there."""
    try:
        with tempfile.TemporaryFile(dir=_existing(folder)) as file:
            file.write(_BLOCK)
            file.flush()
    except OSError as error:
        return f"nothing can be written: {error.strerror}"
    return ""
