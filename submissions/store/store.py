"""The one store: submissions, jobs with leases, verdicts, embeddings and results in one SQL database.

`Store` is the sum of its parts, each a module: the queue (`claims`), what is kept by content (`content`), the
list of `workers`, and here the submissions, their tickets and results. Every public method is one transaction; what
it reads before it writes it locks, so that it holds on PostgreSQL's READ COMMITTED as behind SQLite's single writer.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import ColumnElement, Select, func, insert, or_, select, update

from submissions.schema import Names, VerdictChoices
from submissions.store.accepted_terms import AcceptedTerms
from submissions.store.attempts import AttemptRule, AttemptsUsed, attempts_used
from submissions.store.content import MICROSECOND, StoredContent
from submissions.store.database import (
    Clock,
    StoreDamaged,
    StoreError,
    StoreUnavailable,
    Transaction,
    opened_engine,
    repeatable,
)
from submissions.store.database_file import database_file, finish_moving
from submissions.store.erasing import Erasures
from submissions.store.judge_reports import JudgeReports
from submissions.store.metrics import Vitals
from submissions.store.migrations import lacking_parts, migrate
from submissions.store.notices import Notices, Webhook, put_webhook
from submissions.store.queue import PRIORITY, FinishedRun, JobStatus, Role, Ticket
from submissions.store.quotas import NO_QUOTAS, QuotaBook, QuotaExceeded, Quotas, quota_use, run_key
from submissions.store.refusals import Refusals
from submissions.store.rejudging import SetAside
from submissions.store.rows import TICKETS, log_event, put_result, ticket_of, time_of
from submissions.store.runs import Runs
from submissions.store.tables import job_events, jobs, owners, payloads, results, submissions
from submissions.store.turns import positions
from submissions.store.votes import VerdictVotes
from submissions.store.workers import WorkerRegister

__all__ = ["MICROSECOND", "Clock", "Store", "StoreDamaged", "StoreError", "StoreUnavailable", "identity", "sha256_hex"]

logger = logging.getLogger(__name__)

_OPEN = [status for status in JobStatus if status.is_open]
_STANDS = or_(jobs.c.status == JobStatus.SCORED, jobs.c.rejudging.is_not(None))
"""The submission's result counts."""


def sha256_hex(data: bytes) -> str:
    """SHA-256 of bytes, as 64 hex digits: the address of a payload."""
    return hashlib.sha256(data).hexdigest()


def identity(
    owner: str, set_id: str, names: Names, file_sha256: str, choices: VerdictChoices = VerdictChoices()
) -> str:
    """Digest of who sent what for which set: the same again is the same submission, not a second attempt."""
    said = [owner, set_id, asdict(names), file_sha256, choices.as_json()]
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return sha256_hex(text.encode())


