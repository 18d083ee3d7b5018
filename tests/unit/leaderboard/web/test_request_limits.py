from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.web.request_limits import RequestLimit


@pytest.fixture
def client() -> Iterator[TestClient]:
    async def size(request: Request) -> PlainTextResponse:
        return PlainTextResponse(str(len(await request.body())))

    middleware = [
        Middleware(RequestLimit, most_bytes=10),
    ]
    routes = [Route("/{path:path}", size, methods=["GET", "POST"])]
    with TestClient(Starlette(routes=routes, middleware=middleware)) as client:
        yield client


def chunks(*parts: bytes) -> Iterator[bytes]:
    yield from parts


def test_a_message_of_the_largest_size_passes(client: TestClient) -> None:
    assert client.post("/x", content=b"0123456789").text == "10"
    assert client.post("/x", content=chunks(b"01234", b"56789")).text == "10"


def test_a_larger_one_is_not_read(client: TestClient) -> None:
    answer = client.post("/x", content=b"0123456789a")
    assert (answer.status_code, answer.text.partition(":")[0]) == (413, "The request is larger than 16,777,216 bytes")
    # Without a stated length it is counted as it comes.
    assert client.post("/x", content=chunks(b"01234", b"567890")).status_code == 413


def test_uploads_have_the_limit_of_gradio(client: TestClient) -> None:
    assert client.post("/gradio_api/upload", content=b"0" * 100).text == "100"
