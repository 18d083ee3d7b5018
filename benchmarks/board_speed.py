"""`make bench-board`: how fast the Robustness board is with many rows and many visitors, on loopback.

For every size: the time to the first table in Chromium and to the first standing of the Overview, beside the same table
in a plain `gr.Dataframe`, each page in turn; how many components and events they have; a click on a column head until
the table is sorted; the server's own time to sort, search and filter. Then visitors: closed loop
(each asks again at once) and with 5-15 s between actions, first alone, then while a judge works, with the round trip
of an event that does nothing beside each. Figures are medians of `ROUNDS` runs; all is bounded in count and time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
from playwright.sync_api import Browser, sync_playwright

from benchmarks.filled_store import fill
from benchmarks.provenance import commit
from benchmarks.served import (
    BROWSER,
    PRIVATE,
    STARTS_WITHIN_S,
    VIEW,
    Event,
    app,
    free_port,
    quantile,
    recorded_events,
    resident_mb,
    running,
)
from leaderboard.boards.robustness.state import RobustnessState
from submissions.settings import Settings

ROUNDS = 5
THINK_S = (5.0, 15.0)


@dataclass(frozen=True, slots=True)
class SizeFigures:
    """What one visitor sees of a board of so many rows; seconds."""

    rows: int
    first_answer_s: float
    """From the start of the process to the first complete table: reading and ranking, once."""
    first_table_s: float
    """Of the page's own address, with which its first table is sent."""
    linked_table_s: float
    """Of a link that says which table: the page asks for it."""
    overview_s: float
    """Until the Overview says who leads."""
    dataframe_s: float | None
    """Until a plain `gr.Dataframe` of the same table shows a cell; None where it did not in time."""
    components: tuple[int, int]
    """Of the Overview and of the Robustness page."""
    events: tuple[int, int]
    sorted_after_click_s: float
    sort_server_s: float
    search_server_s: float
    filter_server_s: float
    resident_mb: float


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """What many visitors see; seconds."""

    rows: int
    visitors: int
    thinking: bool
    judging: bool
    requests: int
    errors: int
    page_p50_s: float
    page_p95_s: float
    table_p50_s: float
    table_p95_s: float
    empty_p50_s: float
    """Round trip of an event that does nothing, in the same run."""
    empty_p95_s: float
    resident_mb: float


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as name:
        sizes, loads = [], []
        for rows in options.rows:
            folder = Path(name) / str(rows)
            settings = Settings.from_env({"PLUMBLINE_DATA": str(folder), **PRIVATE})
            _say(f"writing {rows} results")
            fill(settings, rows, on_row=lambda number: _say(f"  {number}") if number % 2000 == 0 else None)
            sizes.append(_size(rows, folder))
            _say(str(sizes[-1]))
            if rows in options.load:
                for thinking, judging in ((False, False), (True, False), (True, True)):
                    loads.append(_load(rows, folder, options, thinking=thinking, judging=judging))
                    _say(str(loads[-1]))
    report = {"commit": commit(), "sizes": [asdict(size) for size in sizes], "loads": [asdict(load) for load in loads]}
    print(json.dumps(report, indent=1) if options.json else _text(report))
    return 1 if any(load.errors for load in loads) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.board_speed", description=__doc__)
    parser.add_argument("--rows", type=_numbers, default=(300, 1000, 10_000), help="sizes (default 300,1000,10000)")
    parser.add_argument("--load", type=_numbers, default=(300,), help="sizes that many visitors read (default 300)")
    parser.add_argument("--visitors", type=int, default=100, help="how many (default 100)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they read (default 60)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args()


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


# One visitor


def _size(rows: int, folder: Path) -> SizeFigures:
    sort_s, search_s, filter_s, csv = _server_times(folder)
    with app(folder) as (address, process), _dataframe(csv) as plain, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox", "--disable-background-networking"]
        )
        started = time.monotonic()
        _first_row(browser, address + VIEW, within_s=STARTS_WITHIN_S)
        first = time.monotonic() - started
        tables, linked, overviews, frames = [], [], [], []
        for _ in range(ROUNDS):
            tables.append(_first_row(browser, f"{address}/robustness"))
            linked.append(_first_row(browser, address + VIEW))
            overviews.append(_first_row(browser, address, row=".standing h2"))
            frames.append(_shown_frame(browser, plain))
        clicks = _median(_click_to_sorted(browser, address) for _ in range(ROUNDS))
        resident = resident_mb(process.pid)
        browser.close()
        pages = [httpx2.get(f"{address}/config?page={path}").json() for path in ("", "robustness")]
    shown = [time for time in frames if time is not None]
    return SizeFigures(
        rows=rows,
        first_answer_s=round(first, 2),
        first_table_s=statistics.median(tables),
        linked_table_s=statistics.median(linked),
        overview_s=statistics.median(overviews),
        dataframe_s=statistics.median(shown) if shown else None,
        components=(len(pages[0]["components"]), len(pages[1]["components"])),
        events=(len(pages[0]["dependencies"]), len(pages[1]["dependencies"])),
        sorted_after_click_s=clicks,
        sort_server_s=sort_s,
        search_server_s=search_s,
        filter_server_s=filter_s,
        resident_mb=resident,
    )


