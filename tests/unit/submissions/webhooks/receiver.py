"""A webhook on this machine, for tests."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "T0123-secret"
"""Stands in its address."""


@dataclass(slots=True)
class Message:
    """What it received."""

    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Receiver:
    """Answers with `codes` in turn, the last one from then on."""

    codes: list[int]
    port: int = 0
    received: list[Message] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{SECRET}"

    def next_code(self) -> int:
        return self.codes.pop(0) if len(self.codes) > 1 else self.codes[0]


@contextmanager
def receiver(*codes: int, drop: bytes = b"", tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A webhook that answers 200, or with these codes; `drop` is said again and again instead of an answer."""
    made = Receiver(list(codes) or [200])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            made.received.append(Message(dict(self.headers), body))
            if drop:
                self._drop_by_drop()
                return
            self.send_response(made.next_code())
            self.send_header("Location", f"http://127.0.0.1:{made.port}/elsewhere")
            self.end_headers()

        def _drop_by_drop(self) -> None:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for _ in range(400):
                try:
                    self.wfile.write(drop)
                    self.wfile.flush()
                except OSError:
                    return
                time.sleep(0.01)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    made.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
