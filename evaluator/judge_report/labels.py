"""Labels by people, as far as they are known: the label of every pair compared and of every answer rated.

Labels are read as a log of comparisons (a CSV with question, first, second and verdict, or any other format) or of
ratings. A label belongs to the judgements of the same question, item and two systems, or of the same answer; of several
labels of one pair the majority counts, of several of one answer their mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import fsum

from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_logs.label_sample import LabelKey
from submissions.verdicts.swap_outcomes import Verdict

Pairs = Mapping[LabelKey, str]
"""Pair -> the better system, or `TIE`."""
Ratings = Mapping[LabelKey, float]
"""Answer -> the mean of its ratings."""

TIE = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """What people say of a log's answers."""

    pairs: Pairs
    ratings: Ratings
    votes: Mapping[LabelKey, Mapping[str, int]] = field(default_factory=dict)
    """Pair -> how many people named each answer, or `TIE`."""
    raters: Mapping[LabelKey, int] = field(default_factory=dict)
    """Answer -> how many rated it."""

    @property
    def keys(self) -> frozenset[LabelKey]:
        """Everything that has a label."""
        return frozenset({*self.pairs, *self.ratings})

    @property
    def most(self) -> int:
        """How many labels the pair or answer with most of them has."""
        return max([*(sum(cast.values()) for cast in self.votes.values()), *self.raters.values()], default=0)


def labels_of(*logs: JudgementLog) -> Labels:
    """The label of every pair, the answer that most of its labels name or a tie, and of every answer rated."""
    votes: dict[LabelKey, Counter[str]] = {}
    ratings: dict[LabelKey, list[float]] = {}
    for judgement in chain.from_iterable(log.judgements for log in logs):
        if judgement.is_comparison and judgement.is_usable:
            votes.setdefault(judgement.key, Counter())[winner(judgement)] += 1
        elif judgement.rating is not None:
            ratings.setdefault(judgement.key, []).append(judgement.rating)
    return Labels(
        {key: _majority(cast) for key, cast in votes.items()},
        {key: fsum(given) / len(given) for key, given in ratings.items()},
        votes,
        {key: len(given) for key, given in ratings.items()},
    )


def asked_of(log: JudgementLog) -> frozenset[LabelKey]:
    """Every pair that a log compares and every answer that it rates, under the names that labels have."""
    return frozenset(judgement.key for judgement in log.judgements)


def missing_labellers(labels: Labels) -> str | None:
    """What labels of one person to a pair or an answer leave open."""
    if labels.most != 1:
        return None
    what = "pair" if labels.pairs else "answer"
    return (
        f"Agreement among people: no {what} has two labels, so the figures hold for one labeller, and how far people "
        f"agree with one another is not known. Have some of the {what}s labelled by a second person."
    )


def winner(judgement: Judgement) -> str:
    """The better system of a usable comparison, or `TIE`."""
    return TIE if judgement.verdict == "C" else judgement.systems[0 if judgement.verdict == "A" else 1]


def _majority(cast: Counter[str]) -> str:
    most = cast.most_common(2)
    return TIE if len(most) == 2 and most[0][1] == most[1][1] else most[0][0]


def label_by_place(judgement: Judgement, labels: Pairs) -> Verdict:
    """The label by place, as the judge was shown the pair."""
    better = labels[judgement.key]
    return "C" if better == TIE else "A" if better == judgement.systems[0] else "B"
