"""The boards of recommenders as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

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
from leaderboard.page.registered import BoardTools
from leaderboard.page.scored_runs import ScoredRuns
from leaderboard.page.system_keys import SystemKey, system_key
from submissions.formats.behavior_alignment.submission import SET_ID
from submissions.store.queue import Ticket
from submissions.store.store import Store

CollectionKey = tuple[SystemKey, str]
"""System and collection: what one row stands for."""


@dataclass(frozen=True, slots=True)
class DialogueCollection:
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

        >>> DialogueCollection("INSPIRED", "INSPIRED", 20, 0, is_published=True).title
        'INSPIRED (published figures), 20 dialogues'

        >>> DialogueCollection("56e9f1441973297f", "", 1, 2).title
        '56e9f144… (unregistered), 1 dialogue'
        >>> DialogueCollection("56e9f1441973297f", "Kitchen", 99, 2).title
        'Kitchen, 99 dialogues'
        """
        called = f"{self.name}{' (published figures)' if self.is_published else ''}" or f"{self.id[:8]}… (unregistered)"
        return f"{called}, {self.dialogues:,} dialogue{'' if self.dialogues == 1 else 's'}"


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
        self._runs = ScoredRuns(store, SET_ID.__eq__, _scored)
        self.stamp = self._runs.stamp
        self.scored = self._runs.run

    def rows(self, collection: str, basis: Basis) -> tuple[BehaviorRow, ...]:
        """The rows of one collection and basis, in no particular order."""
        if collection == PUBLISHED_ID:
            return published_rows()
        return self._runs.rows((collection, basis), lambda: behavior_rows(self._of(collection), basis))

    def latest(self) -> list[ScoredRecommender]:
        """What every system is ranked by in every collection."""
        return self._runs.kept("latest", lambda: latest_recommenders(self._runs.all()))

    def collections(self) -> list[DialogueCollection]:
        """Every collection that was answered: registered ones first, then those that most systems answered; at the end
        the one that the paper reports on."""
        latest = self.latest()
        systems = Counter(run.result.collection for run in latest)
        dialogues = {run.result.collection: run.result.dialogues for run in latest}
        answered = [DialogueCollection(id_, self._names.get(id_, ""), dialogues[id_], n) for id_, n in systems.items()]
        answered.sort(key=lambda collection: (not collection.name, -collection.systems, collection.name, collection.id))
        return [*answered, DialogueCollection(PUBLISHED_ID, PUBLISHED_ID, DIALOGUES, 0, is_published=True)]

    def bases(self, collection: str) -> dict[Basis, int]:
        """How many systems of a collection stand on each basis."""
        systems = Counter(run.basis for run in self._of(collection))
        return {basis: systems[basis] for basis in BASES}

    def result(self, ticket_id: str) -> BehaviorResult | None:
        """A whole result with its turns; None where there is none."""
        text = self._store.result(ticket_id)
        return BehaviorResult.model_validate_json(text) if text else None

    def _of(self, collection: str) -> list[ScoredRecommender]:
        return [run for run in self.latest() if run.result.collection == collection]


def _scored(ticket: Ticket, text: str) -> ScoredRecommender:
    return scored_recommender(ticket, BehaviorResult.model_validate_json(text))


def latest_recommenders(scored: Sequence[ScoredRecommender]) -> list[ScoredRecommender]:
    """What every system is ranked by in every collection: its primary run, else its newest one; in their order."""
    ranked: dict[CollectionKey, ScoredRecommender] = {}
    for run in scored:
        key = (system_key(run.ticket), run.result.collection)
        if key not in ranked or run.ticket.rank_order > ranked[key].ticket.rank_order:
            ranked[key] = run
    return list(ranked.values())
