"""Several workers, one submission: the open questions of a running job in chunks, each leased to one worker.

The job's own worker opens the chunks of a call to its judge, takes them one after another, waits for those its helpers
took, and alone composes and finishes the result. A row of `jobs` is locked before its chunks, so that no two
transactions wait for each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, exists, func, or_, select, true, update

from submissions.store.database import Database, Transaction, repeatable
from submissions.store.queue import PRIORITY, Chunk, Job, JobStatus
from submissions.store.rows import job_of, update_held
from submissions.store.tables import chunks, jobs, submissions, verdicts

_EXPIRED = 0.0
"""The lease of a chunk whose worker is known to be gone."""


class Chunks(Database):
    """Leases on parts of running jobs."""

    @repeatable
    def open_chunks(self, ticket_id: str, worker: str, *, judge: str, call: str, parts: Sequence[Chunk]) -> None:
        """Lays out the open questions of one call to a judge, for the job's worker and its helpers to take.

        Args:
            judge: SHA-256 of the judge's pin: who helps has the very same judge.
            call: Digest of the verdict keys of the call, in order.
            parts: Where each chunk begins and ends among them.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        rows = [
            {
                "submission_id": ticket_id,
                "call": call,
                "start": part.start,
                "stop": part.stop,
                "judge": judge,
                "requests": part.requests,
            }
            for part in parts
        ]
        with self._write() as transaction:
            update_held(transaction, ticket_id, worker, lease_until=transaction.now + self._lease_s)
            transaction.insert_missing(chunks, rows)

    @repeatable
    def lease_chunk(self, ticket_id: str, worker: str, call: str) -> Chunk | None:
        """Gives the job's own worker a chunk that nobody is judging; None when there is none just now.

        A chunk whose helper fell silent comes back here and goes to no other helper: a question that kills workers
        kills one helper at most before it counts against the job.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as transaction:
            update_held(transaction, ticket_id, worker, lease_until=transaction.now + self._lease_s)
            is_free = or_(chunks.c.worker.is_(None), chunks.c.worker == worker, chunks.c.lease_until < transaction.now)
            return self._take(transaction, ticket_id, worker, call, is_free)

    @repeatable
    def lease_chunk_to_help(self, ticket_id: str, worker: str, call: str) -> Chunk | None:
        """Gives a helper a chunk of another worker's job; None when none is free, or a submission waits for a worker.

        Nobody's small submission waits behind the chunks of a large one, and a team's chunks not behind our own rows.
        """
        helped = select(jobs.c.priority).where(jobs.c.submission_id == ticket_id).scalar_subquery()
        with self._write() as transaction:
            is_due = (jobs.c.status == JobStatus.QUEUED) & (jobs.c.not_before <= transaction.now)
            is_queued = is_due & (jobs.c.priority <= helped)
            if transaction.execute(select(exists().where(is_queued))).scalar():
                return None
            is_free = or_(chunks.c.worker.is_(None), chunks.c.worker == worker)
            return self._take(transaction, ticket_id, worker, call, is_free)

    def _take(
        self, transaction: Transaction, ticket_id: str, worker: str, call: str, is_free: ColumnElement[bool]
    ) -> Chunk | None:
        of_call = (chunks.c.submission_id == ticket_id) & (chunks.c.call == call)
        first = select(chunks.c.start).where(of_call, is_free).order_by(chunks.c.start).limit(1)
        taken = (
            update(chunks)
            .where(of_call, chunks.c.start == first.with_for_update(skip_locked=True).scalar_subquery())
            .values(worker=worker, lease_until=transaction.now + self._lease_s)
            .returning(chunks.c.start, chunks.c.stop, chunks.c.requests)
        )
        row = transaction.execute(taken).first()
        return Chunk(row.start, row.stop, row.requests) if row else None

    @repeatable
    def finish_chunk(self, ticket_id: str, worker: str, call: str, chunk: Chunk, found: Mapping[str, str]) -> int:
        """Stores the verdicts of a chunk and takes it off the list, in one transaction; returns how many were new.

        What was judged is kept even where the chunk, or the job, went to somebody else meanwhile.
        """
        of_worker = (
            (chunks.c.submission_id == ticket_id)
            & (chunks.c.call == call)
            & (chunks.c.start == chunk.start)
            & (chunks.c.worker == worker)
        )
        with self._write() as transaction:
            transaction.execute(select(jobs.c.submission_id).where(jobs.c.submission_id == ticket_id).with_for_update())
            stored = transaction.insert_missing(
                verdicts, [{"key": key, "payload": payload} for key, payload in found.items()]
            )
            if transaction.execute(delete(chunks).where(of_worker)).rowcount:
                progress = {
                    "judged": jobs.c.judged + chunk.requests,
                    "stored_in_claim": jobs.c.stored_in_claim + stored,
                }
                transaction.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(progress))
        return stored

    @repeatable
    def chunks_left(self, ticket_id: str, call: str) -> int:
        """How many chunks of a call are not judged yet, whoever holds them."""
        query = select(func.count()).where(chunks.c.submission_id == ticket_id, chunks.c.call == call)
        with self._read() as connection:
            return connection.scalar(query) or 0

    @repeatable
    def job_to_help(self, worker: str, judges: Collection[str], skipped: Collection[str] = ()) -> Job | None:
        """A running job of another worker with a free chunk that one of these judges can judge; None without one."""
        with self._read() as connection:
            row = connection.execute(_to_help(worker, judges, skipped)).first()
        return job_of(row, row.claims) if row else None

    @staticmethod
    def _team_to_help(transaction: Transaction, worker: str, judges: Collection[str], skipped: Collection[str]) -> bool:
        """Could the worker help with a team's submission?"""
        query = _to_help(worker, judges, skipped).where(jobs.c.priority == PRIORITY["entry"])
        return transaction.execute(query).first() is not None

    @repeatable
    def renew_chunks(self, worker: str) -> None:
        """Renews the leases of the chunks a worker is judging."""
        with self._write() as transaction:
            self._set_leases(transaction, worker, transaction.now + self._lease_s)

    @repeatable
    def give_up_chunks(self, worker: str) -> bool:
        """Gives the chunks a worker could not judge to the workers of their jobs, at once; False when it had none."""
        with self._write() as transaction:
            return self._set_leases(transaction, worker, _EXPIRED)

    def _set_leases(self, transaction: Transaction, worker: str, until: float) -> bool:
        leased = update(chunks).where(chunks.c.worker == worker)
        return bool(transaction.execute(leased.values(lease_until=until)).rowcount)


def _to_help(worker: str, judges: Collection[str], skipped: Collection[str]) -> Select[Any]:
    """The job of another worker to help with first, with what `job_of` reads."""
    return (
        select(submissions, jobs.c.claims)
        .join(jobs, jobs.c.submission_id == submissions.c.id)
        .join(chunks, chunks.c.submission_id == submissions.c.id)
        .where(jobs.c.status == JobStatus.RUNNING, jobs.c.worker != worker)
        .where(chunks.c.worker.is_(None), chunks.c.judge.in_(judges))
        .where(submissions.c.id.not_in(skipped) if skipped else true())
        .order_by(jobs.c.priority, jobs.c.queued_at)
        .limit(1)
    )