FIRST_SHOWN = """
window.firstShown = new Promise(shown => {
  const look = () => document.querySelector(%s)
    ? requestAnimationFrame(() => shown(performance.now() / 1000))
    : requestAnimationFrame(look);
  look();
});
"""
"""When a row is on the screen, by the page's own clock: whoever asks from outside waits for what the page does next."""


def _first_row(browser: Browser, address: str, *, row: str = "#board-table tbody tr", within_s: float = 60.0) -> float:
    """Seconds from asking for the page to the first row on the screen, with an empty cache."""
    page = browser.new_page()
    page.add_init_script(FIRST_SHOWN % json.dumps(row))
    page.goto(address, wait_until="commit", timeout=1000 * within_s)
    page.locator(row).first.wait_for(timeout=1000 * within_s)
    shown: float = page.evaluate("window.firstShown")
    page.context.close()
    return round(shown, 3)


def _click_to_sorted(browser: Browser, address: str) -> float:
    page = browser.new_page()
    page.goto(address + VIEW)
    page.locator("#board-table tbody tr").first.wait_for()
    head = page.locator("#board-table thead th.column-score")
    page.wait_for_timeout(1000)  # the page has settled
    before = head.get_attribute("aria-sort")
    started = time.monotonic()
    head.get_by_role("button").click()
    page.wait_for_function(
        "before => document.querySelector('#board-table thead th.column-score').getAttribute('aria-sort') !== before",
        arg=before,
    )
    taken = time.monotonic() - started
    page.context.close()
    return taken


def _server_times(folder: Path) -> tuple[float, float, float, str]:
    """Seconds the server needs for a sort, a search and a filter, in this process, and the board as CSV."""
    from leaderboard.boards.position_bias.cache import JudgeBoards
    from leaderboard.boards.robustness.cache import Boards
    from leaderboard.boards.robustness.screen import RobustnessScreen
    from leaderboard.page.board_table import filter_chosen, searched, sorted_by
    from leaderboard.page.judge_quality import JudgeQualities
    from leaderboard.page.services import Services
    from submissions.archive.record import Archive
    from submissions.desk import Desk
    from submissions.promptsets import PromptSets
    from submissions.store.store import Store

    settings = Settings.from_env({"PLUMBLINE_DATA": str(folder), **PRIVATE})
    store = Store.open(settings.resolved_database_url)
    desk = Desk(store, Archive(settings.archive), PromptSets.load(None))
    boards = Boards(store)
    screen = RobustnessScreen(
        Services(store=store, desk=desk, settings=settings),
        boards,
        JudgeBoards(store, boards).report_of,
        JudgeQualities(store),
    )
    state = RobustnessState(set="demonstration")
    screen.board.value(state)  # reads and ranks
    changed = (
        sorted_by(state, "raw"),
        searched(state, "system 12"),
        filter_chosen(state, "coverage", "90"),
    )

    def drawn(state: RobustnessState) -> None:
        """Draw the table as the page does, which asks for its rows once."""
        screen.board.with_rows_of(state).value(state)

    times = [_median(_timed(partial(drawn, changed_state)) for _ in range(ROUNDS)) for changed_state in changed]
    text = screen.board.csv(state)
    store.close()
    return times[0], times[1], times[2], text


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


