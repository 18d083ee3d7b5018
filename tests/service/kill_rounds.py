"""`make kill-rounds`: whatever is killed and whenever, nothing acknowledged is lost and nothing counts twice.

Each round lets an upload, two workers and, in every tenth round, a page that is still starting or has just opened, work
for a random moment and kills some of them with SIGKILL; on PostgreSQL the server itself too. After each campaign of
rounds the service is left alone for at most 60 s, and its boards are compared with those that one undisturbed worker
makes of the same submissions. SIGKILL does not test a loss of power (docs/durability.md).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.postgresql import PostgreSQLServer
from benchmarks.provenance import commit
from benchmarks.workers import distinct_files
from submissions.archive.keeper import opened_archive
from submissions.archive.restoring import restore
from submissions.settings import Settings
from submissions.store.queue import JobStatus, Ticket
from submissions.store.store import Store
from tests.service.killed_processes import PageProcess, Upload, UploadProcess, WorkerProcess
from tests.service.undisturbed import boards, differences, differing_results, exported, undisturbed_store
from tests.unit.submissions.formats.personalization.answer_files import as_json, good_document

JUDGE = "scripted:0.002"
LEASE_S = 1.0
WORKERS = 2
SHORTEST_LIFE_S = 0.5
LONGEST_LIFE_S = 1.5
"""A round's kills come after a moment between 0 and one of these: twice what a new process takes for an upload."""
PAGE_ROUND = 10
LONGEST_PAGE_WAIT_S = 3.0
"""A page is killed so long into its round at most, as a rule before it has opened."""
OPEN_PAGE = 4
"""Every fourth page is killed once it is open, and a file has been sent to it."""
SERVER_ROUND = 2
"""PostgreSQL itself is killed in every second round."""
MOST_OPEN = 6
"""Nothing more is sent while so many submissions wait: the workers die too often to keep up."""
CAMPAIGN = 200
"""Rounds on one database; then everything is compared and the next one begins empty."""
SETTLES_WITHIN_S = 60.0
"""A job that is still open so long after the last kill is stuck."""

FAULTS = (
    "acknowledged submissions lost",
    "jobs failed",
    "jobs stuck 60 s after the last kill",
    "submissions that stand twice",
    "submissions scored other than once",
    "verdicts counted twice or not at all",
    "results that differ from an undisturbed run",
    "board files that differ from an undisturbed run",
    "files that differ after a rebuild from the archive",
)
"""Every line must be 0."""


def uploads() -> Iterator[Upload]:
    """Files no two of which are alike: mostly answers of the demonstration set, now and then another kind."""
    for number, data in enumerate(distinct_files(10_000)):
        if number % 5 == 3:
            yield Upload("verdicts.json", _verdict_table(number), team=f"team {number}")
        elif number % 5 == 4:
            yield Upload("answers.json", as_json(good_document(team=f"team {number}", date="2026-11-20")))
        else:
            yield Upload("run.json", data)


def _verdict_table(number: int) -> bytes:
    rows = [
        {"judge": "gauge", "benchmark": "demo", "task": "t", "model": "m", "query": f"q{query}", "order": order}
        | {"verdict": "AB"[(query + number + (order == "swapped")) % 2]}
        for query in range(30)
        for order in ("original", "swapped")
    ]
    return json.dumps({"kind": "judge_verdicts", "options": 3, "reference_model": "r", "verdicts": rows}).encode()


