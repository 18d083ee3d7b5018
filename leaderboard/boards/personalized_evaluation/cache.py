"""The Personalized evaluation boards as everybody sees them: computed once per change of results, not per visitor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from leaderboard.boards.personalized_evaluation.rows import (
    EvaluatorRow,
    evaluator_rows,
    published_datasets,
    published_rows,
)
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind, ScoredEvaluator, scored_evaluator
from leaderboard.page.registered import BoardTools
from leaderboard.page.scored_runs import ScoredRuns
from leaderboard.page.system_keys import SystemKey, system_key
from leaderboard.parts.tables import folded
from submissions.formats.personalized_evaluation.submission import SET_ID
from submissions.store.queue import Ticket
from submissions.store.store import Store

ALL_K = "all"
"""The choice of runs with any number of reviews shown."""

RowKey = tuple[SystemKey, str, int, bool]
"""Evaluator, collection, k, and whether a local judge answered: what one row stands for."""


@dataclass(frozen=True, slots=True)
class RatedCollection:
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


class EvaluatorsBoards:
    """The boards by what is predicted and on what, kept until a submission is scored or withdrawn."""

    @classmethod
    def of(cls, tools: BoardTools) -> EvaluatorsBoards:
        """Over the stored results."""
        return cls(tools.services.store)

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runs = ScoredRuns(store, SET_ID.__eq__, _scored)
        self.stamp = self._runs.stamp
        self.runs = self._runs.all
        """Every scored run, replaced ones too."""
        self.run = self._runs.run

    def collections(self, kind: EvaluatorsKind) -> tuple[RatedCollection, ...]:
        """Every data set one can look at: those with most runs first, then those of the paper alone."""
        return self._runs.kept(kind, lambda: collections_of(self._runs.all(), kind))

    def collection(self, kind: EvaluatorsKind, collection_id: str) -> RatedCollection | None:
        """The collection of that id."""
        return next((collection for collection in self.collections(kind) if collection.id == collection_id), None)

    def rows(self, kind: EvaluatorsKind, collection_id: str) -> tuple[EvaluatorRow, ...]:
        """Every row of a collection, for all k; none of an unknown one."""
        return self._runs.rows((kind, collection_id), lambda: self._ranked(kind, collection_id))

    def _ranked(self, kind: EvaluatorsKind, collection_id: str) -> tuple[EvaluatorRow, ...]:
        collection = self.collection(kind, collection_id)
        return _rows_of(collection, kind) if collection else ()

    def result(self, ticket_id: str) -> PersonalizedEvaluationResult | None:
        """A whole result with its items; None where there is none."""
        text = self._store.result(ticket_id)
        return PersonalizedEvaluationResult.model_validate_json(text) if text else None


def _scored(ticket: Ticket, text: str) -> ScoredEvaluator:
    return scored_evaluator(ticket, PersonalizedEvaluationResult.model_validate_json(text))


def collections_of(runs: Iterable[ScoredEvaluator], kind: EvaluatorsKind) -> tuple[RatedCollection, ...]:
    """What was predicted, with its latest runs: most runs first, then data that only the paper reports on."""
    of_id: dict[str, list[ScoredEvaluator]] = {}
    for run in latest_evaluators([run for run in runs if run.kind == kind]):
        of_id.setdefault(run.collection, []).append(run)
    collections = [_collection(collection_id, members) for collection_id, members in of_id.items()]
    collections.sort(key=lambda collection: (-len(collection.runs), folded(collection.dataset), collection.id))
    named = {folded(collection.dataset) for collection in collections}
    return (
        *collections,
        *(RatedCollection(name, name) for name in published_datasets(kind) if folded(name) not in named),
    )


def _collection(collection_id: str, runs: Sequence[ScoredEvaluator]) -> RatedCollection:
    names = Counter(run.result.dataset for run in runs)
    dataset = min(names, key=lambda name: (-names[name], name))
    return RatedCollection(collection_id, dataset, runs[0].report["n"], runs[0].n_reviewers, tuple(runs))


def latest_evaluators(runs: Iterable[ScoredEvaluator]) -> list[ScoredEvaluator]:
    """Of every evaluator, collection and k the run that is ranked."""
    newest: dict[RowKey, ScoredEvaluator] = {}
    for run in runs:
        key = (system_key(run.ticket), run.collection, run.k, run.result.judge is not None)
        if key not in newest or run.ticket.rank_order > newest[key].ticket.rank_order:
            newest[key] = run
    return list(newest.values())


def _rows_of(collection: RatedCollection, kind: EvaluatorsKind) -> tuple[EvaluatorRow, ...]:
    if not collection.runs:
        return published_rows(kind, collection.dataset)
    return evaluator_rows(collection.runs, kind, collection.dataset)


def of_k(rows: Iterable[EvaluatorRow], k: str) -> tuple[EvaluatorRow, ...]:
    """The rows of one k; published ones stay where the paper does not say theirs."""
    return tuple(row for row in rows if k == ALL_K or row.k is None or str(row.k) == k)


def first_k(collection: RatedCollection) -> str:
    """The k shown at first: that of most runs, the larger one of two; all of them where there is no run."""
    counts = Counter(run.k for run in collection.runs)
    return str(max(counts, key=lambda k: (counts[k], k))) if counts else ALL_K
