"""Who may run when."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from evaluator.lab.gate import Gate, GateRefused, LabVisitor


def test_a_visitor_has_one_run_at_a_time() -> None:
    gate = Gate()
    turn = gate.join(LabVisitor("ann"))
    with pytest.raises(GateRefused, match="You already have a run here"):
        gate.join(LabVisitor("ann"))
    turn.leave()
    assert gate.join(LabVisitor("ann")).position is None


def test_a_visitor_who_waits_cannot_join_again() -> None:
    gate = Gate(max_running=1)
    gate.join(LabVisitor("ann"))
    assert gate.join(LabVisitor("ben")).position == 1
    with pytest.raises(GateRefused, match="You already have a run here"):
        gate.join(LabVisitor("ben"))


def test_pages_of_one_address_wait_in_line_each_and_no_more_of_them_than_people_may_stand_behind_it() -> None:
    gate = Gate(max_running=1)
    places = [gate.join(LabVisitor("address", f"page {number}", people=3)) for number in (1, 2, 3)]
    assert [place.position for place in places] == [None, 1, 2]
    with pytest.raises(GateRefused, match="You already have a run here"):
        gate.join(LabVisitor("address", "page 2", people=3))
    with pytest.raises(GateRefused, match="Your network address already has 3 runs here"):
        gate.join(LabVisitor("address", "page 4", people=3))
    assert gate.join(LabVisitor("another address", "page 1", people=3)).position == 3


def test_runs_start_in_the_order_they_came() -> None:
    gate = Gate(max_running=1)
    first, second, third = (gate.join(LabVisitor(name)) for name in ("ann", "ben", "cat"))
    assert [turn.position for turn in (first, second, third)] == [None, 1, 2]
    first.leave()
    assert [turn.position for turn in (second, third)] == [None, 1]


def test_leaving_the_queue_lets_the_others_move_up_and_leaving_twice_changes_nothing() -> None:
    gate = Gate(max_running=1)
    first, second, third, fourth = (gate.join(LabVisitor(name)) for name in ("ann", "ben", "cat", "dan"))
    second.leave()
    second.leave()
    assert (third.position, fourth.position) == (1, 2)
    first.leave()
    first.leave()
    assert (third.position, fourth.position) == (None, 1)


def test_one_cap_holds_for_all_waiting_runs() -> None:
    gate = Gate(max_running=1, max_waiting=2)
    running, *_ = (gate.join(LabVisitor(name)) for name in ("ann", "ben", "cat"))
    with pytest.raises(GateRefused, match="2 runs are waiting already"):
        gate.join(LabVisitor("dan"))
    running.leave()
    assert gate.join(LabVisitor("dan")).position == 2


def test_waiting_ends_when_the_turn_comes_and_when_it_is_stopped() -> None:
    gate = Gate(max_running=1)
    running, waiting, last = (gate.join(LabVisitor(name)) for name in ("ann", "ben", "cat"))
    stop = threading.Event()

    async def scenario() -> tuple[int | None, int | None]:
        soon = asyncio.create_task(waiting.wait(1, stop))
        await asyncio.sleep(0)
        running.leave()
        reached = await soon
        stop.set()
        return reached, await last.wait(1, stop)

    assert asyncio.run(scenario()) == (None, 1)


def test_no_more_than_the_places_are_taken_whatever_threads_do() -> None:
    gate, most, running, lock = Gate(max_running=2, max_waiting=100), 0, 0, threading.Lock()

    def visit(name: str) -> None:
        nonlocal most, running
        turn = gate.join(LabVisitor(name))
        while turn.position is not None:
            time.sleep(0.001)
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.001)
        with lock:
            running -= 1
        turn.leave()

    threads = [threading.Thread(target=visit, args=(f"visitor {number}",)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most == 2
    assert gate.join(LabVisitor("one more")).position is None
