"""Runs of several files: the 2025 edition has one file for each language (docs/submit.md#the-format-of-2025)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from submissions.schema import Names
from submissions.store.database import Database, repeatable
from submissions.store.queue import JobStatus, Role
from submissions.store.rows import names_of
from submissions.store.tables import jobs, submissions

_OF_RUN = [submissions.c[name] for name in ("owner", "set_id", "team", "system", "model", "run")]
"""What the files of one run have in common; never their names."""

_STANDING = (JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.SCORED)


@dataclass(frozen=True, slots=True)
class RunFile:
    """One file of a run."""

    ticket_id: str
    file_name: str
    file_sha256: str
    names: Names


class Runs(Database):
    """Which files make one run, and which stand in a set."""

    @repeatable
    def files_of_set(self, set_id: str, role: Role, *, scored: bool = False) -> list[RunFile]:
        """The files of a set, the newest first.

        Args:
            scored: Only those that are scored; else all, whatever became of them.
        """
        query = (
            select(submissions)
            .join(jobs, jobs.c.submission_id == submissions.c.id)
            .where(submissions.c.set_id == set_id, submissions.c.role == role)
            .where(jobs.c.status.in_([JobStatus.SCORED] if scored else list(JobStatus)))
            .order_by(submissions.c.received_at.desc(), submissions.c.id)
        )
        with self._read() as connection:
            return [RunFile(row.id, row.file_name, row.file_sha256, names_of(row)) for row in connection.execute(query)]

    @repeatable
    def run_files(self, ticket_id: str) -> list[RunFile]:
        """All accepted files of the run a submission belongs to, this one included, the oldest first.

        Files that failed, were cancelled or withdrawn are no part of a run.
        """
        this = submissions.alias()
        query = (
            select(submissions)
            .join(jobs, jobs.c.submission_id == submissions.c.id)
            .join(this, this.c.id == ticket_id)
            .where(*(column.is_not_distinct_from(this.c[column.name]) for column in _OF_RUN))
            .where(jobs.c.status.in_(_STANDING))
            .order_by(submissions.c.received_at, submissions.c.id)
        )
        with self._read() as connection:
            return [RunFile(row.id, row.file_name, row.file_sha256, names_of(row)) for row in connection.execute(query)]
