from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from leaderboard import queue_screen, robustness_screen
from leaderboard.links import PageState, link_of, parsed, view_link_value

SETS = ("eloquent-2024", "demonstration")


@pytest.mark.parametrize(
    "state",
    [
        PageState(),
        PageState(set="demonstration", view="all", sort="team", direction="ascending", search="a;b & c=1", page=3),
        PageState(set="eloquent-2024", system="7f3a", item="003"),
        PageState(tab="queue", ticket="7f3a", queue_page=2),
        PageState(tab="about"),
    ],
)
def test_a_pasted_link_restores_the_view(state: PageState) -> None:
    link = parsed(dict(parse_qsl(link_of(state).removeprefix("?"))), SETS)
    assert link.state == state
    assert link.notes == ()


def test_a_link_holds_only_what_its_tab_shows() -> None:
    assert link_of(PageState(tab="about", search="keel", ticket="7f3a")) == "?tab=about"


def test_a_bare_ticket_opens_the_queue() -> None:
    assert parsed({"ticket": "7f3a"}, SETS).state == PageState(tab="queue", ticket="7f3a")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tab", "admin"),
        ("set", "../secret"),
        ("view", "klingon"),
        ("sort", "__class__"),
        ("direction", "sideways"),
        ("page", "0"),
        ("page", "-1"),
        ("page", "١"),  # a digit, yet not one of ours
        ("page", "9" * 30),
        ("search", "x" * 201),
        ("unheard_of", "1"),
    ],
)
def test_an_unknown_value_is_ignored_with_a_note(name: str, value: str) -> None:
    link = parsed({name: value, "sort" if name != "sort" else "view": "score" if name != "sort" else "all"}, SETS)
    assert len(link.notes) == 1
    assert name in link.notes[0]
    assert link.state == (PageState() if name != "sort" else PageState(view="all"))


def test_parameters_of_the_host_are_left_alone() -> None:
    assert parsed({"__theme": "dark", "__sign": "x", "logs": "container"}, SETS).notes == ()


def test_the_link_component_gets_the_query_for_the_address_bar() -> None:
    assert view_link_value(PageState(tab="submit")) == {"href": "?tab=submit", "query": "tab=submit"}


@pytest.mark.parametrize("page", [0, -3, "2", None, 1.5])
def test_a_page_that_is_none_changes_nothing(page: object) -> None:
    assert robustness_screen.turned_to(PageState(), page) == PageState()
    assert queue_screen.turned_to(PageState(), page) == PageState()


def test_board_and_queue_have_pages_of_their_own() -> None:
    turned = queue_screen.turned_to(robustness_screen.turned_to(PageState(), 2), 3)
    assert (turned.page, turned.queue_page) == (2, 3)
