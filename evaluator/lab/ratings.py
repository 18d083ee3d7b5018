"""Ratings of what was compared blindly in the lab: which votes count, and what they come to.

A vote is left out, and counted under its reason, when it says nothing of the answers (`LeftOut`). The systems are
"GENERATOR, METHOD", over all settings of preferences.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from evaluator.lab.votes import Vote, VoteBook
from evaluator.statistics.deciding_items import DecidingItems
from evaluator.statistics.deciding_units import deciding_votes
from evaluator.statistics.preference_ratings import (
    PairVote,
    PreferenceRatings,
    connected_systems,
    preference_ratings,
)

MIN_VOTES = 50
"""With fewer that count no rating is shown: an interval would be wider than half the scale."""
MIN_VOTERS = 10
"""With fewer visitors it would be a rating by a few people, whatever their number of votes."""
MIN_SYSTEM_VOTES = 20
"""A system with fewer is not rated: the ridge, worth one vote, would weigh a twentieth or more."""
MOST_OF_ONE = 20
"""Votes of one visitor that count, the first ones: no visitor decides a rating."""
FASTEST_READING = 952.0
"""Words a minute: four times the 238 at which people read English silently (Brysbaert 2019, Journal of Memory and
Language 109). Whoever votes faster cannot have read both answers."""
SIDED_VOTES = 10
"""So many votes for an answer, all for the same place, have a chance of 1 in 512 where no place is favoured."""

RENEWED_S = 20.0
"""A rating is of thousands of votes at best; one vote more does not hurry."""

LeftOut = Literal["unknown_place", "two_wordings", "repeated", "too_fast", "one_sided", "too_many"]
REASONS: Mapping[LeftOut, str] = {
    "unknown_place": "from before it was kept which answer was shown first",
    "two_wordings": "on answers to two wordings of a question",
    "repeated": "by a visitor on a question and two systems they had voted on before",
    "too_fast": "faster than both answers can be read",
    "one_sided": f"by visitors with {SIDED_VOTES} votes or more for answers, all for the same place",
    "too_many": f"beyond the first {MOST_OF_ONE} of a visitor",
}
"""Why a vote does not count, in the order it is looked for -> in words after "2 votes"."""


@dataclass(frozen=True, slots=True)
class LabRatings:
    """What the lab's blind votes come to."""

    votes: int
    """That count."""
    voters: int
    left_out: Mapping[LeftOut, int]
    """Only reasons that there are votes for."""
    unrated: int
    """Of the votes that count, those on a system with fewer than `MIN_SYSTEM_VOTES`, or on systems that no vote
    connects with the ones rated."""
    deciding: DecidingItems | None
    """The fewest of them without which another system is first; None where no rating is shown."""
    ratings: PreferenceRatings | None
    """None with fewer than `MIN_VOTES` votes or `MIN_VOTERS` visitors on systems that can be rated."""


def lab_ratings(votes: Sequence[Vote]) -> LabRatings:
    """What votes come to, in the order they were given."""
    counted, left_out = counted_votes(votes)
    pairs = [_pair_vote(vote) for vote in counted]
    rated = _rateable(pairs)
    is_enough = len(rated) >= MIN_VOTES and len({pair.voter for pair in rated}) >= MIN_VOTERS
    return LabRatings(
        votes=len(pairs),
        voters=len({pair.voter for pair in pairs}),
        left_out=left_out,
        unrated=len(pairs) - len(rated),
        deciding=deciding_votes(rated) if is_enough else None,
        ratings=preference_ratings(rated) if is_enough else None,
    )


def _rateable(pairs: list[PairVote]) -> list[PairVote]:
    """Votes on systems that have enough of them, and are connected by them."""
    counts = Counter(name for pair in pairs for name in {pair.first, pair.second})
    kept = [pair for pair in pairs if min(counts[pair.first], counts[pair.second]) >= MIN_SYSTEM_VOTES]
    groups = connected_systems(kept)
    kept = [pair for pair in kept if pair.first in groups[0]]
    # Without the votes of one system another may have too few.
    return kept if len(kept) == len(pairs) else _rateable(kept)


def counted_votes(votes: Sequence[Vote]) -> tuple[list[Vote], dict[LeftOut, int]]:
    """The votes that count, in their order, and how many others there are for which reason."""
    sided = _one_sided_voters(votes)
    counted: list[Vote] = []
    left_out: Counter[LeftOut] = Counter()
    seen: set[tuple[str, str, str, frozenset[str]]] = set()
    counts: defaultdict[str, int] = defaultdict(int)
    for vote in votes:
        reason = _reason(vote, vote.voter in sided, _question(vote) in seen, counts[vote.voter])
        if reason is not None:
            left_out[reason] += 1
            continue
        if (question := _question(vote)) is not None:
            seen.add(question)
        counts[vote.voter] += 1
        counted.append(vote)
    return counted, {reason: left_out[reason] for reason in REASONS if left_out[reason]}


def _reason(vote: Vote, is_sided: bool, is_seen: bool, count: int) -> LeftOut | None:
    """Why a vote does not count: the first reason in the order of `REASONS`."""
    reasons: dict[LeftOut, bool] = {
        "unknown_place": vote.first is None,
        "two_wordings": vote.is_twin,
        "repeated": is_seen,
        "too_fast": is_too_fast(vote),
        "one_sided": is_sided,
        "too_many": count >= MOST_OF_ONE,
    }
    return next((reason for reason in REASONS if reasons[reason]), None)


def is_too_fast(vote: Vote) -> bool:
    """Whether less time went by between the first word on the page and the vote than reading takes.

    A vote of which the time is not known is not too fast.
    """
    if vote.seconds is None or vote.words is None:
        return False
    return vote.seconds * FASTEST_READING < vote.words * 60


def _question(vote: Vote) -> tuple[str, str, str, frozenset[str]] | None:
    """Who voted on which question and systems; None for a visitor's own question, whose id is not kept."""
    if vote.example_id is None:
        return None
    return vote.voter, vote.dataset, f"{vote.example_id} {vote.setting}", frozenset((vote.a, vote.b))


def _one_sided_voters(votes: Sequence[Vote]) -> set[str]:
    places: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for vote in votes:
        if vote.first is not None and vote.vote in ("a", "b"):
            places[vote.voter][vote.vote == vote.first] += 1
    return {voter for voter, sides in places.items() if len(sides) == 1 and sides.total() >= SIDED_VOTES}


def _pair_vote(vote: Vote) -> PairVote:
    """The vote in the order the answers were shown; "both bad" prefers neither, as a tie does."""
    shown = (vote.a, vote.b) if vote.first == "a" else (vote.b, vote.a)
    outcome = 0.5 if vote.vote in ("tie", "both_bad") else float(vote.vote == vote.first)
    question = f"{vote.dataset} {vote.example_id}" if vote.example_id else "a visitor's question"
    return PairVote(*shown, outcome, vote.voter, question)


class KeptRatings:
    """The ratings of a book of votes, made anew at most every `RENEWED_S` seconds: pages ask for them all the time.

    Args:
        clock: Seconds, from any start.
    """

    def __init__(self, book: VoteBook, clock: Callable[[], float] = time.monotonic) -> None:
        self._book = book
        self._clock = clock
        self._lock = Lock()
        self._made_at = -math.inf
        self._kept: LabRatings | None = None

    def __call__(self) -> LabRatings:
        with self._lock:
            now = self._clock()
            if self._kept is None or now - self._made_at >= RENEWED_S:
                self._kept, self._made_at = lab_ratings(self._book.votes()), now
            return self._kept
