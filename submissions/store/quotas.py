"""Quotas of one owner: submissions a day, runs at work, runs of the lab, votes a day.

Counted from what the store holds, in the transaction that adds to it: as many page servers as there are agree.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select, update

from submissions.problems import NotTakenNow
from submissions.schema import Names
from submissions.store.database import Database, moment, repeatable
from submissions.store.queue import JobStatus
from submissions.store.rows import names_of, time_of
from submissions.store.tables import jobs, lab_runs, submissions

DAY_S = 24 * 3600.0
HOUR_S = 3600.0
LAB_LEASE_S = 600.0
"""A lab run nobody was heard of for so long is over: its page server has died."""

FREE_OF_CHARGE = (JobStatus.FAILED, JobStatus.CANCELLED)
"""Submissions in these states cost nobody anything."""
_OPEN = tuple(status for status in JobStatus if status.is_open)


@dataclass(frozen=True, slots=True)
class Quotas:
    """What one owner may do; 0 = as much as they like."""

    submissions_per_day: int = 0
    """In any 24 hours. Failed and cancelled ones are not counted."""
    active_runs: int = 0
    """Submissions that wait or are judged at the same time."""
    lab_runs_per_hour: int = 0
    """Runs of the lab started within any hour. Failed and cancelled ones are not counted."""
    votes_per_day: int = 0
    """Votes on judges' verdicts given or changed in any 24 hours."""


NO_QUOTAS = Quotas()


class QuotaExceeded(NotTakenNow):
    """Raised when an owner has used up a quota; the text says what was counted, the limit, and when it frees."""


FILES_OF_A_RUN = {"2025": 30}
"""Editions whose runs come in several files, one for each language, and how many of them count as one run."""

RunKey = tuple[str | None, ...]


def run_key(edition: str, set_id: str, names: Names) -> RunKey | None:
    """What the files of one run have in common, of one owner; None where a file is a run."""
    return (set_id, names.team, names.system, names.model, names.run) if edition in FILES_OF_A_RUN else None


@dataclass(frozen=True, slots=True)
class QuotaUse:
    """What counts against an owner's quotas now."""

    received_at: tuple[datetime, ...] = ()
    """When the last files of the runs of the last 24 hours were received, oldest first."""
    active: tuple[tuple[str, JobStatus], ...] = ()
    """Of every run that is still open, the first open ticket and its state."""
    unfinished: frozenset[RunKey] = frozenset()
    """Counted runs that may have further files."""

    def refusal(self, quotas: Quotas, run: RunKey | None = None) -> str | None:
        """Why nothing more may be submitted now; None where it may.

        Args:
            run: Of the file that is to be submitted (`run_key`).
        """
        if run in self.unfinished:
            return None
        limit, counted = quotas.submissions_per_day, len(self.received_at)
        if limit and counted >= limit:
            # Of five where three are allowed, two more must grow old before the third one's place is free.
            freed = _next_minute(self.received_at[counted - limit].timestamp() + DAY_S)
            return (
                f"You have submitted {_runs(counted)} within 24 hours, not counting failed and cancelled ones, and the "
                f"limit is {limit}. The next one is free at {freed:%Y-%m-%d %H:%M} UTC."
            )
        if quotas.active_runs and len(self.active) >= quotas.active_runs:
            ticket_id, status = self.active[0]
            return (
                f"You have {_runs(len(self.active))} in the queue or at work, and the limit is {quotas.active_runs}. "
                f"The next one is free when ticket {ticket_id} ({status}) is scored, fails or is cancelled."
            )
        return None


@dataclass(frozen=True, slots=True)
class SentRun:
    """The files of one run, oldest first."""

    key: RunKey
    files: tuple[Row[Any], ...]
    is_full: bool
    """No further file belongs to it."""


def runs_of(rows: Iterable[Row[Any]]) -> list[SentRun]:
    """Files by the run they are of: what counts once.

    Args:
        rows: Of `submissions`, of one owner, oldest first.
    """
    files_of: dict[RunKey, list[Row[Any]]] = {}
    for row in rows:
        files_of.setdefault(run_key(row.edition, row.set_id, names_of(row)) or (row.id,), []).append(row)
    runs = []
    for key, files in files_of.items():
        most = FILES_OF_A_RUN.get(files[0].edition, 1)
        parts = (tuple(files[start : start + most]) for start in range(0, len(files), most))
        runs += [SentRun(key, part, len(part) == most) for part in parts]
    return runs


