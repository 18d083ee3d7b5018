"""Rows of the queue: states, workers, and every submission with where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from leaderboard.parts.visible_text import visible
from submissions.schema import Count
from submissions.store.eta import WaitEstimate
from submissions.store.queue import JobStatus, Ticket, WorkerStatus


@dataclass(frozen=True, slots=True)
class QueueRow:
    """One submission in the queue's table."""

    id: str
    system: str
    team: str
    set_title: str
    status: str
    position: int | None
    progress: Count | None
    """Judgements made of those needed; None until a worker has counted them."""
    status_at: datetime
    reason: str
    eta: str = ""
    """When it will be scored, in words; blank once it ended."""
    style: str = ""
    tier: int = 0


@dataclass(frozen=True, slots=True)
class StateRow:
    """One state a submission can be in."""

    id: str
    sentence: str
    count: int
    style: str = ""
    tier: int = 0


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """One worker process."""

    id: str
    judge: str
    status: str
    rate: str
    seen_at: datetime
    style: str = ""
    tier: int = 0


def queue_rows(
    tickets: Sequence[Ticket],
    titles: Mapping[str, str],
    waits: Mapping[str, WaitEstimate],
    teams: Mapping[str, str] | None = None,
) -> tuple[QueueRow, ...]:
    """The tickets as rows, in their order.

    Args:
        titles: Names of the prompt sets by id.
        waits: When open submissions will be scored, by ticket.
        teams: What their teams are called on the pages, by ticket, where that is not the name alone.
    """
    return tuple(
        QueueRow(
            id=ticket.id,
            system=ticket.names.system or visible(ticket.file_name),
            team=(teams or {}).get(ticket.id, ticket.names.team or ""),
            set_title=titles.get(ticket.set_id, ticket.set_id),
            status=ticket.status.value,
            position=ticket.position,
            progress=None if ticket.to_judge is None else Count(ticket.to_judge, ticket.judged),
            status_at=ticket.status_at,
            reason=reason_words(ticket),
            eta=waits[ticket.id].words if ticket.id in waits else "",
            style=f"{ticket.status.value}-row",
        )
        for ticket in tickets
    )


def reason_words(ticket: Ticket) -> str:
    """Why it stands where it stands, and why it is on no board; blank where that needs no words."""
    hidden = f"hidden from the boards: {ticket.hidden}" if ticket.hidden is not None else ""
    late = ticket.out_of_season if ticket.season is not None and ticket.season.is_late else ""
    return "; ".join(words for words in (hidden, late, ticket.reason) if words)


def state_rows(counts: Mapping[JobStatus, int]) -> tuple[StateRow, ...]:
    """Every state in the order a submission passes through them."""
    return tuple(StateRow(status.value, status.sentence, counts.get(status, 0)) for status in JobStatus)


def worker_rows(workers: Sequence[WorkerStatus]) -> tuple[WorkerRow, ...]:
    """The workers as rows, in their order."""
    return tuple(
        WorkerRow(
            id=worker.name,
            judge=worker.judge,
            status=f"cannot judge: {visible(worker.fault)}"
            if worker.fault
            else ("ready or working" if worker.is_alive else "silent"),
            rate="n/a" if worker.judgements_per_s is None else f"{worker.judgements_per_s:.0f} judgements/s",
            seen_at=worker.seen_at,
        )
        for worker in workers
    )


def worker_line(workers: Sequence[WorkerStatus]) -> str:
    """Who is judging, in a line: `1 worker, pair judge, 212 judgements/s`."""
    alive = [worker for worker in workers if worker.is_alive]
    fault = next((worker.fault for worker in workers if worker.fault), "")
    if not alive and fault:
        return f"The judge cannot be used, so submissions wait: {visible(fault)}"
    if not alive:
        return "No worker is running: submissions wait until one is started."
    return "; ".join(_judge_words(judge, alive) for judge in dict.fromkeys(worker.judge for worker in alive))


def _judge_words(judge: str, alive: Sequence[WorkerStatus]) -> str:
    own = [worker for worker in alive if worker.judge == judge]
    rates = [worker.judgements_per_s for worker in own if worker.judgements_per_s is not None]
    # Of workers that judged nothing yet no rate is known: the sum would be too low.
    rate = f"{sum(rates):.0f} judgements/s" if len(rates) == len(own) else "rate not measured yet"
    return f"{len(own)} worker{'s' if len(own) > 1 else ''}, {judge} judge, {rate}"
