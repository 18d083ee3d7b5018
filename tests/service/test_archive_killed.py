"""The page process is killed in the middle of a commit to the archive repository, and starts again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from submissions.archive.events import is_archive_path
from submissions.archive.record import Archive
from submissions.promptsets import example_submissions
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.service.fake_hub import TOKEN, FakeHub, Fault

ROOT = Path(__file__).parents[2]
REPO = "team/plumbline-archive"
PATIENCE_S = 240.0

PAGE_PROCESS = """
import logging, os, sys, threading
from submissions.archive.keeper import opened_archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.settings import Settings
from submissions.store.store import Store

logging.basicConfig(level=logging.DEBUG)
settings = Settings.from_env(os.environ)
store = Store.open(settings.resolved_database_url)
archive, keeper = opened_archive(settings, store, threading.Event())
desk = Desk(store, archive, PromptSets.load(None), durability=settings.durability)
keeper.start()
for name, data in list(example_submissions())[: int(sys.argv[1])]:
    print(desk.submit(data, name, owner="local").ticket.id, flush=True)
print("ready", flush=True)
sys.stdin.read()
keeper.stop()
"""
"""What app.py does with the archive, without its pages."""


class PageProcess:
    def __init__(self, data: Path, hub: FakeHub, submissions: int) -> None:
        environ = os.environ | {
            "PLUMBLINE_DATA": str(data),
            "PLUMBLINE_ARCHIVE_REPO": REPO,
            "PLUMBLINE_ARCHIVE_INTERVAL_S": "0",
            "PLUMBLINE_DURABLE": "hub",
            "HF_TOKEN": TOKEN,
            "HF_ENDPOINT": hub.endpoint,
            "HF_HUB_OFFLINE": "0",
            "HF_HUB_DISABLE_XET": "1",
        }
        self.log = data.with_suffix(".log")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PAGE_PROCESS, str(submissions)],
                cwd=ROOT,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def tickets(self) -> list[str]:
        """The tickets it gave out, once it is ready."""
        assert self.process.stdout is not None
        lines: list[str] = []
        for line in self.process.stdout:
            if line == "ready\n":
                return lines
            lines.append(line.strip())
        raise AssertionError(f"it ended before it was ready: {self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self._wait()

    def end(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self._wait()

    def _wait(self) -> int:
        code = self.process.wait(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        return code


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as fake:
        yield fake


def statuses(data: Path) -> dict[str, JobStatus]:
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    found = {ticket.id: ticket.status for ticket in store.tickets()}
    store.close()
    return found


def waited_for_queued(data: Path, tickets: list[str]) -> dict[str, JobStatus]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = statuses(data)
        if all(found[ticket] is JobStatus.QUEUED for ticket in tickets):
            return found
        time.sleep(0.1)
    raise AssertionError(f"not accepted: {statuses(data)}")


def assert_there_once(hub: FakeHub, data: Path) -> None:
    archive = Archive(data / "archive")
    added = [path for commit in hub.commits(REPO) for path in commit.added if is_archive_path(path)]
    assert len(added) == len(set(added))
    assert {path for path in added if path.startswith("log/")} == {name.path for name in archive.names()}


@pytest.mark.parametrize("fault", ["silent", "held"])
def test_killed_before_a_commit_or_before_its_answer_nothing_is_lost_and_nothing_there_twice(
    tmp_path: Path, hub: FakeHub, fault: Fault
) -> None:
    data = tmp_path / "data"
    hub.inject("commit", fault)
    first = PageProcess(data, hub, submissions=3)
    tickets = first.tickets()
    assert len(tickets) == 3
    assert hub.kept_waiting.wait(PATIENCE_S)
    first.kill()
    assert len(hub.commits(REPO)) == (0 if fault == "silent" else 1)
    assert set(statuses(data).values()) == {JobStatus.RECEIVED}, "what is not in the archive is not accepted"

    second = PageProcess(data, hub, submissions=0)
    second.tickets()
    waited_for_queued(data, tickets)
    assert second.end() == 0
    assert_there_once(hub, data)

    third = PageProcess(tmp_path / "fresh", hub, submissions=0)
    third.tickets()
    assert list(waited_for_queued(tmp_path / "fresh", tickets)) == list(statuses(data))
    assert third.end() == 0
    files = {path: text for path, text in hub.files(REPO).items() if path.startswith("objects/")}
    assert sorted(files.values()) == sorted(data for _, data in list(example_submissions())[:3])
    for log in tmp_path.glob("*.log"):
        said = log.read_text()
        assert "DEBUG" in said
        assert TOKEN not in said
