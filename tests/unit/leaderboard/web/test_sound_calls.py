from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.web.pages import MOST_LEVELS
from leaderboard.web.sound_calls import SoundCalls
from leaderboard.web.uploads import Uploads

WAITS, AT_ONCE, IN_THE_BROWSER = 0, 1, 2
PAGES: Any = SimpleNamespace(
    fns={
        WAITS: SimpleNamespace(fn=print, queue=True),
        AT_ONCE: SimpleNamespace(fn=print, queue=False),
        IN_THE_BROWSER: SimpleNamespace(fn=None, queue=True),
    },
    _queue=SimpleNamespace(
        pending_messages_per_session={"known": None},
        event_ids_to_events={"running": None},
        pending_event_ids_session={"known": {"finished"}},
    ),
)
"""What is asked of the pages: their events, and those somebody waits for."""


class Used(Uploads):
    """Notes down which files pages use."""

    def __init__(self) -> None:
        super().__init__(Path("unused"), for_one=0, in_all=0, least_free=0)
        self.noted: list[tuple[str, list[str]]] = []

    def used_in(self, session: str, paths: Iterable[str]) -> None:
        self.noted.append((session, list(paths)))


USED = Used()


@pytest.fixture
def client() -> Iterator[TestClient]:
    async def echo(request: Request) -> Response:
        return Response(await request.body())

    routes = [Route("/{path:path}", echo, methods=["GET", "POST"])]
    with TestClient(Starlette(routes=routes, middleware=[Middleware(SoundCalls, pages=PAGES, uploads=USED)])) as client:
        yield client


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("run/predict", {"data": [1], "fn_index": AT_ONCE, "session_hash": "abc", "event_data": {"x": 1}}),
        ("run/predict", {"data": [], "fn_index": AT_ONCE, "trigger_id": 3}),
        ("queue/join", {"data": [], "fn_index": WAITS, "session_hash": "abc"}),
        ("call/board", {"data": ["robustness", ""]}),
        ("call/board", {"data": [2**63 - 1, -(2**63 - 1), "9" * 30]}),
        ("cancel", {"session_hash": "abc", "fn_index": 0, "event_id": "0a1b"}),
        ("reset", {"event_id": "0a1b"}),
        ("mcp/", [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]),
    ],
)
def test_a_call_of_the_page_or_of_a_client_arrives_as_it_was_sent(client: TestClient, path: str, call: Any) -> None:
    assert client.post(f"/gradio_api/{path}", json=call).json() == call


@pytest.mark.parametrize(
    ("path", "call", "said"),
    [
        ("run/predict", {"data": [], "fn_index": -1}, "There is no event -1"),
        ("run/predict", {"data": [], "fn_index": 10**9}, "There is no event 1000"),
        ("run/predict", {"data": [], "fn_index": IN_THE_BROWSER}, "There is no event"),
        ("run/predict", {"data": [], "fn_index": "0"}, "fn_index is a whole number"),
        ("run/predict", {"data": [], "fn_index": True}, "fn_index is a whole number"),
        ("run/predict", {"data": []}, "fn_index is a whole number"),
        ("run/predict", {"data": [], "fn_index": WAITS}, "This event waits in line"),
        ("queue/join", {"data": [], "fn_index": WAITS}, "session_hash is a name"),
        ("queue/join", {"data": [], "fn_index": WAITS, "session_hash": "\x00"}, "session_hash is a name"),
        (
            "queue/join",
            {"data": [], "fn_index": WAITS, "session_hash": "a", "trigger_id": "x"},
            "trigger_id is a whole",
        ),
        ("call/board", {"data": "robustness"}, "A call states its values as a list"),
        ("call/board", {"data": None}, "A call states its values as a list"),
        ("call/board", {}, "A call states its values as a list"),
        ("call/board", {"data": [{"value": 2**63}]}, "A whole number in a call is at most 9223372036854775807"),
        ("run/predict", {"data": [-(10**30)], "fn_index": AT_ONCE}, "A whole number in a call is at most"),
        ("call/board", ["robustness"], "is a JSON object"),
        ("call/board", 5, "is a JSON object"),
        ("mcp/", nested(MOST_LEVELS + 1), "nested at most 32 levels"),
        ("call/board", {"data": nested(MOST_LEVELS)}, "nested at most 32 levels"),
        ("cancel", {"session_hash": "a", "event_id": "b", "fn_index": None}, "fn_index is a whole number"),
        ("cancel", {"session_hash": 1, "event_id": "b", "fn_index": 0}, "session_hash is a name"),
        ("reset", {"event_id": ["x"]}, "event_id is a name"),
    ],
)
def test_any_other_is_refused_in_a_sentence(client: TestClient, path: str, call: Any, said: str) -> None:
    answer = client.post(f"/gradio_api/{path}", json=call)
    assert answer.status_code == 422
    assert said in answer.json()["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"\x00\xff", b'{"data": [NaN]}', b"[" * 100_000, b'"\\ud800"'])
def test_what_is_not_json_is_refused(client: TestClient, body: bytes) -> None:
    for path in ("call/board", "mcp/"):
        answer = client.post(f"/gradio_api/{path}", content=body)
        assert (answer.status_code, answer.json()) == (422, {"error": "The body of a call is JSON."})


def test_events_that_nobody_asked_for_are_said_to_be_gone(client: TestClient) -> None:
    assert client.get("/gradio_api/queue/data?session_hash=known").text == ""
    for query in ("?session_hash=other", ""):
        assert '"session_not_found": true' in client.get(f"/gradio_api/queue/data{query}").text
    for event in ("running", "finished", "known"):
        assert client.get(f"/gradio_api/call/board/{event}").text == ""
    said = client.get("/gradio_api/call/board/other").text
    assert said == 'event: error\ndata: {"error": "There is no such call here, or its answer was fetched before."}\n\n'


def test_the_files_of_a_call_are_noted_for_the_page_that_makes_it(client: TestClient) -> None:
    USED.noted.clear()
    values = ["x", {"path": "/one", "meta": {}}, [[{"files": [{"path": "/two"}, {"path": 5}]}]], None]
    client.post("/gradio_api/run/predict", json={"data": values, "fn_index": AT_ONCE, "session_hash": "abc"})
    client.post("/gradio_api/call/board", json={"data": values})
    assert USED.noted == [("abc", ["/one", "/two"])]
