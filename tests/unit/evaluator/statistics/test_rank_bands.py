"""Rank bands: which places a system may hold, all together, also while systems come and go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from benchmarks.coverage import UNLIKE, score_boards
from evaluator.statistics import max_difference
from evaluator.statistics import rank_bands as module
from evaluator.statistics.max_difference import Comparison, separation
from evaluator.statistics.rank_bands import RankBand, Ranking, rank_bands, share_contributions, simultaneous_bands

Values = dict[str, dict[str, float]]


def random_systems(number: int, items: int, seed: int) -> Values:
    generator = np.random.default_rng(seed)
    values = generator.uniform(0, 3, (number, 1)) + generator.uniform(0, 2, (number, items))
    return {
        f"system {row}": {f"{column:03}": float(values[row, column]) for column in range(items)}
        for row in range(number)
    }


def constant(value: float, items: int) -> dict[str, float]:
    return {f"{item:03}": value for item in range(items)}


def rows(values: Mapping[str, Mapping[str, float]], systems: Sequence[str], items: Sequence[str]) -> np.ndarray:
    return np.array([[values[system][item] for item in items] for system in systems])


def bands_by_comparing_all_pairs(values: Mapping[str, Mapping[str, float]]) -> dict[str, RankBand]:
    """Each pair a comparison of its own, and the largest of all draws among them."""
    items = sorted({item for found in values.values() for item in found})
    names = list(values)
    pairs: dict[tuple[str, str], Comparison] = {}
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            common = sorted(values[one].keys() & values[other].keys())
            if len(common) >= 6:
                first, second = (rows(values, [name], common) / len(common) for name in (one, other))
                pairs[one, other] = Comparison(first, second, np.array([items.index(item) for item in common]))
    found = separation(list(pairs.values()), len(items), max_difference.DRAWS)
    better, worse = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for (one, other), comparison in pairs.items():
        difference = (comparison.first - comparison.second)[0] if comparison.second is not None else np.zeros(1)
        square = float((difference**2).sum())
        units = len(difference)
        size = np.sqrt(square + found.square / units * (1 + (15 / units) ** 4))
        if square > 1e-18 and abs(difference.sum()) / size > found.critical * (1 + 1e-9):
            winner, loser = (one, other) if difference.sum() > 0 else (other, one)
            worse[winner] += 1
            better[loser] += 1
    return {name: RankBand(1 + better[name], len(names) - worse[name]) for name in names}


def test_rank_bands_are_those_of_comparing_every_pair() -> None:
    values = random_systems(12, 15, seed=1)
    found = rank_bands(values)
    assert found == bands_by_comparing_all_pairs(values)
    assert any(band != (1, 12) for band in found.values())


def test_rank_bands_compare_partial_systems_on_common_items() -> None:
    values = random_systems(12, 16, seed=2)
    for index, system in enumerate(list(values)[:6]):
        del values[system][f"{index:03}"]
        del values[system]["007"]
    found = rank_bands(values)
    assert found == bands_by_comparing_all_pairs(values)
    assert any(band != (1, 12) for band in found.values())


def test_equal_systems_share_a_band() -> None:
    values = random_systems(1, 15, seed=4)
    values["twin"] = dict(values["system 0"])
    assert set(rank_bands(values).values()) == {RankBand(1, 2)}


def test_fewer_than_six_common_items_never_separate() -> None:
    values = {"a": constant(5.0, 5), "b": constant(0.0, 15)}
    assert set(rank_bands(values).values()) == {RankBand(1, 2)}


def test_a_constant_difference_is_believed_from_six_items_on() -> None:
    def bands(items: int) -> dict[str, RankBand]:
        values = {"a": constant(5.0, items), "b": constant(0.0, items)}
        return simultaneous_bands(values, lambda systems, common: rows(values, systems, common), min_units=1)

    # All signs alike by chance: 2^-4 = 6 % of draws with five items, 2^-5 = 3 % with six.
    assert bands(5)["a"] == RankBand(1, 2)
    assert bands(6)["a"] == RankBand(1, 1)


def test_the_more_systems_there_are_the_more_a_difference_needs() -> None:
    # A difference of 1 on seven of twelve items: 2^-6 = 1.6 % for one pair, so that two are told apart. Of the 190
    # pairs of 20 systems some differ as steadily in more than 5 % of the draws.
    two = {"a": constant(1.0, 12) | dict.fromkeys(("000", "001", "002", "003", "004"), 0.0), "b": constant(0.0, 12)}
    assert rank_bands(two)["a"] == RankBand(1, 1)
    generator = np.random.default_rng(3)
    others = {
        f"other {number}": {item: float(generator.standard_normal()) for item in two["a"]} for number in range(18)
    }
    assert rank_bands(two | others)["a"].high == 20


def test_of_twenty_equal_systems_at_most_five_boards_in_a_hundred_tell_any_apart() -> None:
    generator = np.random.default_rng(20)
    wrong = 0
    for _ in range(100):
        common = generator.standard_normal(12)
        values = np.clip(2.5 + common + generator.standard_normal((20, 12)), 0.0, 5.0)
        board = {
            str(row): {f"{item:02}": float(value) for item, value in enumerate(found)}
            for row, found in enumerate(values)
        }
        wrong += set(rank_bands(board).values()) != {RankBand(1, 20)}
    assert wrong <= 12  # 5 of 100 expected: more than 12 has a chance of 1 in 1,000


def test_no_system_has_no_band() -> None:
    assert rank_bands({}) == {}
    assert rank_bands({"alone": {}}) == {"alone": RankBand(1, 1)}


def test_the_order_of_systems_and_items_changes_no_band() -> None:
    values = random_systems(8, 15, seed=8)
    turned = {name: dict(reversed(values[name].items())) for name in reversed(values)}
    assert rank_bands(turned) == rank_bands(values)


def test_a_ranking_follows_systems_that_come_change_and_go() -> None:
    values = random_systems(14, 15, seed=5)
    names = list(values)
    ranking = Ranking()
    for shown in (names[:6], names[:9], names[2:9], names[2:14], names[10:], [], names):
        some = {name: values[name] for name in shown}
        assert ranking.bands(some) == rank_bands(some)
    values[names[3]] = {item: 5.0 - value for item, value in values[names[3]].items()}
    del values[names[5]]["002"]
    assert ranking.bands(values) == rank_bands(values)
    values[names[3]]["another item"] = 1.0
    assert ranking.bands(values) == rank_bands(values)


def test_a_board_that_did_not_change_is_not_ranked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    values = random_systems(5, 15, seed=6)
    ranking = Ranking()
    found = ranking.bands(values)
    monkeypatch.setattr(module, "rank_bands", lambda values: pytest.fail("ranked anew"))
    assert ranking.bands(dict(reversed(values.items()))) == found


def test_items_of_one_topic_are_one_piece_of_evidence() -> None:
    # A system that is better on one of five topics, four items each: of twenty items by themselves that is certain,
    # but five topics tell nobody apart, and of six topics one is no evidence.
    def bands(topics: int, better: int, by_topic: bool) -> RankBand:
        topic_of = {f"{topic} {item}": str(topic) for topic in range(topics) for item in range(4)}
        values = {
            "a": {item: 2.0 if int(topic) < better else 1.0 for item, topic in topic_of.items()},
            "b": dict.fromkeys(topic_of, 1.0),
        }
        return rank_bands(values, topic_of if by_topic else None)["a"]

    assert bands(5, 5, by_topic=False) == RankBand(1, 1)
    assert bands(5, 5, by_topic=True) == RankBand(1, 2)
    # On two of six topics: eight of twenty-four items alone, 2^-7; two topics, 2^-1.
    assert bands(6, 2, by_topic=False) == RankBand(1, 1)
    assert bands(6, 2, by_topic=True) == RankBand(1, 2)
    assert bands(6, 6, by_topic=True) == RankBand(1, 1)


def test_topics_of_one_item_each_change_nothing() -> None:
    values = random_systems(12, 15, seed=1)
    assert rank_bands(values, {f"{item:03}": f"t{item:03}" for item in range(15)}) == rank_bands(values)


@pytest.mark.parametrize("steady", [10, 18])
@pytest.mark.parametrize("items", [8, 15])
def test_systems_of_unlike_kind_with_equal_means_are_not_told_apart(steady: int, items: int) -> None:
    # Without lambda 24 and 20 boards of 100 with ten of each kind (docs/metrics.md, until October 2026).
    kinds = [UNLIKE[0]] * steady + [UNLIKE[1]] * (20 - steady)
    row = score_boards("two kinds", kinds, items, 120, seed=4)
    assert row.told_apart <= 0.125  # 15 of 120: with 5 % expected more have a chance below 0.001


def test_changing_the_values_afterwards_does_not_change_what_was_counted() -> None:
    values = random_systems(3, 15, seed=7)
    ranking = Ranking()
    ranking.bands(values)
    values["system 0"]["000"] = 0.0
    assert ranking.bands(values) == rank_bands(values)


def test_a_system_without_a_figure_on_the_common_units_is_told_from_nobody() -> None:
    units = [str(number) for number in range(12)]

    def contributions(systems: Sequence[str], common: Sequence[str]) -> np.ndarray:
        known = {"high": 1.0, "low": 0.0, "unknown": np.nan}
        return np.array([[known[system]] * len(common) for system in systems])

    bands = simultaneous_bands(dict.fromkeys(("high", "low", "unknown"), units), contributions)
    assert bands == {"high": RankBand(1, 2), "low": RankBand(2, 3), "unknown": RankBand(1, 3)}
    apart = {"high": units, "low": units, "unknown": units[:11]}  # other units: a comparison with one side empty
    assert simultaneous_bands(apart, contributions) == bands


def test_what_units_add_to_shares_differs_by_the_difference_of_the_shares() -> None:
    parts, wholes = np.array([[3.0, 1.0, 0.0], [1.0, 1.0, 2.0]]), np.array([[4.0, 2.0, 1.0], [2.0, 4.0, 5.0]])
    first, second = share_contributions(parts, wholes).sum(axis=1)
    assert first - second == pytest.approx(4 / 7 - 4 / 11)
    assert np.isnan(share_contributions(np.zeros((1, 2)), np.zeros((1, 2)))).all()
