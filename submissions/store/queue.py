"""The words of the queue: what states a submission passes through, and what a ticket shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from submissions.schema import Names, VerdictChoices

Role = Literal["entry", "example", "recorded", "baseline"]
"""A team's entry, one of our designed example systems, what a real model answered when we ran it, or a baseline."""

PRIORITY: dict[Role, int] = {"entry": 0, "recorded": 1, "example": 1, "baseline": 2}
"""People do not wait behind our own rows."""


REQUESTS_PER_BATCH = 64
"""Verdicts are committed after this many judgements of each process that judges: what a killed worker may have to
repeat, and what a team waits for while a row of our own is judged."""


class JobStatus(StrEnum):
    """The states of a submission; each is visible with its time and reason."""

    RECEIVED = "received"
    QUEUED = "queued"
    RUNNING = "running"
    SCORED = "scored"
    FAILED = "failed"
    CANCELLED = "cancelled"
    WITHDRAWN = "withdrawn"

    @property
    def sentence(self) -> str:
        """What the state means, for people."""
        return _SENTENCES[self]

    @property
    def is_open(self) -> bool:
        """Work is still to come."""
        return self in (JobStatus.RECEIVED, JobStatus.QUEUED, JobStatus.RUNNING)


_SENTENCES: dict[JobStatus, str] = {
    JobStatus.RECEIVED: "The file is stored on this machine, not yet in the archive; once it is there, it is queued.",
    JobStatus.QUEUED: "The submission waits for a worker.",
    JobStatus.RUNNING: "A worker is judging the submission.",
    JobStatus.SCORED: "The submission is scored and on the board.",
    JobStatus.FAILED: "The submission could not be judged; the reason says why.",
    JobStatus.CANCELLED: "The submission was cancelled before it was scored.",
    JobStatus.WITHDRAWN: "The submission was withdrawn: it is on no board, and this record of it stays.",
}


@dataclass(frozen=True, slots=True)
class SeasonMark:
    """What a season says of a submission (docs/seasons.md)."""

    name: str
    title: str
    unranked: str
    """Why it is not ranked now: late, or of another season; blank = the season says nothing against it."""
    is_late: bool
    """It came after the deadline."""
    one_primary_run: bool
    """Of all runs of a team one is ranked."""
    names_from: datetime | None
    """When its names become public; None once they are."""
    scores_from: datetime | None
    """When its scores do; until then it stands on no board."""
    answers_from: datetime | None
    """When its answers do; until then its row cannot be opened."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One submission and where it stands."""

    id: str
    owner: str
    role: Role
    edition: str
    """Of ELOQUENT; blank for other kinds."""
    set_id: str
    names: Names
    file_name: str
    file_sha256: str
    received_at: datetime
    status: JobStatus
    status_at: datetime
    reason: str | None
    position: int | None
    """Place in the queue, 1 = next; None unless queued."""
    judged: int
    to_judge: int | None
    """Judgements this submission needs; None until a worker has counted them."""
    attempts: int
    """How often a worker has claimed it."""
    log: tuple[str, ...]
    """What happened so far, oldest first: one line per change of state."""
    choices: VerdictChoices = VerdictChoices()
    """How the file was read, where that is not the file's alone to say."""
    owner_name: str = ""
    """What the account is called, for people; blank where accounts have no names."""
    hidden: str | None = None
    """Why organisers keep it off the boards, for everybody; None = they do not."""
    is_primary: bool = False
    """Its system, or its team where a season ranks one run of each, is ranked by this run, not by the latest one."""
    answers: int | None = None
    """That its file holds, as the check counted them; None where it counts none."""
    answers_sha256: str | None = None
    """Names what is answered, whatever names, dates and notes stand around it (docs/identity.md); None = not known."""
    newly_judged: int = 0
    """Of the judgements those that its last claim stored: what it found stored before is no measure of speed."""
    is_rejudged: bool = False
    """A cell of it waits to be judged again, or is: meanwhile its former result stands."""
    season: SeasonMark | None = None
    """Of the season it belongs to; None where there is none, and where nobody asked (`submissions.seasons`)."""

    @property
    def is_on_boards(self) -> bool:
        """Scored, or scored before and one cell is judged again; not hidden, and its scores are public."""
        is_public = self.season is None or self.season.scores_from is None
        return (self.status is JobStatus.SCORED or self.is_rejudged) and self.hidden is None and is_public

    @property
    def is_all_judged(self) -> bool:
        """Running, with every judgement made that is known to be needed."""
        return self.status is JobStatus.RUNNING and bool(self.to_judge) and self.judged >= (self.to_judge or 0)

    @property
    def is_erased(self) -> bool:
        """Nothing of what it said is kept."""
        return is_erased(self.status, self.reason)

    @property
    def out_of_season(self) -> str:
        """Why its season keeps it from a rank; blank where it does not."""
        return self.season.unranked if self.season else ""

    @property
    def shows_answers(self) -> bool:
        """May everybody read its answers?"""
        return self.season is None or self.season.answers_from is None

    @property
    def rank_order(self) -> tuple[bool, bool, datetime]:
        """Of several runs of a system on a board the one with the greatest is ranked: the primary, else the latest.

        What came late, or in another season, never takes the place of what came in time.
        """
        return (not self.out_of_season, self.is_primary, self.received_at)


