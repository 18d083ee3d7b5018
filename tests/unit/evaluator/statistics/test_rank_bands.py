"""Rank bands: which places a system may hold, also while systems come and go."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from evaluator.statistics import paired_draws
from evaluator.statistics import rank_bands as module
from evaluator.statistics.intervals import is_above_zero, paired_difference
from evaluator.statistics.paired_draws import Wins
from evaluator.statistics.rank_bands import RankBand, Ranking, rank_bands


def random_systems(number: int, items: int, seed: int) -> dict[str, dict[str, float]]:
    generator = np.random.default_rng(seed)
    values = generator.uniform(0, 3, (number, 1)) + generator.uniform(0, 2, (number, items))
    return {
        f"system {row}": {f"{column:03}": float(values[row, column]) for column in range(items)}
        for row in range(number)
    }


def bands_by_comparing_all_pairs(values: Mapping[str, Mapping[str, float]]) -> dict[str, RankBand]:
    def wins(first: str, second: str) -> bool:
        return is_above_zero(paired_difference(values[first], values[second]))

    return {
        system: RankBand(
            1 + sum(wins(other, system) for other in values), len(values) - sum(wins(system, other) for other in values)
        )
        for system in values
    }


def test_rank_bands_are_those_of_comparing_every_pair() -> None:
    values = random_systems(30, 15, seed=1)
    assert rank_bands(values) == bands_by_comparing_all_pairs(values)


def test_rank_bands_compare_partial_systems_on_common_items() -> None:
    values = random_systems(12, 8, seed=2)
    for index, system in enumerate(list(values)[:6]):
        del values[system][f"{index:03}"]
        del values[system]["007"]
    assert rank_bands(values) == bands_by_comparing_all_pairs(values)


def test_systems_in_several_blocks_get_the_same_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    values = random_systems(10, 15, seed=3)
    whole = rank_bands(values)
    monkeypatch.setattr(paired_draws, "BLOCK", 3)
    assert rank_bands(values) == whole


def test_equal_systems_share_a_band() -> None:
    values = random_systems(1, 15, seed=4)
    values["twin"] = dict(values["system 0"])
    assert set(rank_bands(values).values()) == {RankBand(1, 2)}


def test_fewer_than_five_common_items_never_separate() -> None:
    values = {"a": {f"{n:03}": 5.0 for n in range(4)}, "b": {f"{n:03}": 0.0 for n in range(15)}}
    assert set(rank_bands(values).values()) == {RankBand(1, 2)}


def test_no_system_has_no_band() -> None:
    assert rank_bands({}) == {}
    assert rank_bands({"alone": {}}) == {"alone": RankBand(1, 1)}


def test_a_ranking_follows_systems_that_come_change_and_go() -> None:
    values = random_systems(14, 15, seed=5)
    names = list(values)
    ranking = Ranking()
    for shown in (names[:6], names[:9], names[2:9], names[2:14], names[10:], [], names):
        some = {name: values[name] for name in shown}
        assert ranking.bands(some) == bands_by_comparing_all_pairs(some)
    values[names[3]] = {item: 5.0 - value for item, value in values[names[3]].items()}
    del values[names[5]]["002"]
    assert ranking.bands(values) == bands_by_comparing_all_pairs(values)


def test_one_more_system_is_compared_with_each_of_the_others_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = random_systems(40, 15, seed=6)
    ranking = Ranking()
    ranking.bands(values)
    compared = 0

    def counting(first: np.ndarray, second: np.ndarray) -> Wins:
        nonlocal compared
        compared += len(first) * len(second)
        return Wins(np.zeros(len(first), dtype=np.int64), np.zeros(len(second), dtype=np.int64))

    monkeypatch.setattr(module, "wins", counting)
    ranking.bands({**values, "new": dict(values["system 0"])})
    assert compared == 40 + 40 + 1  # both directions, and the new one with itself


def test_changing_the_values_afterwards_does_not_change_what_was_counted() -> None:
    values = random_systems(3, 15, seed=7)
    ranking = Ranking()
    ranking.bands(values)
    values["system 0"]["000"] = 0.0
    assert ranking.bands(values) == rank_bands(values)
