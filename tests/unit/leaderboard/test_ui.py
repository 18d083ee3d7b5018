from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from leaderboard.desk.submit_page import OpenDesk
from leaderboard.desk.submit_screen import BLANK
from leaderboard.page.frame import ViewLink
from leaderboard.page.links import path_of
from leaderboard.page.services import Services
from leaderboard.parts import theme
from leaderboard.site.api import ENDPOINTS
from leaderboard.ui import build
from submissions.desk import Desk
from submissions.promptsets import example_submissions
from submissions.store.refusals import Refused
from tests.registered import KINDS, TABS
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import choices, put_into
from tests.unit.submissions.seasons.made_seasons import SPRING, made_seasons

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


STREAMED = 16
"""Events that are streamed have to go through the queue: runs of the lab (writing, and predicting a reader), whose own
gate says how many may go on at once; the checks of the desk (two ways to ask for one, submitting, three ways to put
files in order, and the check after each of them and after another run is chosen) and the judge report (asked for, again
with other columns or with labels given on the page, and pairs to label), which show their place in their own line."""


def test_only_the_endpoints_are_public(dependencies: list[dict[str, Any]]) -> None:
    assert len(dependencies) > 20
    assert {dependency["api_visibility"] for dependency in dependencies} == {"private", "public"}
    public = [dependency for dependency in dependencies if dependency["api_visibility"] == "public"]
    assert [dependency["api_name"] for dependency in public] == PUBLIC
    assert all(dependency["targets"] == [] for dependency in public)  # none is an event of the page


def test_events_do_not_wait_for_each_other(dependencies: list[dict[str, Any]]) -> None:
    queued = [dependency for dependency in dependencies if dependency["queue"]]
    # What programs ask for goes through the queue too, so that only so many are answered at once.
    assert [dependency["api_name"] for dependency in queued[:-STREAMED]] == PUBLIC
    assert [dependency["types"]["generator"] for dependency in queued] == [*(False for _ in PUBLIC), *[True] * STREAMED]


def test_runs_of_the_lab_and_checks_wait_at_their_own_gates_alone(services: Services) -> None:
    async def limits() -> list[int | str | None]:
        pages = build(services)
        queued = [event for event in pages.fns.values() if event.queue]
        return [event.concurrency_limit for event in queued if event.api_visibility != "public"]

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(lambda: asyncio.run(limits())).result() == [None] * STREAMED


def test_only_so_many_calls_of_programs_are_answered_at_once(services: Services) -> None:
    async def limits() -> dict[str, tuple[int | str | None, str | None]]:
        public = [event for event in build(services).fns.values() if event.api_visibility == "public"]
        return {str(event.api_name): (event.concurrency_limit, event.concurrency_id) for event in public}

    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(lambda: asyncio.run(limits())).result()
    # The three that take files wait in the line of checks; the three that read share a gate
    # with the one that chooses.
    files, reads = ("check", "submit", "judge_report"), ("choose", "ticket", "board", "item")
    assert {name: limit for name, (limit, _) in found.items()} == dict.fromkeys(files) | dict.fromkeys(reads, 4)
    assert {found[name][1] for name in files} == {"files"}
    assert {found[name][1] for name in reads} == {"reads"}


def test_pages_are_sent_with_what_somebody_comes_for(services: Services) -> None:
    async def sent() -> dict[str, list[Any]]:
        return {path: list(view.values().values()) for path, view in build(services).first_views.items()}

    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(lambda: asyncio.run(sent())).result()
    (overview,) = found["/"]
    assert [action["label"] for action in overview["actions"]] == ["Read a board", "Submit a file", "Try the lab"]
    (table,) = found["/personalization"]
    assert len(json.loads(table)["rows"]) == 15  # a screenful of the 20 published rows
    # Whatever depends on who asks is not among them.
    assert not {"/lab", "/submit", "/about"} & found.keys()


def test_nothing_is_fetched_from_elsewhere() -> None:
    page = theme.css() + theme.head() + (Path(theme.__file__).parents[1] / "ui.py").read_text(encoding="utf-8")
    assert "http://" not in page
    assert "https://" not in page
    assert "@import" not in page
    assert "url(" not in page
    assert "http" not in "".join(theme.theme()._stylesheets)


def test_every_page_is_opened_by_itself(services: Services) -> None:
    async def built() -> dict[str, tuple[list[Any], list[Any]]]:
        pages = build(services)
        found: dict[str, tuple[list[Any], list[Any]]] = {}
        for tab in TABS:
            (opened,) = (event for event in pages.fns.values() if event.page == path_of(tab) and _opens(event))
            assert opened.fn
            values = opened.fn(False, "", SimpleNamespace(query_params={}))
            assert len(values) == len(opened.outputs)
            assert {output.page for output in opened.outputs} == {path_of(tab)}
            found[tab] = (list(opened.outputs), list(values))
        return found

    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(lambda: asyncio.run(built())).result()
    for tab, (outputs, values) in found.items():
        state = values[0]
        assert (state.tab, values[2]) == (tab, None), tab
        timers = [value for output, value in zip(outputs, values, strict=True) if isinstance(output, gr.Timer)]
        assert all(timer.active for timer in timers), tab
        assert bool(timers) == (tab in KINDS or tab in ("overview", "queue")), tab


def test_a_view_that_another_page_shows_is_looked_at_there(services: Services) -> None:
    ticket = put_into(services.store, choices())

    async def opened() -> list[Any]:
        pages = build(services)
        (event,) = (event for event in pages.fns.values() if event.page == "personalized_ratings" and _opens(event))
        assert event.fn
        values: list[Any] = list(event.fn(False, "", SimpleNamespace(query_params={"evaluator": ticket})))
        return values

    with ThreadPoolExecutor(1) as thread:
        state, link, _, *values = thread.submit(lambda: asyncio.run(opened())).result()
    assert state.tab == "personalized_pairs"
    assert link["address"].startswith("personalized_pairs?collection=")
    assert ViewLink("personalized_ratings").postprocess(link)["elsewhere"] == link["address"]
    assert ViewLink("personalized_pairs").postprocess(link)["elsewhere"] == ""
    assert all(value == gr.skip() for value in values)