ActKind = Literal[
    "pause",
    "resume",
    "hide",
    "show",
    "rerun",
    "primary",
    "latest",
    "primary_of_team",
    "latest_of_team",
    "freeze",
    "erase",
    "keep_answers",
    "share_answers",
]

_ACT_WORDS: dict[ActKind, str] = {
    "pause": "paused the queue",
    "resume": "resumed the queue",
    "hide": "hidden from the boards",
    "show": "shown on the boards again",
    "rerun": "to be judged again",
    "primary": "chosen as the run its system is ranked by",
    "latest": "its system is ranked by its latest run again",
    "primary_of_team": "chosen as the run its team is ranked by",
    "latest_of_team": "its team is ranked by its latest run again",
    "freeze": "froze the board of the season",
    "erase": "its answers were erased",
    "keep_answers": "its team keeps its answers out of public exports",
    "share_answers": "its team lets its answers into public exports again",
}

ERASED = "its answers were erased: "
"""How the reason of a tombstone begins whose file, result and verdicts are gone."""


def is_erased(status: JobStatus, reason: str | None) -> bool:
    """Is nothing kept of what a submission in this state said?"""
    return status is JobStatus.WITHDRAWN and (reason or "").startswith(ERASED)


QUEUE = "queue"
"""What an act is about that is about no single submission."""


@dataclass(frozen=True, slots=True)
class Act:
    """What an organiser or an owner decided; public, and never changed."""

    id: str
    at: datetime
    kind: ActKind
    subject: str
    """A ticket, `QUEUE`, or the name of a season that is frozen."""
    actor: str
    """The account that acted."""
    actor_name: str
    """What that account was called; blank where accounts have no names."""
    reason: str
    cell: str = ""
    """Which part of the run is to be judged again (`submissions.store.cells`); blank = all that the act is about. Of a
    freeze the SHA-256 of the frozen copy."""

    @property
    def words(self) -> str:
        """What was done, for people."""
        words = _ACT_WORDS[self.kind]
        if self.kind == "freeze":
            return f"{words} {self.subject}, SHA-256 {self.cell}"
        return f"{words}: the cell {self.cell}" if self.cell else words

    @property
    def who(self) -> str:
        """Who did it, for people."""
        return self.actor_name or self.actor


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker needs of a claimed submission."""

    id: str
    edition: str
    set_id: str
    names: Names
    file_name: str
    file_sha256: str
    claims: int
    choices: VerdictChoices = VerdictChoices()
    role: Role = "entry"

    @property
    def gives_way(self) -> bool:
        """Is it a row of our own? Then it goes back to the queue where a team's submission waits."""
        return PRIORITY[self.role] > PRIORITY["entry"]


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """One worker process as last heard of."""

    name: str
    judge: str
    seen_at: datetime
    is_alive: bool
    """Heard of within one lease."""
    judgements_per_s: float | None
    fault: str = ""
    """Why it could not begin to judge; blank for one that did."""


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A submission that was scored, and how long that took."""

    set_id: str
    worker: str | None
    """Who ended it."""
    judgements: int
    """Stored ones included."""
    newly_stored: int
    """Judgements made since the last claim."""
    seconds: float
    """From the last claim to the result."""
    answers: int | None = None
    """Of its file; None where they were not counted."""
    seconds_from_queued: float | None = None
    """From its last arrival in the queue to the result; None where that was not logged."""


class LeaseLost(Exception):
    """Raised to a worker whose job was cancelled, withdrawn or given to another worker."""


class NotYours(Exception):
    """Raised when somebody else than the owner wants to do what only the owner may."""
