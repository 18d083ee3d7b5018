"""Ratings of people's choices, against cases that can be solved by hand."""

from __future__ import annotations

from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from scipy.special import expit, stdtrit

from benchmarks.lab_ratings import ratings_reached
from evaluator.statistics.preference_ratings import (
    PairVote,
    PreferenceRatings,
    chosen_share,
    connected_systems,
    preference_ratings,
)
from evaluator.values import MetricValue

HARDLY = 1e-9
"""A ridge that shrinks nothing that is compared here."""


def two_systems(times: int = 1) -> list[PairVote]:
    """New first: chosen in 30 of 40; old first: chosen in 16 of 40. Every voter votes the same so many times."""
    votes = [PairVote("new", "old", float(n < 30), f"a{n}") for n in range(40)]
    votes += [PairVote("old", "new", float(n < 16), f"b{n}") for n in range(40)]
    return [vote for vote in votes for _ in range(times)]


def strengths(found: PreferenceRatings) -> dict[str, float]:
    return {one.system: one.strength.value or 0.0 for one in found.systems}


def test_two_systems_have_the_closed_form() -> None:
    # logit(30/40) = d + p and logit(16/40) = -d + p, d the difference of the strengths, which have the sum 0.
    first, second = log(30 / 10), log(16 / 24)
    found = preference_ratings(two_systems(), HARDLY)
    assert strengths(found)["new"] == pytest.approx((first - second) / 4, abs=1e-6)
    assert strengths(found)["old"] == pytest.approx(-(first - second) / 4, abs=1e-6)
    assert found.place_effect.value == pytest.approx((first + second) / 2, abs=1e-6)
    assert found.systems[0].system == "new"
    assert (found.systems[0].strength.n, found.systems[0].voters, found.place_effect.n) == (80, 80, 80)


def error_of(metric: MetricValue, voters: int, together: int = 1) -> float:
    """The standard error behind an interval."""
    assert metric.low is not None
    assert metric.high is not None
    return (metric.high - metric.low) / 2 / float(stdtrit(voters - 1, 1 - 0.025 / together))


def place_error(found: PreferenceRatings) -> float:
    return error_of(found.place_effect, found.voters)


def test_the_standard_error_of_single_votes_is_that_of_two_shares() -> None:
    # Leaving a vote out of n with share q moves the logit, in a Newton step, by (y - q) / ((n - 1) q (1 - q)); the
    # squares of a share add up to n / ((n - 1)^2 q (1 - q)). The place effect is half the sum of two logits.
    squares = sum(40 / (39**2 * q * (1 - q)) for q in (30 / 40, 16 / 40))
    assert place_error(preference_ratings(two_systems(), HARDLY)) == pytest.approx(sqrt(squares * 79 / 80) / 2)


COUNTS = {
    ("a", "b"): (33, 19, 8),
    ("b", "a"): (31, 26, 3),
    ("a", "c"): (40, 12, 8),
    ("c", "a"): (24, 33, 3),
    ("a", "d"): (29, 21, 10),
    ("d", "a"): (28, 27, 5),
    ("b", "c"): (37, 18, 5),
    ("c", "b"): (26, 28, 6),
    ("b", "d"): (25, 28, 7),
    ("d", "b"): (34, 20, 6),
    ("c", "d"): (23, 31, 6),
    ("d", "c"): (38, 17, 5),
}
"""First and second shown -> votes for the first, for the second, ties."""
ARENA_RANK = {
    "a": (0.22900698, 0.07637687),
    "b": (-0.02073022, 0.07621496),
    "c": (-0.37668122, 0.07782071),
    "d": (0.16840446, 0.07644641),
}
"""Strength and standard error by arena-rank 0.1.1 of `COUNTS`, one row a vote and a column `first` of ones:
`ContextualPairDataset.from_pandas(table, ["first"], reweighted=False, normalize_features=False)` in
`ContextualBradleyTerry(4, 1, scale=1.0, base=math.e, init_rating=0.0, reg=0.0).compute_ratings_and_cis`."""
ARENA_RANK_FIRST = 0.25468636
"""Its coefficient of `first`."""


def test_strengths_and_place_effect_are_those_of_arena_rank() -> None:
    votes = [
        PairVote(first, second, outcome, f"{first}{second}{outcome}{n}")
        for (first, second), counts in COUNTS.items()
        for outcome, count in zip((1.0, 0.0, 0.5), counts, strict=True)
        for n in range(count)
    ]
    found = preference_ratings(votes, HARDLY)
    assert found.place_effect.value == pytest.approx(ARENA_RANK_FIRST, abs=5e-6)
    assert strengths(found) == pytest.approx({name: one for name, (one, _) in ARENA_RANK.items()}, abs=5e-6)
    assert [one.system for one in found.systems] == ["a", "d", "b", "c"]
    for one in found.systems:
        # Not below its sandwich; up to a tenth above, for the model's own error takes a tie for a whole vote's chance.
        assert 1.0 < error_of(one.strength, found.voters, len(found.systems)) / ARENA_RANK[one.system][1] < 1.1


def test_votes_that_a_voter_repeats_add_no_certainty() -> None:
    once, often = preference_ratings(two_systems(), HARDLY), preference_ratings(two_systems(5), HARDLY)
    assert often.place_effect.n == 5 * once.place_effect.n
    assert strengths(often) == pytest.approx(strengths(once), abs=1e-6)
    assert place_error(often) == pytest.approx(place_error(once), abs=1e-6)