@contextmanager
def _dataframe(csv: str) -> Iterator[str]:
    """The address of a page with the same table in a `gr.Dataframe` and nothing else."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
        file.write(csv)
        file.flush()
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "benchmarks.plain_dataframe", file.name, str(port)]
        with running(command, os.environ | PRIVATE, address):
            yield address


def _shown_frame(browser: Browser, address: str) -> float | None:
    try:
        return _first_row(browser, address, row="[data-testid^=cell-]")
    except Exception as error:  # whatever a browser says about a page it cannot show
        _say(f"gr.Dataframe: {str(error).splitlines()[0]}")
        return None


# Many visitors


def _load(rows: int, folder: Path, options: argparse.Namespace, *, thinking: bool, judging: bool) -> LoadFigures:
    with app(folder, workers=int(judging)) as (address, process):
        load, sort, empty = recorded_events(address)
        if judging:
            _keep_a_judge_busy(folder, options.seconds)
        times = asyncio.run(_visits(address, options, load, sort, empty, thinking=thinking))
        resident = resident_mb(process.pid)
    return LoadFigures(
        rows=rows,
        visitors=options.visitors,
        thinking=thinking,
        judging=judging,
        requests=sum(len(seconds) for seconds in times.values()) - len(times["error"]),
        errors=len(times["error"]),
        page_p50_s=quantile(times["page"], 50),
        page_p95_s=quantile(times["page"], 95),
        table_p50_s=quantile(times["table"], 50),
        table_p95_s=quantile(times["table"], 95),
        empty_p50_s=quantile(times["empty"], 50),
        empty_p95_s=quantile(times["empty"], 95),
        resident_mb=resident,
    )


def _keep_a_judge_busy(folder: Path, seconds: float) -> None:
    """Queues files that differ from each other, so that none is answered from stored verdicts."""
    from submissions.archive.record import Archive
    from submissions.desk import Desk
    from submissions.promptsets import PromptSets, example_submissions
    from submissions.schema import Names
    from submissions.store.store import Store

    settings = Settings.from_env({"PLUMBLINE_DATA": str(folder), **PRIVATE})
    store = Store.open(settings.resolved_database_url)
    desk = Desk(store, Archive(settings.archive), PromptSets.load(None))
    file_name, data = next(example_submissions())
    told = json.loads(data)
    for number in range(max(4, int(seconds / 2))):
        fresh = json.loads(json.dumps(told).replace(". ", f". Well, {number}. "))
        names = Names(team="busy", system=f"load {number} {time.time()}")
        desk.submit(json.dumps(fresh).encode(), file_name, owner="bench", names=names)
    store.close()


async def _visits(
    address: str, options: argparse.Namespace, load: Event, sort: Event, empty: Event, *, thinking: bool
) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"page": [], "table": [], "empty": [], "error": []}
    ends = time.monotonic() + options.seconds
    limits = httpx2.Limits(max_connections=options.visitors)
    async with httpx2.AsyncClient(base_url=address, timeout=60.0, limits=limits) as client:

        async def ask(kind: str, call: Callable[[], Any]) -> None:
            started = time.monotonic()
            try:
                response = await call()
                response.raise_for_status()
            except httpx2.HTTPError:
                times["error"].append(time.monotonic() - started)
            else:
                times[kind].append(time.monotonic() - started)

        async def visit(number: int) -> None:
            chance = random.Random(number)
            session = f"visitor{number}"
            if thinking:
                await asyncio.sleep(chance.uniform(0, THINK_S[1]))

            def post(event: Event, **changed: Any) -> Callable[[], Any]:
                return lambda: client.post(event.path, json={**event.body, "session_hash": session, **changed})

            await ask("page", lambda: client.get(VIEW))
            await ask("table", post(load))
            while time.monotonic() < ends:
                if thinking:
                    await asyncio.sleep(chance.uniform(*THINK_S))
                key = chance.choice(("score", "raw", "system", "team", "date"))
                await ask("table", post(sort, event_data={"key": key}))
                await ask("empty", post(empty))

        await asyncio.gather(*(visit(number) for number in range(options.visitors)))
    return times


# Figures


def _median(values: Iterator[float]) -> float:
    return round(statistics.median(values), 4)


def _text(report: dict[str, Any]) -> str:
    lines = [f"commit {report['commit']}"]
    for name in ("sizes", "loads"):
        for row in report[name]:
            lines.append("  ".join(f"{key} {value}" for key, value in row.items()))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
