"""Canaries keep their promises where judges are simulated: few false alarms, and an altered judge is found."""

from __future__ import annotations

import pytest

from benchmarks.canary import NOISES, TRIALS, CanaryFigures, canary_figures, figures_table

MEDIAN_WEEKS = dict(zip(NOISES, (1, 2, 3, 7, 2, 4), strict=True))
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
    hold(canary_figures(noise, TRIALS), MEDIAN_WEEKS[noise])


def test_a_judge_that_does_not_change_is_never_found_changed() -> None:
    found = canary_figures(next(iter(NOISES)), 20, altered=0.0)
    assert found.unfound == 1
    assert found.false_alarms == 0


def test_the_table_has_every_kind_of_noise() -> None:
    assert figures_table([canary_figures(noise, 3) for noise in NOISES]).count("\n") == len(NOISES) + 1
