"""Who is significantly better than whom: what is told without looking at every draw is what every draw tells."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.statistics import paired_draws
from evaluator.statistics.intervals import FloatArray, draw_counts, is_above_zero, paired_difference, resampled_means
from evaluator.statistics.paired_draws import wins


def by_comparing_all_pairs(first: FloatArray, second: FloatArray) -> tuple[list[int], list[int]]:
    def named(row: FloatArray) -> dict[str, float]:
        return {f"{number:03}": float(value) for number, value in enumerate(row)}

    better = np.array(
        [[is_above_zero(paired_difference(named(one), named(other))) for other in second] for one in first]
    )
    return better.sum(axis=1).tolist(), better.sum(axis=0).tolist()


def answered(systems: int, units: int, seed: int, decimals: int) -> FloatArray:
    """Item values of systems of all qualities, some lost items, some systems alike; few decimals make many ties."""
    generator = np.random.default_rng(seed)
    values = generator.uniform(0.0, 5.0, (systems, 1)) + generator.standard_normal((1, units))
    values = np.clip(values + generator.standard_normal((systems, units)), 0.0, 5.0).round(decimals)
    values[generator.random((systems, units)) < 0.1] = 0.0
    values[::9] = 0.0  # null rows
    values[1::9] = values[1]
    return np.asarray(values, dtype=np.float64)


@pytest.mark.parametrize(("units", "decimals"), [(5, 0), (6, 12), (15, 12), (15, 0), (101, 12)])
@pytest.mark.parametrize("few", [0, 1_000])
def test_the_wins_are_those_of_comparing_every_pair(
    monkeypatch: pytest.MonkeyPatch, units: int, decimals: int, few: int
) -> None:
    monkeypatch.setattr(paired_draws, "FEW", few)  # with the short cuts, and without
    monkeypatch.setattr(paired_draws, "BLOCK", 7)
    first, second = answered(24, units, 1, decimals), answered(17, units, 2, decimals)
    assert (wins(first, first).of_first.tolist(), wins(first, first).over_second.tolist()) == by_comparing_all_pairs(
        first, first
    )
    found = wins(first, second)
    assert (found.of_first.tolist(), found.over_second.tolist()) == by_comparing_all_pairs(first, second)


def test_systems_that_hardly_differ_are_looked_at_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paired_draws, "FEW", 0)
    # A billionth apart is rounding; a ten-millionth on every item is a difference, far below one level of the scale.
    values = np.full((3, 6), 2.0) + np.array([[0.0], [1e-10], [1e-7]])
    values = np.vstack([values, np.linspace(0.0, 5.0, 6)])  # what makes the scale wide
    assert wins(values, values).of_first.tolist() == by_comparing_all_pairs(values, values)[0] == [0, 0, 2, 0]


def test_most_pairs_are_told_without_looking_at_them_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    values = answered(150, 15, seed=3, decimals=12)
    looked_at = 0

    def counting(first: FloatArray, second: FloatArray, units: int) -> np.ndarray:
        nonlocal looked_at
        looked_at += len(first) * len(second)
        return np.zeros((len(first), len(second)), dtype=bool)

    monkeypatch.setattr(paired_draws, "significantly_better", counting)
    wins(values, values)
    assert looked_at < 0.02 * 150 * 150


def test_a_level_says_what_the_mean_does() -> None:
    values = answered(8, 15, seed=4, decimals=12)
    scale = paired_draws._Scale.over(values)
    rounded = paired_draws._rounded(values, scale)
    means = resampled_means(values[rounded.systems], draw_counts(15)).T
    floor = scale.low + (rounded.levels.astype(np.float64) - paired_draws.LOWEST_LEVEL) * scale.step
    assert (floor <= means + 1e-12).all()
    assert (means <= floor + scale.step + 1e-12).all()
    # For every system and level: no more draws reach it than is said.
    for level in (-20_000, 0, 9_000):
        said = rounded.most_draws_reaching(level, slice(0, 8))
        assert ((rounded.levels >= level).sum(axis=0) <= said).all()
