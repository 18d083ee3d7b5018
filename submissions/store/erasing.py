"""Erasing what a submission said, for good: a tombstone with its reason stays (docs/identity.md#erasing)."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, Table, delete, insert, or_, select, update

from submissions.schema import Names, VerdictChoices
from submissions.store.claims import ERASING, locked_job
from submissions.store.database import KEYS_PER_QUERY, StoreError, Transaction, repeatable, run_once
from submissions.store.decisions import Acts, moment_after
from submissions.store.notices import forget_webhook
from submissions.store.queue import ERASED, PRIORITY, Act, JobStatus, Role, Ticket, is_erased
from submissions.store.rows import TICKETS, act_of, log_event, ticket_of
from submissions.store.tables import (
    acts,
    embeddings,
    job_events,
    jobs,
    payloads,
    results,
    set_aside_verdicts,
    submissions,
    verdicts,
)
from submissions.store.turns import give_turn_back
from submissions.store.verdict_keys import verdict_keys

logger = logging.getLogger(__name__)

NO_WORDS = "what was said here is erased"
"""Of a step, once its submission is erased."""


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stays of a submission whose answers were erased."""

    ticket_id: str
    owner: str
    role: Role
    edition: str
    set_id: str
    names: Names
    choices: VerdictChoices
    file_name: str
    file_sha256: str
    """Of the bytes that are gone: whoever still has them can show that they are the ones."""
    received_at: float
    erased_at: float
    reason: str

    @classmethod
    def of(cls, ticket: Ticket) -> Tombstone:
        """Of an erased submission."""
        return cls(
            *(ticket.id, ticket.owner, ticket.role, ticket.edition, ticket.set_id, ticket.names, ticket.choices),
            *(ticket.file_name, ticket.file_sha256, ticket.received_at.timestamp(), ticket.status_at.timestamp()),
            (ticket.reason or "").removeprefix(ERASED),
        )


class Erasures(Acts):
    """Erasing, and what an archive says was erased."""

    @run_once
    def erase(self, ticket_id: str, *, actor: str, actor_name: str = "", reason: str, owner: str | None = None) -> Act:
        """Erases what a submission said: its file, its result, its embeddings, and every verdict that rests on no other
        result.

        What was stored for another submission stays, also where this one says the same: it is that one's, too. What
        nobody knows the submission of goes, unless a result names it. Runs at work go on: one that finishes with a
        verdict that is gone asks for it once more (`Claims.finish`), as it would have without the erased submission.

        Args:
            owner: Whose it has to be; None = an organiser decides.

        Raises:
            NotYours: when the submission is not `owner`'s.
            StoreError: when the ticket is unknown, its run still stands, or it is erased already.
        """
        with self._write() as transaction:
            transaction.lock(ERASING)
            transaction.lock(f"acts {ticket_id}")
            job = locked_job(transaction, ticket_id, owner)
            fault = erasure_fault(JobStatus(job.status), job.hidden, job.reason)
            if fault:
                raise StoreError(f"submission {ticket_id} {fault}")
            at = moment_after(transaction, ticket_id)
            row = {"id": uuid.uuid4().hex[:16], "at": at, "kind": "erase", "subject": ticket_id, "actor": actor}
            row |= {"actor_name": actor_name, "reason": reason, "cell": ""}
            transaction.execute(insert(acts).values(row))
            _erase(transaction, ticket_id, at, reason)
            done = act_of(transaction.execute(select(acts).where(acts.c.id == row["id"])).one())
        self._forget_pages()
        logger.info("submission %s erased by %s", ticket_id, actor)
        return done

    @repeatable
    def restore_erasure(self, stone: Tombstone) -> None:
        """Lets a submission be erased as an archive says it was, also one that is not known here.

        That was at another time: runs at work, which may rest on it, begin again.
        """
        with self._write() as transaction:
            job = transaction.execute(select(jobs).where(jobs.c.submission_id == stone.ticket_id)).first()
            if job is not None and is_erased(JobStatus(job.status), job.reason):
                return
            if job is None:
                _add(transaction, stone)
            _erase(transaction, stone.ticket_id, stone.erased_at, stone.reason)
            self._begin_again(transaction)
        self._forget_pages()

    @repeatable
    def erased(self) -> list[Tombstone]:
        """Everything that was erased, in the order in which that was done."""
        query = TICKETS.where(jobs.c.status == JobStatus.WITHDRAWN, jobs.c.reason.startswith(ERASED, autoescape=True))
        with self._read() as connection:
            tickets = [ticket_of(row) for row in connection.execute(query)]
        return sorted(
            (Tombstone.of(ticket) for ticket in tickets), key=lambda stone: (stone.erased_at, stone.ticket_id)
        )

    def _begin_again(self, transaction: Transaction) -> None:
        """Whoever works on a run loses it."""
        running = select(jobs.c.submission_id).where(jobs.c.status == JobStatus.RUNNING).order_by(jobs.c.submission_id)
        for ticket_id in list(transaction.execute(running.with_for_update()).scalars()):
            give_turn_back(transaction, ticket_id)
            self._requeue(transaction, ticket_id, "back in the queue: a submission was erased", not_before=0.0)

    def _forget_pages(self) -> None:
        """SQLite's log of pages still holds what was deleted until it is written back; PostgreSQL vacuums by itself."""
        if self._is_sqlite:
            with self._engine.connect() as connection:
                connection.exec_driver_sql("ROLLBACK")  # a checkpoint is no part of a transaction
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.exec_driver_sql("BEGIN")


