"""What the Overview shows: every board in short, what to do next, and how the service stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TypedDict

from leaderboard.lab.state import LabState
from leaderboard.page.links import address_of
from leaderboard.page.registered import BoardTools, OpenBoard
from leaderboard.page.state import PageState, QueueState
from leaderboard.parts.columns import text_of
from leaderboard.site.standings import BoardStandingValue, standing
from submissions.store.queue import JobStatus

READING = "Reading the boards …"


class ActionValue(TypedDict):
    """Something a visitor can do next."""

    label: str
    hint: str
    link: str


class OverviewValue(TypedDict):
    """All the Overview shows; every string is shown as text."""

    loading: str
    """Said until the boards have been read."""
    demonstration: str
    """That what is named is an example of ours; blank where nothing is."""
    boards: list[BoardStandingValue]
    """Boards with something to read, published figures included."""
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
        "demonstration": "",
        "boards": [],
        "waiting": [],
        "actions": [],
        "service": [],
        "queue": "",
    }


class OverviewScreen:
    """The Overview, the same for everybody: boards are read once per change of results, not per visitor."""

    def __init__(self, tools: BoardTools, boards: Mapping[str, OpenBoard]) -> None:
        self._tools = tools
        self._store = tools.services.store
        self._boards = boards
        self._lock = Lock()
        self._marker: tuple[float, ...] | None = None
        self._standings: list[BoardStandingValue] = []

    def marker(self) -> str:
        """Changes whenever something else is to be shown."""
        return " ".join([*map(str, self._results_marker()), *self._service()])

    def value(self) -> OverviewValue:
        """The whole Overview."""
        standings = self._read()
        return {
            "loading": "",
            "demonstration": demonstration(standings),
            "boards": [standing for standing in standings if _is_entered(standing)],
            "waiting": [standing for standing in standings if not _is_entered(standing)],
            "actions": actions(standings),
            "service": self._service(),
            "queue": address_of(QueueState()),
        }

    def _read(self) -> list[BoardStandingValue]:
        with self._lock:
            marker = self._results_marker()
            if marker != self._marker:
                self._standings = [
                    standing(board.table, self._tools.qualities, board.published()) for board in self._boards.values()
                ]
                self._marker = marker
            return self._standings

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
            f"Last scored: {text_of(max(scored), 'time')}." if scored else "Nothing has been scored yet.",
            f"Queue: {waiting} waiting, {running} being judged." if waiting or running else "Queue: empty.",
            _workers_text(workers),
        ]


def _is_entered(board: BoardStandingValue) -> bool:
    return bool(board["leaders"] or board["others"])


def demonstration(standings: Sequence[BoardStandingValue]) -> str:
    """The one banner of all boards on which examples are named; blank where none is."""
    if not any(board["is_demonstration"] for board in standings):
        return ""
    return (
        "Rows marked “written by us” are sample texts that show what a board looks like. They say nothing about any "
        "model."
    )


def _workers_text(workers: int) -> str:
    if not workers:
        return "No worker is running: submissions wait until one is started."
    return "1 worker is ready." if workers == 1 else f"{workers} workers are ready."


def actions(standings: Sequence[BoardStandingValue]) -> list[ActionValue]:
    """What to do next: reading begins at the first board on which somebody leads."""
    read = next((board for board in standings if board["leaders"]), standings[0])
    return [
        {
            "label": "Read a board",
            "hint": f"{read['title']}: every figure, down to the raw answers",
            "link": read["link"],
        },
        {
            "label": "Submit a file",
            "hint": "Checking is free, and nothing is public before you submit",
            "link": address_of(PageState(tab="submit")),
        },
        {
            "label": "Try the lab",
            "hint": "Two systems answer one question under preferences",
            "link": address_of(LabState()),
        },
    ]
