"""The processes that `make kill-rounds` kills: uploads, workers, the page server, and PostgreSQL.

Uploads and workers are forked from a process that has imported everything and opened nothing, so that a thousand of
them can start and die within minutes; they run the very code of `python -m evaluator work` and of the desk. The page is
`python app.py`, started anew each time.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import httpx2

from evaluator import __main__ as evaluator_program
from evaluator.worker.watcher import Child, WatchedLimits, Watcher
from submissions.archive.record import Archive
from submissions.desk import LOCAL_OWNER, Desk
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.store import Store

ROOT = Path(__file__).parents[2]
ANSWER_WITHIN_S = 60.0

CONTEXT = multiprocessing.get_context("forkserver")
# And what the program that kills imports: each of its children imports that program, too.
CONTEXT.set_forkserver_preload(
    [__name__, "evaluator.worker.loop", "evaluator.worker.child", "tests.service.undisturbed", "benchmarks.workers"]
)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that a team sends until it has a ticket for it."""

    file_name: str
    data: bytes
    team: str | None = None
    """Where the file cannot state it."""


class Killed:
    """A process and how to kill it."""

    def __init__(self, process: BaseProcess) -> None:
        self._process = process

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        """SIGKILL: it can neither say goodbye nor tidy up."""
        self._process.kill()
        self._process.join()

    def end(self) -> None:
        """SIGTERM; a worker gives its job back."""
        self._process.terminate()
        self._process.join(ANSWER_WITHIN_S)
        self.kill()


class WorkerProcess(Killed):
    """`python -m evaluator work`."""

    def __init__(self, name: str, environ: Mapping[str, str], log: Path) -> None:
        self.name = name
        process = CONTEXT.Process(target=_work, args=(name, dict(environ), log), daemon=True)
        process.start()
        super().__init__(process)


class UploadProcess(Killed):
    """Takes files in at the desk, as `python -m submissions submit` does, or sends them to an open page."""

    def __init__(self, environ: Mapping[str, str], log: Path) -> None:
        self._here, there = CONTEXT.Pipe()
        process = CONTEXT.Process(target=_upload, args=(there, dict(environ), log), daemon=True)
        process.start()
        there.close()
        self.sends: int | None = None
        """Number of the file it was given and has not answered for."""
        super().__init__(process)

    def give(self, number: int, upload: Upload, page: str | None) -> None:
        """Hands it a file; `page` is the address of the page it sends the file to, None = the desk."""
        self.sends = number
        with suppress(BrokenPipeError, ConnectionError):  # it was killed: the file stays open
            self._here.send((upload, page))

    def acknowledged(self, wait_s: float) -> str | None:
        """The ticket of the file it was given; None when there is none (yet), or it could not be sent."""
        try:
            if self.sends is None or not self._here.poll(wait_s):
                return None
            ticket: str | None = self._here.recv()
        except (EOFError, ConnectionError):
            return None
        self.sends = None
        return ticket


class PageProcess:
    """`python app.py` with its own worker."""

    def __init__(self, environ: Mapping[str, str], log: Path) -> None:
        self._port = _free_port()
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "app.py"],
                cwd=ROOT,
                env={**environ, "PORT": str(self._port)},
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def address(self) -> str | None:
        """Where it is open; None before it is."""
        with socket.socket() as probe:
            probe.settimeout(0.2)
            is_open = probe.connect_ex(("127.0.0.1", self._port)) == 0
        return f"http://127.0.0.1:{self._port}" if is_open else None

    def kill(self) -> None:
        """SIGKILL to the page; its worker has to notice by itself."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


class ForkedWorker(Child):
    """What the watcher starts, forked from it: as `evaluator.worker.child.WorkerProcess`, without starting an
    interpreter."""

    def __init__(self, name: str) -> None:
        asked, self._ask = os.pipe()
        self._told, told = os.pipe()
        self._pid = os.fork()
        if not self._pid:
            os.setsid()
            os.close(self._ask)
            os.dup2(asked, 0)
            os.dup2(told, 1)
            os._exit(evaluator_program.main(["work", "--child", "--name", name]))
        os.close(asked)
        os.close(told)
        self._code: int | None = None
        self._rest = b""

    def lines(self, wait_s: float) -> list[str]:
        if not select.select([self._told], [], [], wait_s)[0]:
            return []
        *lines, self._rest = (self._rest + os.read(self._told, 2**16)).split(b"\n")
        return [line.decode() for line in lines]

    def code(self) -> int | None:
        if self._code is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code

    def ask_to_stop(self) -> None:
        os.close(self._ask)

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)

    def close(self) -> None:
        os.close(self._told)


def _work(name: str, environ: dict[str, str], log: Path) -> None:
    """`python -m evaluator work`, but for how it starts the process it watches."""
    _become(environ, log)
    settings = Settings.from_env(os.environ)
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    store = Store.open(settings.resolved_database_url, lease_s=settings.lease_s, max_attempts=settings.max_attempts)
    Watcher(store, ForkedWorker, WatchedLimits.of(settings), name=name, stays=False).run(stopped)
    store.close()


def _upload(files: connection.Connection, environ: dict[str, str], log: Path) -> None:
    _become(environ, log)
    settings = Settings.from_env(os.environ)
    store = Store.open(settings.resolved_database_url, lease_s=settings.lease_s, max_attempts=settings.max_attempts)
    desk = Desk(store, Archive(settings.archive), PromptSets.load(None))
    while True:
        upload, page = files.recv()
        files.send(_sent_to_page(page, upload) if page else _taken_in(desk, upload))


def _taken_in(desk: Desk, upload: Upload) -> str:
    names = Names(team=upload.team)
    return desk.submit(upload.data, upload.file_name, owner=LOCAL_OWNER, names=names).ticket.id


def _sent_to_page(page: str, upload: Upload) -> str | None:
    """The ticket an open page gives for a file; None when it does not answer to the end."""
    api = f"{page}/gradio_api"
    try:
        with httpx2.Client(timeout=ANSWER_WITHIN_S, trust_env=False) as client:
            path = client.post(f"{api}/upload", files={"files": (upload.file_name, upload.data)}).json()[0]
            file = {"path": path, "meta": {"_type": "gradio.FileData"}}
            stated = [upload.team or "", "", "", "", "auto", None, "", ""]
            event = client.post(f"{api}/call/submit", json={"data": [file, *stated]}).json()["event_id"]
            answer = client.get(f"{api}/call/submit/{event}").text
    except (httpx2.HTTPError, ValueError, LookupError):
        return None
    kind, _, data = answer.strip().rpartition("\n")
    if "event: complete" not in kind:
        return None
    ticket: str = json.loads(json.loads(data.removeprefix("data: "))[0])["ticket"]
    return ticket


def _become(environ: dict[str, str], log: Path) -> None:
    """A process of the service: its settings, its log, and an end when whoever started it ends."""
    os.environ.clear()
    os.environ.update(environ)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(output, stream.fileno())
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
