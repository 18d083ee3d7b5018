"""How long a submission will wait, as an interval: the work ahead over the speed measured so far (docs/submit.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from submissions.store.queue import FinishedRun, JobStatus, Ticket, WorkerStatus

TAIL = 0.1
"""Of the measured speeds this share is left out at either end."""

MEASURED_SHARE = 0.5
"""A run that found more of its judgements stored says little about the speed of judging."""

NO_WORKER = "no worker is running"
NOTHING_MEASURED = "nothing was measured yet"
UNKNOWN_WORK = "how many judgements it needs, or one before it, is not known yet"
NOT_QUEUED = "it is not queued yet"


@dataclass(frozen=True, slots=True)
class Work:
    """Judgements still to make, from at least to at most."""

    low: int
    high: int

    def __add__(self, other: Work) -> Work:
        return Work(self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Pace:
    """Judgements a second of one worker, from slow to fast."""

    slow: float
    fast: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """When a submission will be scored, from now; without figures the reason why."""

    low_s: float | None
    high_s: float | None
    reason: str = ""

    @property
    def words(self) -> str:
        """`12 s to 3 min`, or a dash and the reason."""
        if self.low_s is None or self.high_s is None:
            return f"— {self.reason}"
        low, high = duration_words(self.low_s, math.floor), duration_words(self.high_s, math.ceil)
        return f"about {low}" if low == high else f"{low} to {high}"


def pace(rates: Iterable[float]) -> Pace | None:
    """The speeds measured without the outermost tenth at either end; None where there is none.

    >>> pace([5.0, 1.0, 2.0, 3.0])
    Pace(slow=1.0, fast=5.0)
    >>> pace([float(rate) for rate in range(1, 22)])
    Pace(slow=3.0, fast=19.0)
    """
    ordered = sorted(rate for rate in rates if rate > 0)
    if not ordered:
        return None
    cut = math.floor(TAIL * (len(ordered) - 1))
    return Pace(ordered[cut], ordered[-1 - cut])


def estimate(ahead: Work, own: Work, paces: Sequence[Pace]) -> Estimate:
    """How long until a submission's own work is done after what is ahead of it.

    At the soonest all workers share everything at their fastest; at the latest they share what is ahead at their
    slowest, and the slowest of them does the submission's own work alone.

    Args:
        ahead: Of the submissions before it.
        own: Of the submission.
        paces: One for each worker that is alive; at least one.

    >>> estimate(Work(100, 100), Work(20, 40), [Pace(5, 10), Pace(10, 30)])
    Estimate(low_s=3.0, high_s=14.666666666666668, reason='')
    """
    soonest = (ahead.low + own.low) / sum(one.fast for one in paces)
    latest = ahead.high / sum(one.slow for one in paces) + own.high / min(one.slow for one in paces)
    return Estimate(soonest, latest)


def estimates(
    open_tickets: Sequence[Ticket], workers: Sequence[WorkerStatus], finished: Sequence[FinishedRun]
) -> dict[str, Estimate]:
    """The estimate of every open submission, by ticket.

    Args:
        open_tickets: Those received, queued or running.
        workers: Also those that fell silent: what they did was measured too.
        finished: The newest runs that were scored.
    """
    paces = worker_paces(workers, finished)
    needs = needs_by_set(finished)
    running = [ticket for ticket in open_tickets if ticket.status is JobStatus.RUNNING]
    queued = sorted((ticket for ticket in open_tickets if ticket.position), key=lambda ticket: ticket.position or 0)
    found = {ticket.id: Estimate(None, None, NOT_QUEUED) for ticket in open_tickets}
    ahead: Work | None = Work(0, 0)
    for ticket in running:
        own = work_of(ticket, needs)
        found[ticket.id] = _estimate(Work(0, 0), own, workers, paces)
        ahead = ahead + own if ahead and own else None
    for ticket in queued:
        own = work_of(ticket, needs)
        found[ticket.id] = _estimate(ahead, own, workers, paces)
        ahead = ahead + own if ahead and own else None
    return found


def worker_paces(workers: Sequence[WorkerStatus], finished: Sequence[FinishedRun]) -> list[Pace]:
    """The speed of every worker that is alive and whose judge was measured: over whole runs, and by itself so far."""
    judges = {worker.name: worker.judge for worker in workers}
    rates: dict[str, list[float]] = {}
    for run in finished:
        is_measured = run.newly_stored > 0 and run.newly_stored >= MEASURED_SHARE * run.judgements
        if is_measured and run.seconds > 0 and run.worker in judges:
            rates.setdefault(judges[run.worker], []).append(run.newly_stored / run.seconds)
    for worker in workers:
        if worker.judgements_per_s:
            rates.setdefault(worker.judge, []).append(worker.judgements_per_s)
    measured = (pace(rates.get(worker.judge, ())) for worker in workers if worker.is_alive)
    return [one for one in measured if one is not None]


def needs_by_set(finished: Sequence[FinishedRun]) -> dict[str, Work]:
    """Prompt set -> judgements its newest runs needed, from the fewest to the most."""
    needs: dict[str, list[int]] = {}
    for run in finished:
        needs.setdefault(run.set_id, []).append(run.judgements)
    return {set_id: Work(min(counts), max(counts)) for set_id, counts in needs.items()}


def work_of(ticket: Ticket, needs: Mapping[str, Work]) -> Work | None:
    """What is left of a submission: as its worker counted, else as others of its prompt set needed; None = unknown."""
    if ticket.to_judge is not None:
        left = max(0, ticket.to_judge - ticket.judged)
        return Work(left, left)
    return needs.get(ticket.set_id)


def duration_words(seconds: float, rounded: Callable[[float], int] = round) -> str:
    """Seconds as people say them.

    >>> duration_words(4.2), duration_words(100), duration_words(7000), duration_words(0.3, math.floor)
    ('4 s', '2 min', '2 h', '0 s')
    """
    for size, word in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{rounded(seconds / size)} {word}"
    return f"{rounded(seconds)} s"


def _estimate(ahead: Work | None, own: Work | None, workers: Sequence[WorkerStatus], paces: Sequence[Pace]) -> Estimate:
    if not any(worker.is_alive for worker in workers):
        return Estimate(None, None, NO_WORKER)
    if ahead is None or own is None:
        return Estimate(None, None, UNKNOWN_WORK)
    if not paces:
        return Estimate(None, None, NOTHING_MEASURED)
    return estimate(ahead, own, paces)
