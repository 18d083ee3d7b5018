"""`make bench-attack`: what honest visitors see while somebody tries to stall the service, on loopback.

One app with a worker and its default judge. First honest visitors alone: events of a table, and checks of a small file.
Then the same while, from other addresses, files that are slow to read are checked over and over, 44 at once, and two
files that a judge once took hours over are in the queue, with a harmless one behind them. All is bounded in count and
time; the figures of both halves come from one run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx2

from benchmarks.filled_store import fill
from benchmarks.provenance import commit
from benchmarks.served import PRIVATE, VIEW, Event, app, quantile, recorded_events
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.queue import JobStatus
from submissions.store.store import Store

HOSTILE_AT_ONCE = 44
HONEST = "127.0.0.1"
ATTACKERS = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
"""Addresses of this machine: visitors are told apart by theirs."""
THINK_S = 1.0
ARRIVE_WITHIN_S = 10.0
"""Honest visitors open the page one by one."""
COLUMNS = 9_000
DOTS = 65_000
HARMLESS = "harmless"
OF_A_CHECK = ("", "", "", "", "auto", None, "", "")
"""What is said of a file beside it: names, edition, and what a table of verdicts needs."""


@dataclass(frozen=True, slots=True)
class Half:
    """What honest visitors saw in one half; seconds."""

    attacked: bool
    page_p95_s: float
    tables: int
    table_p50_s: float
    table_p95_s: float
    checks: int
    check_p50_s: float
    check_max_s: float
    refused: int
    """Honest requests that were not answered as they should be."""


@dataclass(frozen=True, slots=True)
class Attack:
    """What became of the attack."""

    hostile_checks_answered: int
    hostile_checks_turned_away: int
    poison: tuple[str, ...]
    """How the two files ended, or stand when the time is over."""
    harmless: str
    harmless_scored_after_s: float | None
    """Since it was submitted, behind both."""


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="plumbline-attack-") as name:
        folder = Path(name)
        settings = Settings.from_env({"PLUMBLINE_DATA": str(folder), **PRIVATE})
        fill(settings, options.rows)
        with app(folder, workers=1) as (address, _):
            load, sort, _ = recorded_events(address)
            quiet = asyncio.run(_half(address, options, load, sort, attacked=False))
            submitted = _submit_poison(settings)
            began = time.monotonic()
            loud, (answered, turned_away) = asyncio.run(_attacked(address, options, load, sort))
            poison, harmless, after = _settled(settings, submitted, began, options.patience)
    attack = Attack(answered, turned_away, poison, harmless, after)
    report = {"commit": commit(), "halves": [asdict(quiet), asdict(loud)], "attack": asdict(attack)}
    print(json.dumps(report, indent=1))
    return 0 if harmless == JobStatus.SCORED and not loud.refused else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.under_attack", description=__doc__)
    parser.add_argument("--rows", type=int, default=300, help="rows of the board (default 300)")
    parser.add_argument("--visitors", type=int, default=20, help="honest visitors (default 20)")
    parser.add_argument("--seconds", type=float, default=60.0, help="length of each half (default 60)")
    parser.add_argument("--patience", type=float, default=300.0, help="wait so long for the queue (default 300)")
    return parser.parse_args()


async def _half(address: str, options: argparse.Namespace, load: Event, sort: Event, *, attacked: bool) -> Half:
    """Honest visitors read tables, and one of them checks a file again and again."""
    ends = time.monotonic() + options.seconds
    times: dict[str, list[float]] = {"page": [], "table": [], "check": [], "refused": []}
    small = _small_file()

    async def timed(kind: str, call: Any) -> None:
        started = time.monotonic()
        try:
            is_well = await call
        except httpx2.HTTPError:
            is_well = False
        times[kind if is_well else "refused"].append(time.monotonic() - started)

    async with _client(address, HONEST) as client:

        async def reads(number: int) -> None:
            chance, session = random.Random(number), f"visitor{number}"
            await asyncio.sleep(chance.uniform(0, ARRIVE_WITHIN_S))
            await timed("page", _got(client, VIEW))
            await timed("table", _posted(client, load, session, {}))
            while time.monotonic() < ends:
                await asyncio.sleep(chance.uniform(0, 2 * THINK_S))
                key = chance.choice(("score", "raw", "system", "team", "date"))
                await timed("table", _posted(client, sort, session, {"event_data": {"key": key}}))

        async def checks() -> None:
            while time.monotonic() < ends:
                await timed("check", _is_accepted(client, small))
                await asyncio.sleep(THINK_S)

        await asyncio.gather(checks(), *(reads(number) for number in range(options.visitors)))
    return Half(
        attacked=attacked,
        page_p95_s=quantile(times["page"], 95),
        tables=len(times["table"]),
        table_p50_s=quantile(times["table"], 50),
        table_p95_s=quantile(times["table"], 95),
        checks=len(times["check"]),
        check_p50_s=quantile(times["check"], 50),
        check_max_s=round(max(times["check"], default=float("nan")), 3),
        refused=len(times["refused"]),
    )


async def _attacked(
    address: str, options: argparse.Namespace, load: Event, sort: Event
) -> tuple[Half, tuple[int, int]]:
    wide = _wide_table()
    counts = {"answered": 0, "turned away": 0}
    ends = time.monotonic() + options.seconds

    async def again_and_again(source: str) -> None:
        async with _client(address, source) as client:
            while time.monotonic() < ends:
                try:
                    report = await _report(client, wide, "wide.csv")
                except httpx2.HTTPError:
                    report = None
                counts["answered" if report is not None else "turned away"] += 1
                if report is None:
                    await asyncio.sleep(THINK_S)

    hostile = [
        asyncio.create_task(again_and_again(ATTACKERS[number % len(ATTACKERS)])) for number in range(HOSTILE_AT_ONCE)
    ]
    half = await _half(address, options, load, sort, attacked=True)
    for task in hostile:
        task.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)
    return half, (counts["answered"], counts["turned away"])


def _client(address: str, source: str) -> httpx2.AsyncClient:
    transport = httpx2.AsyncHTTPTransport(local_address=source, limits=httpx2.Limits(max_connections=200))
    return httpx2.AsyncClient(base_url=address, timeout=120.0, transport=transport)


async def _got(client: httpx2.AsyncClient, path: str) -> bool:
    return (await client.get(path)).status_code == 200


async def _posted(client: httpx2.AsyncClient, event: Event, session: str, changed: Mapping[str, Any]) -> bool:
    answer = await client.post(event.path, json={**event.body, "session_hash": session, **changed})
    return answer.status_code == 200


async def _is_accepted(client: httpx2.AsyncClient, data: bytes) -> bool:
    report = await _report(client, data, "small.json")
    return report is not None and report["decision"] != "refused"


async def _report(client: httpx2.AsyncClient, data: bytes, name: str) -> dict[str, Any] | None:
    """What `check` says of a file, as docs/api.md has it; None where it was turned away."""
    uploaded = await client.post("/gradio_api/upload", files={"files": (name, data)})
    if uploaded.status_code != 200:
        return None
    file = {"path": uploaded.json()[0], "meta": {"_type": "gradio.FileData"}}
    called = await client.post("/gradio_api/call/check", json={"data": [file, *OF_A_CHECK]})
    if called.status_code != 200:
        return None
    event, said = "", None
    async with client.stream("GET", f"/gradio_api/call/check/{called.json()['event_id']}") as lines:
        async for line in lines.aiter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: ") and event in ("complete", "error"):
                said = json.loads(line.removeprefix("data: ")) if event == "complete" else None
    report: dict[str, Any] | None = json.loads(said[0]) if said else None
    return report


# Files


def _small_file() -> bytes:
    return next(example_submissions())[1]


def _wide_table() -> bytes:
    """A table of verdicts with thousands of columns, no two alike; 5 to 10 CPU seconds to read when it was found."""
    header = ",".join(f"column_{number:05d}" for number in range(COLUMNS))
    return f"judge,task,query,model,verdict_original,verdict_swapped,{header}\n".encode()


def _submit_poison(settings: Settings) -> tuple[str, ...]:
    """Two files whose answers once held a judge for hours, and a harmless one behind them; their tickets."""
    from submissions.archive.record import Archive
    from submissions.desk import Desk

    store = Store.open(settings.resolved_database_url)
    desk = Desk(store, Archive(settings.archive), PromptSets.load(None))
    file_name, data = next(example_submissions())

    def submitted(team: str, change: str) -> str:
        document = json.loads(data)
        item = document["eloquent-robustness-results"]["items"][0]["responses"]
        for number, answer in enumerate(item[:2]):
            answer["response"] = f"{answer['response']} {change}{number}"
        names = Names(team=team, system=team, model="test", run="1")
        return desk.submit(json.dumps(document).encode(), file_name, owner=team, names=names).ticket.id

    tickets = (
        submitted("poison 1", "." * DOTS + "a"),
        submitted("poison 2", "." * DOTS + "b"),
        submitted(HARMLESS, "really"),
    )
    store.close()
    return tickets


def _settled(
    settings: Settings, tickets: tuple[str, ...], began: float, patience_s: float
) -> tuple[tuple[str, ...], str, float | None]:
    store = Store.open(settings.resolved_database_url)
    try:
        while (
            any(store.require(ticket_id).status.is_open for ticket_id in tickets)
            and time.monotonic() - began < patience_s
        ):
            time.sleep(1.0)
        settled = [store.require(ticket_id) for ticket_id in tickets]
    finally:
        store.close()
    *poison, harmless = settled
    waited = harmless.status_at.timestamp() - harmless.received_at.timestamp()
    after = round(waited, 1) if harmless.status is JobStatus.SCORED else None
    said = tuple(f"{ticket.status}: {ticket.reason}" if ticket.reason else str(ticket.status) for ticket in poison)
    return said, str(harmless.status), after


if __name__ == "__main__":
    os.environ.update(PRIVATE)
    sys.exit(main())
