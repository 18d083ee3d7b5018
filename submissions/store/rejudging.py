"""A cell judged again: its verdicts are set aside, asked anew, and compared; nothing that was said is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import Connection, delete, insert, select, update

from submissions.store.database import KEYS_PER_QUERY, Database, Transaction, repeatable
from submissions.store.tables import jobs, set_aside_verdicts, verdicts


class SetAside(Database):
    """Verdicts that were set aside so that they are asked again."""

    @repeatable
    def verdicts_set_aside(self, act_id: str) -> dict[str, str]:
        """Verdicts (JSON by key) that an act set aside, as they were; {} for acts that set none aside."""
        with self._read() as connection:
            return set_aside_by(connection, act_id)

    @repeatable
    def shown_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        """What results rest on: the stored verdicts of those keys; while one is being asked again, the former one."""
        payloads: dict[str, str] = {}
        with self._read() as connection:
            for part in _parts(keys):
                known = select(verdicts.c.key, verdicts.c.payload).where(verdicts.c.key.in_(part))
                payloads |= {row.key: row.payload for row in connection.execute(known)}
                asked = [key for key in part if key not in payloads]
                waiting = (
                    select(set_aside_verdicts.c.key, set_aside_verdicts.c.payload)
                    .join(jobs, jobs.c.rejudging == set_aside_verdicts.c.act)
                    .where(set_aside_verdicts.c.key.in_(asked))
                )
                payloads |= {row.key: row.payload for row in connection.execute(waiting)}
        return payloads


def set_aside(transaction: Transaction, act_id: str, keys: Sequence[str]) -> dict[str, str]:
    """Takes the verdicts of those keys out of what is stored, and keeps what they said; returns it."""
    taken: dict[str, str] = {}
    for part in _parts(keys):
        rows = transaction.execute(delete(verdicts).where(verdicts.c.key.in_(part)).returning(*verdicts.c)).all()
        taken |= {row.key: row.payload for row in rows}
    keep(transaction, act_id, taken)
    return taken


def keep(transaction: Transaction, act_id: str, taken: Mapping[str, str]) -> None:
    """Records which verdicts an act set aside."""
    rows = [{"act": act_id, "key": key, "payload": payload} for key, payload in taken.items()]
    transaction.insert_missing(set_aside_verdicts, rows)


def put_back(transaction: Transaction, act_id: str) -> None:
    """Lets every verdict that an act set aside count again, also in place of one that was asked since."""
    former = set_aside_by(transaction.connection, act_id)
    for part in _parts(list(former)):
        transaction.execute(delete(verdicts).where(verdicts.c.key.in_(part)))
        transaction.execute(insert(verdicts), [{"key": key, "payload": former[key]} for key in part])


def outcome(transaction: Transaction, act_id: str) -> str:
    """How judging a cell again ended, for the ticket's log.

    A verdict nobody asked again counts as it did: the run was judged by another judge than the one it is of.
    """
    former = set_aside_by(transaction.connection, act_id)
    now: dict[str, str] = {}
    for part in _parts(list(former)):
        rows = transaction.execute(select(verdicts).where(verdicts.c.key.in_(part)))
        now |= {row.key: row.payload for row in rows}
    unasked = [key for key in former if key not in now]
    transaction.insert_missing(verdicts, [{"key": key, "payload": former[key]} for key in unasked])
    changed = sum(now[key] != former[key] for key in now)
    said = f"judged again: {len(now)} verdicts, {changed} changed"
    return f"{said}; {len(unasked)} were not asked: the judge of this run is another one now" if unasked else said


def clear(transaction: Transaction, ticket_id: str) -> None:
    """Nothing of the submission is being judged again any more."""
    transaction.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(rejudging=None))


def set_aside_by(connection: Connection, act_id: str) -> dict[str, str]:
    query = select(set_aside_verdicts.c.key, set_aside_verdicts.c.payload).where(set_aside_verdicts.c.act == act_id)
    return {row.key: row.payload for row in connection.execute(query.order_by(set_aside_verdicts.c.key))}


def _parts(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[start : start + KEYS_PER_QUERY] for start in range(0, len(keys), KEYS_PER_QUERY))
