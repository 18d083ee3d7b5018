"""The table of blind votes says what it rests on, and what is missing for it."""

from __future__ import annotations

import re

from evaluator.lab.ratings import LabRatings, lab_ratings
from leaderboard.lab.ratings import RATING_COLUMNS, rating_line, ratings_notice, ratings_table
from tests.unit.evaluator.lab.test_ratings import honest, votes


def test_without_votes_it_says_how_many_are_missing() -> None:
    said = ratings_notice(lab_ratings([]))
    assert said is not None
    assert said["title"] == "No rating yet: 0 votes by 0 visitors; it takes 50 by 10."
    assert said["lines"] == ["Tick Blind, press Run, and vote for the better answer."]
    table = ratings_table(lab_ratings([]))
    assert table["rows"] == []
    assert "fewer than 50 votes, 10 visitors or 20 votes on a system" in table["empty"]


def test_where_nothing_can_be_voted_on_nothing_is_said() -> None:
    assert ratings_notice(None) is None
    assert ratings_table(None)["rows"] == []


def rated() -> LabRatings:
    turns = [("b", "a"), ("b", "b"), ("b", "a"), ("a", "a"), ("tie", "b")]
    made = [{"vote": vote, "first": first, "voter": f"v{voter}"} for voter in range(12) for vote, first in turns]
    few = [{"a": "tiny, naive", "voter": f"v{voter}", "example_id": f"few{voter}"} for voter in range(4)]
    return lab_ratings(votes(*made, *few, {"seconds": 0.5}))


def test_a_rating_stands_with_its_votes_visitors_and_interval() -> None:
    found = rated()
    assert found.ratings is not None
    # Who has four votes only is not rated, though it won them all.
    assert [one.system for one in found.ratings.systems] == ["large, naive", "small, naive"]
    first = rating_line(found.ratings.systems[0])
    assert (first.system, first.votes, first.voters) == ("large, naive", 60, 12)
    cells = {column.key: column.text(first) for column in RATING_COLUMNS}
    # 36 of 60 votes and 12 ties for it: above one half, and shrunk below (36 + 6) / 60
    assert first.share.value is not None
    assert 0.5 < first.share.value < 0.7
    assert cells["share"].count("%") == 1
    assert "[" in cells["share"]
    assert cells["strength"].startswith("+")
    assert len(ratings_table(found)["rows"]) == 2
    # 36 to 12 with 12 ties: more than 24 of its wins would have to go, of which some stand for the place.
    [said] = ratings_table(found)["first_place"]
    assert re.match(r"At most \d+ of 60 votes decide who is first$", said["claim"])
    assert said["after"].endswith("small, naive leads.")
    assert said["items"][0]["label"]


def test_the_notice_says_what_counts_what_does_not_and_the_effect_of_the_place() -> None:
    said = ratings_notice(rated())
    assert said is not None
    assert said["title"] == "60 votes by 12 visitors; 1 left out."
    assert "the one shown first is chosen in" in said["lines"][0]
    assert said["folded"][0] == "Left out: 1 vote faster than both answers can be read."
    assert said["folded"][1].startswith("Not rated yet: 4 votes on systems with fewer than 20")


def test_votes_on_systems_apart_are_told() -> None:
    apart = votes({"a": "x", "b": "y", "example_id": "apart"})
    said = ratings_notice(lab_ratings(honest(50, 10) + apart))
    assert said is not None
    assert said["folded"][0].startswith("Not rated yet: 1 vote on systems with fewer than 20, or that no vote connects")
