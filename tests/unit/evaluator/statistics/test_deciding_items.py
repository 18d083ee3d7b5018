"""The fewest items that decide who is first: figures derived by hand, and all subsets tried."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from evaluator.statistics.deciding_items import DecidingItems, deciding_items

# Five items, three systems. Leader: A, mean 16/5 = 3.2; B 14/5 = 2.8; C 10/5 = 2.
#   item  A  B  C   A-B  A-C
#   1     5  1  2    4    3
#   2     4  3  2    1    2
#   3     3  3  2    0    1
#   4     2  3  2   -1    0
#   5     2  4  2   -2    0
# A-B sums to 2. Without item 1 it is -2: A 11/4, B 13/4, C 8/4. C would need A-C below 0, which no subset has.
TABLE = {
    "A": {"1": 5.0, "2": 4.0, "3": 3.0, "4": 2.0, "5": 2.0},
    "B": {"1": 1.0, "2": 3.0, "3": 3.0, "4": 3.0, "5": 4.0},
    "C": {"1": 2.0, "2": 2.0, "3": 2.0, "4": 2.0, "5": 2.0},
}


def test_the_item_with_the_largest_difference_decides() -> None:
    assert deciding_items(TABLE) == DecidingItems(("A",), ("1",), "B", 5)


def test_several_items_are_needed_where_the_lead_is_wider() -> None:
    # B's item 5 is 2 instead of 4: A-B is 4, 1, 0, -1, 0, the sum 4. Without 1 it is 0, a tie and no change; without
    # 1 and 2 it is -1: A 7/3, B 8/3.
    table = TABLE | {"B": TABLE["B"] | {"5": 2.0}}
    assert deciding_items(table) == DecidingItems(("A",), ("1", "2"), "B", 5)


def test_the_system_that_leads_afterwards_is_named_although_another_one_was_nearer() -> None:
    # A 10/3, B 9/3, C 8/3. Without item 1: A 1/2, B 0, C 8/2. Only C passes A, and needs one item.
    table = {
        "A": {"1": 9.0, "2": 1.0, "3": 0.0},
        "B": {"1": 9.0, "2": 0.0, "3": 0.0},
        "C": {"1": 0.0, "2": 4.0, "3": 4.0},
    }
    assert deciding_items(table) == DecidingItems(("A",), ("1",), "C", 3)


def test_no_removal_topples_a_leader_that_is_nowhere_behind() -> None:
    # B ties on item 2: all that can be reached is a tie.
    table = {"A": {"1": 3.0, "2": 2.0, "3": 5.0}, "B": {"1": 1.0, "2": 2.0, "3": 4.0}}
    assert deciding_items(table) == DecidingItems(("A",), (), "", 3)


def test_all_items_but_one_may_have_to_go() -> None:
    # A-B: 5, 5, -1. The two large ones must go: 5 - 1 is still ahead.
    table = {"A": {"1": 5.0, "2": 5.0, "3": 0.0}, "B": {"1": 0.0, "2": 0.0, "3": 1.0}}
    assert deciding_items(table) == DecidingItems(("A",), ("1", "2"), "B", 3)


def test_equal_means_have_no_single_leader() -> None:
    # 0.1 + 0.2 and 0.3 + 0.0 are no equal floats.
    table = {"b": {"1": 0.1, "2": 0.2}, "a": {"1": 0.3, "2": 0.0}, "c": {"1": 0.0, "2": 0.0}}
    assert deciding_items(table) == DecidingItems(("a", "b"), (), "", 2)


def test_fewer_than_two_scored_systems_decide_nothing() -> None:
    assert deciding_items({}) is None
    assert deciding_items({"A": {"1": 1.0}}) is None
    assert deciding_items({"A": {"1": 1.0}, "silent": {}}) is None


def test_an_unscored_item_is_not_zero() -> None:
    # B lacks item 3: A 9/3 = 3, B 5/2. Without item 3, A has 4/2 = 2 and is behind; with 0 in its place B would have
    # 5/3, and A-B would be 0, -1, 5.
    table = {"A": {"1": 2.0, "2": 2.0, "3": 5.0}, "B": {"1": 2.0, "2": 3.0}}
    assert deciding_items(table) == DecidingItems(("A",), ("3",), "B", 3)


def test_the_worst_item_of_the_challenger_alone_can_decide() -> None:
    # B alone has item 3, a 0: A 4/2 = 2, B 5/3. Without item 3, B has 5/2.
    table = {"A": {"1": 2.0, "2": 2.0}, "B": {"1": 2.0, "2": 3.0, "3": 0.0}}
    assert deciding_items(table) == DecidingItems(("A",), ("3",), "B", 3)


def test_a_system_left_without_items_cannot_be_first() -> None:
    # The only item of B is common, and A is better there; without it B has no figure.
    table = {"A": {"1": 5.0, "2": 1.0}, "B": {"1": 2.0}}
    assert deciding_items(table) == DecidingItems(("A",), (), "", 2)


VALUES = st.dictionaries(st.sampled_from("0123456789"), st.integers(0, 4), max_size=10)
COMPLETE = st.integers(1, 10).flatmap(
    lambda items: st.lists(st.lists(st.integers(0, 4), min_size=items, max_size=items), max_size=4)
)


def check_against_all_subsets(table: Mapping[str, Mapping[str, int]]) -> None:
    found = deciding_items(
        {system: {item: float(value) for item, value in own.items()} for system, own in table.items()}
    )
    scored = {system: own for system, own in table.items() if own}
    if len(scored) < 2:
        assert found is None
        return
    assert found is not None
    items = sorted({item for own in scored.values() for item in own})
    means = means_without(scored, frozenset())
    assert set(found.leaders) == {system for system, mean in means.items() if mean == max(means.values())}
    assert found.total == len(items)
    if len(found.leaders) > 1:
        assert found.items == ()
        return
    [leader] = found.leaders
    fewest = next(
        (
            count
            for count in range(1, len(items))
            if any(is_toppled(scored, leader, frozenset(removed)) for removed in combinations(items, count))
        ),
        0,
    )
    assert len(found.items) == fewest
    if fewest:
        assert is_toppled(scored, leader, frozenset(found.items))
        left = means_without(scored, frozenset(found.items))
        assert left[found.successor] == max(left.values())


def means_without(table: Mapping[str, Mapping[str, int]], removed: frozenset[str]) -> dict[str, Fraction]:
    left = {system: [own[item] for item in own if item not in removed] for system, own in table.items()}
    return {system: Fraction(sum(values), len(values)) for system, values in left.items() if values}


def is_toppled(table: Mapping[str, Mapping[str, int]], leader: str, removed: frozenset[str]) -> bool:
    means = means_without(table, removed)
    return leader in means and max(means.values()) > means[leader]


@given(COMPLETE)
def test_no_smaller_set_of_common_items_would_do(rows: list[list[int]]) -> None:
    check_against_all_subsets(
        {f"s{number}": {str(item): value for item, value in enumerate(row)} for number, row in enumerate(rows)}
    )


@given(st.dictionaries(st.sampled_from("ABC"), VALUES))
def test_no_smaller_set_would_do_where_items_are_unscored(table: dict[str, dict[str, int]]) -> None:
    check_against_all_subsets(table)
