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
    def worker_failed(self, name: str, judge: str, fault: str) -> None:
        """Record why a worker could not begin to judge, in place of what the judge's earlier workers said."""
        with self._write() as transaction:
            now = transaction.now
            transaction.execute(workers.delete().where(workers.c.judge == judge, workers.c.fault != ""))
            row = {"name": name, "judge": judge, "started_at": now, "seen_at": now, "judgements": 0, "judging_s": 0.0}
            transaction.upsert(workers, row | {"fault": fault}, seen_at=now, fault=fault)

    @repeatable
    def worker_gone(self, name: str) -> None:
        """Forget a worker that ended; why one could not begin stays for a while."""
        with self._write() as transaction:
            transaction.execute(workers.delete().where(workers.c.name == name, workers.c.fault == ""))

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
                is_alive=not row.fault and row.seen_at > now - self._lease_s,
                fault=row.fault,
                judgements_per_s=row.judgements / row.judging_s if row.judging_s > 0 else None,
            )
            for row in rows
        ]
