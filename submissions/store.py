"""The one store: submissions, jobs with leases, verdicts, embeddings and results in one SQL database."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, create_engine, event, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import make_url

from submissions.queue import PRIORITY, Job, JobStatus, LeaseLost, NotYours, Role, Ticket, WorkerStatus
from submissions.schema import Names, VerdictChoices
from submissions.tables import (
    SCHEMA_VERSION,
    embeddings,
    job_events,
    jobs,
    judge_qualities,
    metadata,
    payloads,
    results,
    schema_info,
    submissions,
    verdicts,
    votes,
    workers,
)

logger = logging.getLogger(__name__)

KEYS_PER_QUERY = 500
"""SQLite allows a limited number of bound values per statement (999 in older builds)."""

Clock = Callable[[], float]


class StoreError(Exception):
    """Raised when the database cannot be used: another schema version, or a ticket nobody knows."""


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


class Store:
    """State of the service. Safe to use from many threads and many processes.

    Args:
        engine: A SQLAlchemy engine for SQLite or PostgreSQL.
        lease_s: Seconds a claim holds without a sign of life.
        max_attempts: Fruitless attempts in a row after which a job fails; 0 = no limit.
        clock: Seconds since the epoch; tests pass their own.
    """

    def __init__(self, engine: Engine, *, lease_s: float = 60.0, max_attempts: int = 3, clock: Clock = time.time):
        self._engine = engine
        self._lease_s = lease_s
        self._max_attempts = max_attempts
        self._clock = clock

    @classmethod
    def open(cls, url: str, *, lease_s: float = 60.0, max_attempts: int = 3, clock: Clock = time.time) -> Store:
        """Opens the database at a SQLAlchemy URL and creates what is missing.

        Raises:
            StoreError: when the database was written by another schema version.
        """
        parsed = make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(url)
        if engine.dialect.name == "sqlite":
            _prepare_sqlite(engine)
        store = cls(engine, lease_s=lease_s, max_attempts=max_attempts, clock=clock)
        store._create_schema()
        return store

    @property
    def lease_s(self) -> float:
        return self._lease_s

    def close(self) -> None:
        """Gives every connection back."""
        self._engine.dispose()

    # Submissions

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
    ) -> Ticket:
        """Records a submission and queues it, in one transaction. A ticket id already known changes nothing."""
        sha256 = sha256_hex(data)
        now = self._clock()
        with self._write() as connection:
            known = connection.execute(select(submissions.c.id).where(submissions.c.id == ticket_id)).first()
            if known is None:
                self._insert_missing(connection, payloads, [{"sha256": sha256, "data": data}])
                connection.execute(
                    insert(submissions).values(
                        id=ticket_id,
                        owner=owner,
                        role=role,
                        edition=edition,
                        set_id=set_id,
                        **asdict(names),
                        options=json.dumps(choices.as_json(), sort_keys=True, ensure_ascii=False),
                        file_name=file_name,
                        file_sha256=sha256,
                        received_at=received_at,
                        identity=identity(owner, set_id, names, sha256, choices),
                    )
                )
                connection.execute(
                    insert(jobs).values(
                        submission_id=ticket_id,
                        status=JobStatus.QUEUED,
                        status_at=now,
                        priority=PRIORITY[role],
                        queued_at=received_at,
                        not_before=0.0,
                        claims=0,
                        fruitless=0,
                        stored_in_claim=0,
                        judged=0,
                    )
                )
                self._log(connection, ticket_id, JobStatus.RECEIVED, f"received {file_name}", at=received_at)
                self._log(connection, ticket_id, JobStatus.QUEUED, "queued")
        return self.require(ticket_id)

    def find(
        self, owner: str, set_id: str, names: Names, file_sha256: str, choices: VerdictChoices = VerdictChoices()
    ) -> Ticket | None:
        """The newest submission of exactly this by the owner that is not failed, cancelled or withdrawn."""
        query = (
            select(submissions.c.id)
            .join(jobs)
            .where(submissions.c.identity == identity(owner, set_id, names, file_sha256, choices))
            .where(jobs.c.status.in_([JobStatus.RECEIVED, JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.SCORED]))
            .order_by(submissions.c.received_at.desc())
        )
        with self._read() as connection:
            row = connection.execute(query).first()
        return self.ticket(row.id) if row else None

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
        return list(self._tickets())

    def counts(self) -> dict[JobStatus, int]:
        """How many submissions stand in each state, every state listed."""
        with self._read() as connection:
            query = select(jobs.c.status, func.count().label("number")).group_by(jobs.c.status)
            found = {row.status: row.number for row in connection.execute(query)}
        return {status: found.get(status, 0) for status in JobStatus}

    def payload(self, sha256: str) -> bytes:
        """The bytes of that content address.

        Raises:
            StoreError: when they are not stored.
        """
        with self._read() as connection:
            data: bytes | None = connection.scalar(select(payloads.c.data).where(payloads.c.sha256 == sha256))
        if data is None:
            raise StoreError(f"no payload has the sha256 {sha256}")
        return data

    def change_marker(self) -> int:
        """A number that grows with every change of state: unchanged marker, unchanged boards and tickets."""
        with self._read() as connection:
            return connection.scalar(select(func.max(job_events.c.id))) or 0

    # The queue

    def claim(self, worker: str) -> Job | None:
        """Gives the next job to a worker, for one lease; None when nothing waits."""
        now = self._clock()
        waiting = (
            select(jobs.c.submission_id)
            .where(jobs.c.status == JobStatus.QUEUED, jobs.c.not_before <= now)
            .order_by(jobs.c.priority, jobs.c.queued_at, jobs.c.submission_id)
            .limit(1)
            .with_for_update(skip_locked=True)
        )
        with self._write() as connection:
            self._return_expired(connection, now)
            row = connection.execute(
                update(jobs)
                .where(jobs.c.submission_id == waiting.scalar_subquery())
                .values(
                    status=JobStatus.RUNNING,
                    status_at=now,
                    reason=None,
                    worker=worker,
                    lease_until=now + self._lease_s,
                    claims=jobs.c.claims + 1,
                    stored_in_claim=0,
                )
                .returning(jobs.c.submission_id, jobs.c.claims)
            ).first()
            if row is None:
                return None
            self._log(connection, row.submission_id, JobStatus.RUNNING, f"attempt {row.claims} by {worker}")
            found = connection.execute(select(submissions).where(submissions.c.id == row.submission_id)).one()
        return Job(
            id=found.id,
            edition=found.edition,
            set_id=found.set_id,
            names=_names(found),
            choices=_choices(found),
            file_name=found.file_name,
            file_sha256=found.file_sha256,
            claims=row.claims,
        )

    def heartbeat(self, ticket_id: str, worker: str) -> None:
        """Renews the lease.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as connection:
            self._update_held(connection, ticket_id, worker, lease_until=self._clock() + self._lease_s)

    def progress(self, ticket_id: str, worker: str, *, judged: int, to_judge: int, newly_stored: int) -> None:
        """Reports judgements done and renews the lease.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as connection:
            self._update_held(
                connection,
                ticket_id,
                worker,
                judged=judged,
                to_judge=to_judge,
                stored_in_claim=jobs.c.stored_in_claim + newly_stored,
                lease_until=self._clock() + self._lease_s,
            )

    def finish(self, ticket_id: str, worker: str, result: str) -> float:
        """Stores the result and marks the job scored, in one transaction; returns when.

        Raises:
            LeaseLost: when the job is no longer this worker's; nothing is stored.
        """
        now = self._clock()
        with self._write() as connection:
            self._update_held(
                connection,
                ticket_id,
                worker,
                status=JobStatus.SCORED,
                status_at=now,
                lease_until=None,
                fruitless=0,
                judged=func.coalesce(jobs.c.to_judge, jobs.c.judged),
            )
            self._upsert_result(connection, ticket_id, result, now)
            self._log(connection, ticket_id, JobStatus.SCORED, "scored")
        logger.info("submission %s scored by %s", ticket_id, worker)
        return now

    def fail(self, ticket_id: str, worker: str, reason: str) -> None:
        """Ends a job that can never be judged, with a reason its team understands.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as connection:
            self._update_held(connection, ticket_id, worker, lease_until=None)
            self._end(connection, ticket_id, JobStatus.FAILED, reason)

    def attempt_failed(self, ticket_id: str, worker: str, reason: str) -> None:
        """Counts an attempt that raised: the job waits a while and is tried again, or fails at the limit.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as connection:
            self._update_held(connection, ticket_id, worker, lease_until=None)
            self._count_fruitless(connection, ticket_id, reason)

    def release(self, ticket_id: str, worker: str) -> None:
        """Puts a job back without counting an attempt: the worker was asked to stop.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as connection:
            self._update_held(connection, ticket_id, worker, lease_until=None)
            self._requeue(connection, ticket_id, "back in the queue: the worker was stopped", not_before=0.0)

    def release_worker(self, worker: str) -> None:
        """Ends the leases of a worker known to be dead, at once."""
        with self._write() as connection:
            held = connection.execute(
                select(jobs).where(jobs.c.status == JobStatus.RUNNING, jobs.c.worker == worker)
            ).all()
            for job in held:
                self._return_died(connection, job)

    def cancel(self, ticket_id: str, owner: str) -> None:
        """Stops a submission that is not scored yet.

        Raises:
            NotYours: when somebody else owns it.
            StoreError: when the ticket is unknown, or there is nothing left to cancel.
        """
        with self._write() as connection:
            status = self._owned(connection, ticket_id, owner)
            if not status.is_open:
                raise StoreError(f"submission {ticket_id} is {status}: there is nothing left to cancel")
            self._end(connection, ticket_id, JobStatus.CANCELLED, "cancelled by its team")

    def withdraw(self, ticket_id: str, owner: str) -> None:
        """Takes a submission off the boards, whatever its state; its tombstone stays.

        Raises:
            NotYours: when somebody else owns it.
            StoreError: when the ticket is unknown, or already withdrawn.
        """
        with self._write() as connection:
            status = self._owned(connection, ticket_id, owner)
            if status is JobStatus.WITHDRAWN:
                raise StoreError(f"submission {ticket_id} is withdrawn already")
            self._end(connection, ticket_id, JobStatus.WITHDRAWN, "withdrawn by its team")

    def requeue(self, ticket_id: str, message: str) -> None:
        """Puts a scored or failed submission into the queue again; its stored verdicts are kept."""
        with self._write() as connection:
            self._requeue(connection, ticket_id, message, not_before=0.0)
            connection.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(fruitless=0))

    # Results

    def restore_result(self, ticket_id: str, result: str, recorded_at: float) -> None:
        """Puts a result from the archive back and marks its submission scored."""
        with self._write() as connection:
            self._upsert_result(connection, ticket_id, result, recorded_at)
            connection.execute(
                update(jobs)
                .where(jobs.c.submission_id == ticket_id)
                .values(status=JobStatus.SCORED, status_at=recorded_at, worker=None, lease_until=None)
            )
            self._log(connection, ticket_id, JobStatus.SCORED, "scored (restored from the archive)")

    def result(self, ticket_id: str) -> str | None:
        """The JSON of a scored submission's result; None in any other state."""
        query = select(results.c.payload).join(jobs, jobs.c.submission_id == results.c.submission_id)
        with self._read() as connection:
            payload: str | None = connection.scalar(
                query.where(results.c.submission_id == ticket_id, jobs.c.status == JobStatus.SCORED)
            )
        return payload

    def results(self) -> list[tuple[Ticket, str]]:
        """Every scored submission with the JSON of its result, newest submission first."""
        with self._read() as connection:
            rows = connection.execute(select(results.c.submission_id, results.c.payload)).all()
            found = {row.submission_id: row.payload for row in rows}
        return [(ticket, found[ticket.id]) for ticket in self._tickets(status=JobStatus.SCORED) if ticket.id in found]

    # Verdicts and embeddings

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        """Stored verdicts (JSON) of those keys that are known."""
        return dict(self._load(verdicts, "payload", keys))

    def save_verdicts(self, found: dict[str, str]) -> int:
        """Stores verdicts, first writer wins; returns how many were new."""
        with self._write() as connection:
            return self._insert_missing(
                connection, verdicts, [{"key": key, "payload": payload} for key, payload in found.items()]
            )

    def load_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Stored embeddings of those keys that are known."""
        return dict(self._load(embeddings, "data", keys))

    def save_embeddings(self, found: dict[str, bytes]) -> None:
        """Stores embeddings, first writer wins."""
        with self._write() as connection:
            self._insert_missing(connection, embeddings, [{"key": key, "data": data} for key, data in found.items()])

    # Votes

    def save_vote(self, vote_id: str, payload: str) -> None:
        """Stores a vote; one already stored under that id is replaced, at its first moment."""
        with self._write() as connection:
            changed = connection.execute(update(votes).where(votes.c.id == vote_id).values(payload=payload))
            if not changed.rowcount:
                connection.execute(insert(votes).values(id=vote_id, recorded_at=self._clock(), payload=payload))

    def votes(self) -> list[str]:
        """The JSON of every vote, in the order they were given."""
        with self._read() as connection:
            return list(connection.scalars(select(votes.c.payload).order_by(votes.c.recorded_at, votes.c.id)))

    # Quality of judges

    def save_judge_quality(self, judge: str, payload: str) -> None:
        """Keeps the newest measurement (JSON) of a judge, by the SHA-256 of its pin."""
        with self._write() as connection:
            connection.execute(judge_qualities.delete().where(judge_qualities.c.judge == judge))
            connection.execute(insert(judge_qualities).values(judge=judge, payload=payload, recorded_at=self._clock()))

    def judge_qualities(self) -> list[str]:
        """The measurement (JSON) of every judge that was measured and recorded."""
        with self._read() as connection:
            return list(connection.scalars(select(judge_qualities.c.payload).order_by(judge_qualities.c.judge)))

    def judge_qualities_marker(self) -> float:
        """A number that grows with every recorded measurement."""
        with self._read() as connection:
            return connection.scalar(select(func.max(judge_qualities.c.recorded_at))) or 0.0

    # Workers

    def worker_seen(self, name: str, judge: str, *, judgements: int = 0, judging_s: float = 0.0) -> None:
        """A worker's sign of life, with what it judged since the last one."""
        now = self._clock()
        with self._write() as connection:
            self._insert_missing(
                connection,
                workers,
                [
                    {
                        "name": name,
                        "judge": judge,
                        "started_at": now,
                        "seen_at": now,
                        "judgements": 0,
                        "judging_s": 0.0,
                    }
                ],
            )
            connection.execute(
                update(workers)
                .where(workers.c.name == name)
                .values(
                    seen_at=now,
                    judgements=workers.c.judgements + judgements,
                    judging_s=workers.c.judging_s + judging_s,
                )
            )

    def worker_gone(self, name: str) -> None:
        """Forgets a worker that ended."""
        with self._write() as connection:
            connection.execute(workers.delete().where(workers.c.name == name))

    def workers(self) -> list[WorkerStatus]:
        """Workers heard of in the last ten leases, the most recent first."""
        now = self._clock()
        query = select(workers).where(workers.c.seen_at > now - 10 * self._lease_s).order_by(workers.c.seen_at.desc())
        with self._read() as connection:
            rows = connection.execute(query).all()
        return [
            WorkerStatus(
                name=row.name,
                judge=row.judge,
                seen_at=_moment(row.seen_at),
                is_alive=row.seen_at > now - self._lease_s,
                judgements_per_s=row.judgements / row.judging_s if row.judging_s > 0 else None,
            )
            for row in rows
        ]

    # Inside

    def _create_schema(self) -> None:
        metadata.create_all(self._engine)
        with self._write() as connection:
            self._insert_missing(connection, schema_info, [{"version": SCHEMA_VERSION}])
            versions = list(connection.scalars(select(schema_info.c.version)))
        if versions != [SCHEMA_VERSION]:
            raise StoreError(
                f"the database has schema version {sorted(versions)}, this code needs {SCHEMA_VERSION}: "
                "move it away and run `python -m submissions rebuild`"
            )

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        # IMMEDIATE takes SQLite's write lock at the start, so that two read-then-write transactions queue up
        # instead of failing each other half way (see _prepare_sqlite).
        with self._engine.connect().execution_options(plumbline_writes=True) as connection, connection.begin():
            yield connection

    def _insert_missing(self, connection: Connection, table: Table, rows: list[dict[str, Any]]) -> int:
        """Inserts the rows whose primary key is new; returns how many there were."""
        if not rows:
            return 0
        dialect_insert = sqlite_insert if connection.dialect.name == "sqlite" else postgresql_insert
        statement = dialect_insert(table).on_conflict_do_nothing()
        return sum(connection.execute(statement, row).rowcount for row in rows)

    def _load(self, table: Table, column: str, keys: Sequence[str]) -> Iterator[tuple[str, Any]]:
        with self._read() as connection:
            for start in range(0, len(keys), KEYS_PER_QUERY):
                chunk = keys[start : start + KEYS_PER_QUERY]
                for row in connection.execute(select(table.c.key, table.c[column]).where(table.c.key.in_(chunk))):
                    yield row[0], row[1]

    def _upsert_result(self, connection: Connection, ticket_id: str, result: str, recorded_at: float) -> None:
        connection.execute(results.delete().where(results.c.submission_id == ticket_id))
        connection.execute(insert(results).values(submission_id=ticket_id, payload=result, recorded_at=recorded_at))

    def _log(
        self, connection: Connection, ticket_id: str, status: JobStatus, message: str, *, at: float | None = None
    ) -> None:
        moment = self._clock() if at is None else at
        connection.execute(
            insert(job_events).values(submission_id=ticket_id, at=moment, status=status, message=message)
        )

    def _update_held(self, connection: Connection, ticket_id: str, worker: str, **values: Any) -> None:
        """Updates a job only while the worker holds it."""
        held = update(jobs).where(
            jobs.c.submission_id == ticket_id, jobs.c.worker == worker, jobs.c.status == JobStatus.RUNNING
        )
        if connection.execute(held.values(**values)).rowcount != 1:
            raise LeaseLost(f"submission {ticket_id} is no longer held by {worker}")

    def _return_expired(self, connection: Connection, now: float) -> None:
        expired = connection.execute(
            select(jobs)
            .where(jobs.c.status == JobStatus.RUNNING, jobs.c.lease_until < now)
            .with_for_update(skip_locked=True)
        ).all()
        for job in expired:
            self._return_died(connection, job)

    def _return_died(self, connection: Connection, job: Row[Any]) -> None:
        """A worker died or fell silent with this job: back to the queue, counted only if it stored nothing."""
        message = f"worker {job.worker} fell silent"
        if job.stored_in_claim > 0:
            connection.execute(update(jobs).where(jobs.c.submission_id == job.submission_id).values(fruitless=0))
            self._requeue(connection, job.submission_id, f"back in the queue: {message}", not_before=0.0)
        else:
            self._count_fruitless(connection, job.submission_id, message)

    def _count_fruitless(self, connection: Connection, ticket_id: str, reason: str) -> None:
        fruitless = connection.execute(
            update(jobs)
            .where(jobs.c.submission_id == ticket_id)
            .values(fruitless=jobs.c.fruitless + 1)
            .returning(jobs.c.fruitless)
        ).scalar_one()
        if self._max_attempts and fruitless >= self._max_attempts:
            self._end(connection, ticket_id, JobStatus.FAILED, f"gave up after {fruitless} attempts: {reason}")
            return
        # A sixth of a lease per failure: a passing fault (disk full, out of memory) gets time to pass.
        wait_s = self._lease_s / 6 * fruitless if self._max_attempts else 0.0
        self._requeue(connection, ticket_id, f"back in the queue: {reason}", not_before=self._clock() + wait_s)

    def _requeue(self, connection: Connection, ticket_id: str, message: str, *, not_before: float) -> None:
        connection.execute(
            update(jobs)
            .where(jobs.c.submission_id == ticket_id)
            .values(
                status=JobStatus.QUEUED,
                status_at=self._clock(),
                reason=message,
                worker=None,
                lease_until=None,
                not_before=not_before,
            )
        )
        self._log(connection, ticket_id, JobStatus.QUEUED, message)
        logger.info("submission %s %s", ticket_id, message)

    def _end(self, connection: Connection, ticket_id: str, status: JobStatus, reason: str) -> None:
        connection.execute(
            update(jobs)
            .where(jobs.c.submission_id == ticket_id)
            .values(status=status, status_at=self._clock(), reason=reason, worker=None, lease_until=None)
        )
        self._log(connection, ticket_id, status, reason)
        logger.info("submission %s %s: %s", ticket_id, status, reason)

    def _owned(self, connection: Connection, ticket_id: str, owner: str) -> JobStatus:
        query = select(submissions.c.owner, jobs.c.status).join(jobs).where(submissions.c.id == ticket_id)
        row = connection.execute(query).first()
        if row is None:
            raise StoreError(f"no submission has the ticket {ticket_id!r}")
        if row.owner != owner:
            raise NotYours(f"submission {ticket_id} belongs to another account")
        return JobStatus(row.status)

    def _tickets(self, ticket_id: str | None = None, *, status: JobStatus | None = None) -> Iterable[Ticket]:
        query = select(submissions, jobs).join(jobs).order_by(submissions.c.received_at.desc(), submissions.c.id)
        events = select(job_events).order_by(job_events.c.id)
        if ticket_id is not None:
            query = query.where(submissions.c.id == ticket_id)
            events = events.where(job_events.c.submission_id == ticket_id)
        if status is not None:
            query = query.where(jobs.c.status == status)
        waiting = (
            select(jobs.c.submission_id)
            .where(jobs.c.status == JobStatus.QUEUED)
            .order_by(jobs.c.priority, jobs.c.queued_at, jobs.c.submission_id)
        )
        with self._read() as connection:
            rows = connection.execute(query).all()
            positions = {found: place for place, found in enumerate(connection.scalars(waiting), start=1)}
            logs: dict[str, list[str]] = {}
            for line in connection.execute(events):
                logs.setdefault(line.submission_id, []).append(f"{_moment(line.at):%Y-%m-%d %H:%M:%S} {line.message}")
        for row in rows:
            yield Ticket(
                id=row.id,
                owner=row.owner,
                role=row.role,
                edition=row.edition,
                set_id=row.set_id,
                names=_names(row),
                choices=_choices(row),
                file_name=row.file_name,
                file_sha256=row.file_sha256,
                received_at=_moment(row.received_at),
                status=JobStatus(row.status),
                status_at=_moment(row.status_at),
                reason=row.reason,
                position=positions.get(row.id),
                judged=row.judged or 0,
                to_judge=row.to_judge,
                attempts=row.claims,
                log=tuple(logs.get(row.id, ())),
            )


def _names(row: Row[Any]) -> Names:
    return Names(team=row.team, system=row.system, model=row.model, run=row.run)


def _choices(row: Row[Any]) -> VerdictChoices:
    return VerdictChoices(**json.loads(row.options))


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _prepare_sqlite(engine: Engine) -> None:
    """WAL so that readers do not wait for the writer; FULL so that an acknowledged commit survives a crash."""

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: Any) -> None:
        # pysqlite's own transaction handling would begin late; we begin ourselves below.
        connection.isolation_level = None
        for pragma in ("busy_timeout = 30000", "journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("plumbline_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
