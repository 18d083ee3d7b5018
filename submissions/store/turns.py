"""Whose turn it is: the next submission is taken by turns among owners, so that nobody waits behind all of another's.

People come before our own rows (`queue.PRIORITY`); then comes the owner who was served longest ago, or never; then the
submission that was queued first. Where everybody is one owner this is first come, first served.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, Select, delete, func, select

from submissions.store.database import Transaction
from submissions.store.queue import JobStatus
from submissions.store.tables import jobs, submissions, turns

TURNS = "turns"
"""What a transaction locks that gives the next turn to somebody."""

_SERVED = func.coalesce(turns.c.number, 0)
"""0 = the owner never was."""


class Waiting(NamedTuple):
    """A submission in the queue."""

    ticket_id: str
    priority: int
    owner: str


def next_first() -> Select[tuple[str, int, str]]:
    """What is queued; the first row is next, and of every owner the one before the others of that owner."""
    return (
        select(jobs.c.submission_id, jobs.c.priority, submissions.c.owner)
        .join(submissions, submissions.c.id == jobs.c.submission_id)
        .outerjoin(turns, turns.c.owner == submissions.c.owner)
        .where(jobs.c.status == JobStatus.QUEUED)
        .order_by(jobs.c.priority, _SERVED, jobs.c.queued_at, jobs.c.submission_id)
    )


def positions(connection: Connection) -> dict[str, int]:
    """Ticket -> its place in the queue, 1 = next."""
    rows = connection.execute(next_first())
    waiting = by_turns(Waiting(row.submission_id, row.priority, row.owner) for row in rows)
    return {ticket_id: place for place, ticket_id in enumerate(waiting, start=1)}


def by_turns(waiting: Iterable[Waiting]) -> list[str]:
    """The order in which one worker will take what is queued, if nothing else comes.

    Args:
        waiting: In the order of `next_first`.

    >>> by_turns([Waiting("a1", 0, "anna"), Waiting("a2", 0, "anna"), Waiting("a3", 0, "anna"), Waiting("b1", 0, "bo")])
    ['a1', 'b1', 'a2', 'a3']
    """
    taken: Counter[tuple[int, str]] = Counter()
    rank: dict[tuple[int, str], int] = {}
    order: list[tuple[int, int, int, str]] = []
    for submission in waiting:
        whose = (submission.priority, submission.owner)
        place = rank.setdefault(whose, len(rank))
        taken[whose] += 1
        order.append((submission.priority, taken[whose], place, submission.ticket_id))
    return [ticket_id for _, _, _, ticket_id in sorted(order)]


def take_turn(transaction: Transaction, owner: str) -> None:
    """The owner was served just now; whoever calls it holds the lock `TURNS`."""
    number = (transaction.scalar(select(func.max(turns.c.number))) or 0) + 1
    transaction.upsert(turns, {"owner": owner, "number": number}, number=number)


def give_turn_back(transaction: Transaction, ticket_id: str) -> None:
    """What was begun for the owner was not ended, through no fault of its own: the owner is next again."""
    owner = select(submissions.c.owner).where(submissions.c.id == ticket_id).scalar_subquery()
    transaction.execute(delete(turns).where(turns.c.owner == owner))
