"""`make bench-last-evening`: the last evening of a shared task, simulated: who waits how long, what gives way first.

Teams send files ever faster until the deadline; workers take them by turns among teams, and each spreads its judge
over actors. Service times are those that docs/performance.md and docs/scale.md state; what a transaction costs is
measured here, on PostgreSQL. A simulation of what was measured: no such evening was run.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
import statistics
import sys
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace

from benchmarks.postgresql import PostgreSQLServer
from benchmarks.provenance import commit
from benchmarks.workers import add
from submissions.store.queue import REQUESTS_PER_BATCH
from submissions.store.store import Store

HOUR_S = 3600.0
JUDGEMENTS_PER_S = 83.3
"""Of one actor: the engine on one compute thread, items of 22 variants (docs/performance.md, W3 in bf16)."""
FIXED_S = 5.0
"""Reading a full run and working out its figures, all vectors stored (docs/performance.md, "A full run of 2026")."""
SPREAD = {1: 1.01, 2: 1.92, 4: 3.50}
"""Actors -> throughput over one process (docs/scale.md, `make bench-ray`); above, as much for each as of four."""
EVENTS_PER_SUBMISSION = 3
"""In the archive: file, result, verdicts."""
COMMITS_PER_HOUR = 60
"""One a minute is the default; the Hub allows 128 (docs/archive.md)."""
EVENTS_PER_COMMIT = 200
PAGE_REQUESTS_PER_S = 5_598 / 60
"""What one page server answered when every visitor asked again at once (docs/performance.md, "Visitors")."""
SECONDS_BETWEEN_CLICKS = 10.0
BATCHES_MEASURED = 200
STORING_AT_ONCE = 9
"""Workers; one of them is measured alone."""


@dataclass(frozen=True, slots=True)
class Evening:
    """What arrives. Numbers of teams, languages and judges are the issue's; the others are assumptions."""

    teams: int = 300
    attempts: int = 3
    """Of each team within the hours."""
    hours: float = 6.0
    growth_h: float = 1.0
    """Arrivals grow by e in so long: with 1 h the last hour has 63% of them."""
    languages: int = 22
    items: int = 15
    judges: int = 3
    changed: float = 0.2
    """Share of its answers that a team changes from one attempt to the next."""

    def judgements(self, attempt: int) -> float:
        """What is new to ask in a team's n-th attempt, from 0: a pair is new where one of its answers is.

        >>> Evening(languages=22, items=15, judges=3).judgements(0)  # 22 x 21 ordered pairs, 15 items, 3 judges
        20790.0
        >>> round(Evening(changed=0.2).judgements(1))  # 1 - 0.8 x 0.8 of them
        7484
        """
        share = 1.0 if attempt == 0 else 1 - (1 - self.changed) ** 2
        return share * self.judges * self.items * self.languages * (self.languages - 1)


@dataclass(frozen=True, slots=True)
class Sent:
    """One submission."""

    at_s: float
    team: int
    service_s: float
    """How long a worker is at it."""
    batches: int = 0
    """Of 64 verdicts, to be stored."""


@dataclass(frozen=True, slots=True)
class Served:
    """When a submission was begun and done."""

    sent: Sent
    began_s: float

    @property
    def wait_s(self) -> float:
        return self.began_s - self.sent.at_s

    @property
    def done_s(self) -> float:
        return self.began_s + self.sent.service_s


