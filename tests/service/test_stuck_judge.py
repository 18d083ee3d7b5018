"""A judge that holds the interpreter for ever: its submission fails, the next is scored, and whoever stops, stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from benchmarks.workers import distinct_files
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.store.queue import JobStatus, Ticket
from submissions.store.store import Store
from tests.service.test_own_process import is_gone
from tests.service.test_worker_killed import children, free_port, wait_for

ROOT = Path(__file__).parents[2]
STUCK_JUDGE = Path(__file__).parent / "stuck_judge"
LEASE_S = 2.0
STEP_S = 5.0
"""More than two leases: only who holds the lease meanwhile keeps others away."""
START_WITHIN_S = 120.0
END_WITHIN_S = 5.0
"""What the service promises of a cancel and of its own end."""
BUSY_S = 60.0
"""What a busy machine may take on top of a promise."""

HARMLESS, POISON, OTHER_POISON = distinct_files(3)


def poisoned(data: bytes, item: int) -> bytes:
    document = json.loads(data)
    response = document["eloquent-robustness-results"]["items"][item]["responses"][1]
    response["response"] = "POISON " + response["response"]
    return json.dumps(document).encode()


class Service:
    """A database, a desk, and processes that run on it with a judge that gets stuck."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", lease_s=LEASE_S)
        self.desk = Desk(self.store, Archive(folder / "archive"), PromptSets.load(None))
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE_")}
        self.environ = kept | {
            "PYTHONPATH": os.pathsep.join((str(STUCK_JUDGE), str(ROOT))),
            "PLUMBLINE_DATA": str(folder),
            "PLUMBLINE_JUDGES": "scripted",
            "PLUMBLINE_EMBEDDING": "scripted",
            "PLUMBLINE_LEASE_S": str(LEASE_S),
            "PLUMBLINE_STEP_S": str(STEP_S),
            "PLUMBLINE_DEMONSTRATION": "0",
            "PLUMBLINE_RECORDED": "0",
            "PLUMBLINE_GENERATORS": "none",
            "PLUMBLINE_FETCH_SETS": "0",
        }

    def submit(self, data: bytes) -> str:
        return self.desk.submit(data, "run.json", owner="local").ticket.id

    def ticket(self, ticket_id: str) -> Ticket:
        return self.store.require(ticket_id)

    @contextmanager
    def running(self, *command: str, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
        """A process of the service; killed at the end if it still runs."""
        process = subprocess.Popen([sys.executable, *command], cwd=ROOT, env=self.environ | settings)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def worker(self, name: str) -> tuple[str, ...]:
        return ("-m", "evaluator", "work", "--name", name)

    def wait_until_stuck(self, ticket_id: str) -> None:
        """Until its worker has held the interpreter for longer than a lease."""
        assert wait_for(lambda: self.ticket(ticket_id).status is JobStatus.RUNNING, START_WITHIN_S)
        begun = time.monotonic()
        assert not wait_for(lambda: self.ticket(ticket_id).status is not JobStatus.RUNNING, 1.5 * LEASE_S)
        assert time.monotonic() - begun >= LEASE_S


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path)
    yield made
    made.store.close()


def takes(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def test_two_that_hold_the_interpreter_fail_with_the_place_and_the_third_is_scored(service: Service) -> None:
    first = service.submit(poisoned(POISON, 3))
    second = service.submit(poisoned(OTHER_POISON, 5))
    harmless = service.submit(HARMLESS)
    port = str(free_port())
    health = f"http://127.0.0.1:{port}/healthz"
    with service.running("app.py", PORT=port, PLUMBLINE_STEP_S=str(5 * LEASE_S)):
        service.wait_until_stuck(first)
        assert wait_for(lambda: is_open(health), START_WITHIN_S)
        said: list[object] = []

        def ends() -> bool:
            said.append(httpx2.get(health, trust_env=False).json()["parts"]["workers"])
            return service.ticket(first).status is not JobStatus.RUNNING

        assert wait_for(ends, START_WITHIN_S)
        assert said[:-1] == [{"status": "ok"}] * (len(said) - 1)  # the last one may be of the moment after
        assert wait_for(lambda: not service.ticket(harmless).status.is_open, START_WITHIN_S)
    assert [service.ticket(one).status for one in (first, second, harmless)] == ["failed", "failed", "scored"]
    items = json.loads(POISON)["eloquent-robustness-results"]["items"]
    for poison, item in ((first, 3), (second, 5)):
        ticket = service.ticket(poison)
        place = f"judging item {items[item]['id']}, variants "
        assert (ticket.reason or "").startswith(f"stopped after 10 s without getting on, at this: {place}")
        assert (ticket.reason or "").endswith(" (limit PLUMBLINE_STEP_S=10). What was judged before is kept.")
        assert ticket.attempts == 1


def is_open(address: str) -> bool:
    try:
        return httpx2.get(address, trust_env=False).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.mark.slow
def test_no_second_worker_takes_what_stands_still(service: Service) -> None:
    poison = service.submit(poisoned(POISON, 0))
    with service.running(*service.worker("one")), service.running(*service.worker("two")):
        assert wait_for(lambda: service.ticket(poison).status is JobStatus.FAILED, START_WITHIN_S)
        harmless = service.submit(HARMLESS)
        assert wait_for(lambda: service.ticket(harmless).status is JobStatus.SCORED, START_WITHIN_S)
        assert wait_for(lambda: {one.name for one in service.store.workers()} == {"one", "two"}, START_WITHIN_S)
    assert service.ticket(poison).attempts == 1


@pytest.mark.slow
def test_cancelling_ends_a_judgement_that_holds_the_interpreter(service: Service) -> None:
    poison = service.submit(poisoned(POISON, 0))
    with service.running(*service.worker("one"), PLUMBLINE_STEP_S="600") as watcher:
        service.wait_until_stuck(poison)
        (stuck,) = children(watcher.pid)
        service.desk.cancel(poison, "local")
        assert wait_for(lambda: stuck not in children(watcher.pid), END_WITHIN_S + BUSY_S)
        harmless = service.submit(HARMLESS)
        assert wait_for(lambda: service.ticket(harmless).status is JobStatus.SCORED, START_WITHIN_S)
    assert service.ticket(poison).status is JobStatus.CANCELLED


def test_a_service_with_a_stuck_worker_closes_at_once_and_the_submission_waits(service: Service) -> None:
    poison = service.submit(poisoned(POISON, 0))
    with service.running("app.py", PORT=str(free_port()), PLUMBLINE_STEP_S="600") as server:
        service.wait_until_stuck(poison)
        server.send_signal(signal.SIGTERM)
        assert takes(lambda: server.wait(START_WITHIN_S)) < END_WITHIN_S + BUSY_S
        assert server.returncode == 0
    ticket = service.ticket(poison)
    assert ticket.status is JobStatus.QUEUED
    assert ticket.reason == "back in the queue: the worker was stopped"


@pytest.mark.slow
def test_a_stuck_worker_dies_with_its_watcher(service: Service) -> None:
    poison = service.submit(poisoned(POISON, 0))
    with service.running(*service.worker("one"), PLUMBLINE_STEP_S="600") as watcher:
        service.wait_until_stuck(poison)
        (stuck,) = children(watcher.pid)
        watcher.kill()
        watcher.wait()
        assert wait_for(lambda: is_gone(stuck), END_WITHIN_S + BUSY_S)
