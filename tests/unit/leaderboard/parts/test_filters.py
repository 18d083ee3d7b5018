from __future__ import annotations

import pytest

from leaderboard.parts.filters import ANY, Filter, fitting
from tests.unit.leaderboard.boards.toy_board import FLEET, TOY, Boat


def left(**chosen: str) -> list[str]:
    return [row.id for row in fitting(FLEET, TOY.filters, chosen)]


def the(key: str) -> Filter[Boat]:
    found = TOY.filter(key)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("chosen", "boats"),
    [
        ({}, ["Keel", "Tide", "Reef"]),
        ({"harbour": "Oslo"}, ["Tide", "Reef"]),
        ({"paint": "white"}, ["Keel", "Tide"]),  # one of its texts is enough
        ({"crew": "90"}, ["Keel", "Tide"]),  # a share of 0.9 reaches 90%; an unknown one reaches nothing
        ({"crew": "91"}, ["Keel"]),
        ({"built": "2026-11-05"}, ["Tide"]),  # the day itself belongs to it, at any hour
        ({"harbour": "Oslo", "paint": "white"}, ["Tide"]),
        ({"harbour": "Kiel", "built": "2026-11-04"}, []),
    ],
)
def test_rows_have_to_fit_every_filter_and_null_rows_stay(chosen: dict[str, str], boats: list[str]) -> None:
    assert left(**chosen) == [*boats, "Drift"]


def test_a_null_row_goes_where_that_is_asked_for() -> None:
    assert left(kind="boat") == ["Keel", "Tide", "Reef"]
    assert left(kind="baseline") == ["Drift"]


def test_choices_are_those_that_some_row_has() -> None:
    assert the("harbour").choices(FLEET, ANY) == [("any", ""), ("Kiel", "Kiel"), ("Oslo", "Oslo")]
    assert the("paint").choices(FLEET, ANY) == [("any", ""), ("red", "red"), ("white", "white")]
    assert the("crew").choices(FLEET, ANY) == [("any", ""), ("at least 50%", "50"), ("at least 100%", "100")]
    newest_first = [("any", ""), ("from 2026-11-05", "2026-11-05"), ("from 2026-11-03", "2026-11-03")]
    assert the("built").choices(FLEET, ANY) == newest_first
    assert the("kind").choices(FLEET, ANY) == [("any", ""), ("baseline", "baseline"), ("boat", "boat")]


def test_what_is_chosen_can_be_seen_even_where_no_row_has_it() -> None:
    assert ("Rome", "Rome") in the("harbour").choices(FLEET, "Rome")
    assert not the("harbour").is_known(FLEET, "Rome")
    assert the("crew").is_known(FLEET, "93")
    assert the("built").is_known(FLEET, "2020-01-01")


@pytest.mark.parametrize(
    ("key", "text", "choice"),
    [
        ("harbour", "Oslo", "Oslo"),
        ("harbour", "x" * 200, "x" * 200),
        ("harbour", "x" * 201, None),
        ("harbour", "", None),
        ("crew", "95", "95"),
        ("crew", "095", "95"),
        ("crew", "101", None),
        ("crew", "-1", None),
        ("crew", "٥", None),  # a digit, yet not one of ours
        ("crew", "1e1", None),
        ("built", "2026-11-05", "2026-11-05"),
        ("built", "20261105", None),
        ("built", "2026-02-30", None),
        ("built", "yesterday", None),
    ],
)
def test_a_choice_is_read_or_refused(key: str, text: str, choice: str | None) -> None:
    assert the(key).read(text) == choice


def test_a_filter_says_what_it_asks_for() -> None:
    assert the("harbour").words("Oslo") == "Harbour: Oslo"
    assert the("paint").words("red") == "Paint: red"
    assert the("crew").words("90") == "Crew at least 90%"
    assert the("built").words("2026-11-05") == "Built from 2026-11-05"
