"""The webhook is told in a bounded time, and no message repeats its address."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from evaluator.canary.webhook import NotTold, tell

SECRET = "T0123-secret"


class Hook:
    """A webhook on this machine that answers with `code`, drop by drop where it is slow."""

    def __init__(self, code: int, is_slow: bool) -> None:
        self.code = code
        self.is_slow = is_slow
        self.told: list[object] = []
        self.url = ""


@contextmanager
def hook(code: int = 200, *, is_slow: bool = False) -> Iterator[Hook]:
    made = Hook(code, is_slow)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            made.told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            if made.is_slow:
                for drop in b"HTTP/1.1 200 OK\r\n" * 20:
                    try:
                        self.wfile.write(bytes([drop]))
                        self.wfile.flush()
                    except OSError:
                        return
                    time.sleep(0.02)
                return
            self.send_response(made.code)
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}/{SECRET}"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


def test_a_webhook_is_told_once_as_json() -> None:
    with hook(204) as made:
        tell(made.url, {"text": "judge changed", "others": 9})
    assert made.told == [{"text": "judge changed", "others": 9}]


@pytest.mark.parametrize("code", [302, 400, 500])
def test_an_answer_that_is_no_2xx_is_said_and_no_redirect_followed(code: int) -> None:
    with hook(code) as made, pytest.raises(NotTold, match=f"it answered {code}") as raised:
        tell(made.url, {"text": ""})
    assert SECRET not in str(raised.value)


def test_an_answer_that_comes_drop_by_drop_is_not_waited_for() -> None:
    started = time.monotonic()
    with hook(is_slow=True) as made, pytest.raises(NotTold, match=r"no answer within 0\.4 s"):
        tell(made.url, {"text": ""}, within_s=0.4)
    assert time.monotonic() - started < 4


def test_an_address_where_nobody_listens_is_not_repeated() -> None:
    with hook() as made:
        pass
    with pytest.raises(NotTold, match="cannot be reached") as raised:
        tell(made.url, {"text": ""})
    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None
