"""What is kept by its content or name: verdicts, embeddings, votes, and how well judges were measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Table, select

from submissions.store.database import KEYS_PER_QUERY, Database, repeatable
from submissions.store.tables import embeddings, judge_qualities, verdicts, votes

MICROSECOND = 1e-6
"""What moments in the archive are rounded to."""


class StoredContent(Database):
    """Facts that belong to no submission."""

    # Verdicts and embeddings

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        """Stored verdicts (JSON) of those keys that are known."""
        return self._load(verdicts, "payload", keys)

    @repeatable
    def save_verdicts(self, found: dict[str, str]) -> int:
        """Stores verdicts, first writer wins; returns how many were new."""
        with self._write() as transaction:
            return transaction.insert_missing(
                verdicts, [{"key": key, "payload": payload} for key, payload in found.items()]
            )

    def load_embeddings(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Stored embeddings of those keys that are known."""
        return self._load(embeddings, "data", keys)

    @repeatable
    def save_embeddings(self, found: dict[str, bytes]) -> None:
        """Stores embeddings, first writer wins."""
        with self._write() as transaction:
            transaction.insert_missing(embeddings, [{"key": key, "data": data} for key, data in found.items()])

    @repeatable
    def _load(self, table: Table, column: str, keys: Sequence[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        with self._read() as connection:
            for start in range(0, len(keys), KEYS_PER_QUERY):
                chunk = keys[start : start + KEYS_PER_QUERY]
                rows = connection.execute(select(table.c.key, table.c[column]).where(table.c.key.in_(chunk)))
                found |= {row[0]: row[1] for row in rows}
        return found

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
