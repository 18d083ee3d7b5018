"""The queue under any sequence of events: nothing is lost, nothing has two owners, nothing is scored twice."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from submissions.schema import Names
from submissions.store.queue import JobStatus, LeaseLost
from submissions.store.store import Store, StoreError

LEASE_S = 60.0
WORKERS = st.sampled_from(["anna", "bert", "cleo"])


class QueueMachine(RuleBasedStateMachine):
    """Workers claim, report, finish, fail, fall silent and die while submissions come, go and are cancelled."""

    tickets = Bundle("tickets")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.now = 1_000.0
        self.store = Store.open(
            f"sqlite:///{Path(self.folder.name) / 'q.db'}", lease_s=LEASE_S, max_attempts=0, clock=lambda: self.now
        )
        self.added: set[str] = set()
        self.held: dict[str, str] = {}
        """Ticket -> the worker that was last given it and did not let go of it itself."""
        self.results: dict[str, str] = {}

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    @rule(target=tickets)
    def submit(self) -> str:
        ticket_id = f"t{len(self.added)}"
        self.now += 1
        self.store.add(
            ticket_id=ticket_id,
            owner="local",
            role="entry",
            edition="2024",
            set_id="demonstration",
            names=Names(team=ticket_id),
            file_name="f.json",
            data=ticket_id.encode(),
            received_at=self.now,
        )
        self.added.add(ticket_id)
        return ticket_id

    @rule(worker=WORKERS)
    def claim(self, worker: str) -> None:
        job = self.store.claim(worker)
        if job is not None:
            self.held[job.id] = worker

    @rule(worker=WORKERS, ticket=tickets, stored=st.integers(0, 3))
    def progress(self, worker: str, ticket: str, stored: int) -> None:
        if self.is_running_for(ticket, worker):
            self.store.progress(ticket, worker, judged=1, to_judge=5, newly_stored=stored)
        else:
            self.refused(lambda: self.store.progress(ticket, worker, judged=1, to_judge=5, newly_stored=stored))

    @rule(worker=WORKERS, ticket=tickets)
    def finish(self, worker: str, ticket: str) -> None:
        if self.is_running_for(ticket, worker):
            self.store.finish(ticket, worker, f"result by {worker}")
            assert ticket not in self.results
            self.results[ticket] = f"result by {worker}"
        else:
            self.refused(lambda: self.store.finish(ticket, worker, "late"))

    @rule(worker=WORKERS, ticket=tickets)
    def attempt_failed(self, worker: str, ticket: str) -> None:
        if self.is_running_for(ticket, worker):
            self.store.attempt_failed(ticket, worker, "disk full")
        else:
            self.refused(lambda: self.store.attempt_failed(ticket, worker, "disk full"))

    @rule(worker=WORKERS, ticket=tickets)
    def judge_lost(self, worker: str, ticket: str) -> None:
        if self.is_running_for(ticket, worker):
            self.store.judge_lost(ticket, worker, "the cluster is gone")
        else:
            self.refused(lambda: self.store.judge_lost(ticket, worker, "the cluster is gone"))

    @rule(worker=WORKERS, ticket=tickets)
    def judge_away(self, worker: str, ticket: str) -> None:
        if self.is_running_for(ticket, worker):
            self.store.judge_away(ticket, worker, "the server does not answer")
            assert self.store.require(ticket).status is JobStatus.QUEUED
        else:
            self.refused(lambda: self.store.judge_away(ticket, worker, "the server does not answer"))

    @rule(worker=WORKERS)
    def die(self, worker: str) -> None:
        self.store.release_worker(worker)

    @rule()
    def time_passes(self) -> None:
        self.now += LEASE_S + 1

    @rule(ticket=tickets)
    def cancel(self, ticket: str) -> None:
        if self.store.require(ticket).status.is_open:
            self.store.cancel(ticket, "local")
        else:
            try:
                self.store.cancel(ticket, "local")
            except StoreError:
                return
            raise AssertionError("what has ended cannot be cancelled")

    def is_running_for(self, ticket: str, worker: str) -> bool:
        return self.store.require(ticket).status is JobStatus.RUNNING and self.held.get(ticket) == worker

    def refused(self, act: object) -> None:
        assert callable(act)
        try:
            act()
        except LeaseLost:
            return
        raise AssertionError("a worker acted on a job it does not hold")

    @invariant()
    def nothing_is_lost(self) -> None:
        tickets = self.store.tickets()
        assert {ticket.id for ticket in tickets} == self.added
        assert sum(self.store.counts().values()) == len(self.added)
        waiting = [ticket.position for ticket in tickets if ticket.status is JobStatus.QUEUED]
        assert sorted(position or 0 for position in waiting) == list(range(1, len(waiting) + 1))

    @invariant()
    def every_result_is_the_one_its_worker_finished_with(self) -> None:
        assert {ticket.id: payload for ticket, payload in self.store.results()} == self.results


QueueMachine.TestCase.settings = settings(max_examples=30, stateful_step_count=25)
TestQueue = QueueMachine.TestCase
