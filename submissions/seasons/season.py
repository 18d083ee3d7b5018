"""One season of a shared task, and how its times are said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from submissions.moments import moment_words, span_words
from submissions.seasons.terms import Terms
from submissions.store.attempts import AttemptRule
from submissions.store.queue import SeasonMark

Phase = Literal["before", "open", "closed"]
"""Before it opens files can be checked, not sent; while it is open they are ranked; afterwards they are late."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What organisers tell everybody, from a moment on."""

    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Season:
    """One edition of a shared task; every moment knows its zone."""

    name: str
    """Of its file, and in commands and links: small letters, digits and `_`."""
    title: str
    set_id: str
    """What is sent to it: a prompt set, or the first word of what a kind of file is entered under."""
    opens: datetime
    closes: datetime
    """Its whole second still counts."""
    freezes: datetime
    """From then on organisers may freeze the board."""
    zone: tzinfo
    """In which its times are said."""
    attempts_per_day: int = 0
    """Within any 24 hours; 0 = as many as one likes."""
    attempts_in_all: int = 0
    one_primary_run: bool = False
    """Of all runs of a team one is ranked: the one it chose, else its latest."""
    names_from: datetime | None = None
    """When team, system, model and run become public; None = at once."""
    scores_from: datetime | None = None
    answers_from: datetime | None = None
    contact: str = ""
    terms: str = ""
    announcements: tuple[Announcement, ...] = ()
    hides_prompts: bool = False
    """Its prompts are never shown."""

    @property
    def stated_terms(self) -> Terms | None:
        """What an account accepts before its first file; None where the season states nothing."""
        return Terms(self.name, self.title, self.terms) if self.terms else None

    def phase(self, now: float) -> Phase:
        """Where the season stands at a moment (seconds since the epoch)."""
        if now < self.opens.timestamp():
            return "before"
        return "open" if now < self.ends_at else "closed"

    @property
    def ends_at(self) -> float:
        """The first moment that is late, in seconds since the epoch: the deadline names a whole second."""
        return int(self.closes.timestamp()) + 1.0

    def covers(self, set_id: str) -> bool:
        """Is what is entered under that set sent to the season? Of verdict tables, whatever their benchmark.

        A season may be of one task of one's own, whose set has the task's name behind the colon.
        """
        return self.set_id in (set_id, set_id.partition(":")[0])

    def lateness(self, received_at: float) -> str:
        """By how much a file missed the deadline, in words; blank where it is in time.

        Counted in whole seconds: a file of the second after the deadline is 1 s late.
        """
        late_s = int(received_at) - int(self.closes.timestamp())
        return span_words(late_s) if late_s > 0 else ""

    def attempt_rule(self, *, by_team: bool) -> AttemptRule | None:
        """How often a team may send something; None where that is not limited.

        Args:
            by_team: Teams are told apart by name: where nobody signs in all of them are one account.
        """
        if not (self.attempts_per_day or self.attempts_in_all):
            return None
        return AttemptRule(
            self.title,
            self.set_id,
            self.opens.timestamp(),
            self.ends_at,
            self.attempts_per_day,
            self.attempts_in_all,
            by_team,
            self.zone,
        )

    def mark(self, unranked: str, *, is_late: bool, now: float) -> SeasonMark:
        """What the season says of one of its files at a moment."""
        return SeasonMark(
            self.name,
            self.title,
            unranked,
            is_late,
            self.one_primary_run,
            *(_still(moment, now) for moment in (self.names_from, self.scores_from, self.answers_from)),
        )

    def moments(self) -> tuple[float, ...]:
        """When something changes of itself, in seconds since the epoch."""
        reveals = (day for day in (self.names_from, self.scores_from, self.answers_from) if day is not None)
        told = (announcement.at for announcement in self.announcements)
        return (self.ends_at, *(day.timestamp() for day in (self.opens, *reveals, *told)))

    def when(self, moment: datetime) -> str:
        """A moment in the season's zone and in UTC, to the second."""
        return moment_words(moment, self.zone)


def _still(moment: datetime | None, now: float) -> datetime | None:
    """A moment that is still to come; None for one that is past."""
    return moment if moment is not None and now < moment.timestamp() else None
