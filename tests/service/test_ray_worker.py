"""A worker whose judge is on a cluster that it started: what it leaves behind, and a judge that stands still there."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.workers import distinct_files
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.store.queue import JobStatus
from tests.service.test_own_process import is_gone
from tests.service.test_stuck_judge import BUSY_S, END_WITHIN_S, START_WITHIN_S, STEP_S, Service, poisoned
from tests.service.test_worker_killed import wait_for

FIRST, SECOND, POISON = distinct_files(3)
SLOW = {"PLUMBLINE_JUDGES": "ray:local;actors=2#scripted:0.05", "PLUMBLINE_STEP_S": "600"}
GONE_WITHIN_S = 30.0
"""Of what ray runs beside actors: its agents look after their raylet every few seconds."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path)
    yield made
    made.store.close()


def of_service(service: Service, name: str) -> list[int]:
    """Processes with the service's settings whose command line holds that."""
    mark = f"PLUMBLINE_DATA={service.environ['PLUMBLINE_DATA']}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes() and name.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue  # it has ended meanwhile
    return found


@pytest.mark.soak
def test_cancel_and_kill_leave_no_actor_and_the_next_result_is_the_same_to_the_byte(service: Service) -> None:
    cancelled, scored = service.submit(FIRST), service.submit(SECOND)
    with service.running(*service.worker("one"), **SLOW) as watcher:
        assert wait_for(lambda: service.ticket(cancelled).status is JobStatus.RUNNING, START_WITHIN_S)
        before = of_service(service, "ray::JudgeActor")
        assert len(before) == 2
        service.desk.cancel(cancelled, "local")
        assert wait_for(lambda: service.ticket(scored).status is JobStatus.SCORED, START_WITHIN_S)
        assert service.ticket(cancelled).status is JobStatus.CANCELLED
        watcher.send_signal(signal.SIGKILL)
        watcher.wait()
        assert wait_for(lambda: not of_service(service, "ray::JudgeActor"), END_WITHIN_S + BUSY_S)
    assert all(map(is_gone, before))
    assert wait_for(lambda: not of_service(service, "ray"), GONE_WITHIN_S)
    alone = evaluate_payload(
        SECOND,
        "run.json",
        edition="auto",
        names=Names(),
        prompt_sets=PromptSets.load(None),
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )
    assert service.store.result(scored) == alone.model_dump_json()


@pytest.mark.soak
def test_an_actor_that_holds_its_interpreter_is_ended_at_the_limit_and_the_next_submission_is_scored(
    service: Service,
) -> None:
    poison, harmless = service.submit(poisoned(POISON, 3)), service.submit(SECOND)
    with service.running(*service.worker("one"), PLUMBLINE_JUDGES="ray:local;actors=2#scripted"):
        assert wait_for(lambda: service.ticket(harmless).status is JobStatus.SCORED, START_WITHIN_S)
    ticket = service.ticket(poison)
    assert ticket.status is JobStatus.FAILED
    assert (ticket.reason or "").startswith(f"stopped after {STEP_S:g} s without getting on, at this: judging ")
    assert ticket.attempts == 1
