"""Files that take long to read, sent all at once to a running app: whoever is honest does not notice."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from submissions.checking.line import MOST_OF_ONE
from submissions.promptsets import example_submissions
from tests.browser.conftest import started_app
from tests.service.test_check_memory import cultural_zip

ATTACKS = 44
"""Half of them through the page's own button, half through the API."""
HONEST, HOSTILE = "127.0.0.1", "127.0.0.2"
"""Addresses that they come from."""
OWN_ARE_MANY = "files of yours wait to be checked already"
LIMIT_S = 30
"""What each of the hostile checks may take, and would: by far more than everything else in these tests."""
STORY_WITHIN_S = 3 * LIMIT_S
"""So long the check may take by the clock."""
ENDS_WITHIN_S = 60.0


@pytest.fixture(scope="module")
def slow_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A zip in order, with 100,000 answers whose languages have to be told."""
    path = tmp_path_factory.mktemp("files") / "run.zip"
    cultural_zip(path, 1_250)
    return path


@pytest.fixture
def limit_s() -> int:
    return LIMIT_S


@pytest.fixture
def app(tmp_path: Path, limit_s: int) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    settings = {
        "PLUMBLINE_CHECK_S": str(limit_s),
        "PLUMBLINE_WORKERS": "0",
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_JUDGES": "scripted",
    }
    with started_app(tmp_path, settings) as (address, process):
        yield address, process


class Visitor:
    """A client at an address, with one browser session."""

    def __init__(self, app: str, address: str) -> None:
        self._api = f"{app}/gradio_api"
        self._app = app
        self._session = f"session-of-{address.replace('.', '-')}"
        # The server closes a kept connection after 5 s: on a busy machine while the next request is written.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
        self._client = httpx2.AsyncClient(
            transport=httpx2.AsyncHTTPTransport(local_address=address, limits=limits),
            timeout=None,
        )

    async def close(self) -> None:
        """Leaves: every answer that is waited for is given up."""
        await self._client.aclose()

    async def upload(self, file: Path) -> dict[str, Any]:
        sent = await self._client.post(f"{self._api}/upload", files={"files": (file.name, file.read_bytes())})
        return {"path": sent.json()[0], "meta": {"_type": "gradio.FileData"}, "orig_name": file.name}

    async def call_check(self, file: dict[str, Any]) -> str | None:
        """Calls the API's check; returns the event's id, or None where it is told to come back."""
        body = {"data": [file, "", "", "", "", "auto", None, "", ""], "session_hash": self._session}
        return _joined(await self._client.post(f"{self._api}/call/check", json=body))

    async def press_check(self, file: dict[str, Any]) -> str | None:
        """Presses the page's button; returns the same."""
        config = (await self._client.get(f"{self._app}/config")).json()
        button = next(part["id"] for part in config["components"] if part["props"].get("elem_id") == "check")
        event = next(one for one in config["dependencies"] if [button, "click"] in [list(t) for t in one["targets"]])
        values = [None, file, *[None] * 4, *[""] * 4]
        assert len(values) == len(event["inputs"])
        body = {"data": values, "fn_index": event["id"], "session_hash": self._session}
        return _joined(await self._client.post(f"{self._api}/queue/join", json=body))

    async def told(self) -> AsyncGenerator[dict[str, Any], None]:
        """Everything that the session is told."""
        session = {"session_hash": self._session}
        async with self._client.stream("GET", f"{self._api}/queue/data", params=session) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("data: "):
                    yield json.loads(line.removeprefix("data: "))

    async def answer(self, file: dict[str, Any]) -> dict[str, Any]:
        """What the API answers to an upload: data, or an error."""
        event = await self.call_check(file)
        if event is None:
            return {"error": OWN_ARE_MANY}
        async with aclosing(self.told()) as messages:
            async for message in messages:
                if message["msg"] == "process_completed" and message["event_id"] == event:
                    output: dict[str, Any] = message["output"]
                    return output
        raise AssertionError("the app gave no answer")

    async def checked(self, file: Path) -> dict[str, Any]:
        """The report of a file, through the API; sends it again as long as it is told to."""
        upload = await self.upload(file)
        while OWN_ARE_MANY in str((answer := await self.answer(upload)).get("error")):
            pass
        report: dict[str, Any] = json.loads(answer["data"][0])
        return report

    async def open_page(self) -> None:
        assert "Plumbline" in (await self._client.get(self._app)).text


def _joined(answer: httpx2.Response) -> str | None:
    if answer.status_code == httpx2.codes.TOO_MANY_REQUESTS:
        return None
    return str(answer.raise_for_status().json()["event_id"])


@asynccontextmanager
async def visit(app: str, address: str) -> AsyncIterator[Visitor]:
    visitor = Visitor(app, address)
    try:
        yield visitor
    finally:
        await visitor.close()


