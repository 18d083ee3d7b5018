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
    assert not any(dependency["queue"] for dependency in dependencies)


def test_nothing_is_fetched_from_elsewhere() -> None:
    page = theme.css() + theme.head() + Path(theme.__file__).with_name("ui.py").read_text(encoding="utf-8")
    assert "http://" not in page
    assert "https://" not in page
    assert "@import" not in page
    assert "url(" not in page
    assert "http" not in "".join(theme.theme()._stylesheets)
