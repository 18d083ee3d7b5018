from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from leaderboard import theme
from leaderboard.api import ENDPOINTS
from leaderboard.services import Services
from leaderboard.ui import build

PUBLIC = list(ENDPOINTS)


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


def test_only_five_endpoints_are_public(dependencies: list[dict[str, Any]]) -> None:
    assert len(dependencies) > 20
    assert {dependency["api_visibility"] for dependency in dependencies} == {"private", "public"}
    public = [dependency for dependency in dependencies if dependency["api_visibility"] == "public"]
    assert [dependency["api_name"] for dependency in public] == PUBLIC
    assert all(dependency["targets"] == [] for dependency in public)  # none is an event of the page


def test_events_do_not_wait_for_each_other(dependencies: list[dict[str, Any]]) -> None:
    queued = [dependency for dependency in dependencies if dependency["queue"]]
    # What is streamed has to go through the queue: runs of the lab (writing, and foretelling a reader), whose own gate
    # says how many may go on at once, and the checks of the desk (two ways to ask for one, and submitting), which show
    # their place in their own line.
    # And what programs ask for, so that only so many are answered at once.
    assert [dependency["api_name"] for dependency in queued[:-5]] == PUBLIC
    assert [dependency["types"]["generator"] for dependency in queued] == [*(False for _ in PUBLIC), *[True] * 5]


def test_runs_of_the_lab_and_checks_wait_at_their_own_gates_alone(services: Services) -> None:
    async def limits() -> list[int | str | None]:
        pages = build(services)
        queued = [event for event in pages.fns.values() if event.queue]
        return [event.concurrency_limit for event in queued if event.api_visibility != "public"]

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: asyncio.run(limits())).result() == [None] * 5


def test_only_so_many_calls_of_programs_are_answered_at_once(services: Services) -> None:
    async def limits() -> dict[str, tuple[int | str | None, str | None]]:
        public = [event for event in build(services).fns.values() if event.api_visibility == "public"]
        return {str(event.api_name): (event.concurrency_limit, event.concurrency_id) for event in public}

    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(lambda: asyncio.run(limits())).result()
    # The two that take files wait in the line of checks; the three that read share a gate.
    assert {name: limit for name, (limit, _) in found.items()} == {"check": None, "submit": None} | dict.fromkeys(
        ("ticket", "board", "item"), 4
    )
    assert {found[name][1] for name in ("ticket", "board", "item")} == {"reads"}


def test_nothing_is_fetched_from_elsewhere() -> None:
    page = theme.css() + theme.head() + Path(theme.__file__).with_name("ui.py").read_text(encoding="utf-8")
    assert "http://" not in page
    assert "https://" not in page
    assert "@import" not in page
    assert "url(" not in page
    assert "http" not in "".join(theme.theme()._stylesheets)


def test_only_the_open_tab_is_drawn(services: Services) -> None:
    async def drawn() -> dict[str, list[bool]]:
        pages = build(services)
        restore = next(event for event in pages.fns.values() if event.fn and event.fn.__name__ == "restore")
        page_of = {block._id: tab for tab in ("overview", "judges", "queue") for block in _inside(pages, tab)}
        found: dict[str, list[bool]] = {}
        for tab in ("overview", "judges", "queue"):
            assert restore.fn
            values = restore.fn(False, SimpleNamespace(query_params={"tab": tab}))
            for output, value in zip(restore.outputs, values, strict=True):
                if output._id in page_of and not isinstance(output, gr.Timer):
                    found.setdefault(f"{tab} shows {page_of[output._id]}", []).append(value != gr.skip())
        return found

    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(lambda: asyncio.run(drawn())).result()
    assert len(found) == 9
    for said, are_drawn in found.items():
        opened, shown = said.split(" shows ")
        assert any(are_drawn) == (opened == shown), said
        assert all(are_drawn) == (opened == shown), said


def _inside(pages: gr.Blocks, tab: str) -> list[Any]:
    """Every component of a tab."""
    box = next(block for block in pages.blocks.values() if isinstance(block, gr.Tab) and block.id == tab)
    waiting, found = list(box.children), []
    while waiting:
        block = waiting.pop()
        found.append(block)
        waiting += getattr(block, "children", [])
    return found
