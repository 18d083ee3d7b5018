"""Claims with leases: who works on what, and how a claim is kept, lost and ended."""

from __future__ import annotations

import logging
import uuid
from typing import Any

from sqlalchemy import Row, exists, func, or_, select, update

from submissions.store.database import KEYS_PER_QUERY, Database, StoreError, Transaction, moment, repeatable, run_once
from submissions.store.notices import note_end
from submissions.store.queue import ERASED, PRIORITY, Job, JobStatus, LeaseLost, NotYours
from submissions.store.rejudging import clear, outcome, put_back
from submissions.store.rows import job_of, log_event, pause_of, put_result, time_of, update_held
from submissions.store.tables import jobs, results, submissions, verdicts
from submissions.store.turns import TURNS, give_turn_back, next_first, take_turn
from submissions.store.verdict_keys import verdict_keys

logger = logging.getLogger(__name__)

AWAY_LEASES = 15
"""How long a job waits at most before a judge that did not answer is asked again, in leases: 15 minutes."""
ERASING = "erasing"
"""Lock: what is erased, and what of it a result names, is settled by one after the other."""
ERASING_TAKES_S = 60.0
"""A job claimed so shortly after a submission was erased may still have read what was being deleted."""

_IS_QUEUED = jobs.c.status == JobStatus.QUEUED
_IS_RUNNING = jobs.c.status == JobStatus.RUNNING


