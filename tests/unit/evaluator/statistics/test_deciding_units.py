"""The fewest units behind a share of sums and behind votes: derived by hand, and all subsets tried."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.statistics.deciding_items import deciding_items
from evaluator.statistics.deciding_units import MOST_REMOVED, MOST_TRIED_WHOLE, deciding_shares, deciding_votes
from evaluator.statistics.preference_ratings import PairVote, preference_ratings

# A 4/4, 0/1, 0/1 = 4 of 6; B 1/4, 1/1, 1/1 = 3 of 6. Without unit 1: 0 of 2 and 2 of 2.
SHARES = {
    "A": {"1": (4.0, 4.0), "2": (0.0, 1.0), "3": (0.0, 1.0)},
    "B": {"1": (1.0, 4.0), "2": (1.0, 1.0), "3": (1.0, 1.0)},
}


def test_the_unit_that_carries_the_share_decides() -> None:
    deciding = deciding_shares(SHARES)
    assert deciding is not None
    assert (deciding.leaders, deciding.items, deciding.successor) == (("A",), ("1",), "B")


def test_where_the_smallest_share_leads_the_other_one_is_first() -> None:
    # B leads with 3/6. Without unit 2, A 4/5 and B 2/5; without 2 and 3, A 4/4 and B 1/4; without 1, A 0/2: A leads.
    deciding = deciding_shares(SHARES, lower_is_better=True)
    assert deciding is not None
    assert (deciding.leaders, deciding.items, deciding.successor) == (("B",), ("1",), "A")


def test_equal_wholes_make_the_share_a_mean() -> None:
    parts = {"A": {"1": 2.0, "2": 1.0, "3": 0.0}, "B": {"1": 0.0, "2": 1.0, "3": 1.0}}
    counts = {system: {unit: (part, 2.0) for unit, part in own.items()} for system, own in parts.items()}
    assert deciding_shares(counts) == deciding_items(parts)


def test_a_unit_without_cases_counts_nowhere() -> None:
    with_empty = {system: {**own, "4": (0.0, 0.0)} for system, own in SHARES.items()}
    assert deciding_shares(with_empty) == deciding_shares(SHARES)


def test_nobody_to_topple() -> None:
    assert deciding_shares({}) is None
    assert deciding_shares({"A": SHARES["A"]}) is None
    assert deciding_votes([]) is None


COUNTS = st.integers(1, 3).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole)))
TABLES = st.integers(2, 6).flatmap(
    lambda units: st.lists(st.lists(COUNTS, min_size=units, max_size=units), min_size=2, max_size=3)
)


@given(TABLES)
def test_up_to_twelve_units_no_smaller_set_would_do(rows: list[list[tuple[int, int]]]) -> None:
    table = {f"s{number}": row for number, row in enumerate(rows)}

    def shares(kept: list[int]) -> dict[str, Fraction]:
        return {
            name: Fraction(sum(row[unit][0] for unit in kept), sum(row[unit][1] for unit in kept))
            for name, row in table.items()
        }

    units = list(range(len(rows[0])))
    deciding = deciding_shares({name: {str(unit): row[unit] for unit in units} for name, row in table.items()})
    assert deciding is not None
    whole = shares(units)
    assert set(deciding.leaders) == {name for name, share in whole.items() if share == max(whole.values())}
    if len(deciding.leaders) > 1:
        return
    [leader] = deciding.leaders

    def is_toppled(removed: tuple[int, ...]) -> bool:
        left = shares([unit for unit in units if unit not in removed])
        return max(left.values()) > left[leader]

    fewest = next(
        (count for count in range(1, len(units)) if any(map(is_toppled, combinations(units, count)))),
        0,
    )
    assert len(deciding.items) == fewest
    assert deciding.certainty == "exact"


def test_a_search_ends_at_a_set_that_does_change_who_is_first() -> None:
    # 20 units of one case each, but for a heavy one: A 10 + 5 of 25, B 12 of 25. Without the heavy one 10 and 12.
    table = {
        "A": {str(unit): (float(unit < 10), 1.0) for unit in range(20)} | {"heavy": (5.0, 5.0)},
        "B": {str(unit): (float(unit < 12), 1.0) for unit in range(20)} | {"heavy": (0.0, 5.0)},
    }
    deciding = deciding_shares(table)
    assert deciding is not None
    assert deciding.total > MOST_TRIED_WHOLE
    assert (deciding.items, deciding.successor, deciding.certainty) == (("heavy",), "B", "at_most")


def test_many_unlike_units_are_searched() -> None:
    # A wins 200 of 400 units and four that it alone has; B wins two more of the 400.
    first = {str(unit): (float(unit < 200), 1.0) for unit in range(400)} | {f"own {n}": (1.0, 1.0) for n in range(4)}
    second = {str(unit): (float(unit < 202), 1.0) for unit in range(400)}
    deciding = deciding_shares({"A": first, "B": second})
    assert deciding is not None
    # 204/404 = .50495 is behind 202/400 = .505.
    assert deciding.leaders == ("B",)
    # Without 200 or 201 B has 201 of 399 = .5038 and A 204 of 403 = .5062.
    assert (len(deciding.items), deciding.successor, deciding.certainty) == (1, "A", "at_most")


def votes(first_wins: int, second_wins: int) -> list[PairVote]:
    """Both orders, so that neither place is favoured."""
    won = [PairVote("tide", "keel", 1.0, "v", f"won {n}") for n in range(first_wins)]
    lost = [PairVote("tide", "keel", 0.0, "v", f"lost {n}") for n in range(second_wins)]
    return [*won, *lost, *(PairVote("keel", "tide", 1 - vote.outcome, "v", vote.question) for vote in (*won, *lost))]


def test_votes_that_are_left_out_change_who_is_preferred() -> None:
    cast = votes(12, 10)
    deciding = deciding_votes(cast)
    assert deciding is not None
    assert deciding.leaders == ("tide",)
    assert deciding.certainty == "at_most"
    # The strength of tide before keel is half of logit(shown first) + logit(shown second): 12 to 10 in both places.
    # Three less in either place makes it 9 to 10 there, and still 12 to 10 in the other: log .9 + log 1.2 > 0; four
    # less make it 8 to 10, log .8 + log 1.2 < 0. The ridge draws both to 0 and changes no sign.
    assert len(deciding.items) <= 4
    assert all(name.startswith("won") for name in deciding.items)
    left = list(cast)
    for name in deciding.items:
        left.remove(next(vote for vote in left if vote.question == name))
    assert preference_ratings(left).systems[0].system == "keel" == deciding.successor


@pytest.mark.parametrize("wins", [200])
def test_a_search_gives_up_where_a_handful_cannot_decide(wins: int) -> None:
    # 400 to 20: some 380 of them would have to go.
    deciding = deciding_votes(votes(wins, 10))
    assert deciding is not None
    assert deciding.items == ()
    assert deciding.certainty == "at_most"
    assert MOST_REMOVED < 380
