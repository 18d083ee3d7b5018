"""The submission desk: check a file, take it in durably, cancel, withdraw."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass

from submissions.archive import Archive
from submissions.checks import CheckReport, check_submission
from submissions.problems import SubmissionError
from submissions.promptsets import PromptSets
from submissions.queue import Role, Ticket
from submissions.schema import Names
from submissions.store import Clock, Store

LOCAL_OWNER = "local"
"""The one account of an installation without sign-in."""

ANONYMOUS_OWNER = "anonymous"
"""Every visitor of a public Space, as long as nobody can sign in: they are not told apart, so none may end a run."""

HOUSE_OWNER = "plumbline"
"""Owns the null rows and our example systems."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a team gets for an accepted file."""

    ticket: Ticket
    report: CheckReport
    already_known: bool
    """The same file under the same names was submitted before: the ticket is the earlier one."""


class Desk:
    """Takes submissions in: nothing is queued that is not in the archive, and no acknowledgement comes before both."""

    def __init__(self, store: Store, archive: Archive, prompt_sets: PromptSets, clock: Clock = time.time) -> None:
        self._store = store
        self._archive = archive
        self._prompt_sets = prompt_sets
        self._clock = clock

    @property
    def prompt_sets(self) -> PromptSets:
        return self._prompt_sets

    def check(self, data: bytes, file_name: str, *, edition: str = "auto", names: Names = Names()) -> CheckReport:
        """What the file is and everything that is wrong with it; stores nothing."""
        return check_submission(data, file_name, edition=edition, names=names, prompt_sets=self._prompt_sets)

    def submit(
        self,
        data: bytes,
        file_name: str,
        *,
        owner: str,
        edition: str = "auto",
        names: Names = Names(),
        role: Role = "entry",
    ) -> Receipt:
        """Checks a file and takes it in.

        The same file under the same names is not taken twice while the earlier submission stands.

        Raises:
            SubmissionError: with every problem, when the file is refused.
        """
        report = self.check(data, file_name, edition=edition, names=names)
        submission = report.submission
        # The null row of empty answers is the one file that is refused from teams and yet belongs on the board.
        errors = {problem.code for problem in report.problems if problem.severity == "error"}
        if submission is None or (errors and not (role == "baseline" and errors == {"all_empty"})):
            raise SubmissionError(report.problems)
        known = self._store.find(owner, submission.set_id, submission.names, submission.file_sha256)
        if known is not None:
            return Receipt(known, report, already_known=True)
        ticket_id = uuid.uuid4().hex[:16]
        received_at = self._clock()
        self._archive.record_submission(
            ticket_id=ticket_id,
            owner=owner,
            role=role,
            edition=submission.edition,
            set_id=submission.set_id,
            names=submission.names,
            file_name=file_name,
            data=data,
            received_at=received_at,
        )
        ticket = self._store.add(
            ticket_id=ticket_id,
            owner=owner,
            role=role,
            edition=submission.edition,
            set_id=submission.set_id,
            names=submission.names,
            file_name=file_name,
            data=data,
            received_at=received_at,
        )
        return Receipt(ticket, report, already_known=False)

    def cancel(self, ticket_id: str, owner: str) -> None:
        """Stops a submission that is not scored yet.

        Raises:
            NotYours, StoreError: as `Store.cancel`.
        """
        self._store.cancel(ticket_id, owner)
        self._archive.record_end("cancellation", ticket_id, owner, self._clock())

    def withdraw(self, ticket_id: str, owner: str) -> None:
        """Takes a submission off the boards; a tombstone stays.

        Raises:
            NotYours, StoreError: as `Store.withdraw`.
        """
        self._store.withdraw(ticket_id, owner)
        self._archive.record_end("withdrawal", ticket_id, owner, self._clock())
