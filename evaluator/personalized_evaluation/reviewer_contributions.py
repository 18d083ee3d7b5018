"""What each reviewer adds to the headline of a run: by it, runs on the same items are ranked.

Runs are compared on their common reviewers, each with all items, as `statistics.rank_bands` asks for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evaluator.personalized_evaluation.result import ChosenItems, PersonalizedEvaluationResult, RatedItems
from submissions.formats.personalized_evaluation.submission import ASPECTS, Scale

FloatArray = npt.NDArray[np.float64]

_MOST_CELLS = 4_000_000
"""Of the table of two scores; items are compared with each other in blocks where it would hold more."""
_BLOCK_CELLS = 1_000_000


def headline_contributions(result: PersonalizedEvaluationResult) -> dict[str, float]:
    """Reviewer -> what its items add to the headline; together they are the headline, missing answers counted as there.

    Of choices, its right ones by all items of the aspect, averaged over the aspects. Of ratings, an equal part of tau
    and how far tau would move with the weight of its items (`kendall_influence`). {} where there is no headline.
    """
    if result.ratings is not None and result.scale is not None:
        return _of_ratings(result.ratings, Scale(*result.scale))
    return _of_choices(result.pairs) if result.pairs is not None else {}


def _of_ratings(items: RatedItems, scale: Scale) -> dict[str, float]:
    predicted = [scale.midpoint if score is None else score for score in items.score]
    tau, influence = kendall_influence(predicted, items.gold)
    of_reviewer: defaultdict[str, float] = defaultdict(float)
    for reviewer, moved in zip(items.reviewer, influence.tolist(), strict=True):
        of_reviewer[reviewer] += moved
    return {} if tau is None else {reviewer: tau / len(of_reviewer) + moved for reviewer, moved in of_reviewer.items()}


def _of_choices(items: ChosenItems) -> dict[str, float]:
    sizes = Counter(items.aspect)
    if len(sizes) < len(ASPECTS):
        return {}
    choices = dict.fromkeys(items.reviewer, 0.0)
    for reviewer, aspect, choice, gold in zip(items.reviewer, items.aspect, items.choice, items.gold, strict=True):
        choices[reviewer] += (choice == gold) / (len(ASPECTS) * sizes[aspect])
    return choices


def kendall_influence(predicted: Sequence[float], gold: Sequence[float]) -> tuple[float | None, FloatArray]:
    """Kendall's tau-b, and how much it moves with the weight of each item: its derivative; these sum to 0.

    tau = A / sqrt(B C), A the agreeing less the disagreeing ordered pairs, B and C those untied in one score and in the
    other. With a, b, c an item's part in these, the derivative is 2 a / sqrt(B C) - tau (b / B + c / C).
    (None, zeros) where tau is undefined. Source: the infinitesimal jackknife, Efron 1982, The Jackknife, the Bootstrap
    and Other Resampling Plans, chapter 6.

    >>> tau, influence = kendall_influence([1, 2, 3], [1, 3, 2])  # pairs 12 and 13 agree, 23 does not: A = 2, B = C = 6
    >>> round(tau, 4), influence.round(4).tolist()  # a = 2, 0, 0; b = c = 2: 4 / 6 - 2 / 9, then - 2 / 9
    (0.3333, [0.4444, -0.2222, -0.2222])
    """
    first, second = (np.unique(np.asarray(scores, np.float64), return_inverse=True)[1] for scores in (predicted, gold))
    n = len(first)
    ties, other_ties = np.bincount(first, minlength=1), np.bincount(second, minlength=1)
    untied, other_untied = n - ties[first] if n else ties, n - other_ties[second] if n else other_ties
    both = np.sqrt(float(untied.sum()) * float(other_untied.sum()))
    if not both:
        return None, np.zeros(n)
    agreeing = _agreeing(first, second)
    tau = float(agreeing.sum() / both)
    shares = untied / untied.sum() + other_untied / other_untied.sum()
    return tau, np.asarray(2.0 * agreeing / both - tau * shares, dtype=np.float64)


def _agreeing(first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]) -> FloatArray:
    """Of each item, the items in the same order by both scores less those in opposite orders."""
    shape = int(first.max()) + 1, int(second.max()) + 1
    if shape[0] * shape[1] > _MOST_CELLS:
        step = max(1, _BLOCK_CELLS // len(first))
        blocks = [
            (np.sign(first[start : start + step, None] - first) * np.sign(second[start : start + step, None] - second))
            for start in range(0, len(first), step)
        ]
        return np.concatenate([block.sum(axis=1) for block in blocks]).astype(np.float64)
    table = np.bincount(first * shape[1] + second, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    agreeing: FloatArray = _below_less_above(_below_less_above(table, 0), 1)[first, second]
    return agreeing


def _below_less_above(table: FloatArray, axis: int) -> FloatArray:
    """At every place along an axis, the sum before it less the sum after it."""
    until = np.cumsum(table, axis=axis)
    return np.asarray(2.0 * until - table - table.sum(axis=axis, keepdims=True), dtype=np.float64)
