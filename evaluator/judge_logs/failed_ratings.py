"""Numbers that tools write where a reply held no rating: they count as no usable reply, and are told of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import replace

from evaluator.judge_logs.judgements import Collector

_BELOW = frozenset({-1.0, -99.0, -100.0, -999.0, -1000.0, -9999.0})
"""FastChat and MT-bench write -1."""
_ABOVE = frozenset({999.0, 9999.0})
_USUAL = 100.0
"""The end of the longest scale that people rate on."""


def mark_failed_ratings(collector: Collector) -> None:
    """Makes ratings unusable that can only stand for none, and refuses those of which that cannot be told."""
    ratings: dict[str, set[float]] = {}
    for judgement in collector.judgements:
        if judgement.rating is not None:
            ratings.setdefault(judgement.judge, set()).add(judgement.rating)
    failures = {judge: failure for judge, known in ratings.items() if (failure := failed_rating(known)) is not None}
    is_above_zero = collector.scale is not None and collector.scale.low >= 0
    counts: Counter[float] = Counter()
    for index, judgement in enumerate(collector.judgements):
        failure = failures.get(judgement.judge)
        if failure is None or judgement.rating != failure:
            continue
        if not is_above_zero and may_be_lowest(failure, ratings[judgement.judge]):
            message = "a rating is -1, and the others are from 0 to 1: it may be none, or the lowest of -1 to 1"
            hint = "Leave it empty where the judge gave no rating; where it is one, add 1 to all ratings."
            collector.refuse("missing_field", judgement.place, message, hint)
            continue
        counts[failure] += 1
        collector.judgements[index] = replace(judgement, rating=None)
    for failure, count in sorted(counts.items()):
        collector.note(
            f"{count:,} {'rating' if count == 1 else 'ratings'} of {failure:g} counted as no usable reply: tools write "
            f"{failure:g} where a reply holds no rating, and no other is as far off."
        )


def failed_rating(ratings: Set[float]) -> float | None:
    """The number among a judge's ratings that stands for none; None where all are ratings.

    >>> failed_rating({8, 9, -1}), failed_rating({-2, -1, 0}), failed_rating({1, 5, 999}), failed_rating({-1})
    (-1, None, 999, -1)
    """
    below = [rating for rating in ratings if rating < 0]
    if len(below) == 1 and below[0] in _BELOW and (len(ratings) > 1 or below[0] == -1):
        return below[0]
    above = [rating for rating in ratings if rating > _USUAL]
    return above[0] if len(above) == 1 and above[0] in _ABOVE and len(ratings) > 1 else None


def may_be_lowest(rating: float, ratings: Set[float]) -> bool:
    """Whether a rating of -1 may be the lowest on a scale from -1 to 1.

    >>> may_be_lowest(-1, {-1, 0, 1}), may_be_lowest(-1, {-1, 0, 4}), may_be_lowest(-1, {-1})
    (True, False, False)
    """
    return rating == -1 and len(ratings) > 1 and max(ratings) <= 1
