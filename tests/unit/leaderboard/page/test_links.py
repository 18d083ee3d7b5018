from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from leaderboard.boards.kinds import PERSONALIZATION
from leaderboard.desk import queue_screen
from leaderboard.page.board_table import turned_to
from leaderboard.page.links import PageState, TableState, link_of, parsed, view_link_value

SETS = ("eloquent-2024", "demonstration")
BENCHMARKS = ("mtbench-3", "devbench-2")


@pytest.mark.parametrize(
    "state",
    [
        PageState(),
        PageState(
            set="demonstration",
            view="all",
            tables={"robustness": TableState("team", "ascending", search="a;b & c=1", page=3)},
        ),
        PageState(
            tab="judges",
            benchmark="devbench-2",
            tables={"judges": TableState("preference_fairness", "ascending", search="gpt", page=2)},
            judge="7f3a/<b>judge</b>",
            agreement="kappa",
        ),
        PageState(
            tables={
                "robustness": TableState(
                    "score",
                    filters=(("family", "a;b & c=1"), ("coverage", "90"), ("received", "2026-11-21")),
                    columns=("system", "score", "date"),
                )
            },
        ),
        PageState(
            tab="personalization",
            tables={
                "personalization": TableState(
                    "robustness_error",
                    "ascending",
                    filters=(("method", "naive"), ("kind", "run")),
                    columns=PERSONALIZATION.column_choice(PERSONALIZATION.presets[0].columns),
                )
            },
        ),
        PageState(set="eloquent-2024", system="7f3a", item="003", pair="1-2"),
        PageState(set="eloquent-2024", view="all", system="7f3a", against="81c0"),
        PageState(set="demonstration", variation="formality", look="atlas", figure="worst", order="name", rows=2),
        PageState(tab="cultural", look="atlas", figure="rho", rows=3),
        PageState(tab="queue", ticket="7f3a", queue_page=2),
        PageState(tab="about"),
        PageState(tab="overview"),
    ],
)
def test_a_pasted_link_restores_the_view(state: PageState) -> None:
    link = parsed(dict(parse_qsl(link_of(state).removeprefix("?"))), SETS, BENCHMARKS)
    assert link.state == state
    assert link.notes == ()


def test_a_link_holds_only_what_its_tab_shows() -> None:
    assert link_of(PageState(tab="about", tables={"robustness": TableState("team")}, ticket="7f3a")) == "?tab=about"


def test_a_bare_ticket_opens_the_queue() -> None:
    assert parsed({"ticket": "7f3a"}, SETS, BENCHMARKS).state == PageState(tab="queue", ticket="7f3a")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tab", "admin"),
        ("set", "../secret"),
        ("view", "klingon"),
        ("benchmark", "mtbench-4"),
        ("agreement", "by heart"),
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
    link = parsed(
        {name: value, "sort" if name != "sort" else "view": "score" if name != "sort" else "all"}, SETS, BENCHMARKS
    )
    assert len(link.notes) == 1
    assert name in link.notes[0]
    assert link.state == (PageState() if name != "sort" else PageState(view="all"))


def test_parameters_of_the_host_are_left_alone() -> None:
    assert parsed({"__theme": "dark", "__sign": "x", "logs": "container"}, SETS, BENCHMARKS).notes == ()


def test_the_link_component_gets_the_query_for_the_address_bar() -> None:
    assert view_link_value(PageState(tab="queue", ticket="7f3a")) == {
        "href": "?tab=queue&ticket=7f3a",
        "query": "ticket=7f3a",
        "tab": "queue",
        "address": "queue?ticket=7f3a",
    }


@pytest.mark.parametrize("page", [0, -3, "2", None, 1.5])
def test_a_page_that_is_none_changes_nothing(page: object) -> None:
    assert queue_screen.turned_to(PageState(), page) == PageState()


def test_board_and_queue_have_pages_of_their_own() -> None:
    turned = queue_screen.turned_to(turned_to("robustness", PageState(), 2), 3)
    assert (turned.table("robustness").page, turned.table("judges").page, turned.queue_page) == (2, 1, 3)


def test_sort_belongs_to_the_board_of_the_links_tab() -> None:
    assert parsed({"tab": "judges", "sort": "tie_rate"}, SETS, BENCHMARKS).state.table("judges").sort == "tie_rate"
    assert parsed({"sort": "tie_rate"}, SETS, BENCHMARKS).notes != ()
    assert parsed({"tab": "judges", "sort": "score"}, SETS, BENCHMARKS).notes != ()


def test_dark_colours_are_no_part_of_a_link() -> None:
    assert link_of(PageState(is_dark=True)) == "?tab=robustness"


@pytest.mark.parametrize("query", [{}, {"__theme": "dark", "logs": "container"}, {"unheard_of": "1"}])
def test_a_bare_link_opens_the_overview(query: dict[str, str]) -> None:
    assert parsed(query, SETS, BENCHMARKS).state == PageState(tab="overview")


@pytest.mark.parametrize("query", [{"set": "demonstration"}, {"search": "keel"}, {"set": "unheard of"}])
def test_a_link_of_a_board_without_its_tab_opens_the_first_board(query: dict[str, str]) -> None:
    assert parsed(query, SETS, BENCHMARKS).state.tab == "robustness"