class Claims(Database):
    """Jobs and their leases."""

    # Claiming

    def claim(self, worker: str) -> Job | None:
        """Gives the next job to a worker, for one lease; None when nothing waits, or the queue is paused."""
        return self._claim(worker, uuid.uuid4().hex)

    @repeatable
    def team_waits(self) -> bool:
        """Could a team's submission be claimed now? What gives way (`Job.gives_way`) then does."""
        of_team = (jobs.c.status == JobStatus.QUEUED) & (jobs.c.priority == PRIORITY["entry"])
        with self._read() as connection:
            is_due = jobs.c.not_before <= moment(connection, self._clock)
            waits = connection.scalar(select(exists().where(of_team, is_due)))
            return bool(waits) and pause_of(connection) is None

    @repeatable
    def _claim(self, worker: str, token: str) -> Job | None:
        with self._write() as transaction:
            # After a connection was lost in the commit: the job may be ours already.
            row = transaction.execute(select(jobs).where(_IS_RUNNING, jobs.c.claim_token == token)).first()
            if row is None:
                # Two claims at once: the second one sees whose turn the first one took.
                transaction.lock(TURNS)
                self._return_expired(transaction)
                row = self._claim_next(transaction, worker, token)
            if row is None:
                return None
            submission = transaction.execute(select(submissions).where(submissions.c.id == row.submission_id)).one()
        return job_of(submission, row.claims)

    def _claim_next(self, transaction: Transaction, worker: str, token: str) -> Row[Any] | None:
        if pause_of(transaction.connection) is not None:
            return None
        # Nothing waits for so long: the clock went back since.
        longest_wait = transaction.now + self._lease_s * max(AWAY_LEASES, self._max_attempts)
        is_due = or_(jobs.c.not_before <= transaction.now, jobs.c.not_before > longest_wait)
        first = next_first().where(is_due).limit(1).with_for_update(of=jobs, skip_locked=True)
        waiting = transaction.execute(first).first()
        if waiting is None:
            return None
        ticket_id = waiting.submission_id
        take_turn(transaction, waiting.owner)
        row = transaction.execute(
            update(jobs)
            .where(jobs.c.submission_id == ticket_id)
            .values(
                status=JobStatus.RUNNING,
                status_at=transaction.now,
                reason=None,
                worker=worker,
                claim_token=token,
                lease_until=transaction.now + self._lease_s,
                claims=jobs.c.claims + 1,
                stored_in_claim=0,
            )
            .returning(jobs.c.submission_id, jobs.c.claims)
        ).one()
        log_event(transaction, ticket_id, JobStatus.RUNNING, f"attempt {row.claims} by {worker}")
        return row

    @repeatable
    def heartbeat(self, ticket_id: str, worker: str) -> None:
        """Renews the lease.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as transaction:
            update_held(transaction, ticket_id, worker, lease_until=transaction.now + self._lease_s)

    @repeatable
    def progress(self, ticket_id: str, worker: str, *, judged: int, to_judge: int, newly_stored: int) -> None:
        """Reports judgements done and renews the lease.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as transaction:
            update_held(
                transaction,
                ticket_id,
                worker,
                judged=judged,
                to_judge=to_judge,
                stored_in_claim=jobs.c.stored_in_claim + newly_stored,
                lease_until=transaction.now + self._lease_s,
            )

    # How a claim ends

    @repeatable
    def finish(self, ticket_id: str, worker: str, result: str) -> float:
        """Stores the result and marks the job scored, in one transaction; returns when.

        Where a submission that says the same was erased meanwhile, verdicts may be gone that the result names: then the
        job is back in the queue, and asks for these alone.

        Raises:
            LeaseLost: when the job is no longer this worker's, or is back in the queue; nothing is stored.
        """
        with self._write() as transaction:
            transaction.lock(ERASING)
            earlier = _finished_at(transaction, ticket_id, worker, result)
            if earlier is not None:
                return earlier  # the commit arrived, the news of it did not
            gone = _erased_meanwhile(transaction, ticket_id, result)
            if gone:
                update_held(transaction, ticket_id, worker, lease_until=None)
                give_turn_back(transaction, ticket_id)
                said = f"back in the queue: {gone:,} of its verdicts went with a submission that was erased"
                self._requeue(transaction, ticket_id, said, not_before=0.0)
            else:
                self._finish(transaction, ticket_id, worker, result)
            now = transaction.now
        if gone:
            raise LeaseLost(f"submission {ticket_id} is {said}")
        logger.info("submission %s scored by %s", ticket_id, worker)
        return now

    def _finish(self, transaction: Transaction, ticket_id: str, worker: str, result: str) -> None:
        now = transaction.now
        update_held(
            transaction,
            ticket_id,
            worker,
            status=JobStatus.SCORED,
            status_at=now,
            lease_until=None,
            fruitless=0,
            judged=func.coalesce(jobs.c.to_judge, jobs.c.judged),
        )
        put_result(transaction, ticket_id, result, now)
        act_id = _rejudging(transaction, ticket_id)
        said = f"scored; {outcome(transaction, act_id)}" if act_id else "scored"
        log_event(transaction, ticket_id, JobStatus.SCORED, said)
        note_end(transaction, ticket_id, JobStatus.SCORED)
        clear(transaction, ticket_id)

    @repeatable
    def fail(self, ticket_id: str, worker: str, reason: str) -> None:
        """Ends a job that can never be judged, with a reason its team understands.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as transaction:
            update_held(transaction, ticket_id, worker, lease_until=None)
            self._end(transaction, ticket_id, JobStatus.FAILED, reason)

    @repeatable
    def is_current(self, ticket_id: str, claim: int) -> bool:
        """Is the claim of that number at work? Not after it was cancelled, ended, or went to another worker."""
        query = select(jobs.c.claims).where(jobs.c.submission_id == ticket_id, _IS_RUNNING)
        with self._read() as connection:
            return connection.scalar(query) == claim

    @repeatable
    def fail_claim(self, ticket_id: str, claim: int, reason: str) -> bool:
        """Ends a job that stood still; False when that claim is over already."""
        current = select(jobs.c.submission_id).where(
            jobs.c.submission_id == ticket_id, _IS_RUNNING, jobs.c.claims == claim
        )
        with self._write() as transaction:
            if transaction.execute(current.with_for_update()).first() is None:
                return False
            self._end(transaction, ticket_id, JobStatus.FAILED, reason)
        return True

    @repeatable
    def attempt_failed(self, ticket_id: str, worker: str, reason: str) -> None:
        """Counts an attempt that raised: the job waits a while and is tried again, or fails at the limit.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as transaction:
            update_held(transaction, ticket_id, worker, lease_until=None)
            self._count_fruitless(transaction, ticket_id, reason)

    @repeatable
    def release(self, ticket_id: str, worker: str, why: str = "the worker was stopped") -> None:
        """Puts a job back without counting an attempt: the worker was asked to stop, or to do something else first.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as transaction:
            update_held(transaction, ticket_id, worker, lease_until=None)
            give_turn_back(transaction, ticket_id)
            self._requeue(transaction, ticket_id, f"back in the queue: {why}", not_before=0.0)

    @repeatable
    def judge_lost(self, ticket_id: str, worker: str, reason: str) -> None:
        """Puts a job back whose judge is gone for this worker: counted as an attempt only if nothing was stored in it.

        That a cluster goes away is no fault of the job, unless it is this job that ends it each time.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as transaction:
            update_held(transaction, ticket_id, worker, lease_until=None)
            job = transaction.execute(select(jobs).where(jobs.c.submission_id == ticket_id)).one()
            self._return_interrupted(transaction, job, reason)

    @repeatable
    def judge_away(self, ticket_id: str, worker: str, reason: str) -> None:
        """Puts a job back whose judge does not answer now: not counted as an attempt, however long that goes on.

        It is tried again after a quarter of the time it has been here, at least a lease and at most `AWAY_LEASES`.

        Raises:
            LeaseLost: when the job is no longer this worker's.
        """
        with self._write() as transaction:
            update_held(transaction, ticket_id, worker, lease_until=None)
            received = select(submissions.c.received_at).where(submissions.c.id == ticket_id)
            here_s = transaction.now - transaction.execute(received).scalar_one()
            wait_s = self._lease_s * min(max(here_s / 4 / self._lease_s, 1.0), AWAY_LEASES)
            give_turn_back(transaction, ticket_id)
            again_at = transaction.now + wait_s
            message = f"back in the queue, tried again at {time_of(again_at):%H:%M:%S} UTC: {reason}"
            self._requeue(transaction, ticket_id, message, not_before=again_at)

    @repeatable
    def release_worker(self, worker: str) -> bool:
        """Ends the leases of a worker known to be dead, at once; False when it held none."""
        of_worker = select(jobs).where(_IS_RUNNING, jobs.c.worker == worker)
        with self._write() as transaction:
            held = transaction.execute(of_worker.order_by(jobs.c.submission_id).with_for_update()).all()
            for job in held:
                self._return_interrupted(transaction, job, _silent(job))
        return bool(held)

    @run_once
    def cancel(self, ticket_id: str, owner: str) -> None:
        """Stops a submission that is not scored yet.

        Raises:
            NotYours: when somebody else owns it.
            StoreError: when the ticket is unknown, or there is nothing left to cancel.
        """
        with self._write() as transaction:
            status = JobStatus(locked_job(transaction, ticket_id, owner).status)
            if not status.is_open:
                raise StoreError(f"submission {ticket_id} is {status}: there is nothing left to cancel")
            self._end(transaction, ticket_id, JobStatus.CANCELLED, "cancelled by its team")

    @run_once
    def withdraw(self, ticket_id: str, owner: str) -> None:
        """Takes a submission off the boards, whatever its state; its tombstone stays.

        Raises:
            NotYours: when somebody else owns it.
            StoreError: when the ticket is unknown, or already withdrawn.
        """
        with self._write() as transaction:
            status = JobStatus(locked_job(transaction, ticket_id, owner).status)
            if status is JobStatus.WITHDRAWN:
                raise StoreError(f"submission {ticket_id} is withdrawn already")
            self._end(transaction, ticket_id, JobStatus.WITHDRAWN, "withdrawn by its team")

    @run_once
    def requeue(self, ticket_id: str, message: str, *, even_at_work: bool = False) -> bool:
        """Puts a scored or failed submission into the queue again; its stored verdicts are kept.

        Args:
            ticket_id: Of the submission.
            message: What its log says.
            even_at_work: Takes it from the worker that judges it, too: what that has read no longer holds.

        False when it is in no such state by now: it was withdrawn, or is in the queue already.
        """
        again = [JobStatus.SCORED, JobStatus.FAILED, *([JobStatus.RUNNING] if even_at_work else [])]
        job = select(jobs.c.status).where(jobs.c.submission_id == ticket_id, jobs.c.status.in_(again))
        with self._write() as transaction:
            status = transaction.scalar(job.with_for_update())
            if status is None:
                return False
            if status == JobStatus.RUNNING:
                give_turn_back(transaction, ticket_id)
            transaction.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(fruitless=0))
            self._requeue(transaction, ticket_id, message, not_before=0.0)
        return True

    # Inside

    def _return_expired(self, transaction: Transaction) -> None:
        # No lease is so long: the clock went back since, and whoever holds it may be dead.
        longest_lease = transaction.now + 2 * self._lease_s
        is_over = or_(jobs.c.lease_until < transaction.now, jobs.c.lease_until > longest_lease)
        silent = select(jobs).where(_IS_RUNNING, is_over)
        for job in transaction.execute(silent.with_for_update(skip_locked=True)).all():
            self._return_interrupted(transaction, job, _silent(job))

    def _return_interrupted(self, transaction: Transaction, job: Row[Any], message: str) -> None:
        """A worker died or fell silent with this job, or lost its judge: counted only if it stored nothing."""
        if job.stored_in_claim > 0:
            transaction.execute(update(jobs).where(jobs.c.submission_id == job.submission_id).values(fruitless=0))
            give_turn_back(transaction, job.submission_id)
            self._requeue(transaction, job.submission_id, f"back in the queue: {message}", not_before=0.0)
        else:
            self._count_fruitless(transaction, job.submission_id, message)

    def _count_fruitless(self, transaction: Transaction, ticket_id: str, reason: str) -> None:
        fruitless = transaction.execute(
            update(jobs)
            .where(jobs.c.submission_id == ticket_id)
            .values(fruitless=jobs.c.fruitless + 1)
            .returning(jobs.c.fruitless)
        ).scalar_one()
        if self._max_attempts and fruitless >= self._max_attempts:
            self._end(transaction, ticket_id, JobStatus.FAILED, f"gave up after {fruitless} attempts: {reason}")
            return
        # A sixth of a lease per failure: a passing fault (disk full, out of memory) gets time to pass.
        wait_s = self._lease_s / 6 * fruitless if self._max_attempts else 0.0
        self._requeue(transaction, ticket_id, f"back in the queue: {reason}", not_before=transaction.now + wait_s)

    def _requeue(self, transaction: Transaction, ticket_id: str, message: str, *, not_before: float) -> None:
        transaction.execute(
            update(jobs)
            .where(jobs.c.submission_id == ticket_id)
            .values(
                status=JobStatus.QUEUED,
                status_at=transaction.now,
                reason=message,
                worker=None,
                lease_until=None,
                not_before=not_before,
            )
        )
        log_event(transaction, ticket_id, JobStatus.QUEUED, message)
        logger.info("submission %s %s", ticket_id, message)

    def _end(self, transaction: Transaction, ticket_id: str, status: JobStatus, reason: str) -> None:
        act_id = _rejudging(transaction, ticket_id)
        if act_id:
            put_back(transaction, act_id)
            clear(transaction, ticket_id)
            if status is not JobStatus.WITHDRAWN:
                self._let_stand(transaction, ticket_id, reason)
                return
        transaction.execute(
            update(jobs)
            .where(jobs.c.submission_id == ticket_id)
            .values(status=status, status_at=transaction.now, reason=reason, worker=None, lease_until=None)
        )
        log_event(transaction, ticket_id, status, reason)
        note_end(transaction, ticket_id, status)
        logger.info("submission %s %s: %s", ticket_id, status, reason)

    def _let_stand(self, transaction: Transaction, ticket_id: str, reason: str) -> None:
        """A cell could not be judged again, or was not to be: what stood before goes on to stand."""
        scored = {"status": JobStatus.SCORED, "status_at": transaction.now, "reason": None, "fruitless": 0}
        free = {"worker": None, "lease_until": None, "stored_in_claim": 0}
        transaction.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(scored | free))
        said = f"not judged again, the former result stands: {reason}"
        log_event(transaction, ticket_id, JobStatus.SCORED, said)
        logger.info("submission %s %s", ticket_id, said)


