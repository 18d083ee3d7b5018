from __future__ import annotations

import logging
import subprocess
import sys

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from leaderboard.web.faults import FAILED, MOST_LINE, OneLine, PlainFaults


def test_a_fault_is_a_sentence_for_the_caller_and_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def fails(request: Request) -> Response:
        raise KeyError("/home/somebody/secret\nTraceback")

    app = Starlette(routes=[Route("/{path:path}", fails)])
    with TestClient(PlainFaults(app), raise_server_exceptions=True) as client, caplog.at_level(logging.ERROR):
        answer = client.get("/x%1By")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    (line,) = caplog.messages
    assert line.startswith(r"GET /x\u001by failed: KeyError: ")
    assert "web/test_faults.py:" in line
    assert "\n" not in line
    assert caplog.records[0].exc_info is None


def test_before_an_answer_has_begun_the_caller_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def fails(*_: object) -> None:
        raise TypeError("x")

    answer = TestClient(PlainFaults(fails)).get("/")
    assert (answer.status_code, answer.json()) == (500, {"error": FAILED})


def test_an_answer_that_breaks_off_is_one_line_too(caplog: pytest.LogCaptureFixture) -> None:
    async def begun() -> object:
        yield b"data: 1\n\n"
        raise RuntimeError("broke off")

    routes = [Route("/", lambda request: StreamingResponse(begun()))]  # type: ignore[arg-type]
    with TestClient(Starlette(routes=routes, middleware=[Middleware(PlainFaults)])) as client:
        assert client.get("/").text == "data: 1\n\n"
    assert [record.levelname for record in caplog.records if record.name == "leaderboard.web.faults"] == ["ERROR"]


def test_what_libraries_log_of_a_call_is_one_line_of_bounded_length() -> None:
    record = logging.LogRecord("mcp", logging.WARNING, "", 0, "50 errors:\n%s", ("x\n" * 5_000,), None)
    line = OneLine("%(levelname)s %(message)s").format(record)
    assert line.startswith(r"WARNING 50 errors:\u000ax\u000ax")
    assert "\n" not in line
    assert len(line) < MOST_LINE * len(r"\u000a")


def test_what_gradio_warns_of_a_link_is_one_line_of_bounded_length() -> None:
    """In a process of its own, since that is what is logged there from then on."""
    program = (
        "import gradio; from leaderboard.web.faults import log_in_lines; log_in_lines();"
        r"gradio.Dropdown(['a']).postprocess('forged\n2026 INFO app: all is well\x1b[2J' + 'x' * 5_000)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    lines = [line for line in said.stderr.splitlines() if "list of choices" in line]
    assert lines
    assert said.stderr.count("\n") == len(said.stderr.splitlines()) == len(lines)
    assert all(" WARNING py.warnings: " in line and len(line) < 2 * MOST_LINE for line in lines)
    assert "\x1b" not in said.stderr