def served(arrivals: Iterable[Sent], workers: int) -> list[Served]:
    """What becomes of submissions at so many workers: the next is of the team that was served longest ago.

    >>> [one.began_s for one in served([Sent(0, 1, 10), Sent(1, 1, 10), Sent(2, 2, 10)], 1)]  # team 2 before team 1
    [0.0, 10.0, 20.0]
    >>> [one.sent.team for one in served([Sent(0, 1, 10), Sent(1, 1, 10), Sent(2, 2, 10)], 1)]
    [1, 2, 1]
    """
    coming = deque(sorted(arrivals, key=lambda sent: sent.at_s))
    free = [0.0] * workers
    waiting: dict[int, deque[Sent]] = {}
    turns: dict[int, int] = {}
    first: list[tuple[int, float, int]] = []
    """(turn, arrival, team): of each team that waits, once."""
    done: list[Served] = []
    while coming or first:
        now = max(free[0], 0.0 if first else coming[0].at_s)
        while coming and coming[0].at_s <= now:
            sent = coming.popleft()
            line = waiting.setdefault(sent.team, deque())
            if not line:
                heapq.heappush(first, (turns.get(sent.team, -1), sent.at_s, sent.team))
            line.append(sent)
        _, _, team = heapq.heappop(first)
        sent = waiting[team].popleft()
        turns[team] = len(done)
        done.append(Served(sent, now))
        heapq.heapreplace(free, now + sent.service_s)
        if waiting[team]:
            heapq.heappush(first, (turns[team], waiting[team][0].at_s, team))
    return done


@dataclass(frozen=True, slots=True)
class Database:
    """What PostgreSQL takes to store 64 verdicts and the progress of their job."""

    alone_s: float
    """Where one worker does: what it waits."""
    together_s: float
    """Where several do, for each batch: what the database can do in a second is one by this."""


def throughput(actors: int) -> float:
    """Judgements a second of a worker over so many actors.

    >>> round(throughput(2) / JUDGEMENTS_PER_S, 2), round(throughput(8) / JUDGEMENTS_PER_S, 2)
    (1.92, 7.0)
    """
    return JUDGEMENTS_PER_S * (SPREAD[actors] if actors in SPREAD else actors * SPREAD[4] / 4)


def evening_arrivals(evening: Evening, actors: int, database: Database, dice: random.Random) -> list[Sent]:
    """The submissions of an evening, at workers with so many actors each."""
    arrivals = []
    for team in range(evening.teams):
        moments = sorted(_moment_s(evening, dice) for _ in range(evening.attempts))
        for attempt, at_s in enumerate(moments):
            judgements = evening.judgements(attempt)
            batches = math.ceil(judgements / REQUESTS_PER_BATCH)
            service_s = FIXED_S + judgements / throughput(actors) + batches * database.alone_s
            arrivals.append(Sent(at_s, team, service_s, batches))
    return arrivals


def _moment_s(evening: Evening, dice: random.Random) -> float:
    """Before the deadline, which is at `hours`: density growing by e in `growth_h`, cut off at the beginning."""
    span = -math.expm1(-evening.hours / evening.growth_h)
    before_h = -evening.growth_h * math.log1p(-dice.random() * span)
    return (evening.hours - before_h) * HOUR_S


@dataclass(frozen=True, slots=True)
class Outcome:
    """One evening at some workers."""

    workers: int
    actors: int
    """Of each worker."""
    wait_p50_s: float
    wait_p95_s: float
    """Until a worker begins; the next commit of the archive comes before it where one has to be waited for."""
    score_p95_s: float
    """From sending to the score."""
    last_s: float
    """Of the last score, after the deadline."""
    actor_hours_each: float
    """Of actors at work, for a submission."""
    use: Mapping[str, float]
    """Share of what each part can do that the busiest hour asks for; above 1 it falls behind."""

    @property
    def first_to_give_way(self) -> str:
        return max(self.use, key=lambda part: self.use[part])


def outcome(evening: Evening, workers: int, actors: int, database: Database, seed: int) -> Outcome:
    """Simulates an evening."""
    arrivals = evening_arrivals(evening, actors, database, random.Random(seed))
    done = served(arrivals, workers)
    deadline_s = evening.hours * HOUR_S
    last_hour = [sent for sent in arrivals if sent.at_s > deadline_s - HOUR_S]
    waits = statistics.quantiles((submission.wait_s for submission in done), n=20)
    scores = statistics.quantiles((submission.done_s - submission.sent.at_s for submission in done), n=20)
    return Outcome(
        workers,
        actors,
        wait_p50_s=waits[9],
        wait_p95_s=waits[18],
        score_p95_s=scores[18],
        last_s=max(submission.done_s for submission in done) - deadline_s,
        actor_hours_each=actors * statistics.fmean(sent.service_s for sent in arrivals) / HOUR_S,
        use={
            "workers": sum(sent.service_s for sent in last_hour) / (workers * HOUR_S),
            "database": sum(sent.batches for sent in last_hour) * database.together_s / HOUR_S,
            "archive": len(last_hour) * EVENTS_PER_SUBMISSION / (COMMITS_PER_HOUR * EVENTS_PER_COMMIT),
            "page server": evening.teams / SECONDS_BETWEEN_CLICKS / PAGE_REQUESTS_PER_S,
        },
    )


