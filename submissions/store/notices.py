"""Notices: what a team that gave a webhook is still to be told of how its submission ended.

A notice is written in the transaction that ends the job, so that none is lost and none is sent of what did not happen.
Whoever sends one takes it for a lease; a sender that dies with it leaves it to the next, which tells the team once
more at worst. A team that cannot be told holds up nothing: no job waits for a notice.
"""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, exists, insert, or_, select, update

from submissions.store.database import Database, Transaction, moment, repeatable
from submissions.store.queue import JobStatus
from submissions.store.rows import log_event, time_of
from submissions.store.tables import jobs, notices, webhooks
from submissions.webhooks.signing import new_secret

logger = logging.getLogger(__name__)

PAUSES_S = (60.0, 300.0, 1_800.0, 7_200.0)
"""After the first, second, third and fourth try that failed: a receiver that is started anew is back within minutes,
one that is repaired within hours."""
MOST_TRIES = len(PAUSES_S) + 1
SENDING_S = 60.0
"""The lease of a sender: longer than any try takes (`submissions.webhooks.posting.WITHIN_S`)."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where a team wants to be told; never shown."""

    url: str = field(repr=False)
    secret: str = field(repr=False)
    """Notices are signed with it (`submissions.webhooks.signing`)."""

    @classmethod
    def at(cls, url: str) -> Webhook:
        """With a new secret."""
        return cls(url, new_secret())


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing a team is to be told."""

    id: str
    """The same at every try."""
    ticket_id: str
    status: JobStatus
    """How the job ended."""
    at: datetime
    """When it did."""
    webhook: Webhook


class Notices(Database):
    """Webhooks of submissions, and notices that wait to be sent."""

    @repeatable
    def set_webhook(self, ticket_id: str, webhook: Webhook) -> None:
        """Gives a submission a webhook, in place of the one it had."""
        with self._write() as transaction:
            put_webhook(transaction, ticket_id, webhook)

    def take_notice(self) -> Notice | None:
        """The notice that is due for longest, for `SENDING_S` the caller's, with this try counted; None = none is due.

        What somebody took at its last try and never came back with is given up.
        """
        return self._taken() if self._is_due() else None

    @repeatable
    def _is_due(self) -> bool:
        with self._read() as connection:
            return bool(connection.scalar(select(exists().where(_is_due(moment(connection, self._clock))))))

    @repeatable
    def _taken(self) -> Notice | None:
        due = select(notices, webhooks.c.url, webhooks.c.secret).join(
            webhooks, webhooks.c.submission_id == notices.c.submission_id
        )
        with self._write() as transaction:
            first = due.where(_is_due(transaction.now)).order_by(notices.c.not_before, notices.c.id).limit(1)
            row = transaction.execute(first.with_for_update(of=notices, skip_locked=True)).first()
            if row is None:
                return None
            if row.tries >= MOST_TRIES:
                _give_up(transaction, row, "the last try was cut short")
                return None
            values = {"tries": row.tries + 1, "not_before": transaction.now + SENDING_S}
            transaction.execute(update(notices).where(notices.c.id == row.id).values(values))
        return Notice(row.id, row.submission_id, JobStatus(row.status), time_of(row.at), Webhook(row.url, row.secret))

    @repeatable
    def notice_sent(self, notice_id: str) -> None:
        """The team was told: nothing of the notice stays."""
        with self._write() as transaction:
            transaction.execute(delete(notices).where(notices.c.id == notice_id))

    @repeatable
    def notice_failed(self, notice_id: str, why: str) -> None:
        """The team was not told: it is tried again after a pause, or given up, which the ticket's log says.

        Args:
            why: For everybody; says nothing of the address.
        """
        query = select(notices).where(notices.c.id == notice_id)
        with self._write() as transaction:
            row = transaction.execute(query.with_for_update()).first()
            if row is None:  # erased meanwhile
                return
            if row.tries >= MOST_TRIES:
                _give_up(transaction, row, why)
                return
            again_at = transaction.now + PAUSES_S[row.tries - 1]
            transaction.execute(update(notices).where(notices.c.id == notice_id).values(not_before=again_at))


def put_webhook(transaction: Transaction, ticket_id: str, webhook: Webhook) -> None:
    """Gives a submission a webhook, in place of the one it had."""
    row = {"submission_id": ticket_id, "url": webhook.url, "secret": webhook.secret}
    transaction.upsert(webhooks, row, url=webhook.url, secret=webhook.secret)


def note_end(transaction: Transaction, ticket_id: str, status: JobStatus) -> None:
    """Leaves a notice that a job ended so, where its team gave a webhook."""
    if transaction.scalar(select(exists().where(webhooks.c.submission_id == ticket_id))):
        row = {"id": uuid.uuid4().hex, "submission_id": ticket_id, "status": status, "at": transaction.now}
        transaction.execute(insert(notices).values(row | {"tries": 0, "not_before": transaction.now}))


def forget_webhook(transaction: Transaction, ticket_id: str) -> None:
    """Deletes a submission's webhook and what was still to be told."""
    for table in (notices, webhooks):
        transaction.execute(delete(table).where(table.c.submission_id == ticket_id))


def _is_due(now: float) -> Any:
    # Nothing waits for so long: the clock went back since.
    return or_(notices.c.not_before <= now, notices.c.not_before > now + max(PAUSES_S) + SENDING_S)


def _give_up(transaction: Transaction, row: Row[Any], why: str) -> None:
    transaction.execute(delete(notices).where(notices.c.id == row.id))
    now = transaction.scalar(select(jobs.c.status).where(jobs.c.submission_id == row.submission_id))
    said = f"we could not reach the webhook that its team gave, to tell it that this is {row.status}: {row.tries} tries"
    log_event(transaction, row.submission_id, JobStatus(now), f"{said}, at the last one {why}")
    logger.info("submission %s: its webhook was given up (%s)", row.submission_id, why)
