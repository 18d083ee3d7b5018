"""Which blind votes count in the lab, and when they make a rating."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from evaluator.lab.ratings import (
    MIN_VOTERS,
    MIN_VOTES,
    MOST_OF_ONE,
    RENEWED_S,
    KeptRatings,
    counted_votes,
    is_too_fast,
    lab_ratings,
)
from evaluator.lab.votes import MemoryVoteBook, Vote

VOTE = Vote(
    id="1",
    voter="v",
    vote="a",
    judge=None,
    judged=None,
    a="small, naive",
    b="large, naive",
    setting="relevant",
    dataset="demonstration",
    example_id="d1",
    text=None,
    first="a",
    seconds=30.0,
    words=100,
)


def votes(*changes: Mapping[str, object]) -> list[Vote]:
    """Each on a question of its own unless it says otherwise."""
    return [replace(VOTE, **{"id": str(n), "example_id": f"d{n}", **change}) for n, change in enumerate(changes)]  # type: ignore[arg-type]


def honest(count: int, voters: int) -> list[Vote]:
    """Votes for either side in turn, in either order in turn."""
    turns = [(vote, first) for vote in ("a", "b") for first in ("a", "b")]
    made = []
    for n in range(count):
        vote, first = turns[n // voters % 4]
        made.append({"vote": vote, "first": first, "voter": f"v{n % voters}"})
    return votes(*made)


@pytest.mark.parametrize(
    ("seconds", "words", "fast"),
    [(6.2, 100, True), (6.4, 100, False), (None, 100, False), (0.0, 0, False), (3.0, None, False)],
)
def test_four_times_the_speed_of_reading_is_too_fast(seconds: float | None, words: int | None, fast: bool) -> None:
    # 100 words at 4 x 238 = 952 a minute: 6.30 s
    assert is_too_fast(replace(VOTE, seconds=seconds, words=words)) is fast


def test_every_reason_to_leave_a_vote_out_is_counted_once() -> None:
    given = votes(
        {},
        {"first": None, "seconds": 0.1},  # old, and the rest does not matter
        {"is_twin": True},
        {"example_id": "d0", "vote": "b"},  # the question of the first vote again
        {"example_id": "d0", "vote": "b", "a": "large, naive", "b": "small, naive"},  # the same two systems, turned
        {"seconds": 1.0},
    )
    counted, left_out = counted_votes(given)
    assert [vote.id for vote in counted] == ["0"]
    assert left_out == {"unknown_place": 1, "two_wordings": 1, "repeated": 2, "too_fast": 1}


def test_another_question_setting_pair_or_visitor_is_no_repetition() -> None:
    same = {"example_id": "d0"}
    given = votes(
        same,
        {**same, "setting": "mixed"},
        {**same, "b": "other, naive"},
        {**same, "voter": "w"},
        {},
        {"dataset": "x", **same},
    )
    assert len(counted_votes(given)[0]) == len(given)


def test_own_questions_are_not_known_apart_and_all_count() -> None:
    own = {"example_id": None, "dataset": "own"}
    assert len(counted_votes(votes(own, own))[0]) == 2


def test_a_visitor_who_always_votes_for_one_place_is_left_out() -> None:
    left = [{"vote": "a", "first": "a"} if n % 2 else {"vote": "b", "first": "b"} for n in range(10)]
    assert counted_votes(votes(*left, {"vote": "tie"}))[1] == {"one_sided": 11}
    assert counted_votes(votes(*left[:9]))[1] == {}  # nine may be chance
    assert counted_votes(votes(*left, {"vote": "b", "first": "a"}))[1] == {}


def test_only_the_first_votes_of_a_visitor_count() -> None:
    given = honest(MOST_OF_ONE + 5, 1)
    counted, left_out = counted_votes(given)
    assert counted == given[:MOST_OF_ONE]
    assert left_out == {"too_many": 5}


@pytest.mark.parametrize(
    ("count", "voters", "is_shown"),
    [(MIN_VOTES, MIN_VOTERS, True), (MIN_VOTES - 1, MIN_VOTERS, False), (MIN_VOTES, MIN_VOTERS - 1, False)],
)
def test_a_rating_is_shown_from_enough_votes_of_enough_visitors(count: int, voters: int, is_shown: bool) -> None:
    found = lab_ratings(honest(count, voters))
    assert (found.votes, found.voters) == (count, voters)
    assert (found.ratings is not None) is is_shown


def test_the_place_is_that_of_the_answer_shown_first() -> None:
    # Whatever stands first is chosen in three of four votes, by everybody alike: no system is better.
    turns = [("a", "a"), ("b", "b"), ("a", "a"), ("b", "b"), ("a", "a"), ("b", "b"), ("b", "a"), ("a", "b")]
    made = [{"vote": vote, "first": first, "voter": f"v{voter}"} for voter in range(12) for vote, first in turns]
    found = lab_ratings(votes(*made)).ratings
    assert found is not None
    assert found.place_effect.low is not None
    assert found.place_effect.low > 0
    assert [round(one.strength.value or 0, 9) for one in found.systems] == [0, 0]


def test_the_answer_that_is_preferred_in_either_order_is_the_stronger() -> None:
    turns = [("b", "a"), ("b", "b"), ("b", "a"), ("b", "b"), ("a", "a"), ("both_bad", "b")]
    made = [{"vote": vote, "first": first, "voter": f"v{voter}"} for voter in range(12) for vote, first in turns]
    found = lab_ratings(votes(*made)).ratings
    assert found is not None
    assert found.systems[0].system == "large, naive"
    assert found.systems[0].strength.low is not None
    assert found.systems[0].strength.low > 0


def test_systems_that_nothing_connects_are_not_rated_together() -> None:
    apart = votes(*({"a": "x", "b": "y", "voter": f"w{n}", "example_id": f"e{n}"} for n in range(30)))
    found = lab_ratings(honest(MIN_VOTES, MIN_VOTERS) + apart)
    assert found.unrated == 30
    assert found.ratings is not None
    assert {one.system for one in found.ratings.systems} == {"small, naive", "large, naive"}


def test_a_system_with_few_votes_is_not_rated_nor_one_that_has_few_without_it() -> None:
    # "few" has 12 votes, 5 of them beside "next", which has 16 others: without "few" 16 are left, and it goes too.
    few = [{"a": "small, naive", "b": "few", "voter": f"w{n}", "example_id": f"e{n}"} for n in range(7)]
    both = [{"a": "few", "b": "next", "voter": f"w{n}", "example_id": f"f{n}"} for n in range(5)]
    beside = [{"a": "next", "b": "small, naive", "voter": f"w{n}", "example_id": f"g{n}"} for n in range(16)]
    found = lab_ratings(honest(MIN_VOTES, MIN_VOTERS) + votes(*few, *both, *beside))
    assert found.unrated == 7 + 5 + 16
    assert found.ratings is not None
    assert {one.system for one in found.ratings.systems} == {"small, naive", "large, naive"}


def test_no_votes_make_no_rating() -> None:
    found = lab_ratings([])
    assert (found.votes, found.voters, found.left_out, found.ratings) == (0, 0, {}, None)


def test_a_page_that_asks_all_the_time_has_them_made_now_and_then() -> None:
    book, now = MemoryVoteBook(), 0.0
    kept = KeptRatings(book, clock=lambda: now)
    assert kept().votes == 0
    book.add(VOTE)
    now = RENEWED_S - 0.1
    assert kept().votes == 0
    now = RENEWED_S
    assert kept().votes == 1
