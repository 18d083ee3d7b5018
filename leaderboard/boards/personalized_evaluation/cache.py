"""The Personalized evaluation boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from leaderboard.boards.personalized_evaluation.rows import (
    EvaluatorRow,
    evaluator_rows,
    published_datasets,
    published_rows,
)
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind, ScoredEvaluator, scored_evaluator
from leaderboard.page.ledger import Ledger
from leaderboard.page.registered import BoardTools
from leaderboard.page.system_keys import SystemKey, system_key
from leaderboard.parts.tables import folded
from leaderboard.parts.team_names import TeamNames
from submissions.formats.personalized_evaluation.submission import SET_ID
from submissions.store.queue import Ticket
from submissions.store.store import Store

ALL_K = "all"
"""The choice of runs with any number of reviews shown."""

RowKey = tuple[SystemKey, str, int, bool]
"""Evaluator, collection, k, and whether a local judge answered: what one row stands for."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The same predictions to make, whoever made them."""

    id: str
    """In links; of data that only the paper reports on, its name."""
    dataset: str
    """What most runs call it."""
    n: int = 0
    n_reviewers: int = 0
    runs: tuple[ScoredEvaluator, ...] = ()
    """The latest of every evaluator and k."""

    @property
    def label(self) -> str:
        """In words."""
        if not self.runs:
            return f"{self.dataset} (published figures)"
        return f"{self.dataset}: {self.n:,} items of {self.n_reviewers:,} readers ({self.id[:8]})"

    @property
    def ks(self) -> tuple[int, ...]:
        """Every k with a run."""
        return tuple(sorted({run.k for run in self.runs}))


RunKey = tuple[str, datetime, bool, str]
"""Ticket, since when it is in its state, whether it is a primary run, and what its team is called on the pages."""

Stamp = tuple[RunKey, ...]
"""Which submissions, in which state, the boards were computed from."""


class EvaluatorsBoards:
    """The boards by what is predicted and on what, kept until a submission is scored or withdrawn."""

    @classmethod
    def of(cls, tools: BoardTools) -> EvaluatorsBoards:
        """Over the stored results."""
        return cls(tools.services.store)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._marker: int | None = None
        self._stamp: Stamp = ()
        self._runs: dict[RunKey, ScoredEvaluator] = {}
        self._collections: dict[EvaluatorsKind, tuple[Collection, ...]] = {}
        self._rows: dict[tuple[EvaluatorsKind, str], tuple[EvaluatorRow, ...]] = {}
        self._ledger = Ledger(())
        self._counted: dict[tuple[EvaluatorsKind, str], tuple[EvaluatorRow, ...]] = {}
        """With the counts of the ledger, which change more often."""
        self._teams = TeamNames(store)

    def collections(self, kind: EvaluatorsKind) -> tuple[Collection, ...]:
        """Every data set one can look at: those with most runs first, then those of the paper alone."""
        with self._lock:
            return self._renewed(kind)

    def collection(self, kind: EvaluatorsKind, collection_id: str) -> Collection | None:
        """The collection of that id."""
        return next((one for one in self.collections(kind) if one.id == collection_id), None)

    def rows(self, kind: EvaluatorsKind, collection_id: str) -> tuple[EvaluatorRow, ...]:
        """Every row of a collection, for all k; none of an unknown one."""
        with self._lock:
            found = next((one for one in self._renewed(kind) if one.id == collection_id), None)
            key = (kind, collection_id)
            if found is not None and key not in self._rows:
                tickets = [run.ticket for run in found.runs]
                self._rows[key] = self._teams.named(_rows_of(found, kind), tickets, "ticket_id")
            if key not in self._counted:
                self._counted[key] = self._ledger.counted(self._rows.get(key, ()), "ticket_id")
            return self._counted[key]

    def runs(self) -> list[ScoredEvaluator]:
        """Every scored run, replaced ones too."""
        with self._lock:
            self._renew()
            return list(self._runs.values())

    def run(self, ticket_id: str) -> ScoredEvaluator | None:
        """The scored run of a ticket, be it the latest of its evaluator or not."""
        return next((run for run in self.runs() if run.ticket.id == ticket_id), None) if ticket_id else None

    def stamp(self) -> str:
        """Changes whenever a board has changed, and only then."""
        with self._lock:
            self._renew()
            return str(hash(self._stamp))

    def result(self, ticket_id: str) -> PersonalizedEvaluationResult | None:
        """A whole result with its items; None where there is none."""
        text = self._store.result(ticket_id)
        return PersonalizedEvaluationResult.model_validate_json(text) if text else None

    def _renewed(self, kind: EvaluatorsKind) -> tuple[Collection, ...]:
        self._renew()
        if kind not in self._collections:
            self._collections[kind] = collections_of(self._runs.values(), kind)
        return self._collections[kind]

    def _renew(self) -> None:
        marker = self._store.change_marker()
        if marker == self._marker:
            return
        entered = [one for one in self._store.tickets() if one.set_id == SET_ID]
        self._ledger, self._counted = Ledger(entered), {}
        tickets = [one for one in entered if one.is_on_boards]
        teams = self._teams.shown(tickets)
        keys = {(one.id, one.status_at, one.is_primary, teams[one.id]): one for one in tickets}
        stamp = tuple(keys)
        if stamp != self._stamp:
            found = {key: self._runs.get(key) or self._loaded(ticket) for key, ticket in keys.items()}
            self._runs = {key: run for key, run in found.items() if run is not None}
            self._collections, self._rows = {}, {}
            self._stamp = stamp
        self._marker = marker

    def _loaded(self, ticket: Ticket) -> ScoredEvaluator | None:
        """The run of a ticket; None when it was withdrawn meanwhile."""
        result = self.result(ticket.id)
        return scored_evaluator(ticket, result) if result else None


