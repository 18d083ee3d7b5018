"""A loopback server that streams chat completions as OpenAI, vLLM and TGI do, and can misbehave on the way."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ChatStub:
    """A server on a free loopback port, running while it is entered (`with`).

    Args:
        parts: The answer, an event each.
        finish_reason: Of the last event; None = none is sent.
        refusals: (status, headers, body) given to the first calls, one each, before the answer.
        silent_after: Number of parts after which the server keeps silent until it is closed.
        broken_after: Number of parts after which it closes the connection.
        error_after: Number of parts after which it sends an error event.
        usage: Tokens it states at the end.
        thoughts: Sent before the parts, as reasoning that is not part of the answer.
        tls: Its certificate; it is then called as `localhost`.
    """

    def __init__(
        self,
        parts: Sequence[str] = ("Mars ", "it is."),
        *,
        finish_reason: str | None = "stop",
        refusals: Sequence[tuple[int, dict[str, str], str]] = (),
        silent_after: int | None = None,
        broken_after: int | None = None,
        error_after: int | None = None,
        usage: int | None = None,
        thoughts: Sequence[str] = (),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.parts = parts
        self.finish_reason = finish_reason
        self.silent_after = silent_after
        self.broken_after = broken_after
        self.error_after = error_after
        self.usage = usage
        self.thoughts = thoughts
        self.bodies: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.authorizations: list[str | None] = []
        self.silent = threading.Event()
        """Set when it keeps silent."""
        self.gone = threading.Event()
        """Set when a client hung up while the server kept silent."""
        self.connections = 0
        """How many were opened."""
        self.open: set[socket.socket] = set()
        self.idle = threading.Event()
        """Set when the last connection was closed."""
        self.closing = threading.Event()
        self._refusals = list(refusals)
        self._server = _Server(("127.0.0.1", 0), self)
        self._tls = tls
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="chat-stub")

    @property
    def base_url(self) -> str:
        host = "https://localhost" if self._tls else "http://127.0.0.1"
        return f"{host}:{self._server.server_port}"

    def __enter__(self) -> ChatStub:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self.hang_up()
        self._server.server_close()

    def hang_up(self) -> None:
        """Closes every connection, as a server does with one that nobody uses."""
        for connection in tuple(self.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def refusal(self) -> tuple[int, dict[str, str], str] | None:
        return self._refusals.pop(0) if self._refusals else None


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], stub: ChatStub) -> None:
        self.stub = stub
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.server.stub.connections += 1
        self.server.stub.open.add(self.connection)

    def finish(self) -> None:
        super().finish()
        self.server.stub.open.discard(self.connection)
        if not self.server.stub.open:
            self.server.stub.idle.set()

    def do_POST(self) -> None:
        stub = self.server.stub
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stub.bodies.append(body)
        stub.paths.append(self.path)
        stub.authorizations.append(self.headers.get("Authorization"))
        refusal = stub.refusal()
        if refusal is not None:
            status, headers, text = refusal
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self._stream(stub)

    def _stream(self, stub: ChatStub) -> None:
        self._event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
        for thought in stub.thoughts:
            self._event({"choices": [{"index": 0, "delta": {"reasoning_content": thought, "reasoning": thought}}]})
        for number, part in enumerate(stub.parts):
            if self._misbehaved(stub, number):
                return
            self._event({"choices": [{"index": 0, "delta": {"content": part}, "finish_reason": None}]})
        if self._misbehaved(stub, len(stub.parts)):
            return
        if stub.finish_reason is not None:
            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": stub.finish_reason}]})
        if stub.usage is not None:
            usage = {"prompt_tokens": 1, "completion_tokens": stub.usage, "total_tokens": stub.usage + 1}
            self._event({"choices": [], "usage": usage})
        self._send(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _misbehaved(self, stub: ChatStub, number: int) -> bool:
        if number == stub.silent_after:
            self._keep_silent(stub)
        elif number == stub.error_after:
            self._event({"error": {"message": "engine died of sk-secret", "code": 500}})
        elif number == stub.broken_after:
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            return False
        self.close_connection = True
        return True

    def _keep_silent(self, stub: ChatStub) -> None:
        """Waits until the client hangs up, or the server is closed."""
        stub.silent.set()
        self.connection.settimeout(0.05)
        while not stub.closing.is_set():
            try:
                if self.connection.recv(1) == b"":
                    stub.gone.set()
                    return
            except TimeoutError:
                continue
            except OSError:
                stub.gone.set()
                return

    def _event(self, event: dict[str, Any]) -> None:
        self._send(f"data: {json.dumps({'object': 'chat.completion.chunk', **event})}\n\n".encode())

    def _send(self, part: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass
