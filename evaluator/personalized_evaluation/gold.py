"""Predictions that are what was to be predicted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

GOLD_RETURNED = "gold_returned"
"""Flag of such a run."""
MOST_AGREEMENT = 0.9
"""Cohen's kappa of predictions and gold above which nobody has predicted anything: the gold stands in the file that is
submitted, and no model of the paper's table exceeds a Kendall correlation of .3 (PerSE, arXiv 2310.03304)."""
LEAST_PREDICTED = 20
"""With fewer answers such agreement may be luck."""


def is_returned(predicted: Sequence[tuple[Hashable, Hashable]]) -> bool:
    """Are the predictions the gold ones, to the digit and beyond chance?

    Args:
        predicted: Prediction and gold of every answered item.

    Cohen's kappa: what is equal beyond what would be by chance, given how often each value is predicted and gold.

    >>> is_returned([(n % 5, n % 5) for n in range(40)]), is_returned([(3, n % 5) for n in range(40)])
    (True, False)
    """
    n = len(predicted)
    if n < LEAST_PREDICTED:
        return False
    equal = sum(value == gold for value, gold in predicted) / n
    values, golds = Counter(value for value, _ in predicted), Counter(gold for _, gold in predicted)
    by_chance = sum(values[gold] * count for gold, count in golds.items()) / n**2
    # Where all are the same value, there was nothing to predict.
    return by_chance < 1.0 and (equal - by_chance) / (1.0 - by_chance) > MOST_AGREEMENT
