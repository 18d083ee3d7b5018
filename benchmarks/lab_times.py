"""`make bench-lab`: how long a visitor of the lab waits for both verdicts, beside other checkouts.

Every checkout is started in turn, several times, without a worker and with its weights written before: *Run* on the
first question as soon as the page offers it (cold), then on the next questions (warm). Seconds from *Run* until both
columns are judged. Other checkouts need an environment of their own (`make .venv/.run` there).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2
from playwright.sync_api import Page, sync_playwright

from benchmarks.first_start import app_of, wait_until, write_weights
from benchmarks.provenance import commit
from benchmarks.served import BROWSER, ROOT

MOST_MS = 300_000
"""So long one run is waited for."""
QUESTION = "document.querySelector('#lab-text textarea')?.value"
STATUS = "document.querySelector('#lab-status .run-status')?.textContent"
COUNTS = "[1, 2].map(n => parseInt(document.querySelector(`#lab-answer-${n} .tokens`)?.textContent) || 0)"


@dataclass(frozen=True, slots=True)
class LabRun:
    """One press of *Run*."""

    question: str
    judged_s: float | None
    """Until both columns are judged; None where the run met its limit of time."""
    tokens: list[int]
    """Of each column."""


@dataclass(frozen=True, slots=True)
class LabStart:
    """One start of a checkout; its first run is cold."""

    commit: str
    load: float
    """Mean length of the machine's run queue over the minute before."""
    runs: list[LabRun]


def main() -> int:
    options = _options()
    checkouts = [folder.resolve() for folder in (*options.beside, ROOT)]
    starts: list[LabStart] = []
    with tempfile.TemporaryDirectory(prefix="plumbline-lab-") as name:
        for _ in range(options.rounds):
            for checkout in checkouts:
                starts.append(_start(checkout, Path(name), options.questions))
                print(starts[-1], file=sys.stderr, flush=True)
    print(json.dumps([asdict(start) for start in starts], indent=1) if options.json else _table(starts))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lab_times", description=__doc__)
    parser.add_argument("--beside", type=Path, nargs="*", default=(), metavar="FOLDER", help="other checkouts")
    parser.add_argument("--rounds", type=int, default=3, help="starts of each checkout (default 3)")
    parser.add_argument("--questions", type=int, default=5, help="questions asked after a start (default 5)")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _start(checkout: Path, folder: Path, questions: int) -> LabStart:
    python, weights = checkout / ".venv" / "bin" / "python", folder / commit(checkout)
    if not weights.exists():
        write_weights(checkout, python, weights)
    load = round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        data = Path(name)
        shutil.copytree(weights, data, dirs_exist_ok=True)
        with app_of(checkout, python, data, {"PLUMBLINE_WORKERS": "0"}) as (_, address):
            wait_until(lambda: httpx2.get(address, timeout=5).status_code == 200)
            with _opened_lab(address) as page:
                runs = []
                for number in range(questions):
                    if number:
                        _ask_next(page)
                    runs.append(_run(page))
    return LabStart(commit(checkout), load, runs)


@contextmanager
def _opened_lab(address: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{address}/?tab=lab", timeout=60_000)
        # Where no model is set, older checkouts show a button that cannot be pressed.
        page.get_by_role("button", name="Run", exact=True, disabled=False).wait_for(timeout=60_000)
        page.wait_for_function(QUESTION, timeout=60_000)
        yield page
        browser.close()


def _ask_next(page: Page) -> None:
    """Press *Next example* until the question is another one: 6ed7c6b does nothing at the first press."""
    asked = page.evaluate(QUESTION)
    wait_until(lambda: _is_other_after_a_press(page, asked))
    page.wait_for_timeout(1000)  # the rest of the form is filled


def _is_other_after_a_press(page: Page, asked: str) -> bool:
    page.get_by_role("button", name="Next example").first.click()
    ends = time.monotonic() + 5
    while time.monotonic() < ends:
        if page.evaluate(QUESTION) != asked:
            return True
        page.wait_for_timeout(100)
    return False


def _run(page: Page) -> LabRun:
    began = time.monotonic()
    page.get_by_role("button", name="Run", exact=True, disabled=False).click()
    page.wait_for_function(f"!({STATUS} ?? 'Done.').includes('Done.') && {COUNTS}.some(n => n > 0)", timeout=MOST_MS)
    page.wait_for_function(f"['Done.', 'was stopped'].some(end => ({STATUS} ?? '').includes(end))", timeout=MOST_MS)
    judged_s = round(time.monotonic() - began, 1) if page.evaluate(f"{STATUS}.includes('Done.')") else None
    return LabRun(page.evaluate(QUESTION), judged_s, page.evaluate(COUNTS))


def _table(starts: list[LabStart]) -> str:
    """A line for each checkout: its cold runs, the median and the slowest of its warm ones, the loads."""
    lines = [["commit", "cold, each (s)", "median", "warm, n", "median", "slowest", "stopped", "load at each start"]]
    for name in dict.fromkeys(start.commit for start in starts):
        own = [start for start in starts if start.commit == name]
        cold = [start.runs[0].judged_s for start in own]
        warm = [run.judged_s for start in own for run in start.runs[1:]]
        judged = [seconds for seconds in warm if seconds is not None]
        lines.append(
            [
                name,
                ", ".join("-" if seconds is None else f"{seconds:g}" for seconds in cold),
                _median([seconds for seconds in cold if seconds is not None]),
                str(len(judged)),
                _median(judged),
                f"{max(judged):g}" if judged else "-",
                str(cold.count(None) + warm.count(None)),
                ", ".join(f"{start.load:g}" for start in own),
            ]
        )
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [lines[0], ["---"] * len(lines[0]), *lines[1:]])


def _median(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):g}" if seconds else "-"


if __name__ == "__main__":
    raise SystemExit(main())
