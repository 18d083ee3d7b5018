"""Ratings from people's choices between two answers: Bradley-Terry with a place effect, clustered by voter.

    log odds that the first shown is chosen = strength of the first - strength of the second + place effect

A tie counts as half a vote for each side. Source: Bradley and Terry (1952), the place effect as in Davidson and Beaver
(1977). Strengths and place effect are shrunk by a ridge, as if each had a normal distribution of variance 1 / `RIDGE`
around 0; the strengths then have the sum 0, so that a strength is against the mean of the systems compared.

Votes of one voter are not independent. The standard errors leave out one voter at a time (the jackknife of clusters,
CR3, in one Newton step for each: Cameron and Miller 2015, Journal of Human Resources 50(2), section VI), and the
intervals take the quantiles of Student's t with one degree of freedom less than there are voters. Systems are sorted
by strength, so their intervals hold together: each of k leaves out 5 % / k (Bonferroni; of two, one says both).

Without shrinkage strengths and place effect are those of arena-rank 0.1.1 (`ContextualBradleyTerry` with a constant
feature) to 0.000005, and the standard errors, a voter a vote, 0.5% above its sandwich: a test holds votes and figures.
Compared once on 1,500 made votes, with the ridge and no place effect strengths are those of choix 0.4.1
(`opt_pairwise`) to six digits.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, stdtrit

from evaluator.statistics.intervals import MIN_UNITS, TAIL
from evaluator.values import MetricValue

RIDGE = 0.25
"""On each strength and the place effect: worth one vote, for a vote between equals informs by 1/4. With 1 a strong
system that was shown seldom was drawn to the mean, and its interval held its strength in 81 to 90 cases of 100."""
_STEPS = 100
_SMALL = 1e-10

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairVote:
    """One choice between two answers."""

    first: str
    """The system whose answer was shown first."""
    second: str
    """May be the same system: such a vote tells of the place alone."""
    outcome: float
    """1 the first was chosen, 0 the second, 1/2 neither."""
    voter: str
    question: str = ""
    """What was asked, where a vote is named."""


@dataclass(frozen=True, slots=True)
class SystemRating:
    """One system of those compared."""

    system: str
    strength: MetricValue
    """Log odds of being chosen before the mean of the systems compared, were neither place favoured; n = its votes."""
    voters: int


@dataclass(frozen=True, slots=True)
class PreferenceRatings:
    """What the votes on systems that were compared, directly or through others, come to."""

    systems: tuple[SystemRating, ...]
    """The strongest first; () without votes."""
    place_effect: MetricValue
    """Log odds of being chosen for standing first; n = votes."""
    voters: int


def chosen_share(log_odds: MetricValue) -> MetricValue:
    """Log odds as the share of choices they come to, with the interval: 0 is 1/2.

    >>> chosen_share(MetricValue(value=0.0, low=-1.0, high=1.0, n=50)).value
    0.5
    """
    ends = {key: None if value is None else float(expit(value)) for key, value in _ends(log_odds)}
    return log_odds.model_copy(update=ends)


def _ends(metric: MetricValue) -> list[tuple[str, float | None]]:
    return [("value", metric.value), ("low", metric.low), ("high", metric.high)]


def preference_ratings(votes: Sequence[PairVote], ridge: float = RIDGE) -> PreferenceRatings:
    """Ratings of systems that are all connected by votes (`connected_systems`); others cannot be held against them.

    Args:
        votes: In any order.
        ridge: Above 0.

    Returns:
        Intervals where there are `MIN_UNITS` voters or more: of all strengths together 95%, of the place effect 95%.

    >>> votes = [PairVote("new", "old", 1.0, f"v{n}") for n in range(3)]
    >>> votes += [PairVote("old", "new", 0.0, f"w{n}") for n in range(3)]
    >>> found = preference_ratings(votes)
    >>> [one.system for one in found.systems], round(found.place_effect.value, 9) + 0.0
    (['new', 'old'], 0.0)
    """
    names = sorted({name for vote in votes for name in (vote.first, vote.second)})
    voters = sorted({vote.voter for vote in votes})
    design = vote_design(votes, {name: place for place, name in enumerate(names)})
    outcomes = np.array([vote.outcome for vote in votes], np.float64)
    parameters = fitted_strengths(design, outcomes, ridge)
    errors = _errors(design, outcomes, parameters, ridge, _numbered([vote.voter for vote in votes], voters))
    together = len(names) if len(names) > 2 else 1
    tails = [*[TAIL / together] * len(names), TAIL]
    metrics = [
        _metric(value, error, n, len(voters), tail)
        for value, error, n, tail in zip(parameters, errors, _votes_of(votes, names), tails, strict=True)
    ]
    of_system: defaultdict[str, set[str]] = defaultdict(set)
    for vote in votes:
        of_system[vote.first].add(vote.voter)
        of_system[vote.second].add(vote.voter)
    systems = [SystemRating(name, metrics[place], len(of_system[name])) for place, name in enumerate(names)]
    ranked = sorted(systems, key=lambda system: (-(system.strength.value or 0.0), system.system))
    return PreferenceRatings(tuple(ranked), metrics[-1], len(voters))


def connected_systems(votes: Sequence[PairVote]) -> list[set[str]]:
    """Systems that votes connect, directly or through others; those with the most votes first.

    >>> pairs = [("a", "b"), ("b", "c"), ("x", "y")]
    >>> [sorted(one) for one in connected_systems([PairVote(first, second, 1, "v") for first, second in pairs])]
    [['a', 'b', 'c'], ['x', 'y']]
    """
    groups: list[set[str]] = []
    for vote in votes:
        joined = {vote.first, vote.second}
        apart = []
        for group in groups:
            if group & joined:
                joined |= group
            else:
                apart.append(group)
        groups = [*apart, joined]
    counts = Counter(vote.first for vote in votes) + Counter(vote.second for vote in votes)
    return sorted(groups, key=lambda group: (-sum(counts[name] for name in group), min(group)))


def vote_design(votes: Sequence[PairVote], places: dict[str, int]) -> FloatArray:
    """(votes, systems + 1): the log odds are the product with the strengths and the place effect."""
    design = np.zeros((len(votes), len(places) + 1))
    for row, vote in enumerate(votes):
        design[row, places[vote.first]] += 1
        design[row, places[vote.second]] -= 1
        design[row, -1] = 1
    return design


def _votes_of(votes: Sequence[PairVote], names: Sequence[str]) -> list[int]:
    """Votes of each system, and all of them."""
    counts = Counter(name for vote in votes for name in {vote.first, vote.second})
    return [*(counts[name] for name in names), len(votes)]


def _numbered(values: Sequence[str], names: Sequence[str]) -> npt.NDArray[np.int64]:
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[value] for value in values], np.int64)


def vote_information(design: FloatArray, chances: FloatArray) -> FloatArray:
    return np.asarray((design * (chances * (1 - chances))[:, np.newaxis]).T @ design)


def fitted_strengths(design: FloatArray, outcomes: FloatArray, ridge: float) -> FloatArray:
    """Newton's method; halved steps keep the penalised likelihood rising, which has one top."""

    def loss(parameters: FloatArray) -> float:
        odds = design @ parameters
        return float(np.logaddexp(0.0, odds).sum() - outcomes @ odds + ridge / 2 * parameters @ parameters)

    parameters = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chances = expit(design @ parameters)
        slope = design.T @ (outcomes - chances) - ridge * parameters
        step = np.linalg.solve(vote_information(design, chances) + ridge * np.eye(len(parameters)), slope)
        while loss(parameters + step) > loss(parameters) + _SMALL:
            step /= 2
        parameters = parameters + step
        if np.abs(step).max() < _SMALL:
            break
    return parameters