def quota_use(connection: Connection, now: float, owner: str) -> QuotaUse:
    """What counts against the quotas of an owner at that moment."""
    is_recent = (submissions.c.received_at > now - DAY_S) & jobs.c.status.not_in(FREE_OF_CHARGE)
    query = select(submissions, jobs.c.status).join(jobs)
    query = query.where(submissions.c.owner == owner, submissions.c.role == "entry")
    query = query.where(is_recent | jobs.c.status.in_(_OPEN))
    received_at, active, unfinished = [], [], set()
    for run in runs_of(connection.execute(query.order_by(submissions.c.received_at, submissions.c.id))):
        received_at += [time_of(file.received_at) for file in run.files[-1:] if file.received_at > now - DAY_S]
        active += [(file.id, JobStatus(file.status)) for file in run.files if file.status in _OPEN][:1]
        if not run.is_full:
            unfinished.add(run.key)
    return QuotaUse(tuple(sorted(received_at)), tuple(active), frozenset(unfinished))


class QuotaBook(Database):
    """What owners have used of their quotas."""

    @repeatable
    def quota_use(self, owner: str) -> QuotaUse:
        """What counts against the quotas of an owner now."""
        with self._read() as connection:
            return quota_use(connection, moment(connection, self._clock), owner)

    @repeatable
    def begin_lab_run(self, run_id: str, visitor: str, per_hour: int, *, at_once: int = 1) -> None:
        """Counts a run of the lab from now on; one already begun is kept for another lease.

        Args:
            per_hour: Runs a visitor may start within an hour; 0 = as many as they like.
            at_once: Runs a visitor may have at the same time.

        Raises:
            QuotaExceeded: when the visitor has as many runs as that already, or has used up the hour.
        """
        with self._write() as transaction:
            now = transaction.now
            transaction.lock(f"lab {visitor}")
            transaction.execute(lab_runs.delete().where(lab_runs.c.started_at <= now - HOUR_S, _is_over(now)))
            others = select(lab_runs).where(lab_runs.c.visitor == visitor, lab_runs.c.id != run_id)
            counted = transaction.execute(others.where(_counts(now)).order_by(lab_runs.c.started_at)).all()
            at_work = sum(run.lease_until is not None for run in counted)
            if at_work >= at_once:
                raise QuotaExceeded(
                    "You already have a run here: wait for it, or cancel it first."
                    if at_once == 1
                    else f"Your network address already has {at_work} runs here: wait for one of them."
                )
            lately = [run for run in counted if run.started_at > now - HOUR_S]
            if per_hour and len(lately) >= per_hour:
                freed_s = lately[len(lately) - per_hour].started_at + HOUR_S - now
                minutes = max(1, math.ceil(freed_s / 60))
                raise QuotaExceeded(
                    f"You have started {_runs(len(lately))} within an hour, not counting failed and cancelled ones, "
                    f"and the limit is {per_hour}; the next one is free in {minutes} minute{'s' * (minutes != 1)}."
                )
            row = {"id": run_id, "visitor": visitor, "started_at": now, "lease_until": now + LAB_LEASE_S}
            transaction.upsert(lab_runs, row, started_at=now, lease_until=now + LAB_LEASE_S)

    @repeatable
    def end_lab_run(self, run_id: str, *, is_counted: bool) -> None:
        """Ends a run; one that failed or was cancelled costs nothing."""
        own = lab_runs.c.id == run_id
        with self._write() as transaction:
            transaction.execute(
                update(lab_runs).where(own).values(lease_until=None) if is_counted else lab_runs.delete().where(own)
            )

    @repeatable
    def lab_runs_started(self, visitor: str) -> int:
        """Runs that count against the visitor's hour."""
        with self._read() as connection:
            now = moment(connection, self._clock)
            own = select(lab_runs.c.started_at).where(lab_runs.c.visitor == visitor, _counts(now))
            return sum(started_at > now - HOUR_S for started_at in connection.scalars(own))


def _is_over(now: float) -> ColumnElement[bool]:
    return lab_runs.c.lease_until.is_(None) | (lab_runs.c.lease_until <= now)


def _counts(now: float) -> ColumnElement[bool]:
    """Ended well, or under way; a run whose page server died is neither."""
    return lab_runs.c.lease_until.is_(None) | (lab_runs.c.lease_until > now)


def _next_minute(seconds: float) -> datetime:
    return time_of(math.ceil(seconds / 60) * 60)


def _runs(number: int) -> str:
    return f"{number} run" if number == 1 else f"{number} runs"