def test_the_ridge_balances_its_pull_with_the_votes() -> None:
    # Level in strength by symmetry: 12 of 20 first ones chosen in either order. The place effect p solves
    # 24 - 40 logistic(p) = p / 4, the pull of the ridge.
    votes = [PairVote("x", "y", float(n < 12), f"a{n}") for n in range(20)]
    votes += [PairVote("y", "x", float(n < 12), f"b{n}") for n in range(20)]
    found = preference_ratings(votes)
    place = found.place_effect.value
    assert place is not None
    assert 24 - 40 * expit(place) == pytest.approx(place / 4)
    assert strengths(found) == pytest.approx({"x": 0, "y": 0})


def test_a_system_that_always_wins_has_a_finite_strength() -> None:
    found = preference_ratings([PairVote("best", "other", 1, f"v{n}") for n in range(30)])
    # d and p pull alike on 30 votes for d + p, d = 2 s: 30 (1 - logistic(2 s + p)) = s / 4 = p / 4 with s = p.
    strength = strengths(found)["best"]
    assert 30 * (1 - expit(2 * strength + strength)) == pytest.approx(strength / 4)


def test_a_tie_is_half_a_vote_for_each_side() -> None:
    ties = [PairVote("x", "y", 0.5, f"v{n}") for n in range(10)]
    found = preference_ratings(ties)
    assert strengths(found) == {"x": 0, "y": 0}
    assert found.place_effect.value == 0


def test_a_system_beside_itself_tells_of_the_place_alone() -> None:
    votes = [PairVote("x", "x", float(n < 15), f"v{n}") for n in range(20)]
    found = preference_ratings(votes, HARDLY)
    assert found.place_effect.value == pytest.approx(log(3), abs=1e-6)
    assert strengths(found) == {"x": 0}


def test_strengths_have_the_sum_0_and_no_order_changes_anything() -> None:
    generator = np.random.default_rng(3)
    names = "abcd"
    votes = [
        PairVote(names[i], names[j], float(generator.random() < 0.6), f"v{n % 17}")
        for n, (i, j) in enumerate(generator.integers(0, 4, (200, 2)).tolist())
    ]
    found = preference_ratings(votes)
    assert sum(strengths(found).values()) == pytest.approx(0, abs=1e-9)
    again = preference_ratings(votes[::-1])
    assert strengths(again) == pytest.approx(strengths(found))
    assert all((a.strength.value or 0) >= (b.strength.value or 0) for a, b in pairwise(found.systems))


def test_few_voters_have_no_interval() -> None:
    found = preference_ratings([PairVote("x", "y", 1, f"v{n % 5}") for n in range(50)])
    assert found.place_effect.low is None
    assert found.systems[0].strength.high is None


def test_without_votes_there_is_nothing() -> None:
    found = preference_ratings([])
    assert found.systems == ()
    assert found.place_effect.value is None
    assert connected_systems([]) == []


def test_systems_that_no_vote_connects_are_apart() -> None:
    votes = [
        PairVote("a", "b", 1, "v"),
        PairVote("x", "y", 1, "v"),
        PairVote("y", "z", 1, "v"),
        PairVote("b", "c", 0, "v"),
    ]
    votes += [PairVote("x", "z", 1, "v")]
    assert connected_systems(votes) == [{"x", "y", "z"}, {"a", "b", "c"}]


def test_shares_are_those_of_the_log_odds() -> None:
    found = preference_ratings(two_systems())
    share = chosen_share(found.place_effect)
    assert found.place_effect.value is not None
    assert share.value == pytest.approx(expit(found.place_effect.value))
    assert share.low is not None
    assert share.high is not None
    assert 0 < share.low < share.high < 1
    assert share.n == 80


@pytest.mark.parametrize("voters", [12, 40])
def test_intervals_hold_the_truth_though_voters_have_tastes_of_their_own(voters: int) -> None:
    # Every voter has a taste for "b" of standard deviation 0.8 and votes 1 to 15 times; 250 trials at 0.95 have a
    # standard error of 0.014, and three of them below is 0.909. Intervals of single votes would hold it four in five
    # times.
    generator = np.random.default_rng(1952)
    truth = {"a": -0.3, "b": 0.3}
    held = 0
    for _ in range(250):
        votes = []
        for number in range(voters):
            taste = generator.normal(0, 0.8)
            for _ in range(generator.integers(1, 16)):
                first, second = generator.permutation(["a", "b"]).tolist()
                odds = truth[first] - truth[second] + 0.2 + (taste if first == "b" else -taste)
                votes.append(PairVote(first, second, float(generator.random() < expit(odds)), f"v{number}"))
        found = {one.system: one.strength for one in preference_ratings(votes).systems}["b"]
        assert found.low is not None
        assert found.high is not None
        # What the model estimates is the strength that fits the mean chance; tastes flatten it.
        held += found.low <= MARGINAL <= found.high
    assert held / 250 >= 0.909


def _marginal() -> float:
    """The strength of "b" that the mean chances over tastes come to, by the closed form of two systems."""
    tastes = np.random.default_rng(1).normal(0, 0.8, 400_000)
    chances = [float(expit(sign * 0.6 + 0.2 + sign * tastes).mean()) for sign in (1, -1)]
    first, second = (log(chance / (1 - chance)) for chance in chances)
    return (first - second) / 4


MARGINAL = _marginal()


def test_a_strong_system_that_is_shown_seldom_is_covered_with_all_others() -> None:
    row = ratings_reached((0.0, 0.3, -0.3, 2.0), voters=20, seldom=0.1, trials=150, seed=3)
    # 150 trials at 95 %: fewer than 134 have a chance below 0.002. With a ridge of 1 and intervals one by one: 0.6.
    assert row.together >= 134 / 150
    assert row.strongest >= 134 / 150
