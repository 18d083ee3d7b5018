"""Damage met by the real programs: `python app.py` and the commands, as whoever runs them sees it."""

from __future__ import annotations

import json
import os
import random
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.submissions.archive.damages import FilledArchive, cut

ROOT = Path(__file__).parents[2]
PATIENCE_S = 240.0
PAGE = 4096
"""Bytes of a page of SQLite."""
NEVER_SAID = ("Traceback", "sqlalche", "SELECT", "PRAGMA", "background on this error")


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[FilledArchive]:
    filled = FilledArchive(tmp_path / "data", lambda ticket: robustness_result({"901": 4.0}).model_dump_json())
    filled.store.close()
    yield filled
    filled.store.close()


def environ(data: Path, **more: str) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE_")},
        "PLUMBLINE_DATA": str(data),
        "PLUMBLINE_WORKERS": "0",
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_RECORDED": "0",
        "PLUMBLINE_GENERATORS": "none",
        "PLUMBLINE_FETCH_SETS": "0",
        "PLUMBLINE_MCP": "0",
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
        **more,
    }


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    out: str
    err: str


def command(*arguments: str, data: Path, **more: str) -> Ended:
    """A program run to its end, which says nothing that only its authors understand."""
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environ(data, **more),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    for words in NEVER_SAID:
        assert words not in run.stdout + run.stderr
    return Ended(run.returncode, run.stdout, run.stderr)


@dataclass(frozen=True, slots=True)
class App:
    address: str
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def healthz(self) -> dict[str, Any]:
        answer = httpx2.get(f"{self.address}/healthz", timeout=60, trust_env=False)
        value: dict[str, Any] = answer.json()
        return {**value, "code": answer.status_code}

    def call(self, name: str, *values: str) -> str:
        """What a public endpoint answers."""
        api = f"{self.address}/gradio_api/call/{name}"
        with httpx2.Client(timeout=60, trust_env=False) as client:
            event = client.post(api, json={"data": list(values)}).json()["event_id"]
            return client.get(f"{api}/{event}").text


@contextmanager
def app(data: Path, *arguments: str) -> Iterator[App]:
    """`python app.py` while it is open."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = App(f"http://127.0.0.1:{port}", data.parent / "app.log")
    with running.log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "app.py", *arguments],
            cwd=ROOT,
            env=environ(data, PORT=str(port)),
            stdout=output,
            stderr=output,
        )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while "Plumbline is open" not in running.said:
            assert process.poll() is None, running.said
            assert time.monotonic() < deadline, running.said
            time.sleep(0.1)
        yield running
    finally:
        process.terminate()
        process.wait(60)


def ruin(file: Path, page: int = 2) -> None:
    data = bytearray(file.read_bytes())
    data[page * PAGE : (page + 1) * PAGE] = random.Random(page).randbytes(PAGE)
    file.write_bytes(data)


def statuses(data: Path) -> Mapping[str, JobStatus]:
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    found = {ticket.id: ticket.status for ticket in store.tickets()}
    store.close()
    return found


def test_one_damaged_event_costs_one_submission_and_rebuild_says_which(filled: FilledArchive) -> None:
    path = filled.event("submission", "failed").path
    filled.path(path).write_bytes(filled.path(path).read_bytes()[:200])
    for file in filled.folder.glob("plumbline.db*"):
        file.unlink()
    ended = command("-m", "submissions", "rebuild", data=filled.folder)
    assert (ended.code, ended.err) == (3, "")
    lines = ended.out.splitlines()
    assert lines[:2] == ["5 submissions restored, 5 in the database", "missing submissions (1): failed"]
    (named,) = [line for line in lines if path in line]
    assert named.strip().startswith(f"{path}: found 200 bytes that are not whole JSON, expected an event of kind")
    assert set(statuses(filled.folder)) == {*filled.TICKETS} - {"failed"}


def test_app_starts_on_a_damaged_archive_names_it_and_is_degraded(filled: FilledArchive) -> None:
    path = filled.event("submission", "failed").path
    whole = filled.path(path).read_bytes()
    cut(filled.path(path))
    for file in filled.folder.glob("plumbline.db*"):
        file.unlink()
    with app(filled.folder) as running:
        (line,) = [line for line in running.said.splitlines() if path in line]
        assert "damaged in the archive" in line
        health = running.healthz()
        assert (health["code"], health["status"]) == (200, "degraded")
        assert health["parts"]["archive"] == {
            "status": "degraded",
            "reason": "1 file of the archive is damaged: `python -m submissions rebuild` names what and why",
        }
        filled.path(path).write_bytes(whole)
        deadline = time.monotonic() + PATIENCE_S
        while running.healthz()["parts"]["archive"] != {"status": "ok"}:
            assert time.monotonic() < deadline
            time.sleep(0.5)
        assert "Traceback" not in running.said
    assert "failed" not in statuses(filled.folder)
    assert command("-m", "submissions", "rebuild", data=filled.folder).code == 0
    assert statuses(filled.folder)["failed"] is JobStatus.FAILED


@pytest.mark.parametrize(
    "arguments",
    [("app.py",), ("-m", "submissions", "status"), ("-m", "evaluator", "work", "--until-empty")],
    ids=" ".join,
)
def test_every_program_ends_on_a_damaged_database_with_one_sentence_and_the_command(
    filled: FilledArchive, arguments: tuple[str, ...]
) -> None:
    file = filled.folder / "plumbline.db"
    ruin(file, page=0)
    ended = command(*arguments, data=filled.folder, PLUMBLINE_JUDGES="scripted", PLUMBLINE_EMBEDDING="scripted")
    assert ended.code in (1, 2)
    (said,) = ended.err.splitlines()
    assert f"the database {file} is damaged (file is not a database)" in said
    assert "run `python app.py --rebuild`" in said


def test_app_rebuilds_when_asked_and_goes_on_starting(filled: FilledArchive) -> None:
    before = statuses(filled.folder)
    file = filled.folder / "plumbline.db"
    filled.store.close()
    ruin(file)
    damaged = file.read_bytes()
    ended = command("app.py", data=filled.folder)
    assert f"Plumbline cannot start: the database {file} is damaged (" in ended.err
    with app(filled.folder, "--rebuild") as running:
        assert "6 submissions restored" in running.said
        assert "asked for again when it is needed" in running.said
        assert running.healthz()["parts"]["store"] == {"status": "ok"}
    (aside,) = filled.folder.glob("plumbline.db.damaged-*Z")
    assert aside.read_bytes() == damaged
    after = statuses(filled.folder)
    assert {ticket: after[ticket] for ticket in before} == before


def test_damage_that_comes_while_the_page_is_open_is_told_plainly_everywhere(filled: FilledArchive) -> None:
    file = filled.folder / "plumbline.db"
    with app(filled.folder) as running:
        assert running.healthz()["parts"]["store"] == {"status": "ok"}
        with sqlite3.connect(file) as connection:
            connection.execute("DROP TABLE job_events")
        connection.close()
        answers = [running.call("ticket", "scored") for _ in range(2)]
        for answer in answers:
            assert "event: error" in answer
            assert "The database of this installation is damaged: whoever runs it has to rebuild it." in answer
            assert str(filled.folder) not in answer
        health = running.healthz()
        assert (health["code"], health["status"]) == (503, "failed")
        assert "run `python app.py --rebuild`" in health["parts"]["store"]["reason"]
        assert str(filled.folder) not in json.dumps(health)
        told = [line for line in running.said.splitlines() if "is damaged" in line and "leaderboard.web.pages" in line]
        assert len(told) == 1
        assert "Traceback" not in running.said
