"""`make bench-first-start`: a first start on an empty data folder, from the command to the last row of its own.

Each checkout in turn: when the page is answered, when the Robustness board has its first system, when Run in the lab
has its first word and its end, when all rows of its own are scored; the memory of its processes, together and by what
they do; the size of its environment; the load of the machine when it began. Other checkouts (`ARGS="--beside FOLDER"`)
need an environment of their own (`make .venv/.run` there).

Without a network, as root: `unshare --net sh -c 'ip link set lo up && make bench-first-start'`.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import httpx2
from playwright.sync_api import TimeoutError as NotInTime
from playwright.sync_api import sync_playwright

from benchmarks.provenance import commit
from benchmarks.served import BROWSER, PRIVATE, ROOT, free_port

WITHIN_S = 900.0
"""So long is waited for each sign."""
ROLES = {
    "app.py": "page server",
    "evaluator work": "worker",
    "evaluator.generators.writing_process": "the lab's model",
    "submissions.checking.child": "checks of files",
}
"""Part of a command line -> what such a process does."""
QUIET_S = 15.0
"""After the last row, until the memory at rest is read."""


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What a newcomer waits for, in seconds from the start of app.py; memory and disk in MB (10^6 bytes)."""

    commit: str
    load: float
    """Mean length of the machine's run queue over the minute before."""
    environment_mb: float
    weights_s: float | None
    """What `make run` takes before it, once, to write the weights of the lab's model; None where there are none."""
    page_s: float | None = None
    first_system_s: float | None = None
    """Until the Robustness board has a row that is no baseline."""
    systems_s: float | None = None
    """Until the last of its own systems is scored; baselines come after them."""
    all_rows_s: float | None = None
    """Until nothing is queued or running."""
    rows: int | None = None
    """Submissions scored by then."""
    lab_ready_s: float | None = None
    """Until the lab offers Run."""
    first_word_s: float | None = None
    """From Run in the lab, pressed while rows are scored; None where the lab has no Run."""
    lab_done_s: float | None = None
    """From Run until both columns are judged; None where the run met its limit of time."""
    at_rest_mb: float | None = None
    at_work_mb: float | None = None
    """The most of all its processes together, while rows are scored and the lab writes (proportional set size)."""
    at_rest_by_process: dict[str, int] = field(default_factory=dict)
    """What a process does -> MB; of several that do the same, their sum."""
    at_work_by_process: dict[str, int] = field(default_factory=dict)
    """... at the moment when all together had the most."""


def main() -> int:
    options = _options()
    starts = []
    for checkout in (ROOT, *options.beside):
        starts.append(_first_start(checkout.resolve()))
        print(starts[-1], file=sys.stderr, flush=True)
    print(json.dumps([asdict(start) for start in starts], indent=1) if options.json else _table(starts))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_start", description=__doc__)
    parser.add_argument("--beside", type=Path, nargs="*", default=(), metavar="FOLDER", help="other checkouts")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _first_start(checkout: Path) -> FirstStart:
    python = checkout / ".venv" / "bin" / "python"
    with tempfile.TemporaryDirectory(prefix="plumbline-first-") as name:
        data = Path(name)
        load = round(os.getloadavg()[0], 1)
        start = FirstStart(commit(checkout), load, _environment_mb(checkout), write_weights(checkout, python, data))
        began = time.monotonic()

        def since() -> float:
            return round(time.monotonic() - began, 1)

        with app_of(checkout, python, data) as (process, address), _memory(process.pid) as seen:
            wait_until(lambda: httpx2.get(address, timeout=5).status_code == 200)
            start = replace(start, page_s=since())
            signs: dict[str, float] = {}
            watcher = threading.Thread(target=_watch, args=(address, data, since, signs), daemon=True)
            watcher.start()
            lab_ready_s, first_word_s, lab_done_s = _lab_run(address, since)
            watcher.join(2 * WITHIN_S)
            at_work = max(seen, key=_total)
            time.sleep(QUIET_S)
            return replace(
                start,
                first_system_s=signs.get("first system"),
                systems_s=signs.get("systems"),
                all_rows_s=signs.get("all rows"),
                rows=_scored(data),
                lab_ready_s=lab_ready_s,
                first_word_s=first_word_s,
                lab_done_s=lab_done_s,
                at_rest_mb=_total(seen[-1]),
                at_work_mb=_total(at_work),
                at_rest_by_process=seen[-1],
                at_work_by_process=at_work,
            )


