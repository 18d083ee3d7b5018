"""The detector gives false alarms no oftener than it says, whichever questions the noise is in."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm

from evaluator.statistics.change_detection import LEAPS, DayNoise, detector_course, possible_noises, rate_bound


def number_of_hits(chances: list[float]) -> np.ndarray:
    """P(number of hits) of independent trials with these chances, exactly."""
    found = np.ones(1)
    for chance in chances:
        found = np.convolve(found, [1 - chance, chance])
    return found


def alike(rate: float) -> list[DayNoise]:
    """One noise, the same on all days."""
    return [DayNoise(rate, 0.0)]


UNEVEN = [0.5] * 4 + [0.25] * 8 + [0.0] * 68  # mean (2 + 2) / 80 = 0.05


@pytest.mark.parametrize(("hits", "trials"), [(0, 500), (3, 40), (12, 700)])
def test_at_the_bound_so_few_hits_have_the_stated_risk(hits: int, trials: int) -> None:
    assert binom.cdf(hits, trials, rate_bound(hits, trials, 0.05)) == pytest.approx(0.05)


def test_where_every_trial_hits_nothing_is_excluded() -> None:
    assert rate_bound(7, 7, 0.05) == 1


@pytest.mark.parametrize(
    ("hits", "trials", "risk"), [(-1, 5, 0.05), (6, 5, 0.05), (0, 0, 0.05), (1, 5, 0.2), (1, 5, 0)]
)
def test_a_bound_of_no_trials_is_refused(hits: int, trials: int, risk: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        rate_bound(hits, trials, risk)


def test_the_bound_misses_the_mean_of_uneven_trials_no_oftener_than_stated() -> None:
    chances = UNEVEN * 5  # 400 trials of mean 0.05
    missed = [rate_bound(hits, len(chances), 0.05) < 0.05 for hits in range(len(chances) + 1)]
    assert 0 < number_of_hits(chances)[missed].sum() <= 0.05


def test_a_bet_is_fair_at_the_bound_and_worse_where_the_noise_is_uneven() -> None:
    bets = detector_course(np.arange(81)[:, np.newaxis], 80, alike(0.05))[:, 0]
    assert number_of_hits([0.05] * 80) @ bets == pytest.approx(1)  # a likelihood ratio
    assert number_of_hits(UNEVEN) @ bets < 1
    assert number_of_hits([0.03] * 80) @ bets < 1


def test_the_course_of_one_question_is_that_of_the_formula() -> None:
    # bound 1/2: a hit is worth r / 0.5 and a miss (1 - r) / 0.5, with r = 0.5 + leap / 2
    first = [1 + leap for leap in LEAPS]
    second = [(hit + 1) * (1 - leap) for hit, leap in zip(first, LEAPS, strict=True)]
    assert detector_course([1, 0], 1, alike(0.5)).tolist() == pytest.approx([np.mean(first), np.mean(second)])


def test_courses_beside_each_other_are_those_of_each_alone() -> None:
    hits = np.array([[0, 3, 9], [5, 0, 0]])
    both = detector_course(hits, 40, [DayNoise(0.02, 0.0), DayNoise(0.01, 0.5)])
    assert both.tolist() == [
        detector_course(one, 40, [DayNoise(0.02, 0.0), DayNoise(0.01, 0.5)]).tolist() for one in hits
    ]


def test_the_mean_of_rounds_until_a_false_alarm_is_no_less_than_the_threshold() -> None:
    # Noise at the bound itself, the worst case; a threshold of 20 and 2,000 courses. A run length that is cut at 400
    # rounds is counted as 400, which makes the mean smaller only.
    generator = np.random.default_rng(7)
    course = detector_course(generator.binomial(50, 0.04, (2_000, 400)), 50, alike(0.04))
    is_alarm = course >= 20
    lengths = np.where(is_alarm.any(axis=1), is_alarm.argmax(axis=1) + 1, 400)
    assert lengths.mean() >= 20


def test_a_flood_of_hits_stays_a_number() -> None:
    assert np.isfinite(detector_course([1_000] * 50, 1_000, alike(0.001))).all()


@pytest.mark.parametrize(("rate", "spread"), [(0.01, 0.5), (0.05, 0.5), (0.02, 1.0)])
def test_a_bet_is_fair_where_days_differ_as_stated(rate: float, spread: float) -> None:
    # The chance of each number of hits: days up to six standard deviations from the median, finer than in the module.
    days = np.linspace(-6, 6, 4_801)
    weights = norm.pdf(days) / norm.pdf(days).sum()
    rates = np.minimum(0.5, rate * np.exp(spread * days))
    chances = np.asarray(binom.pmf(np.arange(81)[:, None], 80, rates)) @ weights
    bets = detector_course(np.arange(81)[:, np.newaxis], 80, [DayNoise(rate, spread)])[:, 0]
    # The rarest days have the largest bets, so that the mean depends on where the days are cut.
    assert 0.9 < chances @ bets <= 1.01


def test_an_alarm_needs_every_noise_that_is_possible() -> None:
    noises = [DayNoise(0.01, 0.0), DayNoise(0.02, 0.0), DayNoise(0.01, 0.5)]
    alone = [detector_course([4, 6, 3], 100, [noise]) for noise in noises]
    assert detector_course([4, 6, 3], 100, noises).tolist() == np.min(alone, axis=0).tolist()


def test_days_alike_rule_out_a_spread_and_days_that_differ_rule_out_none() -> None:
    assert max(noise.spread for noise in possible_noises([40] * 7, 400)) <= 0.25
    assert min(noise.spread for noise in possible_noises([10, 80, 20, 160, 40, 15, 30], 400)) >= 0.5


def test_the_noise_that_is_there_is_seldom_ruled_out() -> None:
    # 90 of 100 by the limit; 0.0183 is one of the rates, 0.5 one of the spreads.
    generator = np.random.default_rng(5)
    rate = 2e-4 * np.exp(0.25 * 18)
    held = 0
    for _ in range(200):
        days = np.minimum(0.5, rate * np.exp(0.5 * generator.standard_normal(7)))
        noises = possible_noises(generator.binomial(400, days).tolist(), 400)
        held += any(abs(one.rate - rate) < 1e-9 and one.spread == 0.5 for one in noises)
    assert held >= 168  # 180 -+ 3 standard errors of 4.2
