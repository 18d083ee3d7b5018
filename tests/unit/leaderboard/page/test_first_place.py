"""The sentence on which items a first place rests."""

from __future__ import annotations

from dataclasses import replace

from evaluator.statistics.deciding_items import DecidingItems
from leaderboard.page.first_place import first_place_values
from tests.unit.leaderboard.boards.toy_board import TOY

BOATS = replace(TOY, counted="races")
NAMES = {"tide": "Tide", "keel": "<b>Keel</b> " + "x" * 40}


def sentence(deciding: DecidingItems) -> str:
    """The sentence as a page shows it."""
    [said] = first_place_values(deciding, BOATS, NAMES, link="", item_link=lambda item: "")
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
