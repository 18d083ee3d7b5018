"""Numbers that are no ratings: off the scale that a file states, or what tools write where a reply held none.

They count as no usable reply, and are told of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import replace
from math import inf

from evaluator.judge_logs.judgements import Collector, Record, number
from evaluator.judge_logs.label_sample import Scale
from submissions.reading.quoting import keys_shown, printable, quoted

_BELOW = frozenset({-1.0, -99.0, -100.0, -999.0, -1000.0, -9999.0})
"""FastChat and MT-bench write -1."""
_ABOVE = frozenset({999.0, 9999.0})
_USUAL = 100.0
"""The end of the longest scale that people rate on."""

_SCALES = frozenset({"scale", "rating_scale", "score_scale", "score_range", "rating_range"})
_LOWEST = frozenset({"min_score", "min_rating", "scale_min", "score_min", "rating_min"})
_HIGHEST = frozenset({"max_score", "max_rating", "scale_max", "score_max", "rating_max", "out_of"})
_RANGE = re.compile(
    r"[\[( ]{0,3}(-?[0-9]{1,4}(?:\.[0-9]{1,4})?) ?(?:-|–|—|to|\.\.|,|:) ?(-?[0-9]{1,4}(?:\.[0-9]{1,4})?)[\]) ]{0,3}"
)


def read_stated_scale(records: Iterable[tuple[str, Record]], collector: Collector) -> None:
    """Holds ratings to the scale that columns of the file state, and refuses ratings on several scales."""
    stated: dict[str, dict[str, None]] = {}
    for _, record in records:
        for name in record.keys() & collector.unknown.keys():
            if name.strip().lower() in _SCALES | _LOWEST | _HIGHEST and record[name] not in (None, ""):
                stated.setdefault(name, {})[str(record[name]).strip()] = None
    low, high = -inf, inf
    for name, values in stated.items():
        if len(values) > 1:
            message = f"the column {quoted(name)} states several scales ({keys_shown(list(values))})"
            collector.refuse("missing_field", "$", message, "Send a file for each scale, or bring all ratings to one.")
            continue
        bounds = _bounds(name.strip().lower(), next(iter(values)))
        if bounds is not None:
            low, high = max(low, bounds[0]), min(high, bounds[1])
            collector.unknown.pop(printable(name), None)
    if -inf < low < high < inf:
        collector.scale = Scale(low, high, "as the file states")
    count = 0
    for index, judgement in enumerate(collector.judgements):
        if judgement.rating is not None and not low <= judgement.rating <= high:
            count += 1
            collector.judgements[index] = replace(judgement, rating=None)
    if count:
        collector.note(
            f"{count:,} {'rating' if count == 1 else 'ratings'} off the scale that the file states counted as no "
            "usable reply."
        )


def _bounds(name: str, text: str) -> tuple[float, float] | None:
    """The ends of a scale as a column of that name states them; None where it states none.

    >>> _bounds("scale", "1-10"), _bounds("max_score", "5"), _bounds("scale", "Likert")
    ((1.0, 10.0), (-inf, 5.0), None)
    """
    if name in _SCALES:
        ends = _RANGE.fullmatch(text)
        low, high = (number(ends[1]), number(ends[2])) if ends else (None, None)
    else:
        low, high = (number(text), inf) if name in _LOWEST else (-inf, number(text))
    return (low, high) if low is not None and high is not None and low < high else None


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
