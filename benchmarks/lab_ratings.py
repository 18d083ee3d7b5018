"""How often the lab's rating intervals hold the true strengths, one by one and all together (`make bench-coverage`).

Systems of known strengths are voted on by the model; the strongest is shown seldom, as a new system is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from benchmarks.hard_populations import with_error
from evaluator.statistics.intervals import FloatArray
from evaluator.statistics.preference_ratings import PairVote, preference_ratings

PLACE_EFFECT = 0.2
VOTES_OF_A_VOTER = 8


@dataclass(frozen=True, slots=True)
class RatingsReached:
    """What the intervals of one lab reach; shares of the trials."""

    strengths: tuple[float, ...]
    voters: int
    share_of_the_strongest: float
    """Of the votes that show it."""
    strongest: float
    """Its interval holds its strength."""
    together: float
    """All intervals do."""
    trials: int


def ratings_reached(strengths: Sequence[float], voters: int, seldom: float, trials: int, seed: int) -> RatingsReached:
    """Simulates one row; votes of one visitor are independent given the systems."""
    generator = np.random.default_rng([seed, voters, len(strengths), round(1000 * seldom)])
    true = centred(strengths)
    strongest = int(true.argmax())
    held, together = [], []
    for _ in range(trials):
        votes = drawn_votes(generator, strengths, voters, seldom)
        ratings = {rating.system: rating.strength for rating in preference_ratings(votes).systems}
        if len(ratings) < len(true):
            continue
        inside = [
            (ratings[f"s{place}"].low or 0.0) <= strength <= (ratings[f"s{place}"].high or 0.0)
            for place, strength in enumerate(true)
        ]
        held.append(inside[strongest])
        together.append(all(inside))
    return RatingsReached(
        tuple(strengths), voters, seldom, float(np.mean(held)), float(np.mean(together)), len(together)
    )


def centred(strengths: Sequence[float]) -> FloatArray:
    """Return the strengths against their mean, as ratings are."""
    return np.asarray(np.array(strengths) - np.mean(strengths), dtype=np.float64)


def drawn_votes(
    generator: np.random.Generator, strengths: Sequence[float], voters: int, seldom: float
) -> list[PairVote]:
    """Draw the votes of one lab; the systems are s0, s1, ... in the order of their strengths."""
    true = centred(strengths)
    strongest = int(true.argmax())
    others = [place for place in range(len(true)) if place != strongest]
    votes = []
    for voter in range(voters):
        for _vote in range(VOTES_OF_A_VOTER):
            pair = generator.permutation(others)[:2]
            if generator.random() < seldom:
                pair[0] = strongest
            first, second = generator.permutation(pair)
            chance = expit(true[first] - true[second] + PLACE_EFFECT)
            votes.append(PairVote(f"s{first}", f"s{second}", float(generator.random() < chance), f"v{voter}"))
    return votes


RATING_ROWS: tuple[tuple[tuple[float, ...], int, float], ...] = (
    ((0.0, 0.3, -0.3, 2.0), 15, 0.12),
    ((0.0, 0.3, -0.3, 2.0), 40, 0.06),
    ((0.0, 0.5, -0.5, 0.2, 2.5), 40, 0.06),
    ((0.0, 0.0, 0.0, 0.0), 15, 0.5),
)


def ratings_table(rows: Sequence[RatingsReached]) -> str:
    """The rows as a Markdown table."""
    head = "| true strengths | visitors | votes that show the strongest | its interval holds | all hold together |"
    lines = [
        f"| {', '.join(map(str, row.strengths))} | {row.voters} | {row.share_of_the_strongest:.0%} "
        f"| {with_error(row.strongest, row.trials)} | {with_error(row.together, row.trials)} |"
        for row in rows
    ]
    return "\n".join([head, "|---" * 5 + "|", *lines])
