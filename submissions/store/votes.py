"""Votes of people on judges' verdicts: "agree" or "disagree", one vote per person and verdict.

A verdict is what one judge made of one pair of answers in both orders. The same answers under another pin are another
verdict, and the same answers in two runs are one. Votes of the lab are something else (`content`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import Row, func, select

from submissions.store.database import KEYS_PER_QUERY, Database, repeatable
from submissions.store.quotas import DAY_S, QuotaExceeded
from submissions.store.rows import time_of
from submissions.store.tables import verdict_votes

Stance = Literal["agree", "disagree", "none"]
"""`none`: a vote that was taken back; it counts nowhere, and the record keeps it."""
STANCES: tuple[Stance, ...] = get_args(Stance)

Reading = Literal["same", "different"]
"""Do two answers mean the same?"""

_OTHER: dict[Reading, Reading] = {"same": "different", "different": "same"}
_MICROSECOND = 1e-6


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A verdict as it is voted on."""

    verdict: str
    """`verdict_id` of the keys of both orders."""
    judge: str
    """SHA-256 of the judge's pin."""
    judge_name: str
    """The judge, for people."""
    reading: Reading
    """What the judge said when it was voted on, in the word the page showed."""
    score: float
    """The rating behind that word, 0-5."""
    item: str
    """Prompt set and item: votes on one item are drawn together."""
    ticket: str
    """The run on whose page it was voted on."""


@dataclass(frozen=True, slots=True)
class VerdictVote:
    """One person's vote on one verdict, as it stands."""

    person: str
    """The account, or the browser where nobody signs in; for counting, never shown."""
    pair: JudgedPair
    stance: Stance
    is_own: bool
    """On a run of the person's own: kept, and part of no figure."""
    at: datetime

    @property
    def reading(self) -> Reading | None:
        """What the person says about the two answers; None once the vote was taken back."""
        if self.stance == "none":
            return None
        return self.pair.reading if self.stance == "agree" else _OTHER[self.pair.reading]


def verdict_id(key_ab: str, key_ba: str) -> str:
    """Digest of the verdict keys of both orders, whichever answer is called the first.

    >>> verdict_id("k1", "k2") == verdict_id("k2", "k1") != verdict_id("k1", "k3")
    True
    """
    return hashlib.sha256("\n".join(sorted((key_ab, key_ba))).encode()).hexdigest()


class VerdictVotes(Database):
    """Votes on verdicts."""

    @repeatable
    def cast_vote(
        self, person: str, pair: JudgedPair, stance: Stance, *, is_own: bool = False, per_day: int = 0
    ) -> VerdictVote | None:
        """Sets a person's vote on a verdict, in place of an earlier one; `none` takes it back.

        Args:
            is_own: The run is the person's own.
            per_day: Votes given or changed within 24 hours that a person may have; 0 = no limit. Taking back is free.

        Returns:
            The vote as it stands; None where there was none to take back.

        Raises:
            QuotaExceeded: when the person has voted too often; nothing changes.
        """
        own = (verdict_votes.c.person == person) & (verdict_votes.c.verdict == pair.verdict)
        with self._write() as transaction:
            # Of two votes of one person at once the second one counts the first.
            transaction.lock(f"votes {person}")
            before = transaction.execute(select(verdict_votes).where(own).with_for_update()).first()
            if before is None and stance == "none":
                return None
            if before is not None and (before.stance, before.reading) == (stance, pair.reading):
                return vote_of(before)
            casts = before.casts if before is not None and before.at > transaction.now - DAY_S else 0
            if stance != "none":
                _refuse_beyond(per_day, transaction.execute(_lately(person, transaction.now)).one())
                casts += 1
            # Later than the vote it replaces: what a clock that jumps must not undo.
            at = max(transaction.now, (before.at if before is not None else 0.0) + 2 * _MICROSECOND)
            row = _row(person, pair, stance, is_own=is_own, at=round(at / _MICROSECOND) * _MICROSECOND, casts=casts)
            transaction.upsert(verdict_votes, row, **row)
            transaction.note_change("verdict_votes")
            return vote_of(transaction.execute(select(verdict_votes).where(own)).one())

    @repeatable
    def restore_vote(self, vote: VerdictVote) -> None:
        """Puts a vote from the archive back, unless one as new is here."""
        own = (verdict_votes.c.person == vote.person) & (verdict_votes.c.verdict == vote.pair.verdict)
        at = vote.at.timestamp()
        row = _row(vote.person, vote.pair, vote.stance, is_own=vote.is_own, at=at, casts=int(vote.stance != "none"))
        with self._write() as transaction:
            known = transaction.scalar(select(verdict_votes.c.at).where(own).with_for_update()) or 0.0
            if known < at - _MICROSECOND:
                transaction.upsert(verdict_votes, row, **row)
                transaction.note_change("verdict_votes")

    @repeatable
    def verdict_votes(self) -> list[VerdictVote]:
        """Every vote as it stands, those taken back too, in the order they were given."""
        query = select(verdict_votes).order_by(verdict_votes.c.at, verdict_votes.c.person, verdict_votes.c.verdict)
        with self._read() as connection:
            return [vote_of(row) for row in connection.execute(query)]

    @repeatable
    def votes_of(self, person: str, verdicts: Collection[str]) -> dict[str, VerdictVote]:
        """A person's votes on those verdicts, but for those taken back, by verdict."""
        wanted = sorted(verdicts)
        query = select(verdict_votes).where(verdict_votes.c.person == person, verdict_votes.c.stance != "none")
        rows: list[Row[Any]] = []
        with self._read() as connection:
            for start in range(0, len(wanted), KEYS_PER_QUERY):
                some = wanted[start : start + KEYS_PER_QUERY]
                rows += connection.execute(query.where(verdict_votes.c.verdict.in_(some)))
        return {row.verdict: vote_of(row) for row in rows}

    @repeatable
    def verdict_votes_marker(self) -> int:
        """A number that grows with every vote."""
        return self._changes("verdict_votes")


def vote_of(row: Row[Any]) -> VerdictVote:
    """The vote of a row of `verdict_votes`."""
    pair = JudgedPair(row.verdict, row.judge, row.judge_name, row.reading, row.score, row.item, row.ticket)
    return VerdictVote(row.person, pair, row.stance, bool(row.is_own), time_of(row.at))


def _row(person: str, pair: JudgedPair, stance: Stance, *, is_own: bool, at: float, casts: int) -> dict[str, Any]:
    return {
        "person": person,
        **asdict(pair),
        "stance": stance,
        "is_own": int(is_own),
        "at": at,
        "casts": casts,
    }


def _lately(person: str, now: float) -> Any:
    """How often a person voted within 24 hours, and when the oldest of these votes was given."""
    columns = (
        func.coalesce(func.sum(verdict_votes.c.casts), 0).label("casts"),
        func.min(verdict_votes.c.at).label("at"),
    )
    return select(*columns).where(verdict_votes.c.person == person, verdict_votes.c.at > now - DAY_S)


def _refuse_beyond(per_day: int, lately: Row[Any]) -> None:
    if per_day and lately.casts >= per_day:
        freed, times = time_of(lately.at + DAY_S), "time" if lately.casts == 1 else "times"
        raise QuotaExceeded(
            f"You have voted {lately.casts} {times} within 24 hours, and the limit is {per_day}. "
            f"The next vote is free at {freed:%Y-%m-%d %H:%M} UTC."
        )