class Store(
    AcceptedTerms,
    Erasures,
    StoredContent,
    JudgeReports,
    Notices,
    QuotaBook,
    Refusals,
    Runs,
    SetAside,
    VerdictVotes,
    WorkerRegister,
    Vitals,
):
    """State of the service. Safe to use from many threads and many processes."""

    @classmethod
    def open(cls, url: str, *, lease_s: float = 60.0, max_attempts: int = 3, clock: Clock | None = None) -> Store:
        """Opens the database at a SQLAlchemy URL, creates what is missing, and migrates what is older.

        Args:
            url: Of SQLite or PostgreSQL.
            lease_s: Seconds a claim holds without a sign of life.
            max_attempts: Fruitless attempts in a row after which a job fails; 0 = no limit.
            clock: As `Database`.

        Raises:
            StoreError: when the URL or the database cannot be used; the text says what to do.
        """
        file = database_file(url)
        if file is not None:
            finish_moving(file)
        store = cls(opened_engine(url), lease_s=lease_s, max_attempts=max_attempts, clock=clock)
        try:
            store._migrate()
        except BaseException:
            store.close()
            raise
        return store

    @repeatable
    def _migrate(self) -> None:
        with self._write() as transaction:
            migrate(transaction.connection)
            lacking = lacking_parts(transaction.connection)
        if lacking:
            raise self.damaged(f"it lacks {', '.join(lacking)}")

    # Submissions

    @repeatable
    def add(
        self,
        *,
        ticket_id: str,
        owner: str,
        role: Role,
        edition: str,
        set_id: str,
        names: Names,
        file_name: str,
        data: bytes,
        received_at: float,
        choices: VerdictChoices = VerdictChoices(),
        accepted: bool = True,
        remark: str = "",
        once: bool = False,
        owner_name: str = "",
        quotas: Quotas = NO_QUOTAS,
        answers: int | None = None,
        answers_sha256: str | None = None,
        attempts: AttemptRule | None = None,
        webhook: Webhook | None = None,
    ) -> Ticket:
        """Records a submission and queues it, in one transaction. A ticket id already known changes nothing.

        Args:
            accepted: False = it waits as `received` until `accept`.
            remark: Said of where it is stored, in the ticket's log.
            once: True = while the very same stands (see `find`), nothing is added, and its ticket is returned.
            owner_name: What the account is called now, for people; blank where accounts have no names.
            quotas: Of the owner.
            answers: How many the file holds; None where the check counts none.
            answers_sha256: Digest of what they say; None where the check makes none.
            attempts: How often its season lets a team submit; None where it does not limit that.
            webhook: Where its team wants to be told how it ended; None = nowhere.

        Raises:
            QuotaExceeded: when the owner has used one up; nothing is added.
        """
        sha256 = sha256_hex(data)
        same = identity(owner, set_id, names, sha256, choices)
        with self._write() as transaction:
            if quotas != NO_QUOTAS or attempts is not None:
                # Two submissions of one owner at once: the second one counts the first.
                transaction.lock(f"quota {owner}")
            if once:
                transaction.lock(same)
                standing = transaction.execute(_standing(same)).scalars().first()
                if standing not in (None, ticket_id):
                    return self.require(standing)
            if quotas != NO_QUOTAS and not _is_known(transaction, ticket_id):
                use = quota_use(transaction.connection, transaction.now, owner)
                refusal = use.refusal(quotas, run_key(edition, set_id, names))
                if refusal:
                    raise QuotaExceeded(refusal)
            if attempts is not None and not _is_known(transaction, ticket_id):
                used = attempts_used(transaction.connection, attempts, owner, names.team)
                refusal = used.refusal(received_at, run_key(edition, set_id, names))
                if refusal:
                    raise QuotaExceeded(refusal)
            transaction.insert_missing(payloads, [{"sha256": sha256, "data": data}])
            # Sent again after it had been erased.
            was_erased = update(payloads).where(payloads.c.sha256 == sha256, func.length(payloads.c.data) == 0)
            transaction.execute(was_erased.values(data=data))
            row = {
                "id": ticket_id,
                "owner": owner,
                "role": role,
                "edition": edition,
                "set_id": set_id,
                **asdict(names),
                "options": json.dumps(choices.as_json(), sort_keys=True, ensure_ascii=False),
                "file_name": file_name,
                "file_sha256": sha256,
                "received_at": received_at,
                "identity": same,
                "answers": answers,
                "answers_sha256": answers_sha256,
            }
            if transaction.insert_missing(submissions, [row]):
                if webhook is not None:
                    put_webhook(transaction, ticket_id, webhook)
                if owner_name:
                    _name_owner(transaction, owner, owner_name, received_at)
                transaction.execute(
                    insert(jobs).values(
                        submission_id=ticket_id,
                        status=JobStatus.QUEUED if accepted else JobStatus.RECEIVED,
                        status_at=transaction.now,
                        priority=PRIORITY[role],
                        queued_at=received_at,
                        not_before=0.0,
                        claims=0,
                        fruitless=0,
                        stored_in_claim=0,
                        judged=0,
                    )
                )
                said = f"received {file_name}" + (f": {remark}" if remark else "")
                log_event(transaction, ticket_id, JobStatus.RECEIVED, said, at=received_at)
                if accepted:
                    log_event(transaction, ticket_id, JobStatus.QUEUED, "queued")
        return self.require(ticket_id)

    @repeatable
    def received(self) -> list[str]:
        """Tickets that wait to be accepted, oldest first."""
        query = (
            select(jobs.c.submission_id)
            .where(jobs.c.status == JobStatus.RECEIVED)
            .order_by(jobs.c.queued_at, jobs.c.submission_id)
        )
        with self._read() as connection:
            return list(connection.scalars(query))

    @repeatable
    def accept(self, ticket_id: str, message: str) -> bool:
        """Queues a submission that waits as `received`; False when it does not (any more)."""
        waiting = update(jobs).where(jobs.c.submission_id == ticket_id, jobs.c.status == JobStatus.RECEIVED)
        with self._write() as transaction:
            changed = transaction.execute(waiting.values(status=JobStatus.QUEUED, status_at=transaction.now)).rowcount
            if changed:
                log_event(transaction, ticket_id, JobStatus.QUEUED, message)
        if changed:
            logger.info("submission %s %s", ticket_id, message)
        return bool(changed)

    @repeatable
    def find(
        self, owner: str, set_id: str, names: Names, file_sha256: str, choices: VerdictChoices = VerdictChoices()
    ) -> Ticket | None:
        """The newest submission of exactly this by the owner that is not failed, cancelled or withdrawn."""
        query = _standing(identity(owner, set_id, names, file_sha256, choices))
        with self._read() as connection:
            row = connection.execute(query).first()
        return self.ticket(row.id) if row else None

    @repeatable
    def attempts_used(self, rule: AttemptRule, owner: str, team: str | None) -> AttemptsUsed:
        """What a team has used of its attempts in a season."""
        with self._read() as connection:
            return attempts_used(connection, rule, owner, team)

    def ticket(self, ticket_id: str) -> Ticket | None:
        """The ticket of that id, or None."""
        return next(iter(self._tickets(ticket_id)), None)

    def require(self, ticket_id: str) -> Ticket:
        """The ticket of that id.

        Raises:
            StoreError: when there is none.
        """
        ticket = self.ticket(ticket_id)
        if ticket is None:
            raise StoreError(f"no submission has the ticket {ticket_id!r}")
        return ticket

    def tickets(self) -> list[Ticket]:
        """Every ticket, newest first."""
        return self._tickets()

    @repeatable
    def teams(self) -> list[tuple[str, str]]:
        """Every owner with every team name they used."""
        query = select(submissions.c.owner, submissions.c.team).where(submissions.c.team.is_not(None)).distinct()
        with self._read() as connection:
            return [(row.owner, row.team) for row in connection.execute(query)]

    @repeatable
    def tickets_of(self, ticket_ids: Sequence[str]) -> dict[str, Ticket]:
        """The tickets of those ids that are known; without their logs."""
        query = TICKETS.where(submissions.c.id.in_(set(ticket_ids)))
        with self._read() as connection:
            return {row.id: ticket_of(row) for row in connection.execute(query)}

    @repeatable
    def open_tickets(self) -> list[Ticket]:
        """Tickets work is still to come for, those at work first, then in the order of the queue; without their logs.

        A page that is drawn every few seconds asks for these and for `ended_tickets`, not for all `tickets`.
        """
        query = TICKETS.where(jobs.c.status.in_(_OPEN)).order_by(jobs.c.queued_at, jobs.c.submission_id)
        with self._read() as connection:
            rows = connection.execute(query).all()
            places = positions(connection)
        tickets = [ticket_of(row, places.get(row.id)) for row in rows]
        return sorted(tickets, key=lambda ticket: (ticket.status is not JobStatus.RUNNING, ticket.position or 0))

    @repeatable
    def ended_tickets(self, start: int, count: int) -> list[Ticket]:
        """Tickets that ended, newest submission first, `count` of them from place `start` on; without their logs."""
        query = (
            TICKETS.where(jobs.c.status.not_in(_OPEN))
            .order_by(submissions.c.received_at.desc(), submissions.c.id)
            .offset(start)
            .limit(count)
        )
        with self._read() as connection:
            return [ticket_of(row) for row in connection.execute(query)]

    @repeatable
    def finished_runs(self, newest: int) -> list[FinishedRun]:
        """The submissions scored last and how long each took, newest first."""
        query = (
            select(submissions.c.id, submissions.c.set_id, submissions.c.answers, jobs)
            .join(jobs)
            .where(jobs.c.status == JobStatus.SCORED)
            .order_by(jobs.c.status_at.desc())
            .limit(newest)
        )
        with self._read() as connection:
            rows = connection.execute(query).all()
            last = (
                select(job_events.c.submission_id, job_events.c.status, func.max(job_events.c.at).label("at"))
                .where(job_events.c.status.in_([JobStatus.QUEUED, JobStatus.RUNNING]))
                .where(job_events.c.submission_id.in_([row.id for row in rows]))
                .group_by(job_events.c.submission_id, job_events.c.status)
            )
            began = {(event.submission_id, event.status): event.at for event in connection.execute(last)}
        return [
            FinishedRun(
                row.set_id,
                row.worker,
                row.to_judge or 0,
                row.stored_in_claim,
                row.status_at - began[row.id, JobStatus.RUNNING],
                row.answers,
                row.status_at - began[row.id, JobStatus.QUEUED] if (row.id, JobStatus.QUEUED) in began else None,
            )
            for row in rows
            if (row.id, JobStatus.RUNNING) in began
        ]

    @repeatable
    def counts(self) -> dict[JobStatus, int]:
        """How many submissions stand in each state, every state listed."""
        with self._read() as connection:
            query = select(jobs.c.status, func.count().label("number")).group_by(jobs.c.status)
            numbers = {row.status: row.number for row in connection.execute(query)}
        return {status: numbers.get(status, 0) for status in JobStatus}

    @repeatable
    def payload(self, sha256: str) -> bytes:
        """The bytes of that content address.

        Raises:
            StoreError: when they are not stored.
        """
        with self._read() as connection:
            data: bytes | None = connection.scalar(select(payloads.c.data).where(payloads.c.sha256 == sha256))
        if not data:
            raise StoreError(f"no payload has the sha256 {sha256}" + ("" if data is None else ": it was erased"))
        return data

    @repeatable
    def change_marker(self) -> int:
        """A number that grows with every change of state: unchanged marker, unchanged boards and tickets."""
        return self._changes("state")

    # Results

    @repeatable
    def restore_result(self, ticket_id: str, result: str, recorded_at: float) -> None:
        """Puts a result from the archive back and marks its submission scored."""
        restored = {"status": JobStatus.SCORED, "status_at": recorded_at, "worker": None, "lease_until": None}
        with self._write() as transaction:
            transaction.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(restored))
            put_result(transaction, ticket_id, result, recorded_at)
            log_event(transaction, ticket_id, JobStatus.SCORED, "scored (restored from the archive)")

    @repeatable
    def restore_end(self, ticket_id: str, status: JobStatus, reason: str, at: float) -> None:
        """Ends a submission as the archive says it ended: failed, cancelled or withdrawn."""
        restored = {"status": status, "status_at": at, "reason": reason, "worker": None, "lease_until": None}
        with self._write() as transaction:
            transaction.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(restored))
            log_event(transaction, ticket_id, status, f"{reason} (restored from the archive)")

    @repeatable
    def result(self, ticket_id: str) -> str | None:
        """The JSON of a scored submission's result, also while a cell of it is judged again; None in other states."""
        query = select(results.c.payload).join(jobs, jobs.c.submission_id == results.c.submission_id)
        with self._read() as connection:
            payload: str | None = connection.scalar(query.where(results.c.submission_id == ticket_id, _STANDS))
        return payload

    @repeatable
    def results(self) -> list[tuple[Ticket, str]]:
        """Every scored submission with the JSON of its result, newest submission first."""
        with self._read() as connection:
            rows = connection.execute(select(results.c.submission_id, results.c.payload)).all()
            payload_of = {row.submission_id: row.payload for row in rows}
        return [(ticket, payload_of[ticket.id]) for ticket in self._tickets(that=_STANDS) if ticket.id in payload_of]

    # Inside

    @repeatable
    def _tickets(self, ticket_id: str | None = None, *, that: ColumnElement[bool] | None = None) -> list[Ticket]:
        query = TICKETS.order_by(submissions.c.received_at.desc(), submissions.c.id)
        events = select(job_events).order_by(job_events.c.id)
        if ticket_id is not None:
            query = query.where(submissions.c.id == ticket_id)
            events = events.where(job_events.c.submission_id == ticket_id)
        if that is not None:
            query = query.where(that)
        with self._read() as connection:
            rows = connection.execute(query).all()
            places = positions(connection) if any(row.status == JobStatus.QUEUED for row in rows) else {}
            logs: dict[str, list[str]] = {}
            for line in connection.execute(events):
                logs.setdefault(line.submission_id, []).append(f"{time_of(line.at):%Y-%m-%d %H:%M:%S} {line.message}")
        return [ticket_of(row, places.get(row.id), tuple(logs.get(row.id, ()))) for row in rows]


def _standing(same: str) -> Select[tuple[str]]:
    """Tickets of that identity that are not failed, cancelled or withdrawn, newest first."""
    return (
        select(submissions.c.id)
        .join(jobs)
        .where(submissions.c.identity == same, jobs.c.status.in_([*_OPEN, JobStatus.SCORED]))
        .order_by(submissions.c.received_at.desc())
    )


def _is_known(transaction: Transaction, ticket_id: str) -> bool:
    return transaction.scalar(select(submissions.c.id).where(submissions.c.id == ticket_id)) is not None


def _name_owner(transaction: Transaction, owner: str, name: str, seen_at: float) -> None:
    """Keeps what the account was called last."""
    seen = transaction.scalar(select(owners.c.seen_at).where(owners.c.owner == owner).with_for_update())
    if seen is None or seen <= seen_at:
        row = {"owner": owner, "name": name, "seen_at": seen_at}
        transaction.upsert(owners, row, name=name, seen_at=seen_at)
