"""Rows of the database as the domain's words, and the writes that several parts of the store share."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from submissions.schema import Names, VerdictChoices
from submissions.store.database import Transaction
from submissions.store.queue import QUEUE, Act, Job, JobStatus, LeaseLost, Ticket
from submissions.store.tables import acts, job_events, jobs, owners, results, submissions


def names_of(row: Row[Any]) -> Names:
    return Names(team=row.team, system=row.system, model=row.model, run=row.run)


def choices_of(row: Row[Any]) -> VerdictChoices:
    return VerdictChoices(**json.loads(row.options))


def job_of(row: Row[Any], claims: int) -> Job:
    """What a worker needs of a row of `submissions`."""
    return Job(
        id=row.id,
        edition=row.edition,
        set_id=row.set_id,
        names=names_of(row),
        choices=choices_of(row),
        file_name=row.file_name,
        file_sha256=row.file_sha256,
        claims=claims,
        role=row.role,
    )


TICKETS = (
    select(submissions, jobs, owners.c.name.label("owner_name"))
    .join(jobs)
    .outerjoin(owners, owners.c.owner == submissions.c.owner)
)
"""Rows that `ticket_of` reads."""


def ticket_of(row: Row[Any], position: int | None = None, log: tuple[str, ...] = ()) -> Ticket:
    """The ticket of a row of `TICKETS`."""
    return Ticket(
        id=row.id,
        owner=row.owner,
        role=row.role,
        edition=row.edition,
        set_id=row.set_id,
        names=names_of(row),
        choices=choices_of(row),
        file_name=row.file_name,
        file_sha256=row.file_sha256,
        received_at=time_of(row.received_at),
        status=JobStatus(row.status),
        status_at=time_of(row.status_at),
        reason=row.reason,
        position=position,
        judged=row.judged or 0,
        to_judge=row.to_judge,
        attempts=row.claims,
        log=log,
        owner_name=row.owner_name or "",
        hidden=row.hidden,
        is_primary=bool(row.is_primary),
        answers=row.answers,
        answers_sha256=row.answers_sha256,
        newly_judged=row.stored_in_claim,
        is_rejudged=row.rejudging is not None,
    )


def act_of(row: Row[Any]) -> Act:
    """The act of a row of `acts`."""
    return Act(
        id=row.id,
        at=time_of(row.at),
        kind=row.kind,
        subject=row.subject,
        actor=row.actor,
        actor_name=row.actor_name,
        reason=row.reason,
        cell=row.cell,
    )


def pause_of(connection: Connection) -> Act | None:
    """The act by which the queue is paused; None while it is not."""
    last = select(acts).where(acts.c.subject == QUEUE).order_by(acts.c.at.desc(), acts.c.id).limit(1)
    row = connection.execute(last).first()
    return act_of(row) if row is not None and row.kind == "pause" else None


def time_of(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def log_event(
    transaction: Transaction, ticket_id: str, status: JobStatus, message: str, *, at: float | None = None
) -> None:
    """One line of a ticket's log, and the sign that a board or ticket changed."""
    moment = transaction.now if at is None else at
    transaction.execute(insert(job_events).values(submission_id=ticket_id, at=moment, status=status, message=message))
    transaction.note_change("state")


def put_result(transaction: Transaction, ticket_id: str, result: str, recorded_at: float) -> None:
    """Stores a result in place of an earlier one."""
    row = {"submission_id": ticket_id, "payload": result, "recorded_at": recorded_at}
    transaction.upsert(results, row, payload=result, recorded_at=recorded_at)


def update_held(transaction: Transaction, ticket_id: str, worker: str, **values: Any) -> None:
    """Updates a job only while the worker holds it.

    Raises:
        LeaseLost: when it does not.
    """
    held = update(jobs).where(
        jobs.c.submission_id == ticket_id, jobs.c.worker == worker, jobs.c.status == JobStatus.RUNNING
    )
    if transaction.execute(held.values(**values)).rowcount != 1:
        raise LeaseLost(f"submission {ticket_id} is no longer held by {worker}")
