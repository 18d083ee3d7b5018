from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from leaderboard import theme
from leaderboard.services import Services
from leaderboard.ui import build


@pytest.fixture
def dependencies(services: Services) -> list[dict[str, Any]]:
    """Every event of the page."""

    async def built() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = build(services).config["dependencies"]
        return found

    # Outside a running loop gradio opens event loops of its own and never closes them; in a thread, because the
    # browser tests leave a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(built())).result()


def test_no_event_is_a_public_endpoint(dependencies: list[dict[str, Any]]) -> None:
    assert len(dependencies) > 20
    assert {dependency["api_visibility"] for dependency in dependencies} == {"private"}


def test_events_do_not_wait_for_each_other(dependencies: list[dict[str, Any]]) -> None:
    queued = [dependency for dependency in dependencies if dependency["queue"]]
    # What is streamed has to go through the queue: a run of the lab, whose own gate says how many may write at once.
    assert len(queued) == 1
    assert queued[0]["types"]["generator"]


def test_runs_of_the_lab_wait_at_its_gate_alone(services: Services) -> None:
    async def limits() -> list[int | str | None]:
        pages = build(services)
        return [event.concurrency_limit for event in pages.fns.values() if event.queue]

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: asyncio.run(limits())).result() == [None]


def test_nothing_is_fetched_from_elsewhere() -> None:
    page = theme.css() + theme.head() + Path(theme.__file__).with_name("ui.py").read_text(encoding="utf-8")
    assert "http://" not in page
    assert "https://" not in page
    assert "@import" not in page
    assert "url(" not in page
    assert "http" not in "".join(theme.theme()._stylesheets)
