"""Ranks of judges by position consistency, in bands of what the queries they share can tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from evaluator.results import QueryCounts
from evaluator.statistics.intervals import FloatArray
from evaluator.statistics.queries import MIN_QUERIES
from evaluator.statistics.rank_bands import RankBand, share_contributions, simultaneous_bands

Queries = Mapping[str, QueryCounts]
"""Query -> what became of its verdicts under one judge."""


def consistency_bands(judges: Mapping[str, Queries]) -> dict[str, RankBand]:
    """The ranks each judge may hold by PC on the queries two of them share, all bands together with 95 %.

    Fewer than ten shared queries tell nobody apart. No judge: {}. See docs/position_bias.md#how-sure.

    >>> steady, flips = QueryCounts(consistent=2, valid=2, primacy=0, recency=0), QueryCounts(
    ...     consistent=0, valid=2, primacy=2, recency=0)
    >>> keys = [str(query) for query in range(10)]
    >>> consistency_bands({"flips": dict.fromkeys(keys, flips), "steady": dict.fromkeys(keys, steady)})
    {'flips': RankBand(low=2, high=2), 'steady': RankBand(low=1, high=1)}
    >>> consistency_bands({"flips": {"1": flips}, "steady": {"1": steady}})
    {'flips': RankBand(low=1, high=2), 'steady': RankBand(low=1, high=2)}
    """

    def contributions(names: Sequence[str], shared: Sequence[str]) -> FloatArray:
        counts = [[(judges[name][query].consistent, judges[name][query].valid) for query in shared] for name in names]
        array = np.array(counts, np.float64).reshape(len(names), len(shared), 2)
        return share_contributions(array[..., 0], array[..., 1])

    usable = {name: [query for query, counts in queries.items() if counts.valid] for name, queries in judges.items()}
    return simultaneous_bands(usable, contributions, min_units=MIN_QUERIES)
