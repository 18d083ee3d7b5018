"""A review link: it opens one run to whoever has it, with answers and figures and without any name."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from submissions.promptsets import SETS_OF_2025
from submissions.seasons.calendar import Seasons
from submissions.seasons.season_store import AnswersPrivate, PublicStore
from submissions.store.queue import SeasonMark, Ticket
from submissions.store.store import Store

PATH = "/review"
DAYS = 90
"""For so long a link opens its run, where whoever makes it says nothing else."""
_SEAL = 32
"""Hexadecimal digits of a seal: 128 bits, which nobody finds by trying."""
_RUN = 16
_NEVER = datetime.max.replace(tzinfo=UTC)


class NoReview(ValueError):
    """Raised where a link opens nothing; says why in a sentence that names no run."""


@dataclass(frozen=True, slots=True)
class ReviewLink:
    """A link to one run; its seal shows that the installation made it, so that nothing of it is stored."""

    run: str
    """What the link calls the run: its ticket would lead to its names once they are public."""
    until: date
    """The last day on which it opens the run, in UTC."""
    seal: str

    @classmethod
    def made(cls, key: str, ticket_id: str, until: date) -> ReviewLink:
        """The link to a run.

        Args:
            key: `PLUMBLINE_PSEUDONYM_KEY`, not blank: with another one the link opens nothing.
        """
        run = _run(key, ticket_id)
        return cls(run, until, _seal(key, run, until.isoformat()))

    @property
    def address(self) -> str:
        """Below the address of the site."""
        return f"{PATH}?run={self.run}&until={self.until.isoformat()}&seal={self.seal}"


def _digest(key: str, *said: str) -> str:
    return hmac.new(key.encode(), json.dumps(said).encode(), hashlib.sha256).hexdigest()


def _run(key: str, ticket_id: str) -> str:
    return _digest(key, "run under review", ticket_id)[:_RUN]


def _seal(key: str, run: str, until: str) -> str:
    return _digest(key, "review", run, until)[:_SEAL]


def last_day(now: float, days: int = DAYS) -> date:
    """The day so many days after a moment (seconds since the epoch), in UTC."""
    return datetime.fromtimestamp(now, UTC).date() + timedelta(days)


def run_of_link(key: str, run: str, until: str, seal: str, now: float, tickets: Callable[[], Iterable[str]]) -> str:
    """The ticket of the run that a link opens at a moment.

    Args:
        key: Of the installation; blank = it makes no links.
        run: As it stands in the link, like the day and the seal.
        now: In seconds since the epoch.
        tickets: All there are; asked for a link of the installation alone.

    Raises:
        NoReview: the installation did not make the link, or its last day is past, or no run is called so.
    """
    if not key or not hmac.compare_digest(_seal(key, run, until).encode(), seal.encode()):
        raise NoReview("This is no review link of this site. Copy the whole link again, or ask who sent it to you.")
    if datetime.fromtimestamp(now, UTC).date() > date.fromisoformat(until):
        raise NoReview(f"This review link ended on {until}. Ask who sent it to you for a new one.")
    ticket = next((ticket for ticket in tickets() if _run(key, ticket) == run), None)
    if ticket is None:
        raise NoReview("The run of this link is no longer here.")
    return ticket


class ReviewStore(PublicStore):
    """The store as a reviewer sees it: one run with its answers, under pseudonyms of its own, and nothing else.

    Its pseudonyms are not those of the season: what a board shows of the run cannot be found by them.

    Args:
        store: The whole one.
        ticket_id: Of the run; of a run of several files (2025) all are seen.
        key: Makes the pseudonyms.
    """

    def __init__(self, store: Store, ticket_id: str, key: str) -> None:
        super().__init__(store, Seasons(), key=key)
        files = {file.ticket_id: file for file in store.run_files(ticket_id)}
        ticket = store.tickets_of([ticket_id]).get(ticket_id)
        has_several = ticket is not None and ticket.set_id in SETS_OF_2025
        # What was sent again under the same names is another run.
        self._files = {id_: file for id_, file in files.items() if has_several or id_ == ticket_id}
        self._review = SeasonMark(f"review of {ticket_id}", "", "", False, False, _NEVER, None, None)

    def results(self) -> list[tuple[Ticket, str]]:
        """Those of the run alone: others are not even read."""
        shown = self.tickets_of(list(self._files)).values()
        return [(ticket, text) for ticket in shown if (text := self.result(ticket.id)) is not None]

    def payload(self, sha256: str) -> bytes:
        """The bytes of a file of the run.

        Raises:
            AnswersPrivate: it is another run's.
            StoreError: it is not stored.
        """
        if all(file.file_sha256 != sha256 for file in self._files.values()):
            raise AnswersPrivate("the file is not one of the run under review")
        return super().payload(sha256)

    def judge_name(self, ticket: Ticket, judge: str) -> str:
        """What a judge of a table of verdicts is called in its result; the ticket is as the whole store has it."""
        return self._pseudonym(ticket, "judge", judge) or ""

    def _mark(self, ticket: Ticket) -> SeasonMark:
        return self._review

    def _seen(self, ticket: Ticket) -> Ticket | None:
        seen = super()._seen(ticket) if ticket.id in self._files else None
        return seen and replace(seen, season=None)
