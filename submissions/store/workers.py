"""The register of workers: who is judging, and how fast."""

from __future__ import annotations

from sqlalchemy import select

from submissions.store.database import Database, moment, repeatable
from submissions.store.queue import WorkerStatus
from submissions.store.rows import time_of
from submissions.store.tables import workers


class WorkerRegister(Database):
    """Workers and their signs of life."""

    @repeatable
    def worker_seen(self, name: str, judge: str, *, judgements: int = 0, judging_s: float = 0.0) -> None:
        """A worker's sign of life, with what it judged since the last one."""
        with self._write() as transaction:
            now = transaction.now
            row = {
                "name": name,
                "judge": judge,
                "started_at": now,
                "seen_at": now,
                "judgements": judgements,
                "judging_s": judging_s,
            }
            transaction.upsert(
                workers,
                row,
                seen_at=now,
                judgements=workers.c.judgements + judgements,
                judging_s=workers.c.judging_s + judging_s,
            )

    @repeatable
    def worker_gone(self, name: str) -> None:
        """Forgets a worker that ended."""
        with self._write() as transaction:
            transaction.execute(workers.delete().where(workers.c.name == name))

    @repeatable
    def workers(self) -> list[WorkerStatus]:
        """Workers heard of in the last ten leases, the most recent first."""
        with self._read() as connection:
            now = moment(connection, self._clock)
            heard = select(workers).where(workers.c.seen_at > now - 10 * self._lease_s)
            rows = connection.execute(heard.order_by(workers.c.seen_at.desc(), workers.c.name)).all()
        return [
            WorkerStatus(
                name=row.name,
                judge=row.judge,
                seen_at=time_of(row.seen_at),
                is_alive=row.seen_at > now - self._lease_s,
                judgements_per_s=row.judgements / row.judging_s if row.judging_s > 0 else None,
            )
            for row in rows
        ]
