"""Figures of judges' logs that somebody published: kept with who did, until they withdraw them or organisers hide them.

What a payload says is the business of `evaluator.judge_report.published`; here it is text of bounded length.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, select, update

from submissions.store.database import Database, StoreError, Transaction, repeatable
from submissions.store.queue import ActKind, NotYours
from submissions.store.quotas import DAY_S, QuotaExceeded
from submissions.store.rows import time_of
from submissions.store.tables import judge_reports

MOST_REPORT_BYTES = 64 * 1024
"""Of one payload; the figures of a judge with labels and ten points of calibration make 15 KiB."""
_MICROSECOND = 1e-6


@dataclass(frozen=True, slots=True)
class PublishedReport:
    """One published report, as it stands."""

    id: str
    owner: str
    """The account that published it; never shown."""
    owner_name: str
    """What it was called then; blank where accounts have no names."""
    published_at: datetime
    payload: str
    """JSON."""
    withdrawn_at: datetime | None = None
    hidden: str | None = None
    """Why organisers keep it from sight; None = they do not."""

    @property
    def is_shown(self) -> bool:
        return self.withdrawn_at is None and self.hidden is None


class JudgeReports(Database):
    """Published reports on judges."""

    @repeatable
    def publish_judge_report(
        self, report_id: str, *, owner: str, payload: str, owner_name: str = "", per_day: int = 0
    ) -> PublishedReport:
        """Keeps a report. While an owner's very same report stands, nothing is added, and that one is returned.

        Args:
            per_day: Reports that an owner may publish within 24 hours, those withdrawn too; 0 = no limit.

        Raises:
            QuotaExceeded: when the owner has published too many.
            StoreError: when it is larger than `MOST_REPORT_BYTES`.
        """
        size = len(payload.encode())
        if size > MOST_REPORT_BYTES:
            raise StoreError(f"the report has {size:,} bytes; at most {MOST_REPORT_BYTES:,} are published")
        with self._write() as transaction:
            # Of two reports of one owner at once the second one counts the first.
            transaction.lock(f"judge reports {owner}")
            same = (
                (judge_reports.c.owner == owner)
                & (judge_reports.c.payload == payload)
                & judge_reports.c.withdrawn_at.is_(None)
            )
            known = transaction.execute(select(judge_reports).where((judge_reports.c.id == report_id) | same)).first()
            if known is not None:
                return _report_of(known)
            _refuse_beyond(transaction, owner, per_day)
            at = round(transaction.now / _MICROSECOND) * _MICROSECOND
            row = _row(report_id, owner, owner_name, at, payload)
            transaction.insert_missing(judge_reports, [row])
            transaction.note_change("judge_reports")
            return _report_of(_locked(transaction, report_id))

    @repeatable
    def withdraw_judge_report(self, report_id: str, owner: str | None) -> PublishedReport:
        """Takes a report back for good; one that was taken back stays as it is.

        Args:
            owner: Whose it has to be; None = whose it is does not matter.

        Raises:
            NotYours: when it is somebody else's.
            StoreError: when there is no such report.
        """
        with self._write() as transaction:
            row = _locked(transaction, report_id)
            if owner is not None and row.owner != owner:
                raise NotYours(f"judge report {report_id} belongs to another account")
            if row.withdrawn_at is None:
                # Later than its publication, whatever the clock does: the archive is read in the order of moments.
                at = max(transaction.now, row.published_at + 2 * _MICROSECOND)
                _change(transaction, report_id, withdrawn_at=round(at / _MICROSECOND) * _MICROSECOND)
            return _report_of(_locked(transaction, report_id))

    @repeatable
    def restore_judge_report(self, report: PublishedReport) -> None:
        """Puts a report from the archive back as it was published; one already known stays as it is."""
        at = report.published_at.timestamp()
        row = _row(report.id, report.owner, report.owner_name, at, report.payload)
        with self._write() as transaction:
            if transaction.insert_missing(judge_reports, [row]):
                transaction.note_change("judge_reports")

    @repeatable
    def restore_withdrawn_judge_report(self, report_id: str, at: float) -> None:
        """Takes a report back that the archive says was; where it is not here, nothing happens."""
        with self._write() as transaction:
            _change(transaction, report_id, judge_reports.c.withdrawn_at.is_(None), withdrawn_at=at)

    @repeatable
    def judge_report(self, report_id: str) -> PublishedReport | None:
        """The report of that id, whatever became of it."""
        with self._read() as connection:
            row = connection.execute(select(judge_reports).where(judge_reports.c.id == report_id)).first()
        return None if row is None else _report_of(row)

    @repeatable
    def judge_reports(self) -> list[PublishedReport]:
        """Every report, whatever became of it, in the order they were published."""
        query = select(judge_reports).order_by(judge_reports.c.published_at, judge_reports.c.id)
        with self._read() as connection:
            return [_report_of(row) for row in connection.execute(query)]

    @repeatable
    def judge_reports_marker(self) -> int:
        """A number that grows with every change of a report."""
        return self._changes("judge_reports")


# --- within the transaction of an act --------------------------------------------------------------------------------


def is_judge_report(transaction: Transaction, subject: str) -> bool:
    """Whether an act is about a report, and not about a submission."""
    return transaction.execute(select(judge_reports.c.id).where(judge_reports.c.id == subject)).first() is not None


def follow_report_act(transaction: Transaction, report_id: str, kind: ActKind, why: str) -> None:
    """Lets a report be hidden or shown.

    Raises:
        StoreError: when the act makes no sense for it.
    """
    row = _locked(transaction, report_id)
    if kind not in ("hide", "show"):
        raise StoreError(f"{report_id} is a judge report: it can be hidden and shown again, no more")
    if row.withdrawn_at is not None:
        raise StoreError(f"judge report {report_id} was withdrawn: it is shown to nobody")
    if (row.hidden is not None) == (kind == "hide"):
        raise StoreError(f"judge report {report_id} is {'hidden already' if kind == 'hide' else 'not hidden'}")
    _change(transaction, report_id, hidden=(why or "no reason given") if kind == "hide" else None)


def restore_report_act(transaction: Transaction, report_id: str, kind: ActKind, why: str) -> None:
    """The same for an act of the archive, which was sensible when it was made."""
    _change(transaction, report_id, hidden=(why or "no reason given") if kind == "hide" else None)


def _change(transaction: Transaction, report_id: str, *where: ColumnElement[bool], **values: Any) -> None:
    own = update(judge_reports).where(judge_reports.c.id == report_id, *where).values(**values)
    if transaction.execute(own).rowcount:
        transaction.note_change("judge_reports")


def _locked(transaction: Transaction, report_id: str) -> Row[Any]:
    row = transaction.execute(select(judge_reports).where(judge_reports.c.id == report_id).with_for_update()).first()
    if row is None:
        raise StoreError(f"no judge report was published as {report_id!r}")
    return row


def _row(report_id: str, owner: str, owner_name: str, at: float, payload: str) -> dict[str, Any]:
    return {"id": report_id, "owner": owner, "owner_name": owner_name, "published_at": at, "payload": payload}


def _report_of(row: Row[Any]) -> PublishedReport:
    withdrawn_at = None if row.withdrawn_at is None else time_of(row.withdrawn_at)
    return PublishedReport(
        row.id, row.owner, row.owner_name, time_of(row.published_at), row.payload, withdrawn_at, row.hidden
    )


def _refuse_beyond(transaction: Transaction, owner: str, per_day: int) -> None:
    if not per_day:
        return
    lately = select(judge_reports.c.published_at).where(
        judge_reports.c.owner == owner, judge_reports.c.published_at > transaction.now - DAY_S
    )
    moments = sorted(row.published_at for row in transaction.execute(lately))
    if len(moments) >= per_day:
        freed = time_of(moments[len(moments) - per_day] + DAY_S)
        reports = "1 judge report" if len(moments) == 1 else f"{len(moments)} judge reports"
        raise QuotaExceeded(
            f"You have published {reports} within 24 hours, those withdrawn too, and the limit is {per_day}. "
            f"The next one is free at {freed:%Y-%m-%d %H:%M} UTC."
        )
