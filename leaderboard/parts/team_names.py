"""Team names as they are shown: where two accounts use names that look alike, each stands with its account.

Team names are display text: anybody may use any.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from threading import Lock
from typing import Protocol, TypeVar

from submissions.desk import HOUSE_OWNER
from submissions.reading.look_alikes import skeleton
from submissions.store.queue import Ticket
from submissions.store.store import Store

_SHOWN_CHARACTERS = 8
"""Of the ticket that stands for an account without a name."""
_PSEUDONYM_KINDS = ("team", "system", "model", "run", "judge")
_PSEUDONYM_DIGITS = 6
"""As `PublicStore` makes them."""


@lru_cache(10_000)
def looks(name: str) -> frozenset[str]:
    """What a name looks like, as it is written and in small letters: names that share a look are told apart.

    >>> bool(looks("Аurоrа") & looks("aurora"))  # three Cyrillic letters in the first
    True
    >>> bool(looks("rnodel 0ne") & looks("Model One"))
    True
    """
    return frozenset((skeleton(name), skeleton(name.casefold())))


class _NamedRow(Protocol):
    @property
    def team(self) -> str: ...

    @property
    def ticket_id(self) -> str: ...


NamedRow = TypeVar("NamedRow", bound=_NamedRow)


class TeamNames:
    """What teams are called on the pages; looked up once per change of the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._marker: int | None = None
        self._shared: frozenset[str] = frozenset()

    def shown(self, tickets: Iterable[Ticket]) -> dict[str, str]:
        """The teams of submissions by ticket, each with its account where another's looks the same; blank for none."""
        shared = self._shared_looks()
        return {ticket.id: _shown(ticket, shared) for ticket in tickets}

    def named(self, rows: Iterable[NamedRow], tickets: Iterable[Ticket]) -> tuple[NamedRow, ...]:
        """Rows of a board with their teams as they are shown.

        Args:
            tickets: The submissions they are of.
        """
        teams = self.shown(tickets)
        return tuple(
            replace(row, team=teams[row.ticket_id])  # type: ignore[type-var]
            if teams.get(row.ticket_id, row.team) != row.team
            else row
            for row in rows
        )

    def _shared_looks(self) -> frozenset[str]:
        marker = self._store.change_marker()
        with self._lock:
            if marker != self._marker:
                owners: dict[str, set[str]] = {}
                for owner, team in self._store.teams():
                    for look in looks(team):
                        owners.setdefault(look, set()).add(owner)
                self._shared = frozenset(look for look, of in owners.items() if len(of) > 1)
                self._marker = marker
            return self._shared


def _shown(ticket: Ticket, shared: frozenset[str]) -> str:
    team = ticket.names.team or ""
    if ticket.season is not None and ticket.season.names_from is not None:
        return team  # a pseudonym, which must not bring its account along
    # A name that brings an account along would look like one that was told apart; one like a pseudonym, like a team
    # whose name is not public yet.
    is_told_apart = "@" in skeleton(team) or is_like_pseudonym(team) or not looks(team).isdisjoint(shared)
    return f"{team} ({account(ticket)})" if team and is_told_apart else team


def is_like_pseudonym(name: str) -> bool:
    """Whether a name looks like one that stands for a name which is not public yet.

    >>> is_like_pseudonym("team c17875"), is_like_pseudonym("TEAM  сl7875"), is_like_pseudonym("Team Rocket")
    (True, True, False)
    """
    kinds = frozenset(map(skeleton, _PSEUDONYM_KINDS))
    # Capitals are drawn like other letters than small ones: a name is looked at both ways, as in `looks`.
    parts = (look.rpartition(" ") for look in looks(name))
    return any(
        kind in kinds and len(digits) == _PSEUDONYM_DIGITS and _digits().issuperset(digits) for kind, _, digits in parts
    )


@cache
def _digits() -> frozenset[str]:
    """What hexadecimal digits are drawn like."""
    return frozenset(map(skeleton, "0123456789abcdef"))


def account(ticket: Ticket) -> str:
    """The account of a submission, for people; never its OAuth subject, nor any part of that."""
    if ticket.owner == HOUSE_OWNER:
        return "this installation"
    return f"@{ticket.owner_name}" if ticket.owner_name else f"account of {ticket.id[:_SHOWN_CHARACTERS]}"
