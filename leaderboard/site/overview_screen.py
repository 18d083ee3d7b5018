"""What the Overview shows: a finding, every board in short, what to do next, and how the service stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import zip_longest
from threading import Lock
from typing import TypedDict

from leaderboard.lab.state import LabState
from leaderboard.page.links import address_of
from leaderboard.page.registered import BoardTools, Fact, OpenBoard
from leaderboard.page.state import PageState, QueueState
from leaderboard.parts.columns import text_of
from leaderboard.site.standings import BoardStandingValue, example_standing, standing
from submissions.store.queue import JobStatus

READING = "Reading the boards …"
MOST_FACTS = 5
"""Findings that take turns."""


class FactValue(TypedDict):
    """A finding of a board (`registered.Fact`)."""

    claim: str
    interval: str
    source: str
    link: str


class ActionValue(TypedDict):
    """Something a visitor can do next."""

    label: str
    link: str


class OverviewValue(TypedDict):
    """All the Overview shows; every string is shown as text."""

    loading: str
    """Said until the boards have been read."""
    facts: list[FactValue]
    """The finding of the day, alone in a list; empty where no board has one."""
    boards: list[BoardStandingValue]
    """Boards with something to read, published figures included."""
    examples: list[BoardStandingValue]
    """What our examples say, board by board."""
    waiting: list[BoardStandingValue]
    """Boards that await their first submission."""
    actions: list[ActionValue]
    service: list[str]
    """How the service stands, one sentence each."""
    queue: str
    """Query of the queue."""


def loading() -> OverviewValue:
    """What is shown before the boards have been read."""
    return {
        "loading": READING,
        "facts": [],
        "boards": [],
        "examples": [],
        "waiting": [],
        "actions": [],
        "service": [],
        "queue": "",
    }


class OverviewScreen:
    """The Overview, the same for everybody: boards are read once per change of results, not per visitor.

    Args:
        tools: What the boards are opened with.
        boards: The boards by key, in their order.
        today: The day, which chooses the finding.
    """

    def __init__(
        self,
        tools: BoardTools,
        boards: Mapping[str, OpenBoard],
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._tools = tools
        self._store = tools.services.store
        self._boards = boards
        self._today = today
        self._lock = Lock()
        self._marker: tuple[float, ...] | None = None
        self._standings: list[BoardStandingValue] = []
        self._examples: list[BoardStandingValue] = []
        self._facts: list[Fact] = []

    def marker(self) -> str:
        """Changes whenever something else is to be shown."""
        return " ".join([*map(str, self._results_marker()), *self._service(), self._today().isoformat()])

    def value(self) -> OverviewValue:
        """The whole Overview."""
        with self._lock:
            self._read()
            standings, examples, facts = self._standings, self._examples, self._facts
        return {
            "loading": "",
            "facts": [_fact_value(fact) for fact in fact_of_day(facts, self._today())],
            "boards": sorted(filter(_is_entered, standings), key=_depth),
            "examples": examples,
            "waiting": [standing for standing in standings if not _is_entered(standing)],
            "actions": actions(standings),
            "service": self._service(),
            "queue": address_of(QueueState()),
        }

    def _read(self) -> None:
        marker = self._results_marker()
        if marker == self._marker:
            return
        boards = self._boards.values()
        self._standings = [standing(board.table, board.published()) for board in boards if board.takes_rows]
        self._examples = [value for board in boards if (value := example_standing(board.table))]
        self._facts = facts_in_turn([board.facts() for board in boards])
        self._marker = marker

    def _results_marker(self) -> tuple[float, ...]:
        return (self._tools.marker(), self._store.judge_qualities_marker())

    def _service(self) -> list[str]:
        """When something was last scored, what waits, and who judges."""
        store = self._store
        scored = [ticket.status_at for ticket in self._tools.tickets() if ticket.status is JobStatus.SCORED]
        counts = store.counts()
        waiting, running = counts[JobStatus.RECEIVED] + counts[JobStatus.QUEUED], counts[JobStatus.RUNNING]
        workers = sum(worker.is_alive for worker in store.workers())
        return [
            f"Last scored: {text_of(max(scored), 'time')}." if scored else "Nothing scored yet.",
            _queue_text(waiting, running),
            _workers_text(workers),
        ]


def _is_entered(board: BoardStandingValue) -> bool:
    return bool(board["leaders"] or board["others"])


def _depth(board: BoardStandingValue) -> int:
    """How far down a board stands: below those that somebody leads what was published, then what holds no rank."""
    if board["leaders"]:
        return 0
    return 1 if any(place["origin"] == "published" for place in board["others"]) else 2


def facts_in_turn(by_board: Sequence[Sequence[Fact]]) -> list[Fact]:
    """Return the findings that take turns: the first of each board before the second of any."""
    rounds = zip_longest(*by_board)
    return [fact for boards in rounds for fact in boards if fact is not None][:MOST_FACTS]


def fact_of_day(facts: Sequence[Fact], day: date) -> list[Fact]:
    """Return the finding whose turn it is on a day, alone in a list; nothing where there is none.

    >>> fact_of_day([], date(2026, 11, 29))
    []
    """
    return [facts[day.toordinal() % len(facts)]] if facts else []


def _fact_value(fact: Fact) -> FactValue:
    return {"claim": fact.claim, "interval": fact.interval, "source": fact.source, "link": fact.link}


def _queue_text(waiting: int, running: int) -> str:
    counts = [f"{waiting} waiting"] * bool(waiting) + [f"{running} being judged"] * bool(running)
    return f"Queue: {', '.join(counts) or 'empty'}."


def _workers_text(workers: int) -> str:
    if not workers:
        return "No worker is running."
    return "1 worker is ready." if workers == 1 else f"{workers} workers are ready."


def actions(standings: Sequence[BoardStandingValue]) -> list[ActionValue]:
    """Return what to do next: reading begins at the first board on which somebody leads."""
    read = next((board for board in standings if board["leaders"]), standings[0])
    return [
        {
            "label": "Read a board",
            "link": read["link"],
        },
        {
            "label": "Submit a file",
            "link": address_of(PageState(tab="submit")),
        },
        {
            "label": "Try the lab",
            "link": address_of(LabState()),
        },
    ]
