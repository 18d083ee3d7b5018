"""The store as the seasons let it be seen: what is late is marked, and what is not public yet is left out.

Every page, export and endpoint reads through it, so that nothing has to be hidden in many places.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from submissions.schema import Names
from submissions.seasons.calendar import Seasons
from submissions.seasons.season import Season
from submissions.store.database import Clock, StoreDamaged, StoreError
from submissions.store.queue import Act, SeasonMark, Ticket
from submissions.store.rows import TICKETS, ticket_of
from submissions.store.store import Store
from submissions.store.tables import submissions


class AnswersPrivate(StoreError):
    """Raised when a file is asked for whose season does not show its answers yet."""


class SeasonStore(Store):
    """The same database with the same answers, but for what its subclasses say of tickets."""

    def __init__(self, store: Store) -> None:
        super().__init__(store._engine, lease_s=store._lease_s, max_attempts=store._max_attempts, clock=store._clock)
        self._whole = store

    def damaged(self, damage: str) -> StoreDamaged:
        """As the store has it: whoever watches that one learns of it."""
        self.damage = self._whole.damaged(damage)
        return self.damage

    def _seen(self, ticket: Ticket) -> Ticket | None:
        """The ticket as it is shown; None where it is not."""
        raise NotImplementedError

    def _shown(self, tickets: Sequence[Ticket]) -> list[Ticket]:
        return [seen for ticket in tickets if (seen := self._seen(ticket)) is not None]

    def _tickets(self, *asked: Any, **which: Any) -> list[Ticket]:
        return self._shown(super()._tickets(*asked, **which))

    def tickets_of(self, ticket_ids: Sequence[str]) -> dict[str, Ticket]:
        return {ticket.id: ticket for ticket in self._shown(list(super().tickets_of(ticket_ids).values()))}

    def open_tickets(self) -> list[Ticket]:
        return self._shown(super().open_tickets())

    def ended_tickets(self, start: int, count: int) -> list[Ticket]:
        return self._shown(super().ended_tickets(start, count))

    def result(self, ticket_id: str) -> str | None:
        ticket = self.tickets_of([ticket_id]).get(ticket_id)
        return super().result(ticket_id) if ticket is not None and _has_public_scores(ticket) else None

    def results(self) -> list[tuple[Ticket, str]]:
        return [(ticket, result) for ticket, result in super().results() if _has_public_scores(ticket)]


class PublicStore(SeasonStore):
    """The store as anybody may see it now.

    Args:
        store: The whole one.
        seasons: Whose rules hold.
        clock: What time it is.
    """

    def __init__(self, store: Store, seasons: Seasons, clock: Clock = time.time) -> None:
        super().__init__(store)
        self._seasons = seasons
        self._now = clock
        # Nobody can find out names by trying likely ones.
        self._secret = secrets.token_bytes(32)

    def change_marker(self) -> int:
        """Grows also when a season opens or closes, and when something becomes public."""
        return super().change_marker() + self._seasons.moments_passed(self._now())

    def acts(self, *, about: str | None = None, newest: int | None = None) -> list[Act]:
        """Whose account decided something about a run is not said while the run's names are not public."""
        acts = super().acts(about=about, newest=newest)
        tickets = self._whole.tickets_of([act.subject for act in acts])
        return [self._unsigned(act, tickets.get(act.subject)) for act in acts]

    def payload(self, sha256: str) -> bytes:
        """The bytes of a file whose answers are public.

        Raises:
            AnswersPrivate: when they are not.
            StoreError: when they are not stored.
        """
        with self._read() as connection:
            sent = [ticket_of(row) for row in connection.execute(TICKETS.where(submissions.c.file_sha256 == sha256))]
        marks = [self._mark(ticket) for ticket in sent]
        if marks and all(mark is not None and mark.answers_from is not None for mark in marks):
            raise AnswersPrivate("the answers of this file are not public yet")
        return super().payload(sha256)

    def _unsigned(self, act: Act, ticket: Ticket | None) -> Act:
        mark = self._mark(ticket) if ticket and act.actor == ticket.owner else None
        return replace(act, actor_name="its team") if mark and mark.names_from else act

    def _mark(self, ticket: Ticket) -> SeasonMark | None:
        return self._seasons.mark(ticket.set_id, ticket.role, ticket.received_at.timestamp(), self._now())

    def _seen(self, ticket: Ticket) -> Ticket:
        mark = self._mark(ticket)
        if mark is None or mark.names_from is None:
            return replace(ticket, season=mark)
        return replace(
            ticket,
            season=mark,
            names=self._pseudonyms(ticket),
            owner_name="",
            file_name=_FILE,
            log=tuple(line.replace(ticket.file_name, _FILE) for line in ticket.log),
        )

    def _pseudonyms(self, ticket: Ticket) -> Names:
        """Names of the same kind that say nothing, the same for the same."""

        def pseudonym(kind: str, name: str | None) -> str | None:
            if name is None:
                return None
            said = "\n".join((ticket.owner, kind, name)).encode()
            return f"{kind} {hmac.new(self._secret, said, hashlib.sha256).hexdigest()[:6]}"

        names = ticket.names
        return Names(
            pseudonym("team", names.team),
            pseudonym("system", names.system),
            pseudonym("model", names.model),
            pseudonym("run", names.run),
        )


class OneSeasonStore(SeasonStore):
    """The store as organisers see one season: its files that came in time, with all that is known of them, and the
    rows of ours beside them."""

    def __init__(self, store: Store, season: Season) -> None:
        super().__init__(store)
        self._season = season

    def _seen(self, ticket: Ticket) -> Ticket | None:
        season = self._season
        if ticket.role != "entry":
            return ticket
        received_at = ticket.received_at.timestamp()
        if not season.covers(ticket.set_id) or season.phase(received_at) != "open":
            return None
        mark = season.mark("", is_late=False, now=received_at)
        return replace(ticket, season=replace(mark, names_from=None, scores_from=None, answers_from=None))


def public_store(store: Store, seasons: Seasons, clock: Callable[[], float] = time.time) -> Store:
    """The store as anybody may see it; the store itself where there are no seasons."""
    return PublicStore(store, seasons, clock) if seasons else store


def _has_public_scores(ticket: Ticket) -> bool:
    return ticket.season is None or ticket.season.scores_from is None


_FILE = "(a file whose name is not public yet)"
