"""Repetition stability: does a judge say the same again when nothing was changed?

Without it, position consistency cannot be read: a judge that answers at random is inconsistent without preferring any
place. Re-running a deterministic judge is no repetition; for local judges the expectation is computed from the label
distribution instead (docs/position_bias.md#repetition; "repetitional consistency" in the paper's first version).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypedDict, get_args

import numpy as np
from scipy.special import gammaln, xlogy

from evaluator.position_bias.label_bias import LABELS, Label
from evaluator.statistics.queries import FloatArray, percentile_interval, resampled_sums
from evaluator.statistics.verdict_pairs import Compat, ratio
from evaluator.statistics.verdict_tables import Table, read_verdicts
from submissions.verdicts.items import NOT_RUN, BoolArray, IntArray, N, VerdictTable, combined_codes
from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import VERDICTS, Options

EXPECTED_DRAWS = 3
"""Draws at temperature 1 that expectations from label distributions stand for."""
MIN_VOTES = 2
"""An item with fewer votes says nothing about repetition."""


class RepetitionFigures(TypedDict):
    """How stable one judge is over repetitions of the same call."""

    n_items: int
    """Scored (task, model, query, order): at least two votes, one of them usable."""
    n_items_skipped: int
    n_calls: int
    """All calls, of skipped items too."""
    n_error_calls: int
    error_rate: float | None
    """Unusable share of the calls. Lower is better."""
    n_queries: int
    """(task, query) with a scored item."""
    repetition_stability: float | None
    """RS: mean share of the votes that fall on an item's most frequent verdict. Higher is better, at most 1."""
    repetition_stability_floor: float | None
    """What RS cannot fall below: mean ceil(t / options) / t."""
    repetition_stability_chance: float | None
    """What uniform guessing would reach on these numbers of votes."""
    repetition_stability_corrected: float | None
    """(RS - chance) / (1 - chance): 0 = guessing, 1 = always the same."""
    repetition_stability_ci95: list[float] | None
    same_order_agreement: float | None
    """Share of pairs of repetitions of an item that are equal: the noise ceiling of consistency."""
    cross_order_agreement: float | None
    """Share of (original, swapped) pairs of repetitions that name the same candidate."""
    positional_excess: float | None
    """same - cross: inconsistency that noise does not explain. Nearer 0 is better."""


# --- single items ----------------------------------------------------------------------------------------------------


def repetition_share(votes: Sequence[str], compat: Compat = "valid") -> float | None:
    """Share of the votes on one item that fall on the most frequent usable verdict.

    Range: above 0 to 1, higher is better. `valid` drops N; `paper` keeps it in the denominator, where it never wins.
    Fewer than two votes, or none usable: None. See docs/position_bias.md#repetition_stability.

    >>> repetition_share(["A", "A", "B"]) == 2 / 3, repetition_share(["A", "A", "N"])
    (True, 1.0)
    >>> repetition_share(["A", "N", "N"], "paper") == 1 / 3, repetition_share(["A", "N", "N"])
    (True, None)
    """
    usable = [vote for vote in votes if vote != "N"]
    total = len(usable) if compat == "valid" else len(votes)
    return max(map(usable.count, usable)) / total if usable and total >= MIN_VOTES else None


def expected_largest_share(probabilities: FloatArray, draws: int) -> FloatArray:
    """Expected share of the most frequent label among independent draws: (items, labels) -> (items,).

    Range: ceil(draws / labels) / draws to 1.

    >>> round(float(expected_largest_share(np.full((1, 3), 1 / 3), 3)[0]) * 27, 9)  # 6 of 27 all differ: 17/27
    17.0
    """
    counts = np.array(_compositions(draws, probabilities.shape[1]), np.float64)
    ways = gammaln(draws + 1) - gammaln(counts + 1).sum(axis=1)
    log_p = xlogy(counts, probabilities[:, np.newaxis, :]).sum(axis=2)
    return np.asarray(np.exp(ways + log_p) @ counts.max(axis=1) / draws, np.float64)


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    """All ways to write `total` as an ordered sum of so many numbers from 0."""
    if parts == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in _compositions(total - first, parts - 1)]