def _silent(job: Row[Any]) -> str:
    return f"worker {job.worker} fell silent"


def _rejudging(transaction: Transaction, ticket_id: str) -> str | None:
    """The act by which a cell of the submission is being judged again; None where none is."""
    act_id: str | None = transaction.scalar(select(jobs.c.rejudging).where(jobs.c.submission_id == ticket_id))
    return act_id


def _finished_at(transaction: Transaction, ticket_id: str, worker: str, result: str) -> float | None:
    """When this very result of this worker was stored; None when it was not."""
    stored = (
        select(results.c.recorded_at)
        .join(jobs, jobs.c.submission_id == results.c.submission_id)
        .where(results.c.submission_id == ticket_id, results.c.payload == result)
        .where(jobs.c.status == JobStatus.SCORED, jobs.c.worker == worker)
    )
    return transaction.execute(stored).scalar()


def _erased_meanwhile(transaction: Transaction, ticket_id: str, result: str) -> int:
    """How many verdicts that a result names went with submissions that were erased since its job was claimed."""
    claimed_at = select(jobs.c.status_at).where(jobs.c.submission_id == ticket_id).scalar_subquery()
    erased = select(
        exists().where(
            jobs.c.status == JobStatus.WITHDRAWN,
            jobs.c.reason.startswith(ERASED, autoescape=True),
            jobs.c.status_at > claimed_at - ERASING_TAKES_S,
        )
    )
    if not transaction.scalar(erased):
        return 0
    keys = verdict_keys(result)
    there = 0
    for start in range(0, len(keys), KEYS_PER_QUERY):
        of_part = (
            select(func.count()).select_from(verdicts).where(verdicts.c.key.in_(keys[start : start + KEYS_PER_QUERY]))
        )
        there += transaction.scalar(of_part)
    return len(keys) - there


def locked_job(transaction: Transaction, ticket_id: str, owner: str | None) -> Row[Any]:
    """The job of a submission somebody wants to decide about; it stays so until the transaction is over.

    Args:
        owner: Whose it has to be; None = whose it is does not matter.

    Raises:
        NotYours: when it is somebody else's.
        StoreError: when the ticket is unknown.
    """
    query = select(submissions.c.owner, jobs).join(jobs).where(submissions.c.id == ticket_id)
    row = transaction.execute(query.with_for_update(of=jobs)).first()
    if row is None:
        raise StoreError(f"no submission has the ticket {ticket_id!r}")
    if owner is not None and row.owner != owner:
        raise NotYours(f"submission {ticket_id} belongs to another account")
    return row
