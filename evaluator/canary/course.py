"""The course of a canary: what its rounds say, from the first to the latest.

A course begins with `BASELINE` askings of all pairs at once. The first `CHOOSING` of them choose: a pair stays when the
judge gives it the same rating every time, and that is its verdict. The others count how often the judge says
something else of these pairs though nothing changed; that gives the bound of its noise. Each later round asks once,
counts the verdicts that are others now, and the detector (`evaluator.statistics.change_detection`) says when these are
too many for noise. After an alarm the next asking begins a course anew, with the judge as it is then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from evaluator.canary.pairs import LEAST_PAIRS
from evaluator.statistics.change_detection import detector_course, rate_bound

CHOOSING = 3
"""Askings that choose the pairs."""
MEASURING = 5
"""Askings that measure the noise."""
BASELINE = CHOOSING + MEASURING
NOISE_RISK = 0.05
"""Chance that the judge's noise is above its bound."""
ROUNDS_TO_FALSE_ALARM = 1_000
"""Where the noise is within its bound, a judge that did not change has an alarm once in so many rounds at most."""

Verdict = int | None
"""A rating rounded to a whole number 0-5; None = the reply could not be used: no pair stays for that, and where a judge
had a verdict before it is another one."""


def verdict_of(rating: float | None) -> Verdict:
    """What a rating says, half a point rounded up.

    >>> verdict_of(2.5), verdict_of(2.49), verdict_of(None)
    (3, 2, None)
    """
    return None if rating is None else math.floor(rating + 0.5)


@dataclass(frozen=True, slots=True)
class Asking:
    """All pairs asked once."""

    at: datetime
    ratings: tuple[float | None, ...]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(map(verdict_of, self.ratings))


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a course holds its rounds against."""

    verdicts: dict[int, Verdict]
    """Place of a pair -> what the judge says of it; only pairs of which it said the same in every choosing."""
    noise: float
    """Share of verdicts on these pairs that were others while the noise was measured."""
    bound: float
    """The noise is not above it with probability 1 - `NOISE_RISK`."""

    @property
    def can_watch(self) -> bool:
        """Whether the judge repeats itself on enough pairs, and often enough, for a change to be heard at all."""
        return len(self.verdicts) >= LEAST_PAIRS and self.bound < 0.5

    def others(self, asking: Asking) -> int:
        """How many of the chosen pairs have another verdict."""
        verdicts = asking.verdicts
        return sum(verdicts[place] != verdict for place, verdict in self.verdicts.items())


@dataclass(frozen=True, slots=True)
class Round:
    """One asking after the baseline."""

    at: datetime
    others: int
    """Verdicts that are others than in the baseline."""
    evidence: float
    """The detector; an alarm from `ROUNDS_TO_FALSE_ALARM` on."""

    @property
    def is_alarm(self) -> bool:
        return self.evidence >= ROUNDS_TO_FALSE_ALARM


@dataclass(frozen=True, slots=True)
class Course:
    """One baseline, and the rounds held against it up to an alarm."""

    asked: tuple[Asking, ...]
    """The askings of the baseline, `BASELINE` of them when it is whole."""
    baseline: Baseline | None
    """None until it is whole."""
    rounds: tuple[Round, ...]

    @property
    def alarm(self) -> Round | None:
        """The last round, where it is one."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].is_alarm else None

    @property
    def is_watching(self) -> bool:
        """Whether the next asking is a round of it, and not of a baseline."""
        return self.baseline is not None and self.baseline.can_watch and self.alarm is None


def baseline_of(asked: Sequence[Asking]) -> Baseline:
    """The baseline of `BASELINE` askings."""
    choosing, measuring = asked[:CHOOSING], asked[CHOOSING:BASELINE]
    every = list(zip(*(round_.verdicts for round_ in choosing), strict=True))
    chosen = {place: said[0] for place, said in enumerate(every) if len(set(said)) == 1 and said[0] is not None}
    if not chosen:
        return Baseline({}, 0.0, 1.0)
    trials = len(chosen) * len(measuring)
    others = sum(Baseline(chosen, 0.0, 1.0).others(round_) for round_ in measuring)
    return Baseline(chosen, others / trials, rate_bound(others, trials, NOISE_RISK))


def courses(askings: Sequence[Asking]) -> list[Course]:
    """The courses that askings of the same pairs and the same judge make, in the order they were asked.

    The last one may be one that has only just begun; () gives none. Where the judge does not repeat itself enough for a
    baseline to watch by, the next asking begins another one.
    """
    return list(_courses(list(askings)))


def _courses(left: list[Asking]) -> Iterator[Course]:
    while left:
        asked, left = left[:BASELINE], left[BASELINE:]
        if len(asked) < BASELINE:
            yield Course(tuple(asked), None, ())
            return
        baseline = baseline_of(asked)
        rounds = _rounds(baseline, left) if baseline.can_watch else ()
        left = left[len(rounds) :]
        yield Course(tuple(asked), baseline, rounds)


def _rounds(baseline: Baseline, left: Sequence[Asking]) -> tuple[Round, ...]:
    if not left:
        return ()
    others = [baseline.others(asking) for asking in left]
    course = detector_course(others, len(baseline.verdicts), baseline.bound).tolist()
    rounds = [Round(asking.at, count, evidence) for asking, count, evidence in zip(left, others, course, strict=True)]
    last = next((place for place, round_ in enumerate(rounds) if round_.is_alarm), len(rounds) - 1)
    return tuple(rounds[: last + 1])
