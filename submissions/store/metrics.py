"""What a monitor asks of the database besides the states of jobs."""

from __future__ import annotations

from sqlalchemy import func, select

from submissions.store.database import Database, moment, repeatable
from submissions.store.queue import JobStatus
from submissions.store.tables import jobs, verdicts


class Vitals(Database):
    """Figures about the service as a whole."""

    @repeatable
    def oldest_wait_s(self) -> float:
        """Seconds the submission that waits longest has been in the queue; 0 where none waits."""
        oldest = select(func.min(jobs.c.queued_at)).where(jobs.c.status == JobStatus.QUEUED)
        with self._read() as connection:
            queued_at = connection.scalar(oldest)
            return 0.0 if queued_at is None else max(0.0, moment(connection, self._clock) - queued_at)

    @repeatable
    def judgements(self) -> int:
        """Verdicts stored so far. Counts them one by one: ask once a minute, not at every request."""
        with self._read() as connection:
            return connection.scalar(select(func.count()).select_from(verdicts)) or 0