def test_a_page_has_its_own_components_alone(services: Services) -> None:
    async def counted() -> dict[str, tuple[int, int]]:
        config = build(services).config["page"]
        return {path: (len(page["components"]), len(page["dependencies"])) for path, page in config.items()}

    with ThreadPoolExecutor(1) as thread:
        counts = thread.submit(lambda: asyncio.run(counted())).result()
    assert set(counts) == {path_of(tab) for tab in TABS}
    # A browser makes each of them when the page is opened; all pages together have 700 components and 200 events.
    most = dict.fromkeys(counts, 150) | {"lab": 180}  # three forms stand there: live, replay and reader
    assert {path: count for path, count in counts.items() if count[0] > most[path] or count[1] > 60} == {}


def test_a_text_box_that_nobody_has_drawn_yet_sends_a_text(services: Services) -> None:
    # A browser that is still making the page sends what a box begins with: a file chosen then came with None for names.
    async def built() -> list[tuple[str, Any]]:
        boxes = [box for box in build(services).blocks.values() if isinstance(box, gr.Textbox)]
        return [(str(box.elem_id), box.value) for box in boxes]

    with ThreadPoolExecutor(1) as thread:
        boxes = thread.submit(lambda: asyncio.run(built())).result()
    assert len(boxes) > 10
    assert [name for name, value in boxes if not isinstance(value, str)] == []


def test_submitting_cancels_the_checks_that_run_before_it_sends_anything(services: Services) -> None:
    async def pressed() -> tuple[list[int], list[list[int]], list[bool]]:
        pages = build(services)
        (button,) = (box for box in pages.blocks.values() if getattr(box, "elem_id", "") == "submit")
        events = [event for event in pages.fns.values() if (button._id, "click") in event.targets]
        checks = [number for number, event in pages.fns.items() if event.fn and _is_of_page(event.fn, "check")]
        return checks, [event.cancels for event in events], [event.fn is not None for event in events]

    with ThreadPoolExecutor(1) as thread:
        checks, cancels, sends = thread.submit(lambda: asyncio.run(pressed())).result()
    assert len(checks) == 2  # of a file that was chosen, and of the button
    # A browser runs the listeners of a button one after the other: a cancelling one that came second would come late.
    assert cancels.index(checks) < sends.index(True)


def _is_of_page(handler: Any, name: str) -> bool:
    return str(handler.__qualname__).endswith(f"submit_page.<locals>.{name}")


def _opens(event: Any) -> bool:
    """Is it the event that fills a page when somebody comes to it?"""
    return event.fn is not None and event.fn.__name__ == "opened"


@pytest.mark.parametrize("is_submitted", [False, True], ids=["nothing was", "the file was"])
def test_a_check_that_ends_after_the_submission_takes_no_receipt_away(
    services: Services, tmp_path: Path, is_submitted: bool
) -> None:
    file = tmp_path / "run.json"
    file.write_bytes(next(data for _, data in example_submissions()))
    request = SimpleNamespace(client=SimpleNamespace(host="192.0.2.7"), headers={}, request=None, session=None)

    async def answers() -> list[Any]:
        pages, desk = build(services), OpenDesk()
        check = next(fn for event in pages.fns.values() if (fn := event.fn) and _is_of_page(fn, "check"))
        steps = check(request, desk, str(file), None, None, "brackets", BLANK, "", "", "", "")
        first = asyncio.ensure_future(anext(steps))
        await asyncio.sleep(0)  # it has begun
        desk.submitted = str(file) if is_submitted else ""
        try:
            return [await first, *[step async for step in steps]]
        except StopAsyncIteration:
            return []

    with ThreadPoolExecutor(1) as thread:
        told = thread.submit(lambda: asyncio.run(answers())).result()
    services.checks.close()
    assert bool(told) != is_submitted


def test_a_file_that_the_page_refuses_is_counted_once_by_its_faults_however_often_it_is_checked(
    services: Services, tmp_path: Path
) -> None:
    always = SPRING.replace("2026-03-01", "2020-01-01").replace("2026-03-31", "2999-12-30")
    seasons = made_seasons(tmp_path / "seasons", always=always.replace("2026-04-10", "2999-12-31"))
    desk = Desk(services.store, services.desk.archive, services.desk.prompt_sets, seasons=seasons)
    served = replace(services, desk=desk)
    accepted, refused = tmp_path / "run.json", tmp_path / "broken.json"
    accepted.write_bytes(next(data for _, data in example_submissions()))
    refused.write_text("{", encoding="utf-8")
    request = SimpleNamespace(client=SimpleNamespace(host="192.0.2.7"), headers={}, request=None, session=None)

    async def counted_after(*files: Path) -> list[Refused]:
        pages, counted = build(served), []
        check = next(fn for event in pages.fns.values() if (fn := event.fn) and _is_of_page(fn, "check"))
        for file in files:
            steps = check(request, OpenDesk(), str(file), None, None, "brackets", BLANK, "", "", "", "")
            assert [step async for step in steps]
            counted.append(services.store.refused("always"))
        return counted

    with ThreadPoolExecutor(1) as thread:
        counted = thread.submit(lambda: asyncio.run(counted_after(accepted, refused, refused))).result()
    broken = Refused(1, {"json_syntax": 1})
    assert counted == [Refused(), broken, broken]