def _errors(
    design: FloatArray, outcomes: FloatArray, parameters: FloatArray, ridge: float, voter: npt.NDArray[np.int64]
) -> FloatArray:
    """Standard errors: how far one Newton step moves when the votes of one voter are left out, over all voters.

    At least those of the model for independent votes: of a system that has not lost yet no voter left out moves much.
    """
    chances = expit(design @ parameters)
    whole = vote_information(design, chances) + ridge * np.eye(len(parameters))
    order = np.argsort(voter, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(voter[order])) + 1) if len(order) else []
    squares = np.zeros(len(parameters))
    for rows in groups:
        score = design[rows].T @ (outcomes[rows] - chances[rows])
        squares += np.linalg.solve(whole - vote_information(design[rows], chances[rows]), score) ** 2
    number = len(groups)
    # Strengths are against their mean; what all have in common is known to the ridge alone.
    systems = len(parameters) - 1
    centred = np.eye(len(parameters))
    centred[:systems, :systems] -= 1.0 / max(1, systems)
    of_model = np.diag(centred @ np.linalg.inv(whole) @ centred)
    return np.asarray(np.sqrt(np.maximum(squares * (number - 1) / number, of_model))) if number else squares


def _metric(value: float, error: float, n: int, voters: int, tail: float) -> MetricValue:
    if not n:
        return MetricValue(value=None, n=0, reason="no votes")
    if voters < MIN_UNITS:
        return MetricValue(value=float(value), n=n)
    reach = float(stdtrit(voters - 1, 1 - tail)) * float(error)
    return MetricValue(value=float(value), low=float(value) - reach, high=float(value) + reach, n=n)