def collections_of(runs: Iterable[ScoredEvaluator], kind: EvaluatorsKind) -> tuple[Collection, ...]:
    """What was predicted, with its latest runs: most runs first, then data that only the paper reports on."""
    of_id: dict[str, list[ScoredEvaluator]] = {}
    for run in latest_evaluators([run for run in runs if run.kind == kind]):
        of_id.setdefault(run.collection, []).append(run)
    found = [_collection(collection_id, members) for collection_id, members in of_id.items()]
    found.sort(key=lambda one: (-len(one.runs), folded(one.dataset), one.id))
    named = {folded(one.dataset) for one in found}
    return (*found, *(Collection(name, name) for name in published_datasets(kind) if folded(name) not in named))


def _collection(collection_id: str, runs: Sequence[ScoredEvaluator]) -> Collection:
    names = Counter(run.result.dataset for run in runs)
    dataset = min(names, key=lambda name: (-names[name], name))
    return Collection(collection_id, dataset, runs[0].report["n"], runs[0].n_reviewers, tuple(runs))


def latest_evaluators(runs: Iterable[ScoredEvaluator]) -> list[ScoredEvaluator]:
    """Of every evaluator, collection and k the run that is ranked."""
    newest: dict[RowKey, ScoredEvaluator] = {}
    for run in runs:
        key = (system_key(run.ticket), run.collection, run.k, run.result.judge is not None)
        if key not in newest or run.ticket.rank_order > newest[key].ticket.rank_order:
            newest[key] = run
    return list(newest.values())


def _rows_of(collection: Collection, kind: EvaluatorsKind) -> tuple[EvaluatorRow, ...]:
    if not collection.runs:
        return published_rows(kind, collection.dataset)
    return evaluator_rows(collection.runs, kind, collection.dataset)


def of_k(rows: Iterable[EvaluatorRow], k: str) -> tuple[EvaluatorRow, ...]:
    """The rows of one k; published ones stay where the paper does not say theirs."""
    return tuple(row for row in rows if k == ALL_K or row.k is None or str(row.k) == k)


def first_k(collection: Collection) -> str:
    """The k shown at first: that of most runs, the larger one of two; all of them where there is no run."""
    counts = Counter(run.k for run in collection.runs)
    return str(max(counts, key=lambda k: (counts[k], k))) if counts else ALL_K