@cache
def chance_share(votes: int, options: Options) -> float:
    """Expected share of the most frequent verdict if every vote were a uniform guess.

    >>> round(chance_share(3, 2), 9), round(chance_share(4, 3), 9)
    (0.75, 0.592592593)
    """
    return float(expected_largest_share(np.full((1, options), 1.0 / options), votes)[0])


def floor_share(votes: int, options: Options) -> float:
    """The smallest possible share of the most frequent verdict: some verdict has at least votes / options.

    >>> floor_share(4, 3), floor_share(3, 2) == 2 / 3
    (0.5, True)
    """
    return -(-votes // options) / votes


# --- the report ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Votes:
    """Votes counted by (judge, task, model, query), sorted."""

    judge: IntArray
    query: IntArray
    """(task, query) numbered over all judges."""
    counts: IntArray
    """(items, order: original or swapped, verdict A B C N)."""

    def __getitem__(self, rows: BoolArray) -> _Votes:
        return _Votes(self.judge[rows], self.query[rows], self.counts[rows])


def _votes(table: VerdictTable) -> _Votes:
    first = np.unique(table.item, return_index=True)[1]
    shape = (len(first), len(VERDICTS) + 1)
    counts = [
        np.bincount(table.item * shape[1] + verdicts, minlength=shape[0] * shape[1]).reshape(shape)[:, :NOT_RUN]
        for verdicts in (table.original, table.swapped)
    ]
    query = combined_codes((table.task.codes, len(table.task.names)), (table.query.codes, len(table.query.names)))
    return _Votes(table.judge.codes[first], query[first], np.stack(counts, axis=1).astype(np.int64))


def repetition_report(
    table: Table,
    *,
    compat: Compat = "valid",
    options: Options = 3,
    benchmark: str | None = None,
    verdict_format: VerdictFormat = "brackets",
) -> dict[str, RepetitionFigures]:
    """The repetition figures of every judge, all its repetitions used; judges in order of their names.

    Arguments and refusals as in `position_bias_report`. A table without rows gives {}.
    Every key: docs/position_bias.md#repetition.

    >>> import pandas as pd
    >>> names = ["judge", "repetition", "task", "model", "query", "verdict_original", "verdict_swapped"]
    >>> rows = [["j", "1", "t", "m", "q", "A", "A"], ["j", "2", "t", "m", "q", "A", "B"]]
    >>> figures = repetition_report(pd.DataFrame(rows, columns=names))["j"]
    >>> figures["repetition_stability"], figures["same_order_agreement"]  # AA: 2/2, AB: 1/2; 1 of 2 pairs equal
    (0.75, 0.5)
    >>> figures["cross_order_agreement"]  # A-A no, A-B yes, A-A no, A-B yes
    0.5
    """
    if compat not in get_args(Compat):
        raise ValueError(f"{compat!r} is not accepted; choices: valid, paper")
    verdicts = read_verdicts(table, options=options, benchmark=benchmark, verdict_format=verdict_format)
    votes = _votes(verdicts)
    return {
        name: _repetition_figures(votes[votes.judge == judge], compat, options)
        for judge, name in enumerate(verdicts.judge.names)
    }


def _repetition_figures(votes: _Votes, compat: Compat, options: Options) -> RepetitionFigures:
    calls = votes.counts.reshape(-1, len(VERDICTS))  # one row per item and order
    query = np.repeat(votes.query, 2)
    usable = calls[:, :N]
    t = usable.sum(axis=1) if compat == "valid" else calls.sum(axis=1)
    scored = (t >= MIN_VOTES) & (usable.sum(axis=1) > 0)
    n_items, n_calls, n_error_calls = int(scored.sum()), int(calls.sum()), int(calls[:, N].sum())
    share = usable[scored].max(axis=1, initial=0) / t[scored]
    stability = _mean(share)
    chance = _mean([chance_share(votes, options) for votes in t[scored].tolist()])
    same, cross = _same_order_agreement(votes), _cross_order_agreement(votes)
    return RepetitionFigures(
        n_items=n_items,
        n_items_skipped=int((calls.sum(axis=1) > 0).sum()) - n_items,
        n_calls=n_calls,
        n_error_calls=n_error_calls,
        error_rate=ratio(n_error_calls, n_calls),
        n_queries=len(np.unique(query[scored])),
        repetition_stability=stability,
        repetition_stability_floor=_mean([floor_share(votes, options) for votes in t[scored].tolist()]),
        repetition_stability_chance=chance,
        repetition_stability_corrected=None
        if stability is None or chance is None
        else (stability - chance) / (1 - chance),
        repetition_stability_ci95=_interval(query[scored], share),
        same_order_agreement=same,
        cross_order_agreement=cross,
        positional_excess=None if same is None or cross is None else same - cross,
    )


def _mean(values: Iterable[float]) -> float | None:
    listed = np.fromiter(values, np.float64)
    return float(listed.mean()) if len(listed) else None


def _interval(query: IntArray, share: FloatArray) -> list[float] | None:
    """Interval of the mean over items, resampling queries."""
    if not len(query):
        return None
    group = combined_codes((query, int(query.max()) + 1))
    sums = np.column_stack([np.bincount(group, weights=share), np.bincount(group).astype(np.float64)])
    resampled = resampled_sums(sums)
    ends = percentile_interval(resampled[:, 0] / resampled[:, 1], len(sums), lowest=0.0, highest=1.0)
    return None if ends is None else list(ends)


def _same_order_agreement(votes: _Votes) -> float | None:
    usable = votes.counts[:, :, :N]
    total = usable.sum(axis=2)
    return ratio(int((usable * (usable - 1)).sum()), int((total * (total - 1)).sum()))


def _cross_order_agreement(votes: _Votes) -> float | None:
    original, swapped = votes.counts[:, 0, :N], votes.counts[:, 1, :N]
    same_candidate = (original * swapped[:, _SAME_CANDIDATE]).sum()
    return ratio(int(same_candidate), int((original.sum(axis=1) * swapped.sum(axis=1)).sum()))


_SAME_CANDIDATE = (1, 0, 2)
"""Which verdict of the swapped order names the candidate of A, B, C in the original order: B, A, C."""


# --- expectations from label distributions ---------------------------------------------------------------------------


class ExpectedRepetition(TypedDict):
    """Repetition figures computed from label distributions instead of repeated calls."""

    basis: Literal["expected, t=3"]
    n_items: int
    """Items with a usable distribution in both orders."""
    n_items_skipped: int
    repetition_stability: float | None
    same_order_agreement: float | None
    cross_order_agreement: float | None
    positional_excess: float | None


def expected_repetition(
    items: Sequence[tuple[Mapping[Label, float], Mapping[Label, float]]], *, options: Options
) -> ExpectedRepetition:
    """What three draws at temperature 1 from a local judge's label distributions would show, without drawing.

    Each item has the distribution over labels of the original and of the swapped order (renormalised here; labels left
    out are 0). RS = mean over both orders of E[largest count] / 3; same = mean of sum P(x)²; cross = sum
    P_original(x) P_swapped(x'), x' = the label of the same candidate. Ranges and directions as in `RepetitionFigures`.
    An item whose distribution is negative, not finite or all 0 is skipped; none left: None.

    >>> figures = expected_repetition([({"A": 0.5, "B": 0.5}, {"A": 0.5, "B": 0.5})], options=2)  # pure noise
    >>> figures["repetition_stability"], figures["positional_excess"]
    (0.75, 0.0)
    >>> expected_repetition([({"A": 1.0}, {"A": 1.0})], options=2)["positional_excess"]  # pure position
    1.0
    """
    labels = LABELS[options]
    p = np.array([[[order.get(label, 0.0) for label in labels] for order in item] for item in items], np.float64)
    p = p.reshape(len(items), 2, len(labels))
    mass = p.sum(axis=2)
    usable = (np.isfinite(p) & (p >= 0)).all(axis=(1, 2)) & (mass > 0).all(axis=1)
    p = p[usable] / mass[usable][:, :, np.newaxis]
    stability = _mean(expected_largest_share(p.reshape(-1, len(labels)), EXPECTED_DRAWS))
    same = _mean((p**2).sum(axis=2).reshape(-1))
    cross = _mean((p[:, 0] * p[:, 1][:, _SAME_CANDIDATE[: len(labels)]]).sum(axis=1))
    return ExpectedRepetition(
        basis="expected, t=3",
        n_items=len(p),
        n_items_skipped=len(items) - len(p),
        repetition_stability=stability,
        same_order_agreement=same,
        cross_order_agreement=cross,
        positional_excess=None if same is None or cross is None else same - cross,
    )
