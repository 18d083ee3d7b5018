"""Connections to a model's server: kept, made anew, and ended at once wherever they wait."""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from evaluator.generators.http import HttpGenerator
from evaluator.generators.http_settings import HttpGeneratorSettings
from evaluator.generators.protocol import GeneratorUnavailable, Message
from tests.certificates import certificate
from tests.service.chat_stub import ChatStub

LONG = "x" * 20_000_000
"""More than the buffers of a connection hold."""

WAITS = pytest.mark.parametrize(
    ("scheme", "question"),
    [("https", ""), ("http", "What is red?"), ("http", LONG)],
    ids=["for a handshake", "for an answer", "until all is sent"],
)


def behind(address: str, timeout_s: float = 20.0) -> HttpGenerator:
    return HttpGenerator(HttpGeneratorSettings(address, "org/model", timeout_s=timeout_s, max_attempts=1))


def answer(generator: HttpGenerator, question: str = "What is red?", stop: threading.Event | None = None) -> str:
    """The text, or `cancelled`."""
    chunks = list(generator.stream([Message("user", question)], stop=stop or threading.Event(), max_new_tokens=9))
    return "cancelled" if chunks[-1].finish_reason == "cancelled" else "".join(chunk.text for chunk in chunks)


def served(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str) -> ssl.SSLContext:
    """What a server of that name shows, which generators made from now on believe."""
    file = certificate(folder, name)
    of_server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    of_server.load_cert_chain(file)
    monkeypatch.setattr(httpx2, "create_ssl_context", lambda **_: ssl.create_default_context(cafile=str(file)))
    return of_server


@contextmanager
def deaf(stop: threading.Event) -> Iterator[int]:
    """The port of a server that sets `stop` at the first byte, and neither reads on nor says anything."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        heard: list[socket.socket] = []

        def hear() -> None:
            connection, _ = listener.accept()
            heard.append(connection)
            connection.recv(1)
            stop.set()

        thread = threading.Thread(target=hear, name="deaf-server")
        thread.start()
        yield listener.getsockname()[1]
        thread.join()
        for connection in heard:
            connection.close()


def test_answers_that_are_asked_for_at_once_have_a_connection_each_and_keep_it() -> None:
    with ChatStub() as stub, ThreadPoolExecutor(4) as pool:
        generator = behind(stub.base_url)
        assert list(pool.map(lambda _: answer(generator), range(40))) == ["Mars it is."] * 40
        assert stub.connections <= 4


def test_answers_over_tls_come_over_one_connection_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with ChatStub(tls=served(monkeypatch, tmp_path, "localhost")) as stub:
        generator = behind(stub.base_url)
        assert [answer(generator) for _ in range(3)] == ["Mars it is."] * 3
        assert stub.connections == 1


def test_a_certificate_of_another_name_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with (
        ChatStub(tls=served(monkeypatch, tmp_path, "other.example.org")) as stub,
        pytest.raises(GeneratorUnavailable, match=r"the connection failed \(ConnectError\)"),
    ):
        answer(behind(stub.base_url))


@WAITS
def test_stop_ends_every_wait(scheme: str, question: str) -> None:
    stop = threading.Event()
    with deaf(stop) as port:
        began = time.monotonic()
        assert answer(behind(f"{scheme}://127.0.0.1:{port}", timeout_s=300), question, stop) == "cancelled"
        assert time.monotonic() - began < 60


@WAITS
def test_every_wait_has_an_end(scheme: str, question: str) -> None:
    with deaf(threading.Event()) as port, pytest.raises(GeneratorUnavailable, match=r"no answer within 0\.3 s"):
        answer(behind(f"{scheme}://127.0.0.1:{port}", timeout_s=0.3), question)


def test_stop_ends_the_wait_before_another_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluator.generators.http.LONGEST_WAIT_S", 300.0)
    stop = threading.Event()
    with ChatStub(refusals=[(503, {"Retry-After": "300"}, "busy")]) as stub:
        generator = HttpGenerator(HttpGeneratorSettings(stub.base_url, "org/model"))
        with ThreadPoolExecutor(1) as visitor:
            waiting = visitor.submit(answer, generator, stop=stop)
            while not stub.bodies and not waiting.done():
                time.sleep(0.01)
            began = time.monotonic()
            stop.set()
            assert waiting.result() == "cancelled"
        assert time.monotonic() - began < 60
        assert len(stub.bodies) == 1


def test_a_forked_process_makes_connections_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatStub() as stub:
        generator = behind(stub.base_url)
        answer(generator)
        parent = generator._connections._unused
        monkeypatch.setattr(os, "getpid", lambda: -1)
        assert answer(generator) == "Mars it is."
        assert stub.connections == 2
        monkeypatch.undo()
        kept = parent.taken()
        assert kept is not None
        kept.close()
