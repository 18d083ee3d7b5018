"""The sentence on which items a first place rests."""

from __future__ import annotations

from dataclasses import replace

from evaluator.statistics.deciding_items import DecidingItems
from leaderboard.page.first_place import FirstPlace, FirstPlaceWords, first_place_claim, first_place_values
from tests.unit.leaderboard.boards.toy_board import TOY

WORDS = FirstPlaceWords.from_kind(replace(TOY, counted="races"))
NAMES = {"tide": "Tide", "keel": "<b>Keel</b> " + "x" * 40}


def sentence(deciding: DecidingItems) -> str:
    """The sentence as a page shows it."""
    [said] = first_place_values(FirstPlace("", deciding), WORDS, NAMES, link="", item_link=lambda item: "")
    named = "".join(f"{item['before']}{item['label']}" for item in said["items"])
    return f"{said['claim']}: without {named}{said['after']}" if named else said["claim"]


def test_many_items_are_counted_and_long_names_are_cut() -> None:
    items = tuple(f"{number:02}" for number in range(8))
    said = sentence(DecidingItems(("tide",), items, "keel", 20))
    assert said.startswith("8 of 20 races decide who is first: ")
    assert "without 00, 01, 02, 03, 04, 05 and 2 more, <b>Keel</b> x" in said
    assert said.endswith("x leads.")
    assert len(said) < 120


def test_the_last_of_a_few_items_follows_an_and() -> None:
    assert "without 1, 2 and 3, Tide leads." in sentence(DecidingItems(("keel",), ("1", "2", "3"), "tide", 9))


def test_a_search_and_an_approximation_say_so() -> None:
    deciding = DecidingItems(("tide",), ("1", "2"), "keel", 9)
    assert sentence(replace(deciding, certainty="at_most")).startswith("At most 2 of 9 races decide who is first: ")
    assert sentence(replace(deciding, certainty="about")).startswith("About 2 of 9 races decide who is first: ")
    assert sentence(DecidingItems(("tide",), (), "", 9, "at_most")) == (
        "No races were found whose removal changes who is first."
    )


def test_what_boards_leave_out_may_be_other_than_what_they_count() -> None:
    words = FirstPlaceWords.from_kind(replace(TOY, counted="races", deciders="regattas"))
    first = FirstPlace("tide", DecidingItems(("tide",), (), "", 9), "Among large boats")
    assert first_place_claim(first, words) == "Among large boats: no removal of regattas changes who is first"
