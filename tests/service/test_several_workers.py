"""Several workers on PostgreSQL: the results of one worker on SQLite, sooner, and also when the server is killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.postgresql import PostgreSQLServer
from benchmarks.workers import Fleet, add, distinct_files, fleet, worker_processes
from evaluator.judge_loading.loading import load_scorer
from evaluator.worker.loop import Worker
from submissions.promptsets import PromptSets
from submissions.store.queue import JobStatus
from submissions.store.store import Store

JUDGE = "scripted:0.05"
WORKERS = 4
LEAST_RATIO = 1.5
"""`make bench-workers` measures it; this much holds on two busy cores too, and shows that work is divided at all."""

FILES = distinct_files(4)
KILLS = 3


@pytest.fixture(scope="module")
def fleets(postgresql: PostgreSQLServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Fleet, Fleet]]:
    """One worker on SQLite and four on PostgreSQL."""
    one_db = tmp_path_factory.mktemp("one") / "one.db"
    with fleet(f"sqlite:///{one_db}", 1, JUDGE) as one, fleet(postgresql.new_database(), WORKERS, JUDGE) as four:
        one.wait_until_started()
        four.wait_until_started()
        yield one, four


@pytest.mark.soak
def test_four_workers_elsewhere_give_the_results_of_one_and_sooner(fleets: tuple[Fleet, Fleet]) -> None:
    alone, together = (fleet.scored(FILES) for fleet in fleets)
    assert together.results == alone.results
    assert len(together.results) == len(FILES)
    assert together.attempts == len(FILES)  # nobody's work was taken over
    assert alone.seconds / together.seconds > LEAST_RATIO


def scored_in_this_process(files: list[bytes], folder: Path) -> dict[str, str]:
    """The results of one worker that nothing disturbs, by ticket."""
    store = Store.open(f"sqlite:///{folder / 'undisturbed.db'}")
    for number, data in enumerate(files):
        add(store, f"t{number:03}", data)
    Worker(
        name="undisturbed",
        store=store,
        archive=None,
        prompt_sets=PromptSets.load(None),
        scorer=load_scorer("scripted"),
        stop=threading.Event(),
    ).run(until_empty=True)
    results = {ticket.id: result for ticket, result in store.results()}
    store.close()
    return results


@pytest.mark.usefixtures("postgresql")  # skips where it is not installed; this test kills a server of its own
def test_a_server_killed_while_four_workers_judge_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    sent = distinct_files(6)
    expected = scored_in_this_process(sent, tmp_path)
    with PostgreSQLServer() as server:
        url = server.new_database()
        store = Store.open(url, lease_s=5.0)
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        with worker_processes(url, WORKERS, JUDGE, elsewhere, PLUMBLINE_LEASE_S="5") as workers:
            for number, data in enumerate(sent):
                add(store, f"t{number:03}", data)
            for kill in range(KILLS):
                wait_for_progress(store, kill)
                server.kill()
                server.start()
            deadline = time.monotonic() + 300
            while store.counts()[JobStatus.SCORED] < len(sent) and time.monotonic() < deadline:
                time.sleep(0.1)
            assert [worker.poll() for worker in workers] == [None] * WORKERS  # none of them died of it
        tickets = store.tickets()
        assert [ticket.status for ticket in tickets] == [JobStatus.SCORED] * len(sent)
        assert {ticket.id: result for ticket, result in store.results()} == expected
        scored = [line for ticket in tickets for line in ticket.log if line.endswith(" scored")]
        assert len(scored) == len(sent)
        assert all(ticket.judged == ticket.to_judge for ticket in tickets)
        assert not list(elsewhere.iterdir())  # a worker on PostgreSQL needs no folder of its own
        store.close()


def wait_for_progress(store: Store, kill: int) -> None:
    """Until some worker judges and some more is done than at the kill before."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        tickets = store.tickets()
        judged = sum(ticket.judged for ticket in tickets)
        if judged > 100 * kill and any(ticket.status is JobStatus.RUNNING for ticket in tickets):
            return
        time.sleep(0.05)
    raise AssertionError("the workers judge nothing")
