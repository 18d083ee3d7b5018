"""Canaries keep their promises where judges are simulated: few false alarms, and an altered judge is found."""

from __future__ import annotations

import pytest

from benchmarks.canary import NOISES, SHAPES, TRIALS, CanaryFigures, Weather, canary_figures, figures_table

MEDIAN_WEEKS = dict(zip(NOISES, (1, 3, 4, 6, 3, 4), strict=True))
"""What docs/canary.md states."""


def hold(found: CanaryFigures, within: float) -> None:
    assert found.unwatched == 0
    assert found.false_alarms <= 1  # once in 1,000 weeks
    assert found.median_weeks <= within


@pytest.mark.parametrize("noise", NOISES)
def test_alarms_are_as_rare_and_changes_as_soon_found_as_stated(noise: str) -> None:
    # The median of 60 scatters about that of 1,000.
    hold(canary_figures(noise, 60), 2 * MEDIAN_WEEKS[noise])


@pytest.mark.soak
@pytest.mark.parametrize("noise", NOISES)
def test_a_thousand_canaries_hold_it_too(noise: str) -> None:
    hold(canary_figures(noise, TRIALS), MEDIAN_WEEKS[noise] + 1)  # stated from 100 canaries


def test_a_judge_that_does_not_change_is_never_found_changed() -> None:
    found = canary_figures(next(iter(NOISES)), 20, altered=0.0)
    assert found.unfound == 1
    assert found.false_alarms == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_days_that_differ_give_few_false_alarms(shape: str) -> None:
    assert canary_figures("1% on every pair", 30, weather=Weather(0.5, shape)).false_alarms <= 1


def test_a_baseline_of_one_hour_does_not_know_of_days_that_differ() -> None:
    found = canary_figures("5% on every pair", 5, weather=Weather(0.5), is_at_once=True)
    assert found.ever >= 0.8


def test_the_table_has_every_kind_of_noise() -> None:
    assert figures_table([canary_figures(noise, 3) for noise in NOISES]).count("\n") == len(NOISES) + 1
