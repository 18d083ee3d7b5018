"""`make bench-workers`: how much more several worker processes judge than one, with a judge that only waits.

One worker on SQLite and several on PostgreSQL score the same files, within one run. Results must be identical to the
byte. The judge sleeps, so the ratio shows what the queue costs, not how many cores there are.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.postgresql import PostgreSQLServer
from benchmarks.provenance import commit
from submissions.promptsets import example_submissions
from submissions.schema import Names
from submissions.store.queue import JobStatus
from submissions.store.store import Store

ROOT = Path(__file__).parents[1]
START_PATIENCE_S = 300.0
WORK_PATIENCE_S = 1800.0


@dataclass(frozen=True, slots=True)
class Run:
    """What some workers made of some files."""

    workers: int
    seconds: float
    """From the moment the files are in the queue to the last result; the workers were running before."""
    results: dict[str, str]
    """The stored result of each file, by ticket."""
    attempts: int
    """Claims, over all files."""


def distinct_files(count: int) -> list[bytes]:
    """Submissions to the demonstration set no two of which share an answer: our examples, each with a word added."""
    examples = [json.loads(data) for _, data in example_submissions()]
    return [_marked(examples[number % len(examples)], number) for number in range(count)]


def _marked(example: object, number: int) -> bytes:
    document = json.loads(json.dumps(example))
    results = document["eloquent-robustness-results"]
    results["source"] = f"team {number}"
    for item in results["items"]:
        for response in item["responses"]:
            # Two marks, so that the judge's ratings differ from file to file.
            response["response"] += f" (mark {number} of {number % 7})" if response["response"] else ""
    return json.dumps(document).encode()


@contextmanager
def worker_processes(
    url: str, count: int, judge: str, folder: Path, **settings: str
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """`python -m evaluator work` so many times, each with a name of its own, stopped at the end.

    They start in the given folder, with nothing there: as on another machine.
    """
    environ = os.environ | {"PYTHONPATH": str(ROOT), "PLUMBLINE_FETCH_SETS": "0", **settings}
    command = [sys.executable, "-m", "evaluator", "work", "--database-url", url, "--judge", judge]
    processes = [
        subprocess.Popen([*command, "--name", f"worker-{number}"], cwd=folder, env=environ, stderr=subprocess.DEVNULL)
        for number in range(count)
    ]
    try:
        yield processes
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(timeout=60)


class Fleet:
    """Some workers that run on a new database, and wait for files."""

    def __init__(self, url: str, workers: int) -> None:
        self.store = Store.open(url)
        self.workers = workers

    def wait_until_started(self) -> None:
        """Raises TimeoutError when they do not start."""
        _wait(lambda: len(self.store.workers()) == self.workers, START_PATIENCE_S, "the workers did not start")

    def scored(self, files: Sequence[bytes]) -> Run:
        """Queues files and waits for their results; TimeoutError when they do not come."""
        known = {ticket.id for ticket in self.store.tickets()}
        began = time.monotonic()
        for number, data in enumerate(files, start=len(known)):
            add(self.store, f"t{number:03}", data)
        expected = len(known) + len(files)
        _wait(lambda: self.store.counts()[JobStatus.SCORED] == expected, WORK_PATIENCE_S, "the work did not end")
        seconds = time.monotonic() - began
        scored = [(ticket, result) for ticket, result in self.store.results() if ticket.id not in known]
        results = {ticket.id: result for ticket, result in scored}
        return Run(self.workers, seconds, results, sum(ticket.attempts for ticket, _ in scored))


@contextmanager
def fleet(url: str, workers: int, judge: str) -> Iterator[Fleet]:
    """Starts so many workers on an empty database, and stops them at the end."""
    made = Fleet(url, workers)
    with tempfile.TemporaryDirectory() as folder, worker_processes(url, workers, judge, Path(folder)):
        yield made
    made.store.close()


def add(store: Store, ticket_id: str, data: bytes) -> None:
    """Queues a file as a team's entry."""
    store.add(
        ticket_id=ticket_id,
        owner="local",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(team=ticket_id),
        file_name="run.json",
        data=data,
        received_at=time.time(),
    )


def _wait(condition: Callable[[], bool], patience_s: float, complaint: str) -> None:
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{complaint} within {patience_s:.0f} s")
        time.sleep(0.05)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One worker and several, on the same files."""

    files: int
    workers: int
    one_on_sqlite_s: float
    several_on_postgresql_s: float
    ratio: float
    identical: bool
    """Is every result the same to the byte?"""


def compared(single: Fleet, several: Fleet, files: Sequence[bytes]) -> Comparison:
    """Scores the files by one worker on SQLite, then by several on PostgreSQL."""
    alone, together = single.scored(files), several.scored(files)
    return Comparison(
        files=len(files),
        workers=several.workers,
        one_on_sqlite_s=alone.seconds,
        several_on_postgresql_s=together.seconds,
        ratio=alone.seconds / together.seconds,
        identical=alone.results == together.results,
    )


def main() -> int:
    """Prints the comparison; exit 1 where a result differs."""
    parser = argparse.ArgumentParser(prog="make bench-workers")
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--seconds-per-call", type=float, default=0.2)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args()
    judge = f"scripted:{options.seconds_per_call}"
    report: dict[str, object] = {"commit": commit(), "cores": os.cpu_count(), "judge": judge}
    with (
        PostgreSQLServer() as server,
        tempfile.TemporaryDirectory() as folder,
        fleet(f"sqlite:///{folder}/one.db", 1, judge) as one_worker,
        fleet(server.new_database(), options.workers, judge) as several,
    ):
        one_worker.wait_until_started()
        several.wait_until_started()
        comparison = compared(one_worker, several, distinct_files(options.files))
    same = "identical results" if comparison.identical else "RESULTS DIFFER"
    print(
        f"{comparison.files} files scored by 1 worker on SQLite in {comparison.one_on_sqlite_s:.1f} s, by "
        f"{comparison.workers} on PostgreSQL in {comparison.several_on_postgresql_s:.1f} s: {comparison.ratio:.2f} "
        f"times the throughput, {same}"
    )
    if options.json:
        print(json.dumps(report | asdict(comparison)))
    return int(not comparison.identical)


if __name__ == "__main__":
    sys.exit(main())
