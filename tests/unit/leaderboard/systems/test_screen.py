from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from evaluator.results import RobustnessResult
from leaderboard.boards.registry import BOARDS
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.links import parsed
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.systems import charts
from leaderboard.systems.screen import NO_CHOICE, SystemScreen, compared_with, opened_side
from submissions.schema import Flag
from tests.unit.leaderboard.boards.personalization import made_personalization
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit
from tests.unit.leaderboard.page.addresses import query_of

ITEMS = [f"90{number}" for number in range(1, 8)]
BOARD = RobustnessState(set="demonstration")


@pytest.fixture
def screen(services: Services) -> SystemScreen:
    tools = BoardTools(services)
    tools.open(BOARDS)
    return tools.shared(SystemScreen.of)


def opened(ticket_id: str, **changes: Any) -> RobustnessState:
    return replace(BOARD, system=ticket_id, **changes)


@pytest.fixture
def alike(score: Submit) -> tuple[str, str, str]:
    """Keel and Tide share their places, Hull is below both."""
    mixed = robustness_result(dict(zip(ITEMS, [4, 4, 4, 2, 2, 3, 3], strict=True)))
    even = robustness_result(dict.fromkeys(ITEMS, 3.0))
    low = robustness_result(dict.fromkeys(ITEMS, 0.0))
    return (
        score(mixed, team="Aurora", system="Keel"),
        score(even, team="Nordlicht", system="Tide"),
        score(low, team="Polaris", system="Hull"),
    )


def test_a_shared_rank_leads_to_the_comparison_that_explains_it(
    screen: SystemScreen, alike: tuple[str, str, str]
) -> None:
    keel, tide, _ = alike
    rank = screen.rank(opened(keel))
    assert rank is not None
    assert (rank["title"], rank["question"]) == ("Rank 1-2 of 3", "Why the same rank?")
    (neighbour,) = rank["neighbours"]
    link = parsed(query_of(neighbour["link"]), RobustnessState)
    assert link.notes == ()
    assert link.state == opened(keel, against=tide)
    said = screen.comparison_notice(link.state)
    assert said is not None
    assert said["title"].startswith("Keel and Tide cannot be told apart: Keel minus Tide is +0.14 [")
    assert any(line.startswith("Ranks on the board: Keel 1-2, Tide 1-2. Their ranks overlap") for line in said["lines"])
    items = screen.compared_items(link.state)
    assert items is not None
    assert len(items["rows"]) == 7


def test_a_system_that_the_null_rows_keep_from_a_rank_is_told_by_which_and_what_was_marked(
    screen: SystemScreen, score: Submit
) -> None:
    def gated(rating: float, flags: Sequence[Flag] = ()) -> RobustnessResult:
        """As if a judge had been asked which responses answer."""
        result = robustness_result(dict.fromkeys(ITEMS, rating), flags=flags)
        return result.model_copy(update={"gate": result.judge})

    null = score(gated(1.0), team="Null", system="Null: empty shell", role="baseline")
    good = score(gated(4.0), team="Aurora", system="Keel")
    bought = score(gated(1.0, ["no_answer"]), team="Polaris", system="Bought")
    said = screen.rank(opened(bought))
    assert said is not None
    assert (said["title"], said["question"]) == ("Not ranked", "Why no rank?")
    assert said["explanation"].startswith("Not separable from baseline: Null: empty shell. ")
    # One response of each of the 7 items; 5 variants each were answered: 3 English and 2 Swedish ones.
    assert "7 of 35 responses are no answer to their prompt" in said["explanation"]
    ranked = screen.rank(opened(good))
    assert ranked is not None
    assert ranked["title"] == "Rank 1 of 1"
    assert screen.rank(opened(null)) is None
    # What has no headline says so in the notice above, and not twice.
    partial = score(robustness_result(dict.fromkeys(ITEMS, 3.0), rankable=False), team="Hull", system="Partial")
    assert screen.rank(opened(partial)) is None


def test_one_can_compare_with_every_other_row(screen: SystemScreen, score: Submit, alike: tuple[str, str, str]) -> None:
    keel, tide, hull = alike
    null = score(robustness_result(dict.fromkeys(ITEMS, 0.0)), team="Null", system="Canned", role="baseline")
    assert screen.choices(opened(keel)) == [
        (NO_CHOICE, ""),
        ("Tide · Nordlicht · rank 1-2", tide),
        ("Hull · Polaris · rank 3", hull),
        ("Canned · Null · baseline", null),
    ]


def test_a_system_alone_on_its_board_offers_no_comparison(screen: SystemScreen, score: Submit) -> None:
    alone = score(robustness_result(dict.fromkeys(ITEMS, 3.0)))
    assert screen.choices(opened(alone)) == []
    rank = screen.rank(opened(alone))
    assert rank is not None
    assert (rank["title"], rank["question"]) == ("Rank 1 of 1", "")


@pytest.mark.parametrize("against", ["${gone}", "nobody"])
def test_a_link_to_nobody_says_that_nothing_can_be_compared(
    screen: SystemScreen, alike: tuple[str, str, str], against: str
) -> None:
    state = opened(alike[0], against=against)
    said = screen.comparison_notice(state)
    assert said is not None
    assert said["kind"] == "warning"
    assert screen.compared_items(state) is None
    assert screen.comparison_charts(state) is None


