"""Decisions of organisers and owners about runs: pause, hide, judge again, which run is ranked.

Every act stays in a log that everybody can read. What follows from it is kept where it is needed: with the job.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, insert, select, update

from submissions.formats.personalization.submission import SET_ID as PERSONALIZATION
from submissions.store.cells import cells_of
from submissions.store.claims import Claims, locked_job
from submissions.store.database import StoreError, Transaction, repeatable, run_once
from submissions.store.judge_reports import follow_report_act, is_judge_report, restore_report_act
from submissions.store.queue import Act, ActKind, JobStatus
from submissions.store.quotas import NO_QUOTAS, QuotaExceeded, Quotas, quota_use
from submissions.store.rejudging import keep, set_aside, set_aside_by
from submissions.store.rows import act_of, log_event, pause_of, put_result
from submissions.store.tables import acts, jobs, results, submissions

logger = logging.getLogger(__name__)

MOST_REASON = 300
"""Characters of a reason."""

_MICROSECOND = 1e-6
_CHOICES: frozenset[ActKind] = frozenset({"primary", "latest", "primary_of_team", "latest_of_team"})
"""Acts that say which run is ranked."""
ANSWERS_KEPT: Mapping[ActKind, bool] = MappingProxyType({"keep_answers": True, "share_answers": False})
"""Acts that say whether a team's answers stay out of public exports -> whether they do."""
_NAMED_CELLS = 12
"""So many are named where somebody asks for another one."""


TeamKey = tuple[str, str | None]
"""A team: the account, and the name it gives."""


