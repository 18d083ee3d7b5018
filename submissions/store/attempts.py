"""Attempts of a team within a season, counted from what the store holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from sqlalchemy import Connection, or_, select

from submissions.moments import moment_words
from submissions.store.quotas import DAY_S, FREE_OF_CHARGE, RunKey, runs_of
from submissions.store.rows import time_of
from submissions.store.tables import jobs, submissions


@dataclass(frozen=True, slots=True)
class AttemptRule:
    """The limits of one season; 0 = as many as a team likes."""

    title: str
    """Of the season."""
    set_id: str
    since: float
    """Seconds since the epoch; only what was received from then on counts, and before `until`."""
    until: float
    per_day: int
    """Within any 24 hours."""
    in_all: int
    by_team: bool
    """Teams are told apart by name, not by account."""
    zone: tzinfo
    """In which the next moment is said."""


@dataclass(frozen=True, slots=True)
class AttemptsUsed:
    """What counts against a team's attempts; failed and cancelled ones do not."""

    rule: AttemptRule
    received_at: tuple[datetime, ...] = ()
    """When the last files of its runs were received, oldest first."""
    unfinished: frozenset[RunKey] = frozenset()
    """Runs that may have further files, which cost nothing."""

    def refusal(self, now: float, run: RunKey | None = None) -> str | None:
        """Why no further attempt is taken now, and when the next may come; None where one is.

        Args:
            now: Seconds since the epoch.
            run: Of the file that is to be submitted (`submissions.store.quotas.run_key`).
        """
        rule = self.rule
        if run in self.unfinished:
            return None
        if rule.in_all and len(self.received_at) >= rule.in_all:
            return f"{self._used(now)} No attempt is left in it; files are taken again after its deadline, as late."
        lately = self._lately(now)
        if rule.per_day and len(lately) >= rule.per_day:
            return f"{self._used(now)} {self._next(lately)}"
        return None

    def left(self, now: float) -> str:
        """What is left, and when the next attempt may come, in words."""
        rule, lately = self.rule, self._lately(now)
        said = []
        if rule.per_day:
            said.append(f"{max(0, rule.per_day - len(lately))} of {rule.per_day} within 24 hours")
        if rule.in_all:
            said.append(f"{max(0, rule.in_all - len(self.received_at))} of {rule.in_all} in all")
        is_used_up = bool(rule.in_all) and len(self.received_at) >= rule.in_all
        is_waited_for = bool(rule.per_day) and len(lately) >= rule.per_day and not is_used_up
        then = self._next(lately) if is_waited_for else "" if is_used_up else "The next may come at once."
        return f"Attempts left: {', '.join(said)}. {then}".rstrip()

    def _lately(self, now: float) -> tuple[datetime, ...]:
        return tuple(at for at in self.received_at if at.timestamp() > now - DAY_S)

    def _used(self, now: float) -> str:
        rule, said = self.rule, []
        if rule.per_day:
            said.append(f"{len(self._lately(now))} of {rule.per_day} attempts within 24 hours")
        if rule.in_all:
            said.append(f"{len(self.received_at)} of {rule.in_all} in all")
        return (
            f"Your team has used {' and '.join(said)} in the season {rule.title}, not counting failed and cancelled "
            "ones."
        )

    def _next(self, lately: Sequence[datetime]) -> str:
        """When a place is free: of five where three are allowed, two more must grow old before."""
        rule = self.rule
        # Rounded up to a whole second: whoever comes at that second is let in.
        freed = time_of(-(-lately[len(lately) - rule.per_day].timestamp() // 1) + DAY_S)
        is_late = " That is after the deadline: it would be late." if freed.timestamp() >= rule.until else ""
        return f"The next may come at {moment_words(freed, rule.zone)}.{is_late}"


def attempts_used(connection: Connection, rule: AttemptRule, owner: str, team: str | None) -> AttemptsUsed:
    """What a team has used of its attempts in a season."""
    same_set = or_(
        submissions.c.set_id == rule.set_id, submissions.c.set_id.startswith(f"{rule.set_id}:", autoescape=True)
    )
    query = select(submissions, jobs.c.status).join(jobs)
    query = query.where(submissions.c.owner == owner, submissions.c.role == "entry", same_set)
    query = query.where(submissions.c.received_at >= rule.since, submissions.c.received_at < rule.until)
    query = query.where(jobs.c.status.not_in(FREE_OF_CHARGE))
    if rule.by_team:
        query = query.where(submissions.c.team == team)
    runs = runs_of(connection.execute(query.order_by(submissions.c.received_at, submissions.c.id)))
    received_at = sorted(time_of(run.files[-1].received_at) for run in runs)
    return AttemptsUsed(rule, tuple(received_at), frozenset(run.key for run in runs if not run.is_full))
