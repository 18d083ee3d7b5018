"""A store, a desk and services as the pages get them, and a way to score a run at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from evaluator.results import RobustnessResult
from leaderboard.page.services import Services
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.formats.eloquent.template import submission_template
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.queue import Role
from submissions.store.store import Store

Submit = Callable[..., str]


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    desk = Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None))
    services = Services(store=store, desk=desk, settings=Settings.from_env({}))
    yield services
    services.checks.close()
    store.close()


@pytest.fixture
def demonstration_file(services: Services) -> Callable[[str], bytes]:
    """A complete submission to the demonstration set in which every answer is different."""

    def filled(team: str) -> bytes:
        document = json.loads(submission_template(services.desk.prompt_sets.demonstration))
        root = document["eloquent-robustness-results"]
        root["source"] = team
        for item in root["items"]:
            for number, response in enumerate(item["responses"]):
                response["response"] = f"Answer {number} of {team} to item {item['id']}."
        return json.dumps(document).encode()

    return filled


@pytest.fixture
def score(services: Services, demonstration_file: Callable[[str], bytes]) -> Submit:
    """Submits a run and finishes it with a result, as a worker would; returns the ticket's id."""

    def scored(
        result: RobustnessResult,
        *,
        team: str = "Team",
        system: str = "System",
        role: Role = "entry",
        owner: str = "local",
    ) -> str:
        names = Names(system=system, model="Model")
        receipt = services.desk.submit(demonstration_file(team), f"{team}.json", owner=owner, names=names, role=role)
        job = services.store.claim("worker")
        assert job is not None
        services.store.finish(job.id, "worker", result.model_dump_json())
        return receipt.ticket.id

    return scored


def in_own_loop(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """What a coroutine gives, in a thread: the browser tests leave a loop running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