class Acts(Claims):
    """Acts and what follows from them."""

    @run_once
    def act(
        self,
        kind: ActKind,
        subject: str,
        *,
        actor: str,
        actor_name: str = "",
        reason: str = "",
        owner: str | None = None,
        quotas: Quotas = NO_QUOTAS,
        cell: str = "",
    ) -> Act:
        """Does it and logs it, in one transaction.

        Args:
            subject: A ticket, `QUEUE` to pause and resume, the season whose board is frozen, or a published judge
                report to hide and show.
            actor: The account that acts; `actor_name` is what people call it.
            owner: Whose submission it has to be; None = an organiser acts, and may with everybody's.
            quotas: Of that owner; judging again is a run at work like any other.
            cell: The part of a scored run that is to be judged again (`submissions.store.cells`); blank = all of it.
                Of a freeze the SHA-256 of the frozen copy.

        Raises:
            NotYours: when the submission is not `owner`'s.
            StoreError: when the ticket is unknown, or the act would change nothing.
            QuotaExceeded: when the owner has too many runs at work.
        """
        with self._write() as transaction:
            transaction.lock(f"acts {subject}")
            if kind in _CHOICES:
                # Of two runs of a team that are chosen at once only the second one is primary.
                transaction.lock(_team_name(transaction, subject))
            status = None
            if kind in ("pause", "resume"):
                _refuse_unless(kind, pause_of(transaction.connection))
            elif kind == "freeze":
                _refuse_frozen(transaction, subject)
            elif owner is None and is_judge_report(transaction, subject):
                follow_report_act(transaction, subject, kind, reason)
            else:
                job = locked_job(transaction, subject, owner)
                status = JobStatus(job.status)
                fault = _fault(kind, job, is_organiser=owner is None, is_cell=bool(cell))
                if fault:
                    raise StoreError(f"submission {subject} {fault}")
                if kind in ANSWERS_KEPT:
                    _refuse_said_already(transaction, kind, subject)
                if kind == "rerun" and owner is not None and quotas != NO_QUOTAS:
                    refusal = quota_use(transaction.connection, transaction.now, owner).refusal(quotas)
                    if refusal:
                        raise QuotaExceeded(refusal)
            at = moment_after(transaction, subject)
            row = {
                "id": uuid.uuid4().hex[:16],
                "at": at,
                "kind": kind,
                "subject": subject,
                "actor": actor,
                "actor_name": actor_name,
                "reason": reason,
                "cell": cell,
            }
            keys = _keys_of(transaction, subject, cell) if cell and status is not None else ()
            transaction.execute(insert(acts).values(row))
            done = act_of(transaction.execute(select(acts).where(acts.c.id == row["id"])).one())
            if status is None:
                transaction.note_change("state")
            else:
                set_aside(transaction, done.id, keys)
                self._follow(transaction, done, status)
        logger.info("%s: %s by %s", done.subject, done.kind, done.actor)
        return done

    @repeatable
    def replace_result(
        self, ticket_id: str, result: str, *, former: str, judged: int, actor: str, reason: str
    ) -> Act | None:
        """Puts a result by another judge or answer head in the place of the one that stands, and logs the act.

        Both in one transaction: the row is on its board all the while. What was judged elsewhere is no measure of a
        worker's speed: the attempt that the ticket's log tells of took no time and stored nothing.

        Args:
            former: The result (JSON) that it takes the place of.
            judged: Verdicts it rests on.
            actor: The account that acts.

        Returns:
            The act; the result was recorded at the same moment. None where the former result stands no more: the
            submission was withdrawn, or judged by somebody else.
        """
        stands = (
            select(jobs.c.status_at)
            .join(results, results.c.submission_id == jobs.c.submission_id)
            .where(jobs.c.submission_id == ticket_id, jobs.c.status == JobStatus.SCORED, results.c.payload == former)
        )
        with self._write() as transaction:
            transaction.lock(f"acts {ticket_id}")
            status_at = transaction.scalar(stands.with_for_update(of=jobs))
            if status_at is None:
                return None
            at = max(moment_after(transaction, ticket_id), _rounded(status_at + 2 * _MICROSECOND))
            row = {
                "id": uuid.uuid4().hex[:16],
                "at": at,
                "kind": "rerun",
                "subject": ticket_id,
                "actor": actor,
                "actor_name": "",
                "reason": reason,
                "cell": "",
            }
            transaction.execute(insert(acts).values(row))
            done = act_of(transaction.execute(select(acts).where(acts.c.id == row["id"])).one())
            log_event(transaction, ticket_id, JobStatus.RUNNING, f"{done.words}: {reason}", at=at)
            put_result(transaction, ticket_id, result, at)
            scored = {"status_at": at, "judged": judged, "to_judge": judged, "stored_in_claim": 0}
            transaction.execute(update(jobs).where(jobs.c.submission_id == ticket_id).values(scored))
            log_event(transaction, ticket_id, JobStatus.SCORED, "scored anew", at=at)
        logger.info("submission %s scored anew", ticket_id)
        return done

    @repeatable
    def note(self, ticket_id: str, message: str) -> None:
        """A line in the log of a scored submission that changes nothing else."""
        with self._write() as transaction:
            log_event(transaction, ticket_id, JobStatus.SCORED, message)

    @repeatable
    def restore_act(self, act: Act, verdicts: Mapping[str, str] = MappingProxyType({})) -> None:
        """Puts an act from the archive back, with what follows from it; one already known changes nothing.

        Args:
            act: As it was recorded.
            verdicts: Which it set aside (JSON by key).
        """
        row = {
            "id": act.id,
            "at": act.at.timestamp(),
            "kind": act.kind,
            "subject": act.subject,
            "actor": act.actor,
            "actor_name": act.actor_name,
            "reason": act.reason,
            "cell": act.cell,
        }
        of_subject = select(jobs).where(jobs.c.submission_id == act.subject).with_for_update()
        with self._write() as transaction:
            if not transaction.insert_missing(acts, [row]):
                return
            transaction.note_change("state")
            keep(transaction, act.id, verdicts)
            if is_judge_report(transaction, act.subject) and not _is_undone(transaction, act):
                restore_report_act(transaction, act.subject, act.kind, act.reason)
            job = transaction.execute(of_subject).first()
            if job is None:
                return
            # It was judged again after the act: the result is in the archive too.
            is_settled = act.kind == "rerun" and not (
                job.status in (JobStatus.SCORED, JobStatus.FAILED) and job.status_at < act.at.timestamp()
            )
            if not is_settled and not _is_undone(transaction, act):
                set_aside(transaction, act.id, list(verdicts))
                self._follow(transaction, act, JobStatus(job.status))

    @repeatable
    def acts(self, *, about: str | None = None, newest: int | None = None) -> list[Act]:
        """Every act, or that many of them, or those about one submission; the newest first."""
        query = select(acts).order_by(acts.c.at.desc(), acts.c.id).limit(newest)
        if about is not None:
            query = query.where(acts.c.subject == about)
        with self._read() as connection:
            return [act_of(row) for row in connection.execute(query)]

    @repeatable
    def answers_kept(self) -> frozenset[str]:
        """Tickets whose answers stay out of public exports: what a team said last holds for all that it sends."""
        query = select(submissions.c.id, submissions.c.owner, submissions.c.team)
        with self._read() as connection:
            keeping = _keeping_teams(connection)
            if not keeping:
                return frozenset()
            of_owners = query.where(submissions.c.owner.in_({owner for owner, _ in keeping}))
            return frozenset(row.id for row in connection.execute(of_owners) if (row.owner, row.team) in keeping)

    @repeatable
    def pause(self) -> Act | None:
        """The act by which the queue is paused; None while it is not."""
        with self._read() as connection:
            return pause_of(connection)

    @repeatable
    def attempts(self, ticket_id: str) -> list[str]:
        """Tickets of every attempt with the system of this one, oldest first, whatever became of them."""
        with self._read() as connection:
            row = connection.execute(select(submissions).where(submissions.c.id == ticket_id)).first()
            if row is None:
                return []
            query = select(submissions.c.id).where(_same_system(row))
            return list(connection.scalars(query.order_by(submissions.c.received_at, submissions.c.id)))

    def _follow(self, transaction: Transaction, act: Act, status: JobStatus) -> None:
        """What follows from an act for the submission it is about, and its line in the ticket's log."""
        said = f"{act.words}: {act.reason}" if act.reason else act.words
        own = update(jobs).where(jobs.c.submission_id == act.subject)
        match act.kind:
            case "hide":
                transaction.execute(own.values(hidden=act.reason or act.words))
            case "show":
                transaction.execute(own.values(hidden=None))
            case "primary" | "primary_of_team":
                _clear_primary(transaction, act)
                transaction.execute(own.values(is_primary=1))
            case "latest" | "latest_of_team":
                _clear_primary(transaction, act)
            case "rerun":
                transaction.execute(own.values(fruitless=0))
                if act.cell:
                    asked = len(set_aside_by(transaction.connection, act.id))
                    transaction.execute(own.values(rejudging=act.id, judged=0, to_judge=asked))
                self._requeue(transaction, act.subject, said, not_before=0.0)
                return
        log_event(transaction, act.subject, status, said)


