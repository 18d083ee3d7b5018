"""The submission desk: check a file, take it in durably, cancel, withdraw."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from submissions.archive import Archive, EndKind
from submissions.checks import CheckReport, Content, check_submission
from submissions.codes import CODES
from submissions.problems import Problem, SubmissionError
from submissions.promptsets import PromptSets
from submissions.queue import Role, Ticket
from submissions.schema import Names, VerdictChoices
from submissions.settings import Durability
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


_WHERE_IT_IS: dict[Durability, str] = {
    "disk": "",
    "hub": "stored on this machine, not yet in the archive",
    "nowhere": "stored on this machine only, which forgets it when it restarts: it has no archive",
}
"""What the log of a ticket says of where its file is."""

_NO_TEAM = Problem(
    code="source_missing",
    severity=CODES["source_missing"].severity,
    path="$",
    message="there is no team name; a table of verdicts does not state one",
    hint="Fill in the team in the form, or give --team.",
)


def _no_board(report: CheckReport) -> Problem:
    """Of a kind that is read and scored, but not ranked anywhere yet: what would a queue do with it?"""
    command = "behavior-alignment" if report.crs else "personalized-evaluation"
    return Problem(
        code="wrong_kind",
        severity=CODES["wrong_kind"].severity,
        path="$",
        message=f"the file is in order, but files of kind {report.kind} have no board here yet",
        hint=f"Score it on your own machine: python -m evaluator {command} FILE",
    )


class Desk:
    """Takes submissions in: nothing is queued that is not in the archive, and no acknowledgement comes before both.

    Args:
        durability: Where the archive survives. With `hub` a submission waits as `received` until it is there.
    """

    def __init__(
        self,
        store: Store,
        archive: Archive,
        prompt_sets: PromptSets,
        clock: Clock = time.time,
        *,
        durability: Durability = "disk",
    ) -> None:
        self._store = store
        self._archive = archive
        self._prompt_sets = prompt_sets
        self._clock = clock
        self._durability: Durability = durability

    @property
    def prompt_sets(self) -> PromptSets:
        return self._prompt_sets

    def check(
        self,
        data: Content,
        file_name: str,
        *,
        edition: str = "auto",
        names: Names = Names(),
        choices: VerdictChoices = VerdictChoices(),
    ) -> CheckReport:
        """What the file is and everything that is wrong with it; stores nothing, and keeps no personalized answers."""
        return check_submission(
            data,
            file_name,
            edition=edition or "auto",
            names=names,
            choices=choices,
            prompt_sets=self._prompt_sets,
            keep_rows=False,
        )

    def submit(
        self,
        data: Content,
        file_name: str,
        *,
        owner: str,
        edition: str = "auto",
        names: Names = Names(),
        choices: VerdictChoices = VerdictChoices(),
        role: Role = "entry",
    ) -> Receipt:
        """Checks a file and takes it in.

        The same file under the same names, read the same way, is not taken twice while the earlier submission stands.

        Raises:
            SubmissionError: with every problem, when the file is refused.
        """
        report = self.check(data, file_name, edition=edition, names=names, choices=choices)
        entry = report.entry
        # The null row of empty answers is the one file that is refused from teams and yet belongs on the board.
        errors = {problem.code for problem in report.problems if problem.severity == "error"}
        if entry is None or (errors and not (role == "baseline" and errors == {"all_empty"})):
            raise SubmissionError(report.problems)
        if report.crs or report.perse:
            raise SubmissionError([*report.problems, _no_board(report)])
        if entry.names.team is None:
            raise SubmissionError([*report.problems, _NO_TEAM])
        # As read, not as asked: a flag that says what the file says must not make two submissions of one file.
        choices = report.verdicts.choices if report.verdicts else VerdictChoices()
        known = self._store.find(owner, entry.set_id, entry.names, entry.file_sha256, choices)
        if known is not None:
            return Receipt(known, report, already_known=True)
        content = data if isinstance(data, bytes) else _whole(data)
        ticket_id = uuid.uuid4().hex[:16]
        accepted = self._durability != "hub"
        keep_in_store = partial(self._store.add, accepted=accepted, remark=_WHERE_IT_IS[self._durability], once=True)
        received_at = self._clock()
        for take_in in (self._archive.record_submission, keep_in_store):
            take_in(
                ticket_id=ticket_id,
                owner=owner,
                role=role,
                edition=report.edition or "",
                set_id=entry.set_id,
                names=entry.names,
                choices=choices,
                file_name=file_name,
                data=content,
                received_at=received_at,
            )
        known = self._store.find(owner, entry.set_id, entry.names, entry.file_sha256, choices)
        if known is not None and known.id != ticket_id:
            # Sent twice at the same moment: the archive has both, and must not bring the second one back.
            self._archive.record_end("cancellation", ticket_id, owner, received_at, f"sent twice: see {known.id}")
            return Receipt(known, report, already_known=True)
        return Receipt(self._store.require(ticket_id), report, already_known=False)

    def cancel(self, ticket_id: str, owner: str) -> None:
        """Stops a submission that is not scored yet.

        Raises:
            NotYours, StoreError: as `Store.cancel`.
        """
        self._store.cancel(ticket_id, owner)
        self._record_end("cancellation", ticket_id)

    def withdraw(self, ticket_id: str, owner: str) -> None:
        """Takes a submission off the boards; a tombstone stays.

        Raises:
            NotYours, StoreError: as `Store.withdraw`.
        """
        self._store.withdraw(ticket_id, owner)
        self._record_end("withdrawal", ticket_id)

    def _record_end(self, kind: EndKind, ticket_id: str) -> None:
        # As the store has it, to the moment: whoever else records the same end writes the same event.
        ended = self._store.require(ticket_id)
        self._archive.record_end(kind, ticket_id, ended.owner, ended.status_at.timestamp(), ended.reason)


def _whole(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()
