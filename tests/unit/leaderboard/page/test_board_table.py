from __future__ import annotations

from dataclasses import replace

import pytest

from leaderboard.boards.kinds import ROBUSTNESS, Board
from leaderboard.page.board_table import direction_chosen, first_look, searched, sort_chosen, sorted_by, turned_to
from leaderboard.page.links import BOARDS, PageState

BOARD_OF_EACH = pytest.mark.parametrize("board", BOARDS)


def test_a_click_on_a_header_sorts_and_a_second_one_turns_round() -> None:
    once = sorted_by("robustness", PageState(), "team")
    assert (once.table("robustness").sort, once.table("robustness").direction) == ("team", "ascending")
    twice = sorted_by("robustness", once, "team")
    assert (twice.table("robustness").sort, twice.table("robustness").direction) == ("team", "descending")
    assert (
        sorted_by("robustness", twice, "raw").table("robustness").direction == "descending"
    )  # higher is better: best first
    assert (
        sorted_by("judges", twice, "preference_fairness").table("judges").direction == "ascending"
    )  # nearer 0 is better


@BOARD_OF_EACH
@pytest.mark.parametrize("key", ["note", "__class__", None, 3, {"a": 1}])
def test_a_column_nobody_can_sort_changes_nothing(board: Board, key: object) -> None:
    assert sorted_by(board, PageState(), key) == PageState()
    assert sort_chosen(board, PageState(), key) == PageState()


@BOARD_OF_EACH
@pytest.mark.parametrize("page", [0, -3, "2", None, 1.5])
def test_a_page_that_is_none_changes_nothing(board: Board, page: object) -> None:
    assert turned_to(board, PageState(), page) == PageState()


@BOARD_OF_EACH
@pytest.mark.parametrize("direction", ["sideways", None, 1])
def test_a_direction_that_is_none_changes_nothing(board: Board, direction: object) -> None:
    assert direction_chosen(board, PageState(), direction) == PageState()


@BOARD_OF_EACH
def test_whatever_changes_the_rows_begins_on_the_first_page(board: Board) -> None:
    third = turned_to(board, PageState(), 3)
    assert third.table(board).page == 3
    for changed in (
        searched(board, third, "keel"),
        sort_chosen(board, third, "date"),
        sorted_by(board, third, "date"),
        direction_chosen(board, third, "ascending"),
        first_look(board, third),
    ):
        assert changed.table(board).page == 1
    assert searched(board, third, "") == third


def test_each_board_is_looked_at_by_itself() -> None:
    state = searched("judges", sorted_by("robustness", PageState(), "team"), "gpt")
    assert state.table("judges") == replace(PageState().table("judges"), search="gpt")
    assert state.table("robustness").search == ""
    assert first_look("judges", state).table("robustness").sort == "team"
    assert first_look("robustness", state).table("robustness").sort == ROBUSTNESS.headline
