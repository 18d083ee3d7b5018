from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from leaderboard.boards import Boards
from leaderboard.links import PageState
from leaderboard.robustness_screen import (
    RobustnessScreen,
    opened_item,
    opened_row,
    reset,
    searched,
    sorted_by,
)
from leaderboard.services import Services
from tests.unit.leaderboard.conftest import Submit
from tests.unit.leaderboard.made_results import robustness_result

ITEMS = [f"90{number}" for number in range(1, 8)]
DEMONSTRATION = PageState(set="demonstration")


@pytest.fixture
def screen(services: Services) -> RobustnessScreen:
    return RobustnessScreen(services, Boards(services.store))


def shown(screen: RobustnessScreen, state: PageState) -> list[str]:
    names = [column["key"] for column in screen.board_table(state)["columns"]]
    return [row["cells"][names.index("system")]["text"] for row in screen.board_table(state)["rows"]]


def test_the_board_follows_sort_search_and_view(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    score(robustness_result(dict.fromkeys(ITEMS, 4.0)), team="Nordlicht", system="Tide")
    assert shown(screen, DEMONSTRATION) == ["Tide", "Keel"]
    assert shown(screen, replace(DEMONSTRATION, direction="ascending")) == ["Keel", "Tide"]
    assert shown(screen, replace(DEMONSTRATION, sort="team", direction="ascending")) == ["Keel", "Tide"]
    assert shown(screen, replace(DEMONSTRATION, search="aurora")) == ["Keel"]
    assert screen.board_table(replace(DEMONSTRATION, view="all"))["caption"].startswith("Demonstration, All languages")


def test_a_new_result_appears_and_a_withdrawn_one_goes(
    screen: RobustnessScreen, services: Services, score: Submit
) -> None:
    assert shown(screen, DEMONSTRATION) == []
    ticket_id = score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    assert shown(screen, DEMONSTRATION) == ["System"]
    services.desk.withdraw(ticket_id, "local")
    assert shown(screen, DEMONSTRATION) == []


def test_an_empty_board_says_what_to_do(screen: RobustnessScreen, score: Submit) -> None:
    assert "Submit a file" in screen.board_table(DEMONSTRATION)["empty"]
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    assert "press Reset" in screen.board_table(replace(DEMONSTRATION, search="nobody"))["empty"]


def test_the_first_screen_is_a_board_with_rows(screen: RobustnessScreen, score: Submit) -> None:
    assert screen.completed(PageState()).set == "eloquent-2024"
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    assert screen.completed(PageState()).set == "demonstration"
    assert screen.completed(PageState(set="eloquent-2024")).set == "eloquent-2024"


def test_a_row_leads_to_its_items_and_an_item_to_its_answers(screen: RobustnessScreen, score: Submit) -> None:
    ticket_id = score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    state = opened_item(opened_row(DEMONSTRATION, ticket_id), "903")
    head = screen.system_notice(state)
    items = screen.items_table(state)
    item = screen.item(state)
    assert head is not None
    assert head["title"] == "Keel · Aurora · Model"
    assert "Score 2.00 [2.00, 2.00]" in head["lines"][0]
    assert items is not None
    assert [row["id"] for row in items["rows"]] == ITEMS
    assert item is not None
    assert item["groups"][0]["variants"][0]["answer"] == "Answer 0 of Aurora to item 903."
    assert item["groups"][0]["variants"][0]["prompt"]


def test_a_link_to_a_row_that_is_gone_says_so(screen: RobustnessScreen) -> None:
    state = PageState(set="demonstration", system="${gone}", item="903")
    head = screen.system_notice(state)
    assert head is not None
    assert head["kind"] == "warning"
    assert screen.items_table(state) is None
    assert screen.item(state) is None


def test_downloads_hold_what_is_shown(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    score(robustness_result(dict.fromkeys(ITEMS, 4.0)), team="Nordlicht", system="Tide")
    state = replace(DEMONSTRATION, direction="ascending", search="keel;tide")
    records = list(csv.DictReader(io.StringIO(screen.csv(state))))
    document = json.loads(screen.json(state))
    assert [record["system"] for record in records] == ["Keel", "Tide"]
    assert [row["system"] for row in document["rows"]] == ["Keel", "Tide"]
    assert document["link"] == "?set=demonstration&direction=ascending&search=keel%3Btide"


def test_a_click_on_a_header_sorts_and_a_second_one_turns_round() -> None:
    once = sorted_by(DEMONSTRATION, "team")
    assert (once.sort, once.direction) == ("team", "ascending")
    twice = sorted_by(once, "team")
    assert (twice.sort, twice.direction) == ("team", "descending")
    assert sorted_by(twice, "raw").direction == "descending"  # higher is better: the best first


@pytest.mark.parametrize("key", ["flags", "__class__", None, 3, {"a": 1}])
def test_a_column_nobody_can_sort_changes_nothing(key: object) -> None:
    assert sorted_by(DEMONSTRATION, key) == DEMONSTRATION


def test_a_search_begins_on_the_first_page_and_reset_keeps_the_prompt_set() -> None:
    state = replace(DEMONSTRATION, page=3, sort="team")
    assert searched(state, "keel").page == 1
    assert reset(state) == DEMONSTRATION