def _is_undone(transaction: Transaction, act: Act) -> bool:
    """Was it decided otherwise since? An act may come back late: when its record could not be read at first."""
    if act.kind not in ("hide", "show"):
        return False
    since = select(acts.c.id).where(
        acts.c.subject == act.subject, acts.c.kind.in_(("hide", "show")), acts.c.at > act.at.timestamp()
    )
    return transaction.execute(since.limit(1)).first() is not None


def _keeping_teams(connection: Connection) -> frozenset[TeamKey]:
    said = (
        select(submissions.c.owner, submissions.c.team, acts.c.kind)
        .join(submissions, submissions.c.id == acts.c.subject)
        .where(acts.c.kind.in_(ANSWERS_KEPT))
        .order_by(acts.c.at, acts.c.id)
    )
    last = {(row.owner, row.team): ANSWERS_KEPT[row.kind] for row in connection.execute(said)}
    return frozenset(team for team, keeps in last.items() if keeps)


def _refuse_said_already(transaction: Transaction, kind: ActKind, ticket_id: str) -> None:
    row = transaction.execute(select(submissions).where(submissions.c.id == ticket_id)).one()
    keeps = (row.owner, row.team) in _keeping_teams(transaction.connection)
    if keeps == ANSWERS_KEPT[kind]:
        raise StoreError(f"the answers of its team are {'kept out of' if keeps else 'in'} public exports already")


def _refuse_unless(kind: ActKind, pause: Act | None) -> None:
    if (kind == "pause") == (pause is not None):
        raise StoreError("the queue is paused already" if pause else "the queue is not paused")


def _refuse_frozen(transaction: Transaction, season: str) -> None:
    """A board is frozen once: what was kept then stays what it was."""
    kept = transaction.execute(select(acts).where(acts.c.kind == "freeze", acts.c.subject == season)).first()
    if kept is not None:
        act = act_of(kept)
        raise StoreError(f"the season {season} is frozen since {act.at:%Y-%m-%d %H:%M:%S} UTC, SHA-256 {act.cell}")


