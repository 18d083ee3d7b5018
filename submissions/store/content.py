"""What is kept by its content or name: verdicts, embeddings, votes, and how well judges were measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy import Table, select

from submissions.store.database import KEYS_PER_QUERY, Database, Transaction, repeatable
from submissions.store.queue import JobStatus, is_erased
from submissions.store.tables import embeddings as embeddings_table
from submissions.store.tables import jobs, judge_qualities, votes
from submissions.store.tables import verdicts as verdicts_table

MICROSECOND = 1e-6
"""What moments in the archive are rounded to."""


_SCORED_NOW: ContextVar[str | None] = ContextVar("the submission that is scored now", default=None)


@contextmanager
def stored_for(ticket_id: str) -> Iterator[None]:
    """Within it, verdicts and embeddings that are new are stored as those of a submission: they go when it is erased.

    In another thread nobody knows whose they are: those go with any submission that is erased.
    """
    token = _SCORED_NOW.set(ticket_id)
    try:
        yield
    finally:
        _SCORED_NOW.reset(token)


class StoredContent(Database):
    """Facts that are kept by their content: what several submissions share is there once."""

    # Verdicts and embeddings

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        """Stored verdicts (JSON) of those keys that are known."""
        return self._load(verdicts_table, "payload", keys)

    @repeatable
    def save_verdicts(self, verdicts: dict[str, str]) -> int:
        """Stores verdicts, first writer wins; returns how many were new. Of an erased submission none is stored."""
        with self._write() as transaction:
            if _is_of_erased(transaction):
                return 0
            of = _SCORED_NOW.get()
            rows = [{"key": key, "payload": payload, "submission": of} for key, payload in verdicts.items()]
            return transaction.insert_missing(verdicts_table, rows)

    def load_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Stored embeddings of those keys that are known."""
        return self._load(embeddings_table, "data", keys)

    @repeatable
    def save_embeddings(self, embeddings: dict[str, bytes]) -> None:
        """Stores embeddings, first writer wins. Of an erased submission none is stored."""
        with self._write() as transaction:
            if not _is_of_erased(transaction):
                of = _SCORED_NOW.get()
                rows = [{"key": key, "data": data, "submission": of} for key, data in embeddings.items()]
                transaction.insert_missing(embeddings_table, rows)

    @repeatable
    def _load(self, table: Table, column: str, keys: Sequence[str]) -> dict[str, Any]:
        by_key: dict[str, Any] = {}
        with self._read() as connection:
            for start in range(0, len(keys), KEYS_PER_QUERY):
                chunk = keys[start : start + KEYS_PER_QUERY]
                rows = connection.execute(select(table.c.key, table.c[column]).where(table.c.key.in_(chunk)))
                by_key |= {row[0]: row[1] for row in rows}
        return by_key

    # Votes

    @repeatable
    def save_vote(self, vote_id: str, payload: str) -> None:
        """Stores a vote; one already stored under that id is replaced, at its first moment."""
        with self._write() as transaction:
            row = {"id": vote_id, "recorded_at": transaction.now, "payload": payload}
            transaction.upsert(votes, row, payload=payload)

    @repeatable
    def votes(self) -> list[str]:
        """The JSON of every vote, in the order they were given."""
        with self._read() as connection:
            return list(connection.scalars(select(votes.c.payload).order_by(votes.c.recorded_at, votes.c.id)))

    # Quality of judges

    @repeatable
    def save_judge_quality(self, judge: str, payload: str) -> None:
        """Keeps the newest measurement (JSON) of a judge, by the SHA-256 of its pin."""
        with self._write() as transaction:
            row = {"judge": judge, "payload": payload, "recorded_at": transaction.now}
            transaction.upsert(judge_qualities, row, payload=payload, recorded_at=transaction.now)
            transaction.note_change("judge_qualities")

    @repeatable
    def judge_quality_records(self) -> list[tuple[str, str, float]]:
        """Every recorded measurement: SHA-256 of the judge's pin, JSON, when."""
        columns = (judge_qualities.c.judge, judge_qualities.c.payload, judge_qualities.c.recorded_at)
        with self._read() as connection:
            rows = connection.execute(select(*columns).order_by(judge_qualities.c.judge)).all()
        return [(row.judge, row.payload, row.recorded_at) for row in rows]

    @repeatable
    def restore_judge_quality(self, judge: str, payload: str, recorded_at: float) -> None:
        """Puts a measurement from the archive back, unless one as new is here."""
        known = select(judge_qualities.c.recorded_at).where(judge_qualities.c.judge == judge).with_for_update()
        row = {"judge": judge, "payload": payload, "recorded_at": recorded_at}
        with self._write() as transaction:
            if (transaction.execute(known).scalar() or 0.0) < recorded_at - MICROSECOND:
                transaction.upsert(judge_qualities, row, payload=payload, recorded_at=recorded_at)
                transaction.note_change("judge_qualities")

    @repeatable
    def judge_qualities(self) -> list[str]:
        """The measurement (JSON) of every judge that was measured and recorded."""
        with self._read() as connection:
            return list(connection.scalars(select(judge_qualities.c.payload).order_by(judge_qualities.c.judge)))

    @repeatable
    def judge_qualities_marker(self) -> int:
        """A number that grows with every recorded measurement."""
        return self._changes("judge_qualities")


def _is_of_erased(transaction: Transaction) -> bool:
    """Was the submission that is scored now erased meanwhile? Whoever erases it waits for this transaction's end."""
    of = _SCORED_NOW.get()
    if of is None:
        return False
    own = select(jobs.c.status, jobs.c.reason).where(jobs.c.submission_id == of).with_for_update(read=True)
    row = transaction.execute(own).first()
    return row is not None and is_erased(JobStatus(row.status), row.reason)