def test_nothing_is_shown_of_a_run_that_is_gone(
    screen: SystemScreen, services: Services, alike: tuple[str, str, str]
) -> None:
    keel, tide, _ = alike
    assert screen.card(opened(keel)) is not None
    services.desk.withdraw(keel, "local")
    state = opened(keel, against=tide)
    assert (screen.rank(state), screen.card(state), screen.manifest(state)) == (None, None, None)
    assert (screen.comparison_notice(state), screen.choices(state)) == (None, [])


def test_the_chart_of_a_comparison_has_the_colours_of_the_theme(
    screen: SystemScreen, alike: tuple[str, str, str]
) -> None:
    keel, tide, _ = alike
    state = opened(keel, against=tide)
    light, dark = screen.comparison_charts(state), screen.comparison_charts(replace(state, is_dark=True))
    assert light is not None
    assert dark is not None
    assert screen.comparison_charts(opened(keel)) is None
    assert len(light["figures"]["comparison"].data) == 9  # 7 lines, 2 systems
    table = light["charts"][0]["table"]
    assert table is not None
    assert [head["label"] for head in table["columns"]] == ["Item", "Keel", "Tide", "difference"]
    assert len(table["rows"]) == 7
    assert light["figures"]["comparison"].layout.template != dark["figures"]["comparison"].layout.template


def test_the_card_lists_the_boards_of_the_same_team_and_system(
    screen: SystemScreen, services: Services, alike: tuple[str, str, str]
) -> None:
    personalized = made_personalization.large_file(lost=6, ignored=6, team="Aurora", system="Keel")
    answers = made_personalization.put_into(services.store, personalized)
    card = screen.card(opened(alike[0]))
    assert card is not None
    assert [(one["board"], one["rank"]) for one in card["standings"][:2]] == [
        ("Robustness, Demonstration, English", "1-2"),
        ("Robustness, Demonstration, All languages", ""),
    ]
    assert card["standings"][0]["headline"].startswith("score 3.14 [")  # (4 + 4 + 4 + 2 + 2 + 3 + 3) / 7
    personalization = [one for one in card["standings"] if one["board"].startswith("Personalization")]
    assert {one["link"].split("answers=")[1] for one in personalization} == {f"{answers}%2Fnaive"}
    relevant = next(one for one in personalization if one["board"].endswith("relevant"))
    assert "robustness error" in relevant["headline"]
    assert {run["link"] for run in card["runs"]} == {f"queue?ticket={alike[0]}", f"queue?ticket={answers}"}


def test_the_ledger_keeps_what_was_withdrawn(screen: SystemScreen, services: Services, score: Submit) -> None:
    first = score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    services.desk.withdraw(first, "local")
    second = score(robustness_result(dict.fromkeys(ITEMS, 3.0)), team="Aurora", system="Keel")
    card = screen.card(opened(second))
    assert card is not None
    assert {(run["state"], run["score"]) for run in card["runs"]} == {
        ("scored", "3.00 [1.77, 3.82]"),  # seven items; one more weighs at most 1 - 0.025^(1/7) = 0.41
        ("withdrawn", "n/a"),
    }
    assert card["runs_summary"].startswith("2 attempts, 1 withdrawn")


def test_the_manifest_holds_the_digits_of_the_card(screen: SystemScreen, alike: tuple[str, str, str]) -> None:
    card, manifest = screen.card(opened(alike[0])), screen.manifest(opened(alike[0]))
    assert card is not None
    assert manifest is not None
    name, text = manifest
    assert name == f"plumbline-manifest-{alike[0]}.json"
    headline = json.loads(text)["headline"]
    written = f"{headline['value']:.2f} [{headline['low']:.2f}, {headline['high']:.2f}]"
    assert card["standings"][0]["headline"] == f"score {written}"


def test_the_history_holds_all_scored_runs_of_the_team(
    screen: SystemScreen, score: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    assert screen.history(opened(one)) is None
    assert screen.history_charts(opened(one)) is None
    score(robustness_result(dict.fromkeys(ITEMS, 1.0)), team="Somebody", system="Keel")
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)), team="Aurora", system="Rudder")
    history = screen.history(opened(one))
    assert history is not None
    assert history.systems == ["Keel", "Rudder"]
    assert screen.history_charts(opened(one)) is None  # both came within a second: nothing to draw over time
    monkeypatch.setattr(charts, "SHORTEST_SPAN", timedelta(0))
    drawn = screen.history_charts(opened(one))
    assert drawn is not None
    table = drawn["charts"][0]["table"]
    assert table is not None
    assert len(table["rows"]) == 2


def test_an_item_of_either_system_can_be_opened_and_the_other_stays_beside_it() -> None:
    state = opened("keel", against="tide")
    assert opened_side(state, "first/903") == replace(state, item="903")
    assert opened_side(state, "second/903") == opened("tide", against="keel", item="903")


@pytest.mark.parametrize("place", ["third/903", "first/", "first", "", None, 3, {"first": "903"}])
def test_a_place_that_is_none_changes_nothing(place: object) -> None:
    state = opened("keel", against="tide")
    assert opened_side(state, place) == state
    assert opened_side(opened("keel"), "second/903") == opened("keel")


def test_a_system_is_not_compared_with_itself() -> None:
    assert compared_with(opened("keel"), "tide") == opened("keel", against="tide")
    assert compared_with(opened("keel", against="tide"), "") == opened("keel")
    assert compared_with(opened("keel"), "keel") == opened("keel")
    assert compared_with(opened("keel"), ["tide"]) == opened("keel")
