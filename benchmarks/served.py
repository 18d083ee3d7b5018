"""`app.py` as the benchmarks run it: a process of its own on loopback, and what a browser asks of it."""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Request, sync_playwright

ROOT = Path(__file__).parents[1]
BROWSER = "/usr/bin/chromium-headless-shell"
VIEW = "/robustness?set=demonstration"
STARTS_WITHIN_S = 900.0
"""A board of 10,000 rows is ranked once after the start."""
PRIVATE = {"PLUMBLINE_FETCH_SETS": "0", "GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_OFFLINE": "1"}


@dataclass(frozen=True, slots=True)
class Event:
    """A request a browser made, to be made again by other visitors."""

    path: str
    body: dict[str, Any]


def recorded_events(address: str) -> tuple[Event, Event, Event]:
    """What a browser asks: the first drawing of the page, a sort, and the timer that finds nothing changed."""
    asked: list[Event] = []

    def keep(request: Request) -> None:
        if request.method == "POST" and "/gradio_api/run/predict" in request.url and request.post_data:
            asked.append(Event(request.url.removeprefix(address), json.loads(request.post_data)))

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page: Page = browser.new_page()
        page.on("request", keep)
        page.goto(address + VIEW, timeout=1000 * STARTS_WITHIN_S)
        page.locator("#board-table tbody tr").first.wait_for(timeout=1000 * STARTS_WITHIN_S)
        page.wait_for_timeout(6000)  # the timer ticks
        empty = next(event for event in reversed(asked) if event.body["data"] == [])
        page.locator("#board-table thead th.column-score").get_by_role("button").click()
        page.wait_for_timeout(2000)
        sort = next(event for event in reversed(asked) if (event.body.get("event_data") or {}).get("key") == "score")
        browser.close()
    return asked[0], sort, empty


@contextmanager
def app(folder: Path, workers: int = 0) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = os.environ | PRIVATE | {
        "PORT": str(port),
        "PLUMBLINE_DATA": str(folder),
        "PLUMBLINE_WORKERS": str(workers),
        "PLUMBLINE_DEMONSTRATION": "0",
        "PLUMBLINE_RECORDED": "0",
        "PLUMBLINE_GENERATORS": "none",
    }  # fmt: skip
    with running([sys.executable, "app.py"], environment, address) as process:
        yield address, process


@contextmanager
def running(command: list[str], environment: dict[str, str], address: str) -> Iterator[subprocess.Popen[bytes]]:
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            _wait_until_open(address, process)
            yield process
        finally:
            process.terminate()
            process.wait(timeout=60)


def _wait_until_open(address: str, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < ends:
        if process.poll() is not None:
            raise RuntimeError(f"the page server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(address, timeout=STARTS_WITHIN_S):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    raise RuntimeError("the page server did not open")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return round(int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024, 1)


def quantile(values: list[float], percent: int) -> float:
    if len(values) < 2:
        return round(values[0], 4) if values else float("nan")
    return round(statistics.quantiles(values, n=100, method="inclusive")[percent - 1], 4)