class Campaign:
    """Some rounds on one new database.

    Args:
        folder: For data, logs and exports; empty.
        server: PostgreSQL, killed too; None = SQLite.
    """

    def __init__(self, folder: Path, server: PostgreSQLServer | None, dice: random.Random) -> None:
        self._folder = folder
        self._server = server
        self._dice = dice
        self._environ = _environ(folder / "data", server.new_database() if server else "")
        self._settings = Settings.from_env(self._environ)
        self._files = uploads()
        self._open_files: dict[int, Upload] = {}
        """Files without a ticket so far, by number."""
        self._sent = 0
        self._acknowledged: dict[int, str] = {}
        self._workers: list[WorkerProcess] = []
        self._upload: UploadProcess | None = None
        self._page: PageProcess | None = None
        self._page_starts = 0
        self._started = 0
        self._life_s = SHORTEST_LIFE_S
        self.seen: Counter[str] = Counter()
        """What was done and seen, for people."""
        self.faults: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))

    def run(self, rounds: int, progress: Callable[[int], None]) -> None:
        """Kills in so many rounds, lets the service settle, and compares."""
        store = self.opened_store()
        try:
            self._life_s = min(LONGEST_LIFE_S, max(SHORTEST_LIFE_S, 2 * self._seconds_for_an_upload(store)))
            for number in range(rounds):
                self._round(number, store)
                progress(number + 1)
            last_kill = time.monotonic()
            self._settle(store, last_kill)
        finally:
            self._end_all()
        self.compare(store)
        store.close()

    def _seconds_for_an_upload(self, store: Store) -> float:
        """What a new process takes here and now, once the process it is forked from is there."""
        for _ in range(2):
            began = time.monotonic()
            self._revive()
            self._send(store)
            self._hear(SETTLES_WITHIN_S)
            assert self._upload is not None
            self._upload.kill()
        return time.monotonic() - began

    # One round

    def _round(self, number: int, store: Store) -> None:
        self._revive()
        if number % PAGE_ROUND == 0:
            self._page_starts = number + self._dice.randrange(PAGE_ROUND)
        if number == self._page_starts:
            self._page = PageProcess(self._environ, self._folder / "page.log")
        self._send(store)
        time.sleep(self._dice.uniform(0, self._life_s))
        self._hear(0)
        if number % PAGE_ROUND == PAGE_ROUND - 1:
            self._kill_page(once_open=number // PAGE_ROUND % OPEN_PAGE == OPEN_PAGE - 1, store=store)
        if self._server and number % SERVER_ROUND == 0:
            self._server.kill()
            self.seen["PostgreSQL servers killed"] += 1
            self._kill_some(self._dice.randrange(2))
            self._server.start()
        else:
            self._kill_some(self._dice.choice((1, 1, 1, 2, 3)))

    def _revive(self) -> None:
        logs = self._folder / "processes.log"
        self._workers = [worker for worker in self._workers if worker.is_alive]
        while len(self._workers) < WORKERS:
            self._started += 1
            self._workers.append(WorkerProcess(f"worker-{self._started}", self._environ, logs))
        if self._upload is None or not self._upload.is_alive:
            self._upload = UploadProcess(self._environ, logs)

    def _send(self, store: Store) -> None:
        """Gives the upload process a file: first one whose sender was killed, as its team would."""
        assert self._upload is not None
        if self._upload.sends is not None:
            return
        if self._open_files:
            number = next(iter(self._open_files))
            self.seen["files sent again"] += 1
        elif sum(count for status, count in store.counts().items() if status.is_open) < MOST_OPEN:
            number, self._sent = self._sent, self._sent + 1
            self._open_files[number] = next(self._files)
        else:
            return
        page = self._page.address if self._page else None
        self.seen["files sent to a page"] += page is not None
        self._upload.give(number, self._open_files[number], page)

    def _hear(self, wait_s: float) -> None:
        """Notes the ticket the upload process was given, if it was."""
        assert self._upload is not None
        number = self._upload.sends
        ticket = self._upload.acknowledged(wait_s)
        if number is not None and ticket is not None:
            self._acknowledged[number] = ticket
            del self._open_files[number]

    def _kill_some(self, count: int) -> None:
        assert self._upload is not None
        for victim in self._dice.sample([*self._workers, self._upload], count):
            victim.kill()
            self.seen["uploads killed" if victim is self._upload else "workers killed"] += 1
        if not self._upload.is_alive:
            self._hear(0)  # what it had said before it died counts as said
            self.seen["uploads killed before they had a ticket"] += self._upload.sends is not None

    def _kill_page(self, *, once_open: bool, store: Store) -> None:
        if self._page is None:
            return
        if once_open:
            deadline = time.monotonic() + SETTLES_WITHIN_S
            while self._page.address is None and time.monotonic() < deadline:
                time.sleep(0.05)
            self._hear(0)
            self._send(store)
            time.sleep(self._dice.uniform(0, self._life_s))
        else:
            time.sleep(self._dice.uniform(0, LONGEST_PAGE_WAIT_S))
        self.seen["pages killed after they had opened"] += self._page.address is not None
        self._page.kill()
        self.seen["pages killed"] += 1
        self._page = None

    # Afterwards

    def _settle(self, store: Store, last_kill: float) -> None:
        """What a page does at its start, with workers and uploads that nobody kills any more."""
        deadline = last_kill + SETTLES_WITHIN_S
        self._revive()
        while time.monotonic() < deadline and (self._open_files or self._is_sending()):
            self._send(store)
            self._hear(0.2)
            if not self._is_sending() and self._open_files:
                self._upload = None
                self._revive()
        opened_archive(self._settings, store, threading.Event())
        while time.monotonic() < deadline and any(status.is_open for status in _standing(store)):
            time.sleep(0.1)
        self.seen["seconds until settled"] += round(time.monotonic() - last_kill)

    def _is_sending(self) -> bool:
        return self._upload is not None and self._upload.sends is not None

    def _end_all(self) -> None:
        for process in [*self._workers, *([self._upload] if self._upload else [])]:
            process.end()
        if self._page is not None:
            self._page.kill()

    def compare(self, store: Store) -> None:
        """Counts every fault of the database as it stands."""
        tickets = {ticket.id: ticket for ticket in store.tickets()}
        archive, _ = opened_archive(self._settings, store, threading.Event())
        archived = {name.subject for name in archive.names() if name.kind == "submission"}
        stand = [ticket for ticket in tickets.values() if ticket.status is not JobStatus.CANCELLED]
        files = Counter((ticket.file_sha256, ticket.names) for ticket in stand if ticket.role == "entry")
        self.seen["submissions acknowledged"] += len(self._acknowledged)
        self.seen["submissions scored"] += sum(ticket.status is JobStatus.SCORED for ticket in stand)
        self.seen["leases lost in a kill"] += sum("fell silent" in line for ticket in stand for line in ticket.log)
        self.seen["verdicts stored"] += store.judgements()
        self.faults["acknowledged submissions lost"] += len(self._open_files) + sum(
            ticket not in archived or ticket not in tickets or tickets[ticket].status is not JobStatus.SCORED
            for ticket in self._acknowledged.values()
        )
        self.faults["jobs failed"] += sum(ticket.status is JobStatus.FAILED for ticket in stand)
        self.faults["jobs stuck 60 s after the last kill"] += sum(ticket.status.is_open for ticket in stand)
        self.faults["submissions that stand twice"] += sum(count - 1 for count in files.values())
        self.faults["submissions scored other than once"] += sum(_times_scored(ticket) != 1 for ticket in stand)
        found = self._exported(store, "as it stands")
        undisturbed = undisturbed_store(stand, store, self._folder / "undisturbed.db")
        results = differing_results(store, undisturbed)
        self.faults["results that differ from an undisturbed run"] += len(results)
        self.faults["verdicts counted twice or not at all"] += abs(store.judgements() - undisturbed.judgements())
        differing = differences(boards(found), boards(self._exported(undisturbed, "undisturbed")))
        self.faults["board files that differ from an undisturbed run"] += len(differing)
        undisturbed.close()
        self.seen["board files compared"] += len(boards(found))
        rebuilt = Store.open(f"sqlite:///{self._folder / 'rebuilt.db'}")
        restore(archive, rebuilt)
        differing = differences(found, self._exported(rebuilt, "rebuilt"))
        self.faults["files that differ after a rebuild from the archive"] += len(differing)
        rebuilt.close()

    def _exported(self, store: Store, name: str) -> dict[str, bytes]:
        return exported(store, self._settings, self._folder / "exports" / name)

    def opened_store(self) -> Store:
        """The campaign's database."""
        return Store.open(self._settings.resolved_database_url, lease_s=LEASE_S, max_attempts=0)


def _environ(data: Path, database_url: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PLUMBLINE_")}
    return kept | {
        "PLUMBLINE_DATA": str(data),
        "PLUMBLINE_DATABASE_URL": database_url,
        "PLUMBLINE_JUDGES": JUDGE,
        "PLUMBLINE_LEASE_S": str(LEASE_S),
        "PLUMBLINE_MAX_ATTEMPTS": "0",
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_RECORDED": "0",
        "PLUMBLINE_GENERATORS": "none",
        "PLUMBLINE_FETCH_SETS": "0",
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
    }


def _standing(store: Store) -> list[JobStatus]:
    return [status for status, count in store.counts().items() if count]


def _times_scored(ticket: Ticket) -> int:
    return sum(line.endswith(" scored") for line in ticket.log)


def kill_rounds(rounds: int, server: PostgreSQLServer | None, seed: int, log: Callable[[str], None]) -> dict[str, Any]:
    """Runs so many rounds in campaigns; returns what was seen and the faults, by name."""
    began = time.monotonic()
    dice = random.Random(seed)
    seen: Counter[str] = Counter()
    faults: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
    done = 0
    while done < rounds:
        with tempfile.TemporaryDirectory(prefix="plumbline-kill-rounds-") as folder:
            campaign = Campaign(Path(folder), server, dice)

            def progress(number: int, before: int = done) -> None:
                if number % 25 == 0:
                    log(f"round {before + number} of {rounds}, {time.monotonic() - began:.0f} s")

            campaign.run(min(CAMPAIGN, rounds - done), progress)
            done += min(CAMPAIGN, rounds - done)
            seen += campaign.seen
            faults.update(campaign.faults)
            found = {name: count for name, count in campaign.faults.items() if count}
            log(f"campaign settled and compared: {found or 'no faults'}")
    seen["seconds"] = round(time.monotonic() - began)
    return {"seen": dict(seen), "faults": dict(faults)}


def main(arguments: list[str] | None = None) -> int:
    """Prints what was killed, then every fault with its count; exit 1 where one is not 0."""
    parser = argparse.ArgumentParser(prog="make kill-rounds", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    options = parser.parse_args(arguments)
    print(f"{options.rounds} rounds on {options.database}, seed {options.seed}, commit {commit()}", flush=True)
    with _server(options.database) as server:
        report = kill_rounds(options.rounds, server, options.seed, lambda line: print(line, flush=True))
    _print(report["seen"])
    _print(report["faults"])
    return int(any(report["faults"].values()))


@contextmanager
def _server(database: str) -> Iterator[PostgreSQLServer | None]:
    if database == "sqlite":
        yield None
        return
    with PostgreSQLServer() as server:
        yield server


def _print(counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        print(f"{count:>8,}  {name}")


if __name__ == "__main__":
    sys.exit(main())
