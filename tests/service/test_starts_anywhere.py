"""app.py opens however busy the machine is, and closes at once however many pages are open."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import httpx2
import pytest

from tests.browser.conftest import ROOT, environment_of, free_port, wait_until_open

OPENS_WITHIN_S = 300.0
"""Of a machine on which every core is wanted by others; nothing in app.py ends sooner."""
CLOSES_WITHIN_S = 60.0
"""On a machine of its own two seconds; an app that waits for its pages or its worker never ends."""
UNREACHABLE = """
import runpy
from gradio import networking
networking.url_ok = lambda url: False
runpy.run_path("app.py", run_name="__main__")
"""
"""app.py on a machine so busy that whoever asks for the page gives up before it answers."""


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Every core is wanted by two other programs."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
    yield
    for program in programs:
        program.kill()
        program.wait()


def opened(data: Path, *command: str) -> tuple[subprocess.Popen[bytes], str]:
    """A started app.py and its address."""
    data.mkdir()
    port = free_port()
    address, log = f"http://127.0.0.1:{port}", data / "app.log"
    with log.open("wb") as output:
        app = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment_of(data, port) | {"PLUMBLINE_WORKERS": "0"},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    wait_until_open(address, lambda: app.poll() is None, log, OPENS_WITHIN_S)
    return app, address


@pytest.mark.soak
def test_it_opens_three_times_of_three_while_every_core_is_busy(tmp_path: Path, busy_machine: None) -> None:
    for number in range(3):
        app, address = opened(tmp_path / str(number), "app.py")
        assert httpx2.get(f"{address}/healthz", timeout=OPENS_WITHIN_S).status_code == 200
        app.terminate()
        assert app.wait(OPENS_WITHIN_S) == 0


def test_it_opens_though_it_does_not_reach_itself(tmp_path: Path) -> None:
    app, address = opened(tmp_path / "data", "-c", UNREACHABLE)
    assert "Plumbline" in httpx2.get(address, timeout=OPENS_WITHIN_S).text
    app.terminate()
    assert app.wait(CLOSES_WITHIN_S) == 0


def test_it_closes_while_pages_are_open(tmp_path: Path) -> None:
    app, address = opened(tmp_path / "data", "app.py")
    with ExitStack() as pages:
        for number in range(20):
            client = pages.enter_context(httpx2.Client())
            stream = pages.enter_context(client.stream("GET", f"{address}/gradio_api/heartbeat/page{number}"))
            assert next(stream.iter_text()) == "data: ALIVE\n\n"
        app.terminate()
        assert app.wait(CLOSES_WITHIN_S) == 0


def test_a_port_that_is_taken_is_said_in_one_sentence(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        begun = time.monotonic()
        ended = subprocess.run(
            [sys.executable, "app.py"],
            check=False,
            cwd=ROOT,
            env=environment_of(tmp_path, port) | {"PLUMBLINE_WORKERS": "0"},
            capture_output=True,
            text=True,
            timeout=OPENS_WITHIN_S,
        )
    assert ended.returncode == 1, f"after {time.monotonic() - begun:.0f} s"
    assert ended.stderr.splitlines()[-1] == (
        f"Plumbline cannot start: it cannot listen on 127.0.0.1 port {port} (GRADIO_SERVER_NAME, PORT): "
        "Address already in use"
    )
    assert "Traceback" not in ended.stderr
