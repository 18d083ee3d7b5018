"""What a judge says when it is asked whether a text answers its prompt, as a probability."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judgment

_YES, _NO = ANSWERS.labels


def answer_judgment(probability: float, details: Mapping[str, float] | None = None) -> Judgment:
    """The judgment of a judge that is no language model and gives the probability itself, 0-1.

    >>> answer_judgment(0.75).verdict, answer_judgment(0.75).distribution
    ('A', (0.75, 0.25))
    """
    verdict = _YES if probability >= 0.5 else _NO
    return Judgment(None, distribution=(probability, 1 - probability), verdict=verdict, details=dict(details or {}))


def answer_probability(judgment: Judgment) -> float | None:
    """The probability, 0-1, that the text answers; None where the judge gave no usable label.

    A judge that gives no label probabilities is sure of what it says.

    >>> answer_probability(Judgment(None, distribution=(0.75, 0.25), verdict="A"))
    0.75
    >>> answer_probability(Judgment(None, verdict="B")), answer_probability(Judgment(None, reason="no label"))
    (0.0, None)
    """
    if judgment.verdict is None:
        return None
    return judgment.distribution[0] if judgment.distribution else float(judgment.verdict == _YES)