def _fault(kind: ActKind, job: Row[Any], *, is_organiser: bool, is_cell: bool) -> str:
    """Why an act makes no sense for a submission, to go on from its ticket; blank where it does."""
    status = JobStatus(job.status)
    if is_cell:
        scored = kind == "rerun" and status is JobStatus.SCORED
        return "" if scored else f"is {status}: only of a scored run one cell can be judged again"
    if kind == "hide" and job.hidden is not None:
        return "is hidden already"
    if kind == "show" and job.hidden is None:
        return "is not hidden"
    if kind == "rerun":
        if status is JobStatus.SCORED and not is_organiser:
            return "is scored: it cannot be judged again as a whole by its owner; choose one cell of it"
        again = (JobStatus.SCORED, JobStatus.FAILED)
        return "" if status in again else f"is {status}: it cannot be judged again"
    if kind in ("primary", "primary_of_team"):
        if job.hidden is not None or not (status.is_open or status is JobStatus.SCORED):
            return f"is {'hidden' if job.hidden is not None else status}: it cannot be the run that is ranked"
        return "is the primary run already" if job.is_primary else ""
    if kind in ("latest", "latest_of_team") and not job.is_primary:
        return "is not the primary run"
    return ""


def _keys_of(transaction: Transaction, ticket_id: str, cell: str) -> Sequence[str]:
    """Keys of the verdicts a cell of a scored run rests on.

    Raises:
        StoreError: when the run has no such cell; the text names those it has.
    """
    cells = cells_of(transaction.scalar(select(results.c.payload).where(results.c.submission_id == ticket_id)) or "{}")
    if cell not in cells.keys:
        named = [*cells.keys][:_NAMED_CELLS]
        more = len(cells.keys) - len(named)
        known = ", ".join(repr(name) for name in named) + (f" and {more} more" if more else "")
        has = f"it has {known}" if named else cells.reason
        raise StoreError(f"submission {ticket_id} has no cell {cell!r} that can be judged again: {has}")
    return cells.keys[cell]


def moment_after(transaction: Transaction, subject: str) -> float:
    """Now, and later than every earlier act on the same: what a clock that jumps must not undo."""
    last = select(acts.c.at).where(acts.c.subject == subject).order_by(acts.c.at.desc()).limit(1)
    return _rounded(max(transaction.now, (transaction.scalar(last) or 0.0) + 2 * _MICROSECOND))


def _rounded(at: float) -> float:
    """To the microsecond, as the archive keeps moments."""
    return round(at / _MICROSECOND) * _MICROSECOND


def _same_team(row: Row[Any]) -> ColumnElement[bool]:
    """What the team of a row of `submissions` sent for the same set."""
    same_team = submissions.c.team.is_not_distinct_from(row.team)
    return and_(submissions.c.owner == row.owner, submissions.c.set_id == row.set_id, same_team)


def _same_system(row: Row[Any]) -> ColumnElement[bool]:
    """Attempts with the system of a row of `submissions`.

    Names are display text, so the account belongs to the key. Answers with preferences may come in several files, one
    run each: there the run belongs to it as well.
    """
    names = ("team", "system", "model", *(("run",) if row.set_id == PERSONALIZATION else ()))
    stated = (submissions.c[name].is_not_distinct_from(getattr(row, name)) for name in names)
    return and_(submissions.c.owner == row.owner, submissions.c.set_id == row.set_id, *stated)


def _team_name(transaction: Transaction, ticket_id: str) -> str:
    """A name for the team of a submission, for locks."""
    row = transaction.execute(select(submissions).where(submissions.c.id == ticket_id)).first()
    return f"team of {row.owner!r} {row.set_id!r} {row.team!r}" if row else "no team"


def _clear_primary(transaction: Transaction, act: Act) -> None:
    """No run of the same system, or of the same team, is primary any more."""
    row = transaction.execute(select(submissions).where(submissions.c.id == act.subject)).one()
    same = _same_team(row) if act.kind in ("primary_of_team", "latest_of_team") else _same_system(row)
    others = select(submissions.c.id).where(same)
    transaction.execute(
        update(jobs).where(jobs.c.is_primary == 1, jobs.c.submission_id.in_(others)).values(is_primary=0)
    )
