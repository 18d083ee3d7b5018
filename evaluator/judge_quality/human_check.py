"""Do people agree with a judge? Cohen's kappa of their votes on its verdicts with the judge's own words.

A vote is "agree" or "disagree" with "these two answers mean the same" or "differ": with the judge's word it gives the
person's. People see the judge's word before they vote, which pulls votes towards it: read the figures as upper bounds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.judge_quality.measurement import ACCURACY_THRESHOLD
from evaluator.statistics.intervals import mean_metric
from evaluator.statistics.label_agreement import label_agreement
from evaluator.values import MetricValue
from submissions.store.votes import Reading, VerdictVote

SAME_ABOVE = ACCURACY_THRESHOLD
"""A pair score above it reads "the same", as where judges are measured on labelled pairs."""

ANCHORING = "People see the judge's word before they vote, which pulls votes towards it: read this as an upper bound."


def reading_of(score: float) -> Reading:
    """The word for a pair score 0-5.

    >>> reading_of(4.2), reading_of(2.5)
    ('same', 'different')
    """
    return "same" if score > SAME_ABOVE else "different"


@dataclass(frozen=True, slots=True)
class HumanCheck:
    """What people say of one judge's verdicts."""

    kappa: MetricValue
    """Cohen's kappa of people's words with the judge's; n = votes. The interval draws whole items."""
    agreed: int
    """Votes that agree."""
    people: int
    verdicts: int
    own: int
    """Votes on people's own runs: part of no figure."""
    share: MetricValue
    """Share of votes that agree; n = votes. The interval is over whole items."""

    @property
    def votes(self) -> int:
        return self.kappa.n


_NO_VOTES = MetricValue(value=None, n=0, reason="nobody has voted")
NOBODY = HumanCheck(_NO_VOTES, agreed=0, people=0, verdicts=0, own=0, share=_NO_VOTES)


def human_check(votes: Sequence[VerdictVote]) -> HumanCheck:
    """The figures of one judge's votes; votes taken back count nowhere, those on one's own run are only counted.

    Kappa is at most 1 (full agreement), 0 is chance; higher is better. It is None with a reason where the judge, or
    people, said one word only: whatever the agreement, kappa is then 0 or undefined. Interval: 95%, by whole
    items, None with fewer than `MIN_UNITS` (`label_agreement`). Source: Cohen 1960.
    """
    standing = [vote for vote in votes if vote.stance != "none"]
    counted = [vote for vote in standing if not vote.is_own]
    if not counted:
        return HumanCheck(_NO_VOTES, agreed=0, people=0, verdicts=0, own=len(standing), share=_NO_VOTES)
    said = [str(vote.reading) for vote in counted]
    agreed: defaultdict[str, list[float]] = defaultdict(list)
    for vote in counted:
        agreed[vote.pair.item].append(float(vote.stance == "agree"))
    judged = [str(vote.pair.reading) for vote in counted]
    return HumanCheck(
        kappa=_kappa(said, judged, [vote.pair.item for vote in counted]),
        agreed=sum(vote.stance == "agree" for vote in counted),
        people=len({vote.person for vote in counted}),
        verdicts=len({vote.pair.verdict for vote in counted}),
        own=len(standing) - len(counted),
        share=mean_metric(agreed),
    )


def checks_by_judge(votes: Sequence[VerdictVote]) -> dict[str, HumanCheck]:
    """The figures of every judge that was voted on, by the SHA-256 of its pin."""
    of_judge: defaultdict[str, list[VerdictVote]] = defaultdict(list)
    for vote in votes:
        of_judge[vote.pair.judge].append(vote)
    return {judge: human_check(judge_votes) for judge, judge_votes in sorted(of_judge.items())}


def _kappa(said: list[str], judged: list[str], items: list[str]) -> MetricValue:
    n = len(said)
    for who, words in (("the judge", judged), ("people", said)):
        if len(set(words)) == 1:
            return MetricValue(value=None, n=n, reason=f'{who} said "{words[0]}" every time')
    agreement = label_agreement(said, judged, {"item": items})
    low, high = agreement["kappa_ci"] or (None, None)
    return MetricValue(value=agreement["kappa"], low=low, high=high, n=n)


@dataclass(frozen=True, slots=True)
class VoteRecord:
    """A counted vote as it is given away: without account and time."""

    person: str
    """"person 3": numbered in the order of their first vote in this list, and in no other list the same."""
    judge: str
    judge_sha256: str
    verdict: str
    item: str
    judge_says: Reading
    person_says: Reading
    score: float


def vote_records(votes: Sequence[VerdictVote]) -> list[VoteRecord]:
    """The counted votes under pseudonyms, in order of judge, item, verdict and person.

    `python -m evaluator agreement FILE --truth person_says --prediction judge_says --cluster item`, over the records
    of one judge, gives the kappa of the pages.
    """
    counted = sorted(
        (vote for vote in votes if vote.stance != "none" and not vote.is_own), key=lambda vote: (vote.at, vote.person)
    )
    numbers = {person: number for number, person in enumerate(dict.fromkeys(vote.person for vote in counted), start=1)}
    counted.sort(key=lambda vote: (vote.pair.judge, vote.pair.item, vote.pair.verdict, numbers[vote.person]))
    return [
        VoteRecord(
            person=f"person {numbers[vote.person]}",
            judge=vote.pair.judge_name,
            judge_sha256=vote.pair.judge,
            verdict=vote.pair.verdict,
            item=vote.pair.item,
            judge_says=vote.pair.reading,
            person_says=vote.reading,
            score=vote.pair.score,
        )
        for vote in counted
        if vote.reading is not None
    ]


def judge_figures(votes: Sequence[VerdictVote]) -> list[dict[str, Any]]:
    """The figures of every judge with a standing vote, for a file: strict JSON, null with a reason where undefined."""
    names = {vote.pair.judge: vote.pair.judge_name for vote in votes}
    return [
        {
            "judge": names[judge],
            "judge_sha256": judge,
            "kappa": check.kappa.value,
            "kappa_ci": None if check.kappa.low is None else [check.kappa.low, check.kappa.high],
            "reason": check.kappa.reason,
            "votes": check.votes,
            "agreed": check.agreed,
            "people": check.people,
            "verdicts": check.verdicts,
            "own_votes_left_out": check.own,
        }
        for judge, check in checks_by_judge(votes).items()
        if check.votes or check.own
    ]
