"""What each topic adds to an AUC, so that judges can be ranked by it."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.judges.quality.labelled_pairs import LabelledPair
from evaluator.judges.quality.measurement import auc


def topic_values(scores: Sequence[float], pairs: Sequence[LabelledPair]) -> dict[str, float]:
    """Topic -> pseudo-value of the AUC, T AUC - (T - 1) AUC without the topic; their mean is nearly the AUC.

    An AUC compares pairs of different topics, so that no topic has one of its own; pseudo-values are as good as
    independent values of the topics. Topics without which one label is missing have none; {} where one label is.
    Source: Dorfman, Berbaum and Metz 1992, Investigative Radiology 27(9), for readers of images on shared cases.
    """
    whole = _auc(scores, pairs, without=None)
    topics = sorted({pair.topic for pair in pairs})
    if whole is None:
        return {}
    left_out = {topic: _auc(scores, pairs, without=topic) for topic in topics}
    return {
        topic: len(topics) * whole - (len(topics) - 1) * rest for topic, rest in left_out.items() if rest is not None
    }


def _auc(scores: Sequence[float], pairs: Sequence[LabelledPair], *, without: str | None) -> float | None:
    kept = [(score, pair) for score, pair in zip(scores, pairs, strict=True) if pair.topic != without]
    return auc(
        [score for score, pair in kept if pair.is_equivalent], [score for score, pair in kept if not pair.is_equivalent]
    )
