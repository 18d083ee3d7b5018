"""What a distribution over labels says: the expected rating, or the one most probable label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LOWEST_LABEL_MASS = 0.5
"""With less of its probability on the labels, a judge did not answer
(docs/decisions/label_probabilities.md)."""

TIE_LABEL = "C"
"""What an exact tie of the best labels means where this label closes the list
(docs/position_bias.md#from-label-probabilities-and-texts)."""


@dataclass(frozen=True, slots=True)
class LabelDistribution:
    """The probabilities of the labels as a judge gave them, not renormalised, and what they say."""

    probabilities: tuple[float, ...]
    mass: float | None
    """Their sum, 0-1; None after a NaN."""
    label: str | None
    """The most probable label; None when unscored."""
    expected: float | None
    """Mean of number labels under the renormalised probabilities; None for other labels, and when unscored."""
    reason: str | None
    """Why the judgment is unscored."""


def read_labels(probabilities: Sequence[float], labels: Sequence[str]) -> LabelDistribution:
    """Reads the probabilities of some labels, in their order.

    In this order: a NaN is unscored; a mass under one half is unscored; an exact tie at the top is the label C where
    C is the last label, the tie of two answers, and unscored elsewhere, never the first label; else the most probable
    label.

    >>> read_labels([0.25, 0.25, 0.5], ["0", "1", "2"]).expected  # 0 x .25 + 1 x .25 + 2 x .5
    1.25
    >>> read_labels([0.4, 0.4, 0.1], ["A", "B", "C"]).label, read_labels([0.4, 0.4], ["A", "B"]).reason
    ('C', 'the judge gave its best labels exactly the same probability')
    """
    given = tuple(float(probability) for probability in probabilities)
    if any(math.isnan(probability) for probability in given):
        return LabelDistribution(given, None, None, None, "the judge's probabilities are not numbers")
    mass = math.fsum(given)
    if mass < LOWEST_LABEL_MASS:
        return LabelDistribution(given, mass, None, None, "the judge did not answer with a label")
    if all(label.isdigit() for label in labels):
        expected = math.fsum(int(label) * probability for label, probability in zip(labels, given, strict=True)) / mass
        return LabelDistribution(given, mass, None, expected, None)
    best = [label for label, probability in zip(labels, given, strict=True) if probability == max(given)]
    if len(best) > 1 and labels[-1] != TIE_LABEL:
        reason = "the judge gave its best labels exactly the same probability"
        return LabelDistribution(given, mass, None, None, reason)
    return LabelDistribution(given, mass, best[0] if len(best) == 1 else TIE_LABEL, None, None)
