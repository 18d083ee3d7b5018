"""The course of a canary: what its rounds say, from the first to the latest.

A course begins with a baseline, asked on `DAYS` days: on the first, `CHOOSING` askings choose the pairs. A pair stays
when the judge gives it the same rating every time, and that is its verdict. `MEASURING` more askings on every day count
how often the judge says something else of these pairs though nothing changed; what they do not rule out is how noisy
its days may be. Each later round asks once, counts the verdicts that are others now, and the detector
(`evaluator.statistics.change_detection`) says when these are too many for noise. After an alarm the next asking begins
a course anew, with the judge as it is then.

Baselines of earlier records were asked within one hour: `ASKED_AT_ONCE` askings. They go on, with a bound on the noise
of that hour; that days may differ is not in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from evaluator.canary.pairs import LEAST_PAIRS
from evaluator.statistics.change_detection import (
    MOST_RATE,
    DayNoise,
    detector_course,
    possible_noises,
    rate_bound,
)

DAYS = 7
"""Days of a baseline: chosen by `make bench-canary` (docs/canary.md#how-many-days)."""
CHOOSING = 3
"""Askings that choose the pairs, on the first day."""
MEASURING = 2
"""Askings of every day that measure the noise."""
BASELINE = CHOOSING + DAYS * MEASURING
FIRST_STEPS = range(1, CHOOSING + MEASURING + 1)
"""The askings of the first day."""
NEXT_DAY = timedelta(hours=20)
"""From the last asking of a day of the baseline to the next day: a job that runs daily may be some hours early."""
ASKED_AT_ONCE = 8
"""Askings of a baseline of an earlier record."""
NOISE_RISK = 0.05
"""Chance that the judge's noise was above its bound in the hour of an earlier baseline."""
ROUNDS_TO_FALSE_ALARM = 1_000
"""Where the noise is within what the baseline does not rule out, a judge that did not change has an alarm once in so
many rounds at most."""
_USUAL_DAY = 1.645
"""Standard deviations that 19 of 20 days do not exceed."""

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
    step: int | None = None
    """Its place in a baseline of several days, counted from 1; None in rounds and in earlier baselines."""

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
    noises: tuple[DayNoise, ...]
    """What the noise of a day may be; none where the pairs are too few."""
    days: int
    """On which it was asked; 1 in earlier records."""

    @property
    def bound(self) -> float:
        """Share of other verdicts that the noise of 19 of 20 days is not above."""
        days = (min(MOST_RATE, noise.rate * math.exp(_USUAL_DAY * noise.spread)) for noise in self.noises)
        return max(days, default=1.0)

    @property
    def can_watch(self) -> bool:
        """Whether the judge repeats itself on enough pairs, and often enough, for a change to be heard at all."""
        return len(self.verdicts) >= LEAST_PAIRS and self.bound < 0.5

    def others(self, asking: Asking) -> int:
        """How many of the chosen pairs have another verdict."""
        return _others(self.verdicts, asking)


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
    """The askings of the baseline, as far as it was asked."""
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

    @property
    def day_asked(self) -> int | None:
        """The last whole day of a baseline of several days that goes on, 0 before the first; None: none goes on."""
        if self.baseline is not None or self.asked[0].step is None:
            return None
        return max(0, len(self.asked) - CHOOSING) // MEASURING

    @property
    def steps_due(self) -> range:
        """The askings that the next day of the baseline is still to have; the first day's where a new one begins."""
        day = self.day_asked
        return FIRST_STEPS if day is None else range(len(self.asked) + 1, _last_step(day + 1) + 1)

    def next_day(self) -> datetime | None:
        """From when the next day of the baseline may be asked; None: at once."""
        day = self.day_asked
        return self.asked[-1].at + NEXT_DAY if day and len(self.asked) == _last_step(day) else None


def _last_step(day: int) -> int:
    return CHOOSING + MEASURING * day


def baseline_of_days(asked: Sequence[Asking]) -> Baseline | None:
    """The baseline of the askings of several days; None as long as some are missing.

    Fewer are enough where the judge repeats itself on too few pairs, which the first day shows.
    """
    if len(asked) < CHOOSING:
        return None
    chosen = _chosen(asked[:CHOOSING])
    if len(chosen) < LEAST_PAIRS:
        return Baseline(chosen, 0.0, (), 1)
    if len(asked) < BASELINE:
        return None
    others = [_others(chosen, asking) for asking in asked[CHOOSING:BASELINE]]
    of_days = [sum(others[place : place + MEASURING]) for place in range(0, len(others), MEASURING)]
    noises = possible_noises(of_days, MEASURING * len(chosen))
    return Baseline(chosen, sum(others) / (len(others) * len(chosen)), tuple(noises), DAYS)


def _baseline_asked_at_once(asked: Sequence[Asking]) -> Baseline:
    """The baseline of `ASKED_AT_ONCE` askings, as earlier records have it."""
    chosen = _chosen(asked[:CHOOSING])
    if not chosen:
        return Baseline({}, 0.0, (), 1)
    trials = len(chosen) * (len(asked) - CHOOSING)
    others = sum(_others(chosen, asking) for asking in asked[CHOOSING:])
    bound = rate_bound(others, trials, NOISE_RISK)
    return Baseline(chosen, others / trials, (DayNoise(bound, 0.0),) if bound < MOST_RATE else (), 1)


def _chosen(asked: Sequence[Asking]) -> dict[int, Verdict]:
    every = zip(*(asking.verdicts for asking in asked), strict=True)
    return {place: said[0] for place, said in enumerate(every) if len(set(said)) == 1 and said[0] is not None}


def _others(chosen: dict[int, Verdict], asking: Asking) -> int:
    verdicts = asking.verdicts
    return sum(verdicts[place] != verdict for place, verdict in chosen.items())


def courses(askings: Sequence[Asking]) -> list[Course]:
    """The courses that askings of the same pairs and the same judge make, in the order they were asked.

    The last one may be one that has only just begun; () gives none. Where the judge does not repeat itself enough for a
    baseline to watch by, the next asking begins another one.
    """
    return list(_courses(list(askings)))


def _courses(left: list[Asking]) -> Iterator[Course]:
    while left:
        baseline: Baseline | None
        if left[0].step is None:
            asked = list(takewhile(lambda asking: asking.step is None, left[:ASKED_AT_ONCE]))
            baseline = _baseline_asked_at_once(asked) if len(asked) == ASKED_AT_ONCE else None
        else:
            steps = enumerate(left[1:BASELINE], start=2)
            asked = left[:1] + [asking for _, asking in takewhile(lambda of: of[0] == of[1].step, steps)]
            baseline = baseline_of_days(asked)
        left = left[len(asked) :]
        rounds: tuple[Round, ...] = ()
        if baseline is not None and baseline.can_watch:
            rounds = _rounds(baseline, list(takewhile(lambda asking: asking.step is None, left)))
        left = left[len(rounds) :]
        yield Course(tuple(asked), baseline, rounds)


def _rounds(baseline: Baseline, left: Sequence[Asking]) -> tuple[Round, ...]:
    if not left:
        return ()
    others = [baseline.others(asking) for asking in left]
    course = detector_course(others, len(baseline.verdicts), baseline.noises).tolist()
    rounds = [Round(asking.at, count, evidence) for asking, count, evidence in zip(left, others, course, strict=True)]
    last = next((place for place, round_ in enumerate(rounds) if round_.is_alarm), len(rounds) - 1)
    return tuple(rounds[: last + 1])
