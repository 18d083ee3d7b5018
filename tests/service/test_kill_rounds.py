"""Some rounds of `make kill-rounds`, and that it would notice a loss."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.postgresql import PostgreSQLServer
from submissions.desk import LOCAL_OWNER
from submissions.store.queue import JobStatus
from tests.service.kill_rounds import FAULTS, Campaign, kill_rounds

NO_FAULTS = dict.fromkeys(FAULTS, 0)


def test_twenty_rounds_of_kills_lose_nothing_and_double_nothing() -> None:
    report = kill_rounds(20, None, seed=200, log=print)
    assert report["faults"] == NO_FAULTS, report
    assert report["seen"]["pages killed"] == 2  # one in each ten rounds
    assert report["seen"]["workers killed"] > 0
    assert report["seen"]["submissions acknowledged"] > 0


@pytest.mark.soak
def test_two_hundred_rounds_of_kills_lose_nothing_and_double_nothing() -> None:
    report = kill_rounds(200, None, seed=200, log=print)
    assert report["faults"] == NO_FAULTS, report
    assert report["seen"]["pages killed"] == 20  # one in each ten rounds
    assert report["seen"]["pages killed after they had opened"] >= 5  # every fourth of them
    assert report["seen"]["leases lost in a kill"] > 0
    assert report["seen"]["uploads killed before they had a ticket"] > 0


@pytest.mark.soak
@pytest.mark.usefixtures("postgresql")  # skips where it is not installed; this test kills a server of its own
def test_twenty_rounds_with_kills_of_postgresql_itself_lose_nothing_and_double_nothing() -> None:
    with PostgreSQLServer() as server:
        report = kill_rounds(20, server, seed=20, log=print)
    assert report["faults"] == NO_FAULTS, report
    assert report["seen"]["PostgreSQL servers killed"] == 10  # every second round
    assert report["seen"]["submissions acknowledged"] > 0


@pytest.mark.slow
def test_a_loss_a_double_and_a_changed_verdict_would_be_noticed(tmp_path: Path) -> None:
    campaign = Campaign(tmp_path, None, random.Random(3))
    campaign.run(3, lambda _round: None)
    assert campaign.faults == NO_FAULTS
    store = campaign.opened_store()
    first, *_ = [ticket for ticket in store.tickets() if ticket.status is JobStatus.SCORED]
    store.withdraw(first.id, LOCAL_OWNER)
    store.save_verdicts({"a key nobody asked for": "{}"})
    campaign.compare(store)
    store.close()
    noticed = {name for name, count in campaign.faults.items() if count}
    assert noticed >= {
        "acknowledged submissions lost",
        "verdicts counted twice or not at all",
        "results that differ from an undisturbed run",
        "board files that differ from an undisturbed run",
    }
