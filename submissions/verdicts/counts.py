"""Verdict pairs counted: by (judge, task, model) for the figures, by (judge, task, query) for how sure they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from submissions.verdicts.items import BoolArray, IntArray, VerdictItems, combined_codes
from submissions.verdicts.swap_outcomes import VERDICTS, SwapOutcome, Verdict, classify

FloatArray = npt.NDArray[np.float64]

_LETTERS = len(VERDICTS)


def _pairs_with(*outcomes: SwapOutcome) -> IntArray:
    """1 for every pair of verdicts with one of these outcomes, shape (original, swapped)."""
    return np.array([[int(classify(o, s) in outcomes) for s in VERDICTS] for o in VERDICTS], np.int64)


def _calls_of(verdict: Verdict) -> IntArray:
    """How often a pair of verdicts contains this one: 0, 1 or 2."""
    return np.array([[(o == verdict) + (s == verdict) for s in VERDICTS] for o in VERDICTS], np.int64)


WINS_FIRST = _pairs_with(SwapOutcome.CONSISTENT_WIN_FIRST_CANDIDATE)
WINS_SECOND = _pairs_with(SwapOutcome.CONSISTENT_WIN_SECOND_CANDIDATE)
TIES = _pairs_with(SwapOutcome.CONSISTENT_TIE)
PRIMACY = _pairs_with(SwapOutcome.PRIMACY_FLIP)
RECENCY = _pairs_with(SwapOutcome.RECENCY_FLIP)
CONSISTENT = WINS_FIRST + WINS_SECOND + TIES
VALID = CONSISTENT + PRIMACY + RECENCY
DIRECTION = RECENCY - PRIMACY
ERROR_CALLS = _calls_of("N")
SLOT_CALLS = (_calls_of("B") - _calls_of("A")) * VALID
"""Verdicts B minus verdicts A, in valid pairs only."""
TIE_CALLS = _calls_of("C") * VALID


@dataclass(frozen=True, slots=True)
class VerdictCells:
    """Verdict pairs counted by (judge, task, model), sorted: all that the figures need."""

    judge: IntArray
    task: IntArray
    model: IntArray
    pairs: IntArray
    """Shape (cells, verdict in original order, verdict in swapped order)."""
    unpaired: IntArray
    """Items for which an order was not run."""

    def __getitem__(self, rows: slice | BoolArray) -> VerdictCells:
        return VerdictCells(self.judge[rows], self.task[rows], self.model[rows], self.pairs[rows], self.unpaired[rows])

    def counts(self, weights: IntArray) -> IntArray:
        """Pairs of each cell, weighted by their verdicts."""
        return np.asarray(np.tensordot(self.pairs, weights, axes=2), np.int64)

    def total(self, weights: IntArray) -> int:
        """Pairs of all cells, weighted by their verdicts."""
        return int((self.pairs.sum(axis=0) * weights).sum())


def verdict_cells(items: VerdictItems) -> VerdictCells:
    """The items counted by (judge, task, model); a cell of unpaired items only has no pairs."""
    named = [(column.codes, len(column.names)) for column in (items.judge, items.task, items.model)]
    cell = combined_codes(*named)
    first = np.unique(cell, return_index=True)[1]
    pair = (items.original * _LETTERS + items.swapped)[items.paired]
    pairs_per_cell = _LETTERS * _LETTERS
    counted = np.bincount(cell[items.paired] * pairs_per_cell + pair, minlength=len(first) * pairs_per_cell)
    return VerdictCells(
        judge=items.judge.codes[first],
        task=items.task.codes[first],
        model=items.model.codes[first],
        pairs=counted.reshape(-1, _LETTERS, _LETTERS).astype(np.int64),
        unpaired=np.bincount(cell[~items.paired], minlength=len(first)).astype(np.int64),
    )


@dataclass(frozen=True, slots=True)
class VerdictQueries:
    """Sums over the pairs of each (judge, task, query) that has a pair, sorted: what is resampled."""

    judge: IntArray
    task: IntArray
    query: IntArray
    """(task, query) numbered over all judges."""
    pairs: FloatArray
    valid: FloatArray
    consistent: FloatArray
    direction: FloatArray
    """Recency flips minus primacy flips."""

    def __getitem__(self, rows: BoolArray) -> VerdictQueries:
        return VerdictQueries(
            self.judge[rows],
            self.task[rows],
            self.query[rows],
            self.pairs[rows],
            self.valid[rows],
            self.consistent[rows],
            self.direction[rows],
        )

    def with_valid_pair(self) -> VerdictQueries:
        """Without the queries whose pairs are all unusable."""
        return self[self.valid > 0]


def verdict_queries(items: VerdictItems) -> VerdictQueries:
    """The paired items summed by (judge, task, query)."""
    items = items[items.paired]
    query = combined_codes((items.task.codes, len(items.task.names)), (items.query.codes, len(items.query.names)))
    group = combined_codes((items.judge.codes, len(items.judge.names)), (query, int(query.max(initial=-1)) + 1))
    first = np.unique(group, return_index=True)[1]

    def sums(weights: IntArray) -> FloatArray:
        weighted = weights[items.original, items.swapped]
        return np.bincount(group, weights=weighted, minlength=len(first)).astype(np.float64)

    return VerdictQueries(
        items.judge.codes[first],
        items.task.codes[first],
        query[first],
        pairs=sums(np.ones_like(VALID)),
        valid=sums(VALID),
        consistent=sums(CONSISTENT),
        direction=sums(DIRECTION),
    )


def query_names(items: VerdictItems) -> tuple[str, ...]:
    """ "task / query" of every number that `VerdictQueries.query` holds."""
    items = items[items.paired]
    query = combined_codes((items.task.codes, len(items.task.names)), (items.query.codes, len(items.query.names)))
    first = np.unique(query, return_index=True)[1].tolist()
    return tuple(f"{items.task.cell(row)} / {items.query.cell(row)}" for row in first)