def measured_database() -> Database:
    """Measures both on a server of its own, in a temporary folder of this machine."""
    with PostgreSQLServer() as server:
        store = Store.open(server.new_database())
        for number in range(STORING_AT_ONCE):
            add(store, f"t{number}", b"{}")
            store.claim(f"w{number}")
        alone_s = _storing_s(store, range(1))
        together_s = _storing_s(store, range(1, STORING_AT_ONCE))
        store.close()
    return Database(alone_s, together_s)


def _storing_s(store: Store, workers: range) -> float:
    """Seconds for each batch where these workers store as many as they can."""
    payload = json.dumps({"rating": 2.5, "distribution": [1 / 6] * 6, "label_mass": 0.99, "reason": None})

    def work(worker: int) -> None:
        held = held_by[f"w{worker}"]
        for number in range(BATCHES_MEASURED):
            batch = {f"{worker:08x}{number:024x}{place:032x}": payload for place in range(REQUESTS_PER_BATCH)}
            stored = store.save_verdicts(batch)
            store.progress(held, f"w{worker}", judged=number, to_judge=BATCHES_MEASURED, newly_stored=stored)

    # Each claimed the one that was its turn, whatever the order.
    held_by = {
        line.rpartition(" by ")[2]: ticket.id for ticket in store.tickets() for line in ticket.log if " by " in line
    }
    began = time.perf_counter()
    with ThreadPoolExecutor(len(workers)) as threads:
        list(threads.map(work, workers))
    return (time.perf_counter() - began) / (len(workers) * BATCHES_MEASURED)


def table(outcomes: Sequence[Outcome]) -> str:
    """As docs/scale.md has it."""
    lines = [
        "| workers x actors | wait p50 | wait p95 | score p95 | last score after the deadline | actor hours each "
        "| workers, database, archive, pages in the last hour | gives way first |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in outcomes:
        use = ", ".join(f"{share:.0%}" for share in row.use.values())
        lines.append(
            f"| {row.workers} x {row.actors} | {_span(row.wait_p50_s)} | {_span(row.wait_p95_s)} "
            f"| {_span(row.score_p95_s)} | {_span(row.last_s)} | {row.actor_hours_each:.3f} | {use} "
            f"| {row.first_to_give_way} |"
        )
    return "\n".join(lines)


def _span(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds < HOUR_S else f"{seconds / HOUR_S:.1f} h"


def main() -> int:
    """Prints the table, and the cost of an attempt that changes less."""
    parser = argparse.ArgumentParser(prog="make bench-last-evening")
    parser.add_argument("--teams", type=int, default=Evening().teams)
    parser.add_argument("--seed", type=int, default=300)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args()
    database = measured_database()
    evening = Evening(teams=options.teams)
    sizes = ((1, 1), (1, 4), (4, 1), (1, 16), (4, 4), (16, 1), (4, 8), (8, 4), (32, 1), (16, 4))
    outcomes = [outcome(evening, workers, actors, database, options.seed) for workers, actors in sizes]
    print(
        f"{evening.teams} teams, {evening.attempts} attempts each; 64 verdicts are stored in "
        f"{1000 * database.alone_s:.1f} ms, where eight workers do in {1000 * database.together_s:.1f} ms"
    )
    print(table(outcomes))
    anew = outcome(replace(evening, changed=1.0), 4, 4, database, options.seed)
    print(f"with every answer new in every attempt, 4 x 4: {anew.actor_hours_each:.3f} actor hours each")
    if options.json:
        report = {"commit": commit(), "evening": asdict(evening), "database": asdict(database)}
        print(json.dumps(report | {"outcomes": [asdict(row) for row in outcomes]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