def _environment_mb(checkout: Path) -> float:
    output = subprocess.check_output(["du", "--summarize", "--bytes", str(checkout / ".venv")], text=True)
    return round(int(output.split()[0]) / 1e6)


def write_weights(checkout: Path, python: Path, data: Path) -> float | None:
    """Write the weights of the lab's model as `make run` does; returns the seconds, None where a checkout has none."""
    if not (checkout / "evaluator" / "generators" / "smollm2.py").exists():
        return None
    began = time.monotonic()
    command = [str(python), "-m", "evaluator.generators.smollm2", str(data / "models")]
    subprocess.run(command, cwd=checkout, env=os.environ | PRIVATE, check=True, stdout=subprocess.DEVNULL)
    return round(time.monotonic() - began, 1)


@contextmanager
def app_of(
    checkout: Path, python: Path, data: Path, own: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """`python app.py` with default settings, but for the official prompts, which no network brings, and what is given.

    Yields the process and the address of the page.
    """
    port = free_port()
    settings = PRIVATE | {"PORT": str(port), "PLUMBLINE_DATA": str(data), **own}
    with (data / "app.log").open("wb") as log:
        process = subprocess.Popen(
            [python, "app.py"], cwd=checkout, env=os.environ | settings, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=60)


def wait_until(sign: Callable[[], bool]) -> None:
    """Wait for a sign of life.

    Raises:
        TimeoutError: It did not come in time.
    """
    ends = time.monotonic() + WITHIN_S
    while time.monotonic() < ends:
        try:
            if sign():
                return
        except (httpx2.HTTPError, KeyError, ValueError):
            pass
        time.sleep(0.2)
    raise TimeoutError(f"nothing after {WITHIN_S:g} s")


def _watch(address: str, data: Path, since: Callable[[], float], signs: dict[str, float]) -> None:
    """Notes when the board has its first system, when all systems and when all rows are scored."""
    wait_until(lambda: any(_is_system(row) for row in _board(address)))
    signs["first system"] = since()
    wait_until(lambda: not _open(data, "role != 'baseline'"))
    signs["systems"] = since()
    # Baselines are entered a few seconds after the run that they stand beside: the end is when nothing comes any more.
    over_since = None
    while over_since is None or since() - over_since < QUIET_S:
        if _open(data, "1"):
            over_since = None
        elif over_since is None:
            over_since = since()
        if since() > 2 * WITHIN_S:
            raise TimeoutError(f"rows are still open after {2 * WITHIN_S:g} s")
        time.sleep(0.5)
    signs["all rows"] = over_since


def _open(data: Path, condition: str) -> int:
    """Submissions of a sort that wait or run."""
    return _count(data, f"status NOT IN ('scored', 'failed') AND {condition}")


def _scored(data: Path) -> int:
    return _count(data, "status = 'scored'")


def _count(data: Path, condition: str) -> int:
    joined = "jobs JOIN submissions ON submissions.id = jobs.submission_id"
    with closing(sqlite3.connect(f"file:{data / 'plumbline.db'}?mode=ro", uri=True)) as connection:
        ((number,),) = connection.execute(f"SELECT count(*) FROM {joined} WHERE {condition}")
    return int(number)


def _board(address: str) -> list[dict[str, object]]:
    """Rows of the Robustness board, by the public endpoint."""
    call = f"{address}/gradio_api/call/board"
    event = httpx2.post(call, json={"data": ["robustness", "set=demonstration"]}, timeout=30).json()["event_id"]
    answer = httpx2.get(f"{call}/{event}", timeout=30).text
    data = next(line for line in answer.splitlines() if line.startswith("data: "))
    rows: list[dict[str, object]] = json.loads(json.loads(data.removeprefix("data: "))[0])["rows"]
    return rows


def _is_system(row: dict[str, object]) -> bool:
    """No baseline: those are called "Baseline: ...", and "Null: ..." by older checkouts."""
    return not str(row["system"]).startswith(("Baseline:", "Null:"))


def _lab_run(address: str, since: Callable[[], float]) -> tuple[float | None, float | None, float | None]:
    """Presses Run as the page offers it: when it was there, seconds from then until the first word and until all is
    judged."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{address}/?tab=lab", timeout=60_000)
        # Where no model is set, older checkouts show a button that cannot be pressed.
        button = page.get_by_role("button", name="Run", exact=True, disabled=False)
        try:
            button.wait_for(timeout=20_000)
        except NotInTime:
            browser.close()
            return None, None, None
        page.wait_for_function("document.querySelector('#lab-text textarea')?.value", timeout=60_000)
        ready_s = since()
        button.click()
        began = time.monotonic()
        words = "[1, 2].some(n => parseInt(document.querySelector(`#lab-answer-${n} .tokens`)?.textContent) > 0)"
        status = "document.querySelector('#lab-status .run-status')?.textContent"
        page.wait_for_function(f"!({status} ?? 'Done.').includes('Done.') && {words}", timeout=1000 * WITHIN_S)
        first_word_s = round(time.monotonic() - began, 1)
        # A machine that does much else meets the limit of a run, which ends it otherwise.
        page.wait_for_function(
            f"['Done.', 'was stopped'].some(end => {status}?.includes(end))", timeout=1000 * WITHIN_S
        )
        is_done = page.evaluate(f"{status}.includes('Done.')")
        browser.close()
        return ready_s, first_word_s, round(time.monotonic() - began, 1) if is_done else None


@contextmanager
def _memory(pid: int) -> Iterator[list[dict[str, int]]]:
    """The proportional set size of a process and all below it, in MB by what they do, read every second."""
    seen: list[dict[str, int]] = []
    over = threading.Event()

    def read() -> None:
        while not over.wait(1.0):
            seen.append(_mb_by_process(_tree(pid)))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        yield seen
    finally:
        over.set()
        reader.join()


def _mb_by_process(pids: Iterable[int]) -> dict[str, int]:
    kb: Counter[str] = Counter()
    for pid in pids:
        kb[_role(pid)] += _pss_kb(pid)
    return {role: round(size * 1.024e-3) for role, size in kb.items() if size}


def _total(memory: Mapping[str, int]) -> int:
    return sum(memory.values())


def _role(pid: int) -> str:
    """What a process of the service does, by its command line."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:  # ended meanwhile
        return "others"
    return next((role for part, role in ROLES.items() if part in command), "others")


def _tree(pid: int) -> list[int]:
    output = subprocess.run(["pgrep", "--parent", str(pid)], capture_output=True, text=True, check=False).stdout
    return [pid, *(below for child in output.split() for below in _tree(int(child)))]


def _pss_kb(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:  # ended meanwhile
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _table(starts: list[FirstStart]) -> str:
    rows = [_cells(start) for start in starts]
    lines = [["", *(start.commit for start in starts)]]
    lines += [
        [name, *(row.get(name, "-") for row in rows)] for name in dict.fromkeys(name for row in rows for name in row)
    ]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [lines[0], ["---"] * len(lines[0]), *lines[1:]])


def _cells(start: FirstStart) -> dict[str, str]:
    """What stands in the table of a start: a line for each figure, and below memory one for each process."""
    cells: dict[str, str] = {}
    for name, value in asdict(start).items():
        if isinstance(value, dict):
            cells |= {f"{name.removesuffix('_by_process')}: {role}": str(size) for role, size in value.items()}
        elif name != "commit":
            cells[name] = "-" if value is None else f"{value:g}"
    return cells


if __name__ == "__main__":
    sys.exit(main())
