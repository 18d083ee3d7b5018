"""What choosing, opening and closing do to a state that declares them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from leaderboard.page.state import PageState, TableState, all_closed, choice, chosen, closed, one_of, opened, text
from leaderboard.page.state import whole_number as number


@dataclass(frozen=True, slots=True)
class HarbourState(PageState):
    """Boats of a sea, one of them with its crew."""

    sea: str = choice("", one_of(("north", "south")), undoes=["boat", "sailor"])
    paint: str = choice("red", one_of(("red", "white")), keeps_page=True)
    boat: str = opened("", text, undoes=["sailor"])
    sailor: int = opened(0, number, keeps_page=True)


THIRD_PAGE = TableState(page=3)
ABOARD = HarbourState(sea="north", boat="Keel", sailor=2, table=THIRD_PAGE)


def test_another_choice_of_rows_begins_on_the_first_page_and_closes_what_is_of_the_former_rows() -> None:
    assert chosen("sea")(ABOARD, "south") == HarbourState(sea="south")


def test_a_choice_that_is_none_of_rows_keeps_the_page_and_what_is_opened() -> None:
    assert chosen("paint")(ABOARD, "white") == replace(ABOARD, paint="white")


def test_a_choice_is_taken_back_by_choosing_what_stood_there_at_first() -> None:
    assert chosen("sea")(ABOARD, "") == HarbourState()
    assert closed("sea")(ABOARD) == HarbourState()


@pytest.mark.parametrize("value", ["west", None, 7, ["north"], {"sea": "north"}, "n" * 300])
def test_what_a_browser_may_not_choose_changes_nothing(value: object) -> None:
    assert chosen("sea")(ABOARD, value) is ABOARD


@pytest.mark.parametrize("value", ["0", "-1", "two", 2.5, None, True, -3])
def test_a_place_is_a_whole_number_from_1(value: object) -> None:
    assert chosen("sailor")(ABOARD, value) is ABOARD
    assert chosen("sailor")(ABOARD, "4").sailor == chosen("sailor")(ABOARD, 4).sailor == 4


def test_true_is_no_whole_number_where_a_place_is_1_at_first() -> None:
    @dataclass(frozen=True, slots=True)
    class PierState(PageState):
        berth: int = choice(1, number)

    assert repr(chosen("berth")(PierState(berth=3), True).berth) == "1"


def test_a_row_opens_with_no_item_of_another_one_and_an_item_closes_alone() -> None:
    assert chosen("boat")(ABOARD, "Tide") == HarbourState(sea="north", boat="Tide")
    assert closed("sailor")(ABOARD) == replace(ABOARD, sailor=0)


def test_the_first_thing_that_is_opened_is_the_row() -> None:
    assert (ABOARD.opened_row, HarbourState().opened_row, PageState().opened_row) == ("Keel", "", "")


def test_everything_opened_is_closed_and_choices_stay() -> None:
    assert all_closed(replace(ABOARD, paint="white")) == HarbourState(sea="north", paint="white")
