from __future__ import annotations

from typing import Any

import pytest

from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.boards.registry import BOARDS
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.board_table import direction_chosen, first_look, searched, sort_chosen, sorted_by, turned_to
from leaderboard.page.state import PageState

OF_EACH_BOARD = pytest.mark.parametrize("first", [board.state() for board in BOARDS], ids=lambda state: state.tab)


def test_a_click_on_a_header_sorts_and_a_second_one_turns_round() -> None:
    once = sorted_by(RobustnessState(), "team")
    assert (once.table.sort, once.table.direction) == ("team", "ascending")
    twice = sorted_by(once, "team")
    assert (twice.table.sort, twice.table.direction) == ("team", "descending")
    assert sorted_by(twice, "raw").table.direction == "descending"  # higher is better: best first
    # Nearer 0 is better.
    assert sorted_by(JudgesState(), "preference_fairness").table.direction == "ascending"


@OF_EACH_BOARD
@pytest.mark.parametrize("key", ["note", "__class__", None, 3, {"a": 1}])
def test_a_column_nobody_can_sort_changes_nothing(first: PageState, key: Any) -> None:
    assert sorted_by(first, key) == first
    assert sort_chosen(first, key) == first


@OF_EACH_BOARD
@pytest.mark.parametrize("page", [0, -3, "2", None, 1.5])
def test_a_page_that_is_none_changes_nothing(first: PageState, page: Any) -> None:
    assert turned_to(first, page) == first


@OF_EACH_BOARD
@pytest.mark.parametrize("direction", ["sideways", None, 1])
def test_a_direction_that_is_none_changes_nothing(first: PageState, direction: Any) -> None:
    assert direction_chosen(first, direction) == first


@OF_EACH_BOARD
def test_whatever_changes_the_rows_begins_on_the_first_page(first: PageState) -> None:
    third = turned_to(first, 3)
    assert third.table.page == 3
    assert first.kind is not None
    *_, sortable = first.kind.sort_keys
    for changed in (
        searched(third, "keel"),
        sort_chosen(third, sortable),
        sorted_by(third, sortable),
        direction_chosen(third, "ascending"),
        first_look(third),
    ):
        assert changed.table.page == 1
    assert searched(third, "") == third


@OF_EACH_BOARD
def test_a_board_is_sorted_by_its_headline_at_first(first: PageState) -> None:
    assert first.kind is not None
    searched_and_sorted = searched(sort_chosen(first, first.kind.sort_keys[0]), "gpt")
    assert searched_and_sorted != first
    assert first_look(searched_and_sorted) == first
    assert first.table.sort == first.kind.headline


def test_a_page_without_a_table_cannot_be_sorted() -> None:
    with pytest.raises(TypeError, match="the page submit has no table"):
        sorted_by(PageState(tab="submit"), "team")
