"""Ranks of judges by their AUC on pairs that all of them scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.judges.quality.labelled_pairs import LabelledPair
from evaluator.judges.quality.measurement import auc
from evaluator.statistics.rank_bands import RankBand, rank_bands

Scores = Sequence[float | None]
"""One for each pair, in order; None = unscored."""


def auc_bands(judges: Mapping[str, Scores], pairs: Sequence[LabelledPair]) -> dict[str, RankBand]:
    """The ranks each judge may hold by its AUC, all bands together with 95 %; no judge: {}.

    Judges are compared on the pairs that every one of them scored, topic by topic: what a topic adds to an AUC is its
    jackknife pseudo-value (`topic_values`).

    >>> pairs = [
    ...     LabelledPair(id=f"{topic}{grade}", topic=topic, split="test", category="x", prompt_a="", prompt_b="",
    ...                  a="", b="", grade=grade)
    ...     for topic in "abcdefgh" for grade in (0, 5)
    ... ]
    >>> auc_bands({"right": [0.0, 5.0] * 8, "wrong": [5.0, 0.0] * 8}, pairs)
    {'right': RankBand(low=1, high=1), 'wrong': RankBand(low=2, high=2)}
    """
    common = [place for place in range(len(pairs)) if all(scores[place] is not None for scores in judges.values())]
    shared = [pairs[place] for place in common]
    values = {}
    for name, scores in judges.items():
        known = [score for place in common if (score := scores[place]) is not None]
        values[name] = topic_values(known, shared)
    return rank_bands(values)


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