def erasure_fault(status: JobStatus, hidden: str | None, reason: str | None) -> str:
    """Why a submission cannot be erased, to go on from its ticket; blank where it can."""
    if is_erased(status, reason):
        return "is erased already"
    if hidden is None and (status.is_open or status is JobStatus.SCORED):
        return f"is {status}: what is erased never comes back, so withdraw, cancel or hide it first"
    return ""


def _erase(transaction: Transaction, ticket_id: str, at: float, reason: str) -> None:
    sha256 = transaction.scalar(select(submissions.c.file_sha256).where(submissions.c.id == ticket_id))
    said = f"{ERASED}{reason}"
    ended = {"status": JobStatus.WITHDRAWN, "status_at": at, "reason": said, "worker": None, "lease_until": None}
    free = {"rejudging": None, "is_primary": 0}
    transaction.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(ended | free))
    # Reasons of failures, of another try and of a result that stands quote the file.
    quotes = job_events.c.status.in_([JobStatus.FAILED, JobStatus.QUEUED, JobStatus.SCORED])
    of_ticket = job_events.c.submission_id == ticket_id
    transaction.execute(update(job_events).where(of_ticket, quotes).values(message=NO_WORDS))
    transaction.execute(update(submissions).where(submissions.c.id == ticket_id).values(answers_sha256=None))
    transaction.execute(delete(results).where(results.c.submission_id == ticket_id))
    forget_webhook(transaction, ticket_id)
    of_acts = select(acts.c.id).where(acts.c.subject == ticket_id)
    transaction.execute(delete(set_aside_verdicts).where(set_aside_verdicts.c.act.in_(of_acts)))
    if not _bytes_needed(transaction, sha256):
        # The row stays: the tombstone names its checksum.
        transaction.execute(update(payloads).where(payloads.c.sha256 == sha256).values(data=b""))
    transaction.execute(delete(embeddings).where(_is_of(embeddings, ticket_id)))
    _erase_verdicts(transaction, ticket_id)
    log_event(transaction, ticket_id, JobStatus.WITHDRAWN, said)


def _erase_verdicts(transaction: Transaction, ticket_id: str) -> None:
    """Deletes the verdicts of a submission; what other results rest on stays, and goes when no result names it."""
    needed = {key for text in transaction.execute(select(results.c.payload)).scalars() for key in verdict_keys(text)}
    own = set(transaction.execute(select(verdicts.c.key).where(_is_of(verdicts, ticket_id))).scalars())
    for part in _parts(sorted(own & needed)):
        transaction.execute(update(verdicts).where(verdicts.c.key.in_(part)).values(submission=None))
    for part in _parts(sorted(own - needed)):
        transaction.execute(delete(verdicts).where(verdicts.c.key.in_(part)))


def _is_of(table: Table, ticket_id: str) -> ColumnElement[bool]:
    return or_(table.c.submission == ticket_id, table.c.submission.is_(None))


def _bytes_needed(transaction: Transaction, sha256: str | None) -> bool:
    """Was the same file sent under another ticket that is not erased?"""
    others = (
        select(jobs.c.status, jobs.c.reason)
        .join(submissions, submissions.c.id == jobs.c.submission_id)
        .where(submissions.c.file_sha256 == sha256)
    )
    return any(not is_erased(JobStatus(row.status), row.reason) for row in transaction.execute(others))


def _add(transaction: Transaction, stone: Tombstone) -> None:
    transaction.insert_missing(payloads, [{"sha256": stone.file_sha256, "data": b""}])
    row = {
        "id": stone.ticket_id,
        "owner": stone.owner,
        "role": stone.role,
        "edition": stone.edition,
        "set_id": stone.set_id,
        **asdict(stone.names),
        "options": json.dumps(stone.choices.as_json(), sort_keys=True, ensure_ascii=False),
        "file_name": stone.file_name,
        "file_sha256": stone.file_sha256,
        "received_at": stone.received_at,
        "identity": "",
        "answers": None,
        "answers_sha256": None,
    }
    transaction.insert_missing(submissions, [row])
    counts = dict.fromkeys(("claims", "fruitless", "stored_in_claim", "judged"), 0)
    transaction.execute(
        insert(jobs).values(
            submission_id=stone.ticket_id,
            status=JobStatus.WITHDRAWN,
            status_at=stone.erased_at,
            priority=PRIORITY[stone.role],
            queued_at=stone.received_at,
            not_before=0.0,
            **counts,
        )
    )


def _parts(keys: list[str]) -> Iterable[list[str]]:
    return (keys[start : start + KEYS_PER_QUERY] for start in range(0, len(keys), KEYS_PER_QUERY))
