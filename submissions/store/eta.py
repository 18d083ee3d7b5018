"""Estimated wait of a submission: what is ahead, by what submissions of its kind took here (docs/submit.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

from submissions.store.queue import REQUESTS_PER_BATCH, FinishedRun, JobStatus, Ticket, WorkerStatus

if TYPE_CHECKING:
    # Not imported: processes that check files show estimates' columns, and need no database.
    from submissions.store.store import Store

MEASURED_RUNS = 200
"""So many of the newest scored submissions are looked at,"""
MEASURED_OF_KIND = 40
"""and so many of each kind tell how long one takes."""

TAIL = 0.1
"""So many of the submissions to come may end before the low end of an estimate, and so many after its high end."""

FEWEST = 9
"""Fewer measured submissions have no such ends: the next is the slowest of ten with a chance of one in ten."""

MEASURED_SHARE = 0.5
"""A run that found more of its judgements stored says little about the speed of judging."""

NO_WORKER = "no worker is running"
NOTHING_MEASURED = f"fewer than {FEWEST} submissions of its kind were judged here lately"
AHEAD_UNMEASURED = f"fewer than {FEWEST} submissions of the kind of one before it were judged here lately"
NOT_QUEUED = "it is not queued yet"
ALL_JUDGED = "all judgements are made; its figures and intervals are being computed"


@dataclass(frozen=True, slots=True)
class Span:
    """A number that is not known for sure: at least, likely, at most. The unit is that of what it is of."""

    low: float
    likely: float
    high: float

    def __add__(self, other: Span) -> Span:
        return Span(self.low + other.low, self.likely + other.likely, self.high + other.high)

    def __mul__(self, other: Span) -> Span:
        return Span(self.low * other.low, self.likely * other.likely, self.high * other.high)

    def at_least(self, least: float) -> Span:
        """The same, nowhere below a number."""
        return Span(max(self.low, least), max(self.likely, least), max(self.high, least))


NOTHING = Span(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class KindPace:
    """What submissions of one kind took here."""

    per_run: Span
    """Seconds of a whole submission."""
    per_answer: Span | None
    """Seconds for each of its answers; None where no answers were counted."""
    per_judgement: Span | None
    """Seconds for each judgement; None where none was asked for."""
    judgements_per_answer: Span | None
    """None where no answers were counted."""
    from_queued: Span | None = None
    """Seconds from the queue to the result, waiting included."""


@dataclass(frozen=True, slots=True)
class WaitEstimate:
    """When a submission will be scored, from now; without figures the reason why."""

    low_s: float | None
    likely_s: float | None
    high_s: float | None
    reason: str = ""
    stage: str = ""
    """Said instead of figures, where they would not be true any more."""

    @property
    def words(self) -> str:
        """`about 2 min (90 s to 3 min)`, or that there is no estimate yet, and why."""
        if self.stage:
            return self.stage
        if self.low_s is None or self.likely_s is None or self.high_s is None:
            return f"no estimate yet: {self.reason}"
        low, high = duration_words(self.low_s, math.floor), duration_words(self.high_s, math.ceil)
        likely = duration_words(max(1.0, self.likely_s))
        reach = f"up to {high}" if self.low_s < 1 else f"{low} to {high}"
        return f"about {likely}" if low == high else f"about {likely} ({reach})"


def span(measured: Iterable[float]) -> Span | None:
    """Return the median with ends that nine of ten measurements to come keep, or None where there are too few.

    Of `n` measurements and one to come, all of one kind, each order is as likely: the next lies above the `k`-th
    smallest with a chance of `1 - k / (n + 1)`.

    >>> span([5.0, 1.0, 2.0, 3.0, 4.0, 9.0, 8.0, 7.0, 6.0])
    Span(low=1.0, likely=5.0, high=9.0)
    >>> span([4.0])
    """
    ordered = sorted(measured)
    if len(ordered) < FEWEST:
        return None
    outside = math.floor(TAIL * (len(ordered) + 1))
    return Span(ordered[outside - 1], median(ordered), ordered[-outside])


def estimate(ahead: Span, own: Span, workers: int) -> WaitEstimate:
    """How long until a submission's own work is done after what is ahead of it.

    At the soonest all workers share everything; likely, and at the latest, they share what is ahead, and one of them
    does the submission's own work alone.

    Args:
        ahead: Seconds that one worker would need for the submissions before it.
        own: The same for the submission.
        workers: That are alive; at least one.

    >>> estimate(Span(10, 20, 40), Span(10, 15, 20), 2)
    WaitEstimate(low_s=10.0, likely_s=25.0, high_s=40.0, reason='', stage='')
    """
    low = (ahead.low + own.low) / workers
    return WaitEstimate(low, ahead.likely / workers + own.likely, ahead.high / workers + own.high)


def estimates_of(store: Store) -> dict[str, WaitEstimate]:
    """The estimate of every submission that is open now, by ticket."""
    open_tickets = store.open_tickets()
    return estimates(open_tickets, store.workers(), store.finished_runs(MEASURED_RUNS)) if open_tickets else {}


def estimates(
    open_tickets: Sequence[Ticket], workers: Sequence[WorkerStatus], finished: Sequence[FinishedRun]
) -> dict[str, WaitEstimate]:
    """The estimate of every open submission, by ticket.

    Args:
        open_tickets: Those received, queued or running.
        workers: Also those that fell silent: what they did was measured too.
        finished: The newest runs that were scored.
    """
    n_alive = sum(worker.is_alive for worker in workers)
    if not n_alive:
        return {ticket.id: _without(NO_WORKER) for ticket in open_tickets}
    paces = paces_by_kind(workers, finished)
    running = {ticket.id: ticket for ticket in open_tickets if ticket.status is JobStatus.RUNNING}
    queued = sorted((ticket for ticket in open_tickets if ticket.position), key=lambda ticket: ticket.position or 0)
    waits = {ticket.id: _without(NOT_QUEUED) for ticket in open_tickets}
    left = {
        ticket.id: seconds_left(ticket, paces.get(kind_of(ticket.set_id))) for ticket in (*running.values(), *queued)
    }
    now = max(worker.seen_at for worker in workers if worker.is_alive)
    for ticket_id, ticket in running.items():
        own, elapsed = left[ticket_id], (now - ticket.status_at).total_seconds()
        expected = _whole(ticket, paces.get(kind_of(ticket.set_id)))
        if expected is not None and elapsed > expected.high:
            waits[ticket_id] = _stage(_late(elapsed, expected))
        elif ticket.is_all_judged and (own is None or own.likely <= 0):
            waits[ticket_id] = _stage(ALL_JUDGED)
        else:
            waits[ticket_id] = estimate(NOTHING, own, n_alive) if own else _without(NOTHING_MEASURED)
    begun = {
        of_team: _total(_seconds_before(other, of_team, left[other.id], paces) for other in running.values())
        for of_team in (True, False)
    }
    waiting: Span | None = NOTHING  # what stands before a ticket in the queue; None = not all of it is known
    for ticket in queued:
        own, at_work = left[ticket.id], begun[ticket.role == "entry"]
        if own is None:
            waits[ticket.id] = _without(NOTHING_MEASURED)
        elif at_work is None or waiting is None:
            waits[ticket.id] = _without(AHEAD_UNMEASURED)
        else:
            waits[ticket.id] = _at_least_as_others(
                estimate(at_work + waiting, own, n_alive), paces[kind_of(ticket.set_id)]
            )
        waiting = _total((waiting, own))
    return waits


def paces_by_kind(workers: Sequence[WorkerStatus], finished: Sequence[FinishedRun]) -> dict[str, KindPace]:
    """What submissions of each kind took here, by `kind_of`.

    Runs judged by a judge that works here now count; where a kind has none of them, those count whose worker has ended
    since, so that its judge is not known.

    Args:
        workers: Known ones, silent ones too.
        finished: Newest first.
    """
    judges = {worker.name: worker.judge for worker in workers}
    at_work = {worker.judge for worker in workers if worker.is_alive}
    measured: dict[str, list[FinishedRun]] = {}
    others: dict[str, list[FinishedRun]] = {}
    for run in finished:
        if run.seconds <= 0 or run.newly_stored < MEASURED_SHARE * run.judgements:
            continue
        if judges.get(run.worker or "") in at_work:
            measured.setdefault(kind_of(run.set_id), []).append(run)
        elif run.worker not in judges:
            others.setdefault(kind_of(run.set_id), []).append(run)
    paces = {kind: _pace(runs[:MEASURED_OF_KIND]) for kind, runs in (others | measured).items()}
    return {kind: pace for kind, pace in paces.items() if pace is not None}


def kind_of(set_id: str) -> str:
    """Sets whose submissions take as long, answer for answer: every table of verdicts is of one kind.

    >>> kind_of("judges:mtbench"), kind_of("eloquent-2026")
    ('judges', 'eloquent-2026')
    """
    return set_id.partition(":")[0]


def seconds_left(ticket: Ticket, pace: KindPace | None) -> Span | None:
    """What one worker needs for what is left of a submission; None = nothing of its kind was measured.

    Before its worker counts anything, its answers tell; then its judgements, of which more may come than are known.
    """
    if pace is None:
        return None
    if ticket.to_judge is None or pace.per_judgement is None:
        return _times(ticket.answers, pace.per_answer) if ticket.answers and pace.per_answer else pace.per_run
    known = float(max(0, ticket.to_judge - ticket.judged))
    left = Span(known, known, known)
    if ticket.answers and pace.judgements_per_answer is not None:
        foreseen, done = _times(ticket.answers, pace.judgements_per_answer), float(ticket.judged)
        left = Span(foreseen.low - done, foreseen.likely - done, foreseen.high - done).at_least(known)
    return left * pace.per_judgement


def duration_words(seconds: float, rounded: Callable[[float], int] = round) -> str:
    """Seconds as people say them.

    >>> duration_words(4.2), duration_words(100), duration_words(7000), duration_words(0.3, math.floor)
    ('4 s', '2 min', '2 h', '0 s')
    """
    for size, word in ((3600, "h"), (60, "min")):
        if seconds >= 1.5 * size:
            return f"{rounded(seconds / size)} {word}"
    return f"{rounded(seconds)} s"


def _pace(runs: Sequence[FinishedRun]) -> KindPace | None:
    counted = [run for run in runs if run.answers]
    judged = [run for run in runs if run.newly_stored]
    per_run = span(run.seconds for run in runs)
    if per_run is None:
        return None
    return KindPace(
        per_run,
        span(run.seconds / run.answers for run in counted if run.answers),
        span(run.seconds / run.newly_stored for run in judged),
        span(run.judgements / run.answers for run in counted if run.answers),
        span(run.seconds_from_queued for run in runs if run.seconds_from_queued is not None),
    )


def _at_least_as_others(wait: WaitEstimate, pace: KindPace) -> WaitEstimate:
    """Let an estimate reach as far as nine of ten of its kind did: more may come before it than is queued now."""
    if pace.from_queued is None or wait.high_s is None:
        return wait
    return replace(wait, high_s=max(wait.high_s, pace.from_queued.high))


def _total(spans: Iterable[Span | None]) -> Span | None:
    """The sum; None where one of them is not known."""
    total = NOTHING
    for span in spans:
        if span is None:
            return None
        total += span
    return total


def _seconds_before(running: Ticket, of_team: bool, left: Span | None, paces: Mapping[str, KindPace]) -> Span | None:
    """What a running submission keeps one that waits; a row of our own gives way to a team's after one batch."""
    if running.role == "entry" or not of_team:
        return left
    pace = paces.get(kind_of(running.set_id))
    batch = REQUESTS_PER_BATCH * pace.per_judgement.high if pace and pace.per_judgement else 0.0
    return Span(0.0, 0.0, min(left.high, batch) if left else batch)


def _times(number: int, each: Span) -> Span:
    return Span(number * each.low, number * each.likely, number * each.high)


def _whole(ticket: Ticket, pace: KindPace | None) -> Span | None:
    """What one worker needs for all of a submission."""
    if pace is None:
        return None
    return _times(ticket.answers, pace.per_answer) if ticket.answers and pace.per_answer else pace.per_run


def _late(elapsed: float, expected: Span) -> str:
    so_far, most = duration_words(elapsed), duration_words(expected.high, math.ceil)
    return f"longer than expected: {so_far} so far, and {most} was the most that was expected"


def _stage(words: str) -> WaitEstimate:
    return WaitEstimate(None, None, None, words, stage=words)


def _without(reason: str) -> WaitEstimate:
    return WaitEstimate(None, None, None, reason)
