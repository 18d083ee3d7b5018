"""`make bench-programs`: what visitors wait for while scoring programs of others take all that they can.

A running `app.py` is asked for pages, first by itself, then while a hostile program runs in the sandbox that tasks of
one's own have: the 95th percentile beside each other, in one run. No network; ends only what it started.
"""

from __future__ import annotations

import json
import sys
import tempfile
import textwrap
import threading
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from benchmarks.provenance import commit
from benchmarks.served import app, quantile
from evaluator.sandbox.program import NoIsolation, ProgramStopped, SandboxLimits, isolated_python, run_isolated
from submissions.commands.command_line import OneLineParser, stop

PATHS = ("/", "/robustness?set=demonstration", "/judges", "/queue", "/healthz")
HOSTILE = {
    "computing in 48 processes": "for _ in range(47):\n    if os.fork() == 0:\n        break\nwhile True:\n    pass",
    "fork bomb": "while True:\n    with suppress(OSError):\n        os.fork()",
    "taking memory": "held = []\nwhile True:\n    held.append(bytearray(10**7))",
    "writing files": """
        place = 0
        while True:
            with suppress(OSError), open(f"f{place}", "wb") as file:
                file.write(bytes(10**6))
            place += 1
    """,
    "writing output": "while True:\n    os.write(1, bytes(10**6))",
    "sleeping": "time.sleep(600)",
}


def main() -> int:
    """Measures and prints a table, or one JSON object as the last line."""
    parser = OneLineParser(prog="make bench-programs", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--requests", type=int, default=100, help="of each round (default 100)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, app(Path(folder)) as (address, _):
        _waits(address, len(PATHS) * 4)  # what a first visitor alone waits for
        rounds = {"nothing": _waits(address, options.requests)}
        for name, code in HOSTILE.items():
            rounds[name] = _waits_during(address, options.requests, code)
    quiet = quantile(rounds["nothing"], 95)
    report = {
        name: {"n": len(waits), "p50_ms": _ms(quantile(waits, 50)), "p95_ms": _ms(quantile(waits, 95)),
               "p95_beside_nothing": round(quantile(waits, 95) / quiet, 2)}
        for name, waits in rounds.items()
    }  # fmt: skip
    print(f"{'meanwhile':<28}{'n':>6}{'p50 ms':>9}{'p95 ms':>9}{'ratio':>8}")
    for name, row in report.items():
        print(f"{name:<28}{row['n']:>6}{row['p50_ms']:>9}{row['p95_ms']:>9}{row['p95_beside_nothing']:>8}")
    if options.json:
        print(json.dumps({"commit": commit(), "rounds": report}))
    return 0


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 1)


def _waits(address: str, requests: int) -> list[float]:
    """Seconds of each request."""
    waits: list[float] = []
    while len(waits) < requests:
        began = time.perf_counter()
        with urllib.request.urlopen(address + PATHS[len(waits) % len(PATHS)], timeout=60) as answer:
            answer.read()
        waits.append(time.perf_counter() - began)
        time.sleep(0.02)
    return waits


def _waits_during(address: str, requests: int, code: str) -> list[float]:
    """The same while programs run, one after the other ends."""
    enough, refused = threading.Event(), []
    body = "import os, time\nfrom contextlib import suppress\n" + textwrap.dedent(code)
    limits = SandboxLimits(seconds=8)

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "program.py")
            path.write_text(body, encoding="utf-8")
            while not enough.is_set():
                try:
                    with suppress(ProgramStopped):
                        run_isolated([*isolated_python(), "/program.py"], {"/program.py": path}, limits)
                except NoIsolation as lacking:
                    refused.append(str(lacking))
                    return

    running = threading.Thread(target=run)
    running.start()
    time.sleep(2.0)  # it has started
    waits = _waits(address, requests)
    enough.set()
    running.join()
    if refused:
        stop(f"nothing was measured: {refused[0]}")
    return waits


if __name__ == "__main__":
    sys.exit(main())
