from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import pytest

from leaderboard.boards.editions.state import CulturalState
from leaderboard.boards.personalization.kind import PERSONALIZATION
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.desk import queue_screen
from leaderboard.page.links import choices_of, link_of, place_of, view_link_value
from leaderboard.page.state import AboutState, PageState, QueueState, TableState
from leaderboard.site.page_register import pages
from tests.registered import opened


@pytest.mark.parametrize(
    "state",
    [
        RobustnessState(),
        RobustnessState(
            set="demonstration",
            view="all",
            table=TableState("team", "ascending", search="a;b & c=1", page=3),
        ),
        JudgesState(
            benchmark="devbench-2",
            table=TableState("preference_fairness", "ascending", search="gpt", page=2),
            judge="7f3a/<b>judge</b>",
            agreement="kappa",
        ),
        RobustnessState(
            table=TableState(
                "score",
                filters=(("family", "a;b & c=1"), ("coverage", "90"), ("received", "2026-11-21")),
                columns=("system", "score", "date"),
            ),
        ),
        PersonalizationState(
            table=TableState(
                "robustness_error",
                "ascending",
                filters=(("method", "naive"), ("kind", "run")),
                columns=PERSONALIZATION.column_choice(PERSONALIZATION.presets[0].columns),
            ),
        ),
        RobustnessState(set="eloquent-2024", system="7f3a", item="003", pair="1-2"),
        RobustnessState(set="eloquent-2024", view="all", system="7f3a", against="81c0"),
        RobustnessState(set="demonstration", variation="formality", look="atlas", figure="worst", order="name", rows=2),
        CulturalState(look="atlas", figure="rho", rows=3),
        QueueState(ticket="7f3a", queue_page=2),
        AboutState(),
        PageState(tab="overview"),
    ],
)
def test_a_pasted_link_restores_the_view(state: PageState) -> None:
    link = opened(dict(parse_qsl(link_of(state).removeprefix("?"))))
    assert link.state == state
    assert link.notes == ()


def test_a_link_of_a_page_without_a_table_says_nothing_of_one() -> None:
    assert link_of(AboutState(table=TableState("team"))) == "?tab=about"


def test_a_bare_ticket_opens_the_queue() -> None:
    assert opened({"ticket": "7f3a"}).state == QueueState(ticket="7f3a")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("view", "klingon"),
        ("agreement", "kappa"),  # a choice of another page
        ("sort", "__class__"),
        ("direction", "sideways"),
        ("page", "0"),
        ("page", "-1"),
        ("page", "١"),  # a digit, yet not one of ours
        ("page", "9" * 30),
        ("search", "x" * 201),
        ("unheard_of", "1"),
        ("filter_coverage", "all"),
        ("filter_received", "2026-13-01"),
        ("filter_method", "naive"),  # a filter of another board
        ("filter_family", ""),
        ("columns", "salary"),
    ],
)
def test_an_unknown_value_is_ignored_with_a_note(name: str, value: str) -> None:
    link = opened({"tab": "robustness", "set": "demonstration"} | {name: value})
    assert len(link.notes) == 1
    assert name in link.notes[0]
    assert link.state == RobustnessState(set="demonstration")


def test_parameters_of_the_host_are_left_alone() -> None:
    assert opened({"__theme": "dark", "__sign": "x", "logs": "container"}).notes == ()


def test_the_drawer_that_an_address_names_is_no_part_of_any_link() -> None:
    link = opened({"tab": "robustness", "set": "demonstration", "drawer": "filters"})
    assert link.notes == ()
    assert link.state == RobustnessState(set="demonstration")
    assert view_link_value(link.state)["href"] == "?set=demonstration"


def test_the_link_component_gets_the_query_for_the_address_bar() -> None:
    assert view_link_value(QueueState(ticket="7f3a", turn=3)) == {
        "href": "?tab=queue&ticket=7f3a",
        "query": "ticket=7f3a",
        "tab": "queue",
        "address": "queue?ticket=7f3a",
        "turn": 3,
        "place": "ticket=7f3a",
        "visit": 0,
    }


def test_opening_is_a_step_of_the_history_and_sorting_is_none() -> None:
    board = RobustnessState(set="demonstration", system="7f3a")
    other_order = replace(board, table=replace(board.table, sort="name", search="keel", page=2), view="all")
    assert place_of(other_order) == place_of(board)
    opened_ = [replace(board, item="901"), replace(board, system=""), replace(board, look="atlas", system="")]
    assert len({place_of(state) for state in (board, *opened_)}) == 4


@pytest.mark.parametrize("state", pages().values(), ids=lambda state: str(state.tab))
def test_whatever_row_a_board_opens_is_a_step(state: PageState) -> None:
    for name in choices_of(type(state)):
        if not isinstance(getattr(state, name), str):
            continue
        changed: dict[str, Any] = {name: "probe"}
        other = replace(state, **changed)
        if other.opened_row == "probe":
            assert place_of(other) != place_of(state)
            return
    assert state.opened_row == ""


@pytest.mark.parametrize("page", [0, -3, "2", None, 1.5])
def test_a_page_that_is_none_changes_nothing(page: object) -> None:
    assert queue_screen.turned_to(QueueState(), page) == QueueState()


def test_sort_belongs_to_the_board_of_the_links_tab() -> None:
    assert opened({"tab": "judges", "sort": "tie_rate"}).state.table.sort == "tie_rate"
    assert opened({"sort": "tie_rate"}).notes != ()
    assert opened({"tab": "judges", "sort": "score"}).notes != ()


def test_dark_colours_are_no_part_of_a_link() -> None:
    assert link_of(RobustnessState(is_dark=True)) == "?tab=robustness"


@pytest.mark.parametrize("query", [{}, {"__theme": "dark", "logs": "container"}, {"unheard_of": "1"}])
def test_a_bare_link_opens_the_overview(query: dict[str, str]) -> None:
    assert opened(query).state == PageState(tab="overview")


@pytest.mark.parametrize("query", [{"set": "demonstration"}, {"search": "keel"}, {"set": "unheard of"}])
def test_a_link_of_a_board_without_its_tab_opens_the_first_board(query: dict[str, str]) -> None:
    assert opened(query).state.tab == "robustness"


def test_the_chart_that_an_address_leads_to_is_no_fault_of_its_link() -> None:
    link = opened({"tab": "judges", "chart": "agreement"})
    assert (link.state, link.notes) == (JudgesState(), ())
