"""Ranks of judges by position consistency, in bands of what the queries they share can tell apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product

import numpy as np

from evaluator.results import QueryCounts
from evaluator.statistics.intervals import SEPARATION_TOLERANCE
from evaluator.statistics.queries import MIN_QUERIES, FloatArray, percentile_interval, resampled_sums
from evaluator.statistics.rank_bands import RankBand

Queries = Mapping[str, QueryCounts]
"""Query -> what became of its verdicts under one judge."""


def consistency_bands(judges: Mapping[str, Queries]) -> dict[str, RankBand]:
    """The ranks each judge may hold by PC, given only differences that are significant on shared queries.

    One judge is better than another iff the 95 % interval of its PC minus the other's lies above 0; both are resampled
    by the same draws of the queries both judged. Fewer than ten shared queries tell nobody apart. No judge: {}.
    Source: specs, position_bias sections 8 and 10.

    >>> steady, flips = QueryCounts(consistent=2, valid=2, primacy=0, recency=0), QueryCounts(
    ...     consistent=0, valid=2, primacy=2, recency=0)
    >>> keys = [str(query) for query in range(10)]
    >>> consistency_bands({"flips": dict.fromkeys(keys, flips), "steady": dict.fromkeys(keys, steady)})
    {'flips': RankBand(low=2, high=2), 'steady': RankBand(low=1, high=1)}
    >>> consistency_bands({"flips": {"1": flips}, "steady": {"1": steady}})
    {'flips': RankBand(low=1, high=2), 'steady': RankBand(low=1, high=2)}
    """
    above: Counter[str] = Counter()
    below: Counter[str] = Counter()
    for better, worse in _separated(judges):
        below[better] += 1
        above[worse] += 1
    return {name: RankBand(low=1 + above[name], high=len(judges) - below[name]) for name in judges}


def _separated(judges: Mapping[str, Queries]) -> set[tuple[str, str]]:
    """Pairs (better, worse) whose paired difference is significant."""
    names_of = _judges_by_queries(judges)
    found: set[tuple[str, str]] = set()
    for one, other in combinations_with_replacement(names_of, 2):
        shared = sorted(one & other)
        if len(shared) < MIN_QUERIES:
            continue
        names = list(dict.fromkeys([*names_of[one], *names_of[other]]))
        resampled = dict(zip(names, _resampled_consistency([judges[name] for name in names], shared).T, strict=True))
        for first, second in product(names_of[one], names_of[other]):
            if first != second:
                found |= _order(first, second, resampled[first] - resampled[second], len(shared))
    return found


def _judges_by_queries(judges: Mapping[str, Queries]) -> dict[frozenset[str], list[str]]:
    """Judges with the same usable queries are resampled together; on a full board that is all of them."""
    names_of: dict[frozenset[str], list[str]] = {}
    for name, queries in judges.items():
        usable = frozenset(query for query, counts in queries.items() if counts.valid)
        names_of.setdefault(usable, []).append(name)
    return names_of


def _resampled_consistency(judges: Sequence[Queries], shared: Sequence[str]) -> FloatArray:
    """PC of each judge in every draw of the shared queries: (draws, judges)."""
    counts = [[number for judge in judges for number in _numbers(judge[query])] for query in shared]
    resampled = resampled_sums(np.array(counts, np.float64))
    return np.asarray(resampled[:, 0::2] / resampled[:, 1::2], np.float64)


def _numbers(counts: QueryCounts) -> tuple[int, int]:
    return counts.consistent, counts.valid


def _order(first: str, second: str, differences: FloatArray, queries: int) -> set[tuple[str, str]]:
    interval = percentile_interval(differences, queries, lowest=-1.0, highest=1.0)
    if interval is not None and interval[0] > SEPARATION_TOLERANCE:
        return {(first, second)}
    if interval is not None and interval[1] < -SEPARATION_TOLERANCE:
        return {(second, first)}
    return set()
