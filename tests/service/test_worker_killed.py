"""The worker is killed again and again; the page server starts it anew and every submission is scored once."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.workers import distinct_files
from evaluator.evaluate import evaluate_payload
from evaluator.judge_loading.loading import load_scorer
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.store.queue import JobStatus, Ticket
from submissions.store.store import Store

ROOT = Path(__file__).parents[2]
JUDGE = "scripted:0.002"
PATIENCE_S = 240.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def children(pid: int) -> list[int]:
    """Those of a process that is there; what one of its threads had started goes with the thread."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for task in Path(f"/proc/{pid}/task").iterdir():
        if task.name != str(pid):
            with suppress(FileNotFoundError, ProcessLookupError):  # it ended since it was listed
                found += (task / "children").read_text().split()
    return [int(child) for child in found]


def workers(pid: int) -> list[int]:
    """Of a page server's children those that judge; others check files."""
    return [child for child in children(pid) if b"\0work\0" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.mark.parametrize(("submissions", "kills_wanted"), [(4, 8), pytest.param(20, 50, marks=pytest.mark.soak)])
def test_kills_lose_nothing_double_nothing_and_fail_nothing(
    tmp_path: Path, submissions: int, kills_wanted: int
) -> None:
    environ = os.environ | {
        "PORT": str(free_port()),
        "PLUMBLINE_DATA": str(tmp_path),
        "PLUMBLINE_JUDGES": JUDGE,
        "PLUMBLINE_LEASE_S": "1",
        "PLUMBLINE_MAX_ATTEMPTS": "0",
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_RECORDED": "0",
        "PLUMBLINE_GENERATORS": "none",
        "PLUMBLINE_FETCH_SETS": "0",
    }
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", lease_s=1.0, max_attempts=0)
    prompt_sets = PromptSets.load(None)
    desk = Desk(store, Archive(tmp_path / "archive"), prompt_sets)
    files = distinct_files(submissions)
    tickets = [desk.submit(data, "f.json", owner="local").ticket.id for data in files]

    def mine() -> list[Ticket]:
        return [ticket for ticket in store.tickets() if ticket.id in tickets]

    server = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environ)
    try:
        kills = 0
        dice = random.Random(50)
        while kills < kills_wanted and any(ticket.status.is_open for ticket in mine()):
            if wait_for(lambda: any(t.status is JobStatus.RUNNING for t in store.tickets()), 30):
                time.sleep(dice.uniform(0, 0.3))
            for worker in workers(server.pid):
                os.kill(worker, signal.SIGKILL)
                kills += 1
            wait_for(lambda: not any(t.status is JobStatus.RUNNING for t in store.tickets()), 5)
        finished = wait_for(lambda: not any(ticket.status.is_open for ticket in store.tickets()), PATIENCE_S)
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=30) == 0

    assert finished, [(ticket.id, ticket.status, ticket.reason) for ticket in mine()]
    assert kills == kills_wanted
    assert [ticket.status for ticket in mine()] == [JobStatus.SCORED] * submissions
    scorer = load_scorer("scripted")
    verdicts = MemoryVerdicts()
    for ticket_id, data in zip(tickets, files, strict=True):
        unkilled = evaluate_payload(
            data,
            "f.json",
            edition="2024",
            names=Names(),
            prompt_sets=prompt_sets,
            judge=RecordedJudge(scorer.judge, verdicts),
            embedder=scorer.embedder,
        )
        assert store.result(ticket_id) == unkilled.model_dump_json()
    store.close()
