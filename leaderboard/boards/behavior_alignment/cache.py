"""The boards of recommenders as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from evaluator.behavior_alignment.published import DIALOGUES
from evaluator.behavior_alignment.result import BehaviorResult
from leaderboard.boards.behavior_alignment.published import PUBLISHED_ID, published_rows
from leaderboard.boards.behavior_alignment.rows import (
    BASES,
    Basis,
    BehaviorRow,
    ScoredRecommender,
    behavior_rows,
    scored_recommender,
)
from leaderboard.page.ledger import Ledger
from leaderboard.page.registered import BoardTools
from leaderboard.page.system_keys import SystemKey, system_key
from leaderboard.parts.team_names import TeamNames
from submissions.formats.behavior_alignment.submission import SET_ID
from submissions.store.queue import Ticket
from submissions.store.store import Store

CollectionKey = tuple[SystemKey, str]
"""System and collection: what one row stands for."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Human dialogues that systems answered."""

    id: str
    name: str
    """As organisers registered it; blank where they did not."""
    dialogues: int
    systems: int
    is_published: bool = False
    """Does only the paper report on it?"""

    @property
    def title(self) -> str:
        """What people call it.

        >>> Collection("INSPIRED", "INSPIRED", 20, 0, is_published=True).title
        'INSPIRED (published figures), 20 dialogues'

        >>> Collection("56e9f1441973297f", "", 1, 2).title, Collection("56e9f1441973297f", "Kitchen", 99, 2).title
        ('56e9f144… (unregistered), 1 dialogue', 'Kitchen, 99 dialogues')
        """
        called = f"{self.name}{' (published figures)' if self.is_published else ''}" or f"{self.id[:8]}… (unregistered)"
        return f"{called}, {self.dialogues:,} dialogue{'' if self.dialogues == 1 else 's'}"


RunKey = tuple[str, datetime, bool, str]
"""Ticket, since when it is in its state, whether it is a primary run, and what its team is called on the pages."""

Stamp = tuple[RunKey, ...]
"""Which submissions, in which state, the boards were computed from."""


class BehaviorBoards:
    """The boards by collection and basis, kept until a submission is scored or withdrawn.

    Args:
        store: Holds the results.
        names: Collection -> the name organisers registered it under.
    """

    @classmethod
    def of(cls, tools: BoardTools) -> BehaviorBoards:
        """Over the stored results."""
        return cls(tools.services.store, tools.services.settings.collection_names)

    def __init__(self, store: Store, names: dict[str, str]) -> None:
        self._store = store
        self._names = names
        self._lock = Lock()
        self._marker: int | None = None
        self._stamp: Stamp = ()
        self._read: dict[RunKey, ScoredRecommender] = {}
        self._latest: list[ScoredRecommender] = []
        self._rows: dict[tuple[str, Basis], tuple[BehaviorRow, ...]] = {}
        self._ledger = Ledger(())
        self._counted: dict[tuple[str, Basis], tuple[BehaviorRow, ...]] = {}
        """With the counts of the ledger, which change more often."""
        self._teams = TeamNames(store)

    def rows(self, collection: str, basis: Basis) -> tuple[BehaviorRow, ...]:
        """The rows of one collection and basis, in no particular order."""
        if collection == PUBLISHED_ID:
            return published_rows()
        with self._lock:
            self._renew()
            key = (collection, basis)
            if key not in self._rows:
                scored = self._of(collection)
                rows = behavior_rows(scored, basis)
                self._rows[key] = self._teams.named(rows, [one.ticket for one in scored], "ticket_id")
            if key not in self._counted:
                self._counted[key] = self._ledger.counted(self._rows[key], "ticket_id")
            return self._counted[key]

    def latest(self) -> list[ScoredRecommender]:
        """What every system is ranked by in every collection."""
        with self._lock:
            self._renew()
            return list(self._latest)

    def scored(self, ticket_id: str) -> ScoredRecommender | None:
        """A scored submission, be it the latest of its system or not; None where there is none."""
        with self._lock:
            self._renew()
            return next((one for one in self._read.values() if one.ticket.id == ticket_id), None)

    def collections(self) -> list[Collection]:
        """Every collection that was answered: registered ones first, then those that most systems answered; at the end
        the one that the paper reports on."""
        latest = self.latest()
        found = {one.result.collection: one.result.dialogues for one in latest}
        known = (
            Collection(
                id_,
                self._names.get(id_, ""),
                dialogues,
                sum(one.result.collection == id_ for one in latest),
            )
            for id_, dialogues in found.items()
        )
        answered = sorted(known, key=lambda one: (not one.name, -one.systems, one.name, one.id))
        return [*answered, Collection(PUBLISHED_ID, PUBLISHED_ID, DIALOGUES, 0, is_published=True)]

    def bases(self, collection: str) -> dict[Basis, int]:
        """How many systems of a collection stand on each basis."""
        latest = [one for one in self.latest() if one.result.collection == collection]
        return {basis: sum(one.basis == basis for one in latest) for basis in BASES}

    def stamp(self) -> str:
        """Changes whenever a board has changed, and only then."""
        with self._lock:
            self._renew()
            return str(hash(self._stamp))

    def result(self, ticket_id: str) -> BehaviorResult | None:
        """A whole result with its turns; None where there is none."""
        text = self._store.result(ticket_id)
        return BehaviorResult.model_validate_json(text) if text else None

    def _of(self, collection: str) -> list[ScoredRecommender]:
        return [one for one in self._latest if one.result.collection == collection]

    def _renew(self) -> None:
        marker = self._store.change_marker()
        if marker == self._marker:
            return
        entered = [one for one in self._store.tickets() if one.set_id == SET_ID]
        self._ledger, self._counted = Ledger(entered), {}
        tickets = [one for one in entered if one.is_on_boards]
        teams = self._teams.shown(tickets)
        found = {(one.id, one.status_at, one.is_primary, teams[one.id]): one for one in tickets}
        stamp = tuple(found)
        if stamp != self._stamp:
            read = {key: self._read.get(key) or self._loaded(ticket) for key, ticket in found.items()}
            self._read = {key: one for key, one in read.items() if one is not None}
            self._latest = latest_recommenders(list(self._read.values()))
            self._rows = {}
            self._stamp = stamp
        self._marker = marker

    def _loaded(self, ticket: Ticket) -> ScoredRecommender | None:
        """What a ticket scored; None when it was withdrawn meanwhile."""
        result = self.result(ticket.id)
        return scored_recommender(ticket, result) if result else None


def latest_recommenders(scored: Sequence[ScoredRecommender]) -> list[ScoredRecommender]:
    """What every system is ranked by in every collection: its primary run, else its newest one; in their order."""
    ranked: dict[CollectionKey, ScoredRecommender] = {}
    for one in scored:
        key = (system_key(one.ticket), one.result.collection)
        if key not in ranked or one.ticket.rank_order > ranked[key].ticket.rank_order:
            ranked[key] = one
    return list(ranked.values())
