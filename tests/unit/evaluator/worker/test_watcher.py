"""The watcher with a scripted child: what is cut off and what never is, what the database is told, how all ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from evaluator.steps import JUDGING, Steps
from evaluator.worker.watcher import LEAVE_PATIENCE_S, STOP_PATIENCE_S, Child, WatchedLimits, Watcher
from submissions.schema import Names
from submissions.store.queue import Job, JobStatus
from submissions.store.store import Store, StoreUnavailable

LIMITS = WatchedLimits(step_s=60.0, job_s=1000.0)
TICK_S = 1.0
"""What passes each time the watcher listens."""
KILLED = -9
Act = Callable[[], object]


class NotedStore(Store):
    """Notes what the watcher asks, and may be away."""

    looked: threading.Event
    is_away = False
    renewed = 0

    def is_current(self, ticket_id: str, claim: int) -> bool:
        try:
            if self.is_away:
                raise StoreUnavailable("the database does not answer")
            return super().is_current(ticket_id, claim)
        finally:
            self.looked.set()

    def heartbeat(self, ticket_id: str, worker: str) -> None:
        super().heartbeat(ticket_id, worker)
        self.renewed += 1


class ScriptedChild(Child):
    """Does one act of its script each time the watcher listens; when they are over it stands still."""

    def __init__(self, house: House, acts: list[Act]) -> None:
        self._house = house
        self.acts = acts
        self.when_asked: Act = lambda: self.end(0)
        """What it does when it is asked to stop."""
        self._told: list[str] = []
        self._code: int | None = None
        self.steps = Steps(self._told.append, sign_every_s=0.0)
        self.asked_at = 0.0
        self.killed_at: float | None = None

    def lines(self, wait_s: float) -> list[str]:
        if self.acts:
            self.acts.pop(0)()
        told = list(self._told)
        self._told.clear()
        self._house.time_passes()
        return told

    def code(self) -> int | None:
        return self._code

    def end(self, code: int) -> None:
        self._code = code

    def ask_to_stop(self) -> None:
        self.asked_at = self._house.now
        self.when_asked()

    def kill(self) -> None:
        self._code = KILLED
        self.killed_at = self._house.now

    def close(self) -> None:
        """It holds nothing."""


class House:
    """A store, a clock that moves when the watcher listens, and a watcher whose children are scripted."""

    def __init__(self, folder: Path) -> None:
        self.now = 0.0
        # The database's own clock stands still: no lease runs out, however slow the machine is.
        opened = NotedStore.open(f"sqlite:///{folder / 'q.db'}", lease_s=0.03, clock=lambda: 1_000_000.0)
        assert isinstance(opened, NotedStore)
        self.store = opened
        self.store.looked = threading.Event()
        self.stopped = threading.Event()
        self.children: list[ScriptedChild] = []
        self.is_at_job = False
        """The child says so."""

    def time_passes(self) -> None:
        """A second, in which whoever keeps the leases of a job looks at them."""
        self.store.looked.clear()
        if self.is_at_job:
            self.store.looked.wait(0.2)
        self.now += TICK_S

    def submit(self, ticket_id: str = "t1") -> None:
        self.store.add(
            ticket_id=ticket_id,
            owner="local",
            role="entry",
            edition="2024",
            set_id="demonstration",
            names=Names(team=ticket_id),
            file_name="f.json",
            data=b"{}",
            received_at=1.0,
        )

    def child(self, *acts: Callable[[ScriptedChild], object]) -> ScriptedChild:
        """The next child the watcher starts, which comes to work first of all."""
        made = ScriptedChild(self, [])
        made.acts = [partial(act, made) for act in (is_ready, *acts)]
        self.children.append(made)
        return made

    def claims(self, child: ScriptedChild) -> None:
        job = self.store.claim("w")
        assert job is not None
        self.begins(child, job)
        child.steps.step(JUDGING, ["item 901, variants 1 and 2", "item 902, variants 1 and 2"])
        child.steps.at(1)

    def begins(self, child: ScriptedChild, job: Job) -> None:
        child.steps.begin(job.id, job.claims)
        self.is_at_job = True

    def stops(self, child: ScriptedChild) -> None:
        self.stopped.set()

    def watch(self, limits: WatchedLimits = LIMITS, *, stays: bool = True) -> int:
        children = iter(self.children)
        watcher = Watcher(
            self.store, lambda name: next(children), limits, name="w", stays=stays, clock=lambda: self.now
        )
        return watcher.run(self.stopped)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def is_ready(child: ScriptedChild) -> None:
    child.steps.ready("scripted")


def gets_on(child: ScriptedChild) -> None:
    child.steps.sign()


def nothing(child: ScriptedChild) -> None:
    """It stands still."""


def test_what_stands_still_is_ended_at_its_limit_with_the_place_and_never_tried_again(house: House) -> None:
    house.submit()
    stuck = house.child(house.claims)
    house.child(house.stops)
    house.watch()
    ticket = house.store.require("t1")
    assert (ticket.status, ticket.attempts) == (JobStatus.FAILED, 1)
    assert ticket.reason == (
        "stopped after 60 s without getting on, at this: judging item 902, variants 1 and 2 "
        "(limit PLUMBLINE_STEP_S=60). What was judged before is kept."
    )
    assert stuck.killed_at is not None
    assert LIMITS.step_s < stuck.killed_at < LIMITS.step_s + 5 * TICK_S


def test_a_judge_that_gets_on_is_never_cut_off(house: House) -> None:
    house.submit()
    slow = house.child(house.claims, *[nothing, *[nothing] * 50, gets_on] * 5, house.stops)
    house.watch()
    assert slow.killed_at is None


def test_a_submission_that_takes_too_long_in_all_is_ended_with_the_setting(house: House) -> None:
    house.submit()
    slow = house.child(house.claims, *[gets_on] * 50)
    house.child(house.stops)
    house.watch(WatchedLimits(step_s=0.0, job_s=30.0))
    assert slow.killed_at is not None
    assert slow.killed_at < 40.0
    assert (house.store.require("t1").reason or "").startswith("stopped after 30 s of work, at this: judging item 902")
    assert "(limit PLUMBLINE_JOB_S=30)" in (house.store.require("t1").reason or "")


def test_without_limits_nothing_is_cut_off(house: House) -> None:
    house.submit()
    slow = house.child(house.claims, *[nothing] * 100, house.stops)
    house.watch(WatchedLimits(0, 0))
    assert slow.killed_at is None


def test_a_database_that_is_away_is_not_counted_against_the_submission(house: House) -> None:
    house.submit()

    def goes_away(child: ScriptedChild) -> None:
        house.store.is_away = True

    def comes_back(child: ScriptedChild) -> None:
        house.store.is_away = False

    waits = house.child(house.claims, goes_away, *[nothing] * 100, comes_back, nothing, nothing, house.stops)
    house.watch()
    assert waits.killed_at is None


def test_leases_are_renewed_and_the_worker_is_alive_while_it_stands_still(house: House) -> None:
    house.submit()
    seen: list[str] = []

    def looks(child: ScriptedChild) -> None:
        seen.extend(worker.judge for worker in house.store.workers() if worker.is_alive)

    house.child(house.claims, *[nothing] * 20, looks, house.stops)
    house.watch()
    assert house.store.renewed > 0
    assert seen == ["scripted"]
    assert house.store.workers() == []


@pytest.mark.parametrize("end", ["cancel", "withdraw"])
def test_who_does_not_leave_a_job_that_is_not_its_own_any_more_is_ended(house: House, end: str) -> None:
    house.submit()
    taken_at: list[float] = []

    def is_taken(child: ScriptedChild) -> None:
        taken_at.append(house.now)
        getattr(house.store, end)("t1", "local")

    stuck = house.child(house.claims, nothing, is_taken)
    house.child(house.stops)
    house.watch()
    assert stuck.killed_at is not None
    assert stuck.killed_at - taken_at[0] <= LEAVE_PATIENCE_S + 3 * TICK_S
    assert house.store.require("t1").status is (JobStatus.CANCELLED if end == "cancel" else JobStatus.WITHDRAWN)


def test_who_leaves_it_in_time_goes_on(house: House) -> None:
    house.submit()

    def leaves(child: ScriptedChild) -> None:
        house.store.cancel("t1", "local")
        child.steps.end()
        house.is_at_job = False

    well = house.child(house.claims, nothing, leaves, *[nothing] * 20, house.stops)
    house.watch()
    assert well.killed_at is None


@pytest.mark.parametrize("obeys", [True, False])
def test_at_the_end_of_the_service_the_job_goes_back_and_no_attempt_is_counted(house: House, obeys: bool) -> None:
    house.submit()

    child = house.child(house.claims, nothing, house.stops)

    def ends_its_batch() -> None:
        house.store.release("t1", "w")
        child.end(0)

    child.when_asked = ends_its_batch if obeys else lambda: None
    assert house.watch() == 0
    ticket = house.store.require("t1")
    assert (ticket.status, ticket.reason) == (JobStatus.QUEUED, "back in the queue: the worker was stopped")
    assert (child.killed_at is None) == obeys
    if child.killed_at is not None:
        assert child.killed_at - child.asked_at <= STOP_PATIENCE_S + 2 * TICK_S


def test_one_that_died_has_its_job_given_back_and_another_is_started(house: House) -> None:
    house.submit()
    house.child(house.claims, lambda child: child.end(KILLED))
    house.child(house.stops)
    house.watch()
    ticket = house.store.require("t1")
    assert (ticket.status, ticket.reason) == (JobStatus.QUEUED, "back in the queue: worker w fell silent")


def test_one_that_cannot_start_ends_its_watcher_with_its_code(house: House) -> None:
    house.children.append(ScriptedChild(house, [lambda: house.children[0].end(2)]))
    assert house.watch(stays=False) == 2


def test_once_one_came_to_work_those_that_cannot_start_are_followed_by_others(house: House) -> None:
    house.submit()
    house.child(house.claims, lambda child: child.end(1))  # its cluster is gone
    for _ in range(2):  # and still is
        cannot = ScriptedChild(house, [])
        cannot.acts = [partial(cannot.end, 1)]
        house.children.append(cannot)
    last = house.child(house.stops)
    assert house.watch(stays=False) == 0
    assert not last.acts


def test_one_with_nothing_left_to_do_ends_its_watcher(house: House) -> None:
    house.child(lambda child: child.end(0))
    assert house.watch(stays=False) == 0