@asynccontextmanager
async def under_attack(app: str, slow_file: Path) -> AsyncIterator[tuple[list[dict[str, Any]], int]]:
    """While it lasts, one address has sent 44 slow files; yields what each that is over was told, and how many found a
    place and may be over: all but the one under way and those in line. The others were told to come back."""
    async with visit(app, HOSTILE) as hostile:
        file = await hostile.upload(slow_file)
        sends = [*[hostile.call_check] * (ATTACKS // 2), *[hostile.press_check] * (ATTACKS // 2)]
        placed = [event for event in await asyncio.gather(*(send(file) for send in sends)) if event is not None]
        over: list[dict[str, Any]] = []
        shown: dict[str, list[Any]] = defaultdict(list)
        all_placed = asyncio.Event()

        async def listen() -> None:
            async for message in hostile.told():
                if message["msg"] == "process_generating":
                    shown[message["event_id"]].append(message["output"])
                if message["msg"] == "process_completed":
                    # What the page shows came before: an event ends with values that change nothing.
                    over.append({**message, "output": [*shown[message["event_id"]], message["output"]]})
                if len(over) == len(placed) - 1 - MOST_OF_ONE:
                    all_placed.set()

        listening = asyncio.create_task(listen())
        await all_placed.wait()
        try:
            yield over, len(placed) - 1 - MOST_OF_ONE
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


def checking_processes(app: int) -> set[str]:
    """Ids of the processes that check files for an app: those of its fork server."""
    return {process for server in children(app) for process in children(int(server))}


def children(parent: int) -> set[str]:
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(parent)], capture_output=True, text=True, check=True
    )
    return {line.split()[0] for line in listed.stdout.splitlines() if "submissions.checking.child" in line}


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    path = tmp_path / "tide.json"
    path.write_bytes(dict(example_submissions())["tide.json"])
    return path


def test_an_honest_visitor_is_answered_at_once_and_the_app_ends_when_told_to(
    app: tuple[str, subprocess.Popen[bytes]], slow_file: Path, small_file: Path
) -> None:
    address, process = app

    async def story() -> tuple[int, int]:
        async with under_attack(address, slow_file) as (over, turned_away), visit(address, HONEST) as honest:
            # One is under way, so many wait, and the others were told so.
            assert all(OWN_ARE_MANY in json.dumps(message["output"]) for message in over)
            await honest.open_page()
            report = await honest.checked(small_file)
            assert report["decision"] == "accepted"
            process.send_signal(signal.SIGTERM)
            return len(over), turned_away

    ended, turned_away = asyncio.run(asyncio.wait_for(story(), STORY_WITHIN_S))
    assert ended == turned_away, "not one of the slow files was read meanwhile"
    assert process.wait(ENDS_WITHIN_S) == 0


def test_whoever_leaves_gives_the_place_up(
    app: tuple[str, subprocess.Popen[bytes]], slow_file: Path, small_file: Path
) -> None:
    address, process = app

    async def story() -> set[str]:
        async with under_attack(address, slow_file):
            busy = checking_processes(process.pid)
        # Another client of the same address waits for none of the 44.
        async with visit(address, HOSTILE) as same:
            assert (await same.checked(small_file))["decision"] == "accepted"
        return busy - checking_processes(process.pid)

    # The process that read the slow file is gone, long before it would have come to its end; so is any that had begun
    # the next of the 44 before that was left too.
    assert asyncio.run(asyncio.wait_for(story(), STORY_WITHIN_S))


@pytest.mark.parametrize("limit_s", [5])  # at which the first file is given up
def test_the_page_shows_the_place_and_then_the_report(
    app: tuple[str, subprocess.Popen[bytes]], slow_file: Path, small_file: Path
) -> None:
    address, _ = app

    async def story() -> list[str]:
        async with visit(address, HONEST) as visitor:
            first = await visitor.call_check(await visitor.upload(slow_file))
            second = await visitor.press_check(await visitor.upload(small_file))
            said = []
            async for message in visitor.told():
                if message.get("event_id") == second and message["msg"].startswith("process_"):
                    said.append(json.dumps(message.get("output")))
                elif message.get("event_id") == first and message["msg"] == "process_completed":
                    said.append("the first is over")
                if message.get("event_id") == second and message["msg"] == "process_completed":
                    return said
        raise AssertionError("the app gave no answer")

    said = [
        next((words for words in ("1 check is ahead of yours", "the first is over", "Accepted") if words in text), "")
        for text in asyncio.run(story())
    ]
    assert [words for words in dict.fromkeys(said) if words] == [
        "1 check is ahead of yours",
        "the first is over",
        "Accepted",
    ]
