from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from evaluator.judges.protocol import Judgment
from evaluator.judges.recorded import judgment_to_json
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.screen import RobustnessScreen, reset
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.services import Services
from leaderboard.page.state import chosen
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, put_into, verdicts
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit

opened_row = chosen("system")
opened_item = chosen("item")
opened_pair = chosen("pair")

ITEMS = [f"90{number}" for number in range(1, 8)]
DEMONSTRATION = RobustnessState(set="demonstration")


@pytest.fixture
def screen(services: Services) -> RobustnessScreen:
    boards = Boards(services.store)
    return RobustnessScreen(
        services, boards, JudgeBoards(services.store, boards).report_of, JudgeQualities(services.store)
    )


def looked_at(**changes: Any) -> RobustnessState:
    """The demonstration board with another look at its table."""
    return replace(DEMONSTRATION, table=replace(DEMONSTRATION.table, **changes))


def shown(screen: RobustnessScreen, state: RobustnessState) -> list[str]:
    table = screen.board.value(state)
    names = [column["key"] for column in table["columns"]]
    return [row["cells"][names.index("system")]["text"] for row in table["rows"]]


def test_the_board_follows_sort_search_and_view(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    score(robustness_result(dict.fromkeys(ITEMS, 4.0)), team="Nordlicht", system="Tide")
    assert shown(screen, DEMONSTRATION) == ["Tide", "Keel"]
    assert shown(screen, looked_at(direction="ascending")) == ["Keel", "Tide"]
    assert shown(screen, looked_at(sort="team", direction="ascending")) == ["Keel", "Tide"]
    assert shown(screen, looked_at(search="aurora")) == ["Keel"]
    assert screen.board.value(replace(DEMONSTRATION, view="all"))["caption"].startswith("Demonstration, All languages")


def test_one_type_of_variation_makes_a_board_of_its_own(screen: RobustnessScreen, score: Submit) -> None:
    steady = {**dict.fromkeys(ITEMS, 1.0), "901": 5.0, "903": 5.0}
    score(robustness_result(steady, variations={"901": "formality", "903": "formality"}), system="Formal")
    score(
        robustness_result(dict.fromkeys(ITEMS, 3.0), variations={"901": "formality", "903": "formality"}), system="Even"
    )
    formality = replace(DEMONSTRATION, variation="formality")
    assert shown(screen, DEMONSTRATION) == ["Even", "Formal"]  # means 3 and 15 / 7
    assert shown(screen, formality) == ["Formal", "Even"]
    value = screen.board.value(formality)
    assert "formality items alone" in value["caption"]
    place = [column["key"] for column in value["columns"]].index("score")
    score_cell = value["rows"][0]["cells"][place]
    assert score_cell["text"].startswith("5.00")
    assert json.loads(screen.board.json(formality))["variation"] == "formality"


def test_the_drawer_of_what_is_shown_says_it_while_it_is_closed(screen: RobustnessScreen) -> None:
    assert screen.shown_words(DEMONSTRATION, is_part=True) == "Showing ranking: Demonstration, English"
    part = replace(DEMONSTRATION, view="all", variation="formality", without="901,903,nothing")
    whole = "Showing ranking: Demonstration, All languages"
    assert screen.shown_words(part, is_part=True) == f"{whole}, formality, without 2"
    assert screen.shown_words(part, is_part=False) == whole
    in_swedish = screen.shown_words(replace(part, language="sv"), is_part=True)
    assert in_swedish.startswith("Showing ranking: Demonstration, sv, f")
    atlas = replace(DEMONSTRATION, look="atlas")
    assert screen.shown_words(atlas, is_part=True) == "Showing scores by variation: Demonstration, English"
    assert screen.shown_words(replace(part, look="history"), is_part=True) == "Showing Table 2 of 2024"


def test_the_table_links_to_every_other_view_of_the_same_rows(screen: RobustnessScreen) -> None:
    views = screen.board.value(replace(DEMONSTRATION, view="all"))["views"]
    assert [view["label"] for view in views] == ["How stable is each rank?", "Scores by variation", "Table 2 of 2024"]
    assert views[1]["href"] == f"robustness?set={DEMONSTRATION.set}&view=all&look=atlas"


def test_a_part_the_set_does_not_have_is_left_out_with_a_note(screen: RobustnessScreen) -> None:
    state, notes = screen.understood(replace(DEMONSTRATION, variation="alchemy", language="xx"))
    assert state == DEMONSTRATION
    assert ["alchemy" in notes[0], "xx" in notes[1]] == [True, True]
    assert screen.understood(replace(DEMONSTRATION, variation="formality"))[1] == []


def test_a_new_result_appears_and_a_withdrawn_one_goes(
    screen: RobustnessScreen, services: Services, score: Submit
) -> None:
    assert shown(screen, DEMONSTRATION) == []
    ticket_id = score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    assert shown(screen, DEMONSTRATION) == ["System"]
    services.desk.withdraw(ticket_id, "local")
    assert shown(screen, DEMONSTRATION) == []


def test_an_empty_board_says_what_to_do(screen: RobustnessScreen, score: Submit) -> None:
    assert "Submit a file" in screen.board.value(DEMONSTRATION)["empty"]
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    assert "press Reset" in screen.board.value(looked_at(search="nobody"))["empty"]


def test_the_first_screen_is_a_board_with_rows(screen: RobustnessScreen, score: Submit) -> None:
    assert screen.completed(RobustnessState()).set == "eloquent-2024"
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    assert screen.completed(RobustnessState()).set == "demonstration"
    assert screen.completed(RobustnessState(set="eloquent-2024")).set == "eloquent-2024"


def test_a_row_leads_to_its_items_and_an_item_to_its_answers(screen: RobustnessScreen, score: Submit) -> None:
    ticket_id = score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    state = opened_item(opened_row(DEMONSTRATION, ticket_id), "903")
    head = screen.system_notice(state)
    items = screen.items_table(state)
    item = screen.item(state)
    assert head is not None
    assert head["title"] == "Keel · Aurora · Model"
    assert head["lines"][0].startswith("Keel keeps 2.00 [1.18, 3.23] of 5 points")  # one item more weighs at most 0.41
    assert "Score 2.00 [1.18, 3.23]" in head["lines"][1]
    assert items is not None
    assert [row["id"] for row in items["rows"]] == ITEMS
    assert item is not None
    assert item["groups"][0]["variants"][0]["answer"] == "Answer 0 of Aurora to item 903."
    assert item["groups"][0]["variants"][0]["prompt"]


def test_a_link_to_a_row_that_is_gone_says_so(screen: RobustnessScreen) -> None:
    state = RobustnessState(set="demonstration", system="${gone}", item="903")
    head = screen.system_notice(state)
    assert head is not None
    assert head["kind"] == "warning"
    assert screen.items_table(state) is None
    assert screen.item(state) is None


def test_downloads_hold_what_is_shown(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    score(robustness_result(dict.fromkeys(ITEMS, 4.0)), team="Nordlicht", system="Tide")
    state = looked_at(direction="ascending", search="keel;tide")
    records = list(csv.DictReader(io.StringIO(screen.board.csv(state))))
    document = json.loads(screen.board.json(state))
    assert [record["system"] for record in records] == ["Keel", "Tide"]
    assert [row["system"] for row in document["rows"]] == ["Keel", "Tide"]
    assert {record["statistics_version"] for record in records} == {"1"}
    assert {row["statistics_version"] for row in document["rows"]} == {1}
    assert document["link"] == "?set=demonstration&direction=ascending&search=keel%3Btide"


def test_the_board_names_the_items_that_decide_who_is_first(screen: RobustnessScreen, score: Submit) -> None:
    # Tide 2 x 5 + 5 x 3 = 25, Keel 2 x 2.5 + 5 x 3.5 = 22.5. Without 901 both have 20; without 903, too, 15 and 17.5.
    apart = {"901": 5.0, "903": 5.0}
    leader = score(robustness_result(dict.fromkeys(ITEMS, 3.0) | apart), team="Nordlicht", system="Tide")
    score(robustness_result(dict.fromkeys(ITEMS, 3.5) | dict.fromkeys(apart, 2.5)), team="Aurora", system="Keel")
    state = looked_at(search="Keel")  # the sentence is of the whole board
    [said] = screen.board.value(state)["first_place"]
    assert (said["claim"], said["after"]) == ("2 of 7 items decide who is first", ", Keel leads.")
    opened = f"robustness?set=demonstration&system={leader}&item="
    assert [(item["before"], item["label"], item["href"].partition("&search")[0]) for item in said["items"]] == [
        ("", "901", f"{opened}901"),
        (" and ", "903", f"{opened}903"),
    ]
    # The link shows the whole board on which that is so.
    assert said["link"] == "robustness?set=demonstration&without=901%2C903"
    assert shown(screen, replace(DEMONSTRATION, without="901,903"))[0] == "Keel"
    assert json.loads(screen.board.json(state))["first_place"] == {
        "leaders": ["Tide"],
        "deciding_items": ["901", "903"],
        "of": 7,
        "without_them": "Keel",
        "certainty": "exact",
    }


def test_items_left_out_already_stay_out(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 3.0) | {"901": 5.0}), team="Nordlicht", system="Tide")
    score(robustness_result(dict.fromkeys(ITEMS, 3.5) | {"901": 0.0}), team="Aurora", system="Keel")
    [said] = screen.board.value(replace(DEMONSTRATION, without="907"))["first_place"]
    assert said["claim"] == "1 of 6 items decides who is first"
    assert said["link"] == "robustness?set=demonstration&without=901%2C907"


def test_a_lead_that_no_item_carries_and_a_tie_are_said_to_be_so(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)), team="Nordlicht", system="Tide")
    assert screen.board.value(DEMONSTRATION)["first_place"] == []  # one system alone
    assert "first_place" not in json.loads(screen.board.json(DEMONSTRATION))
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    [said] = screen.board.value(DEMONSTRATION)["first_place"]
    assert said["claim"] == "No removal of items changes who is first."
    assert (said["link"], said["items"], said["after"]) == ("", [], "")
    score(robustness_result(dict.fromkeys(ITEMS, 3.0)), team="Boreas", system="Reef")
    [said] = screen.board.value(DEMONSTRATION)["first_place"]
    assert said["claim"] == "2 systems have exactly the same figure, so no single system is first."


def test_reset_keeps_the_prompt_set_only(screen: RobustnessScreen) -> None:
    state = replace(looked_at(sort="team", page=3), view="all", system="7f3a", item="901")
    assert reset(state) == DEMONSTRATION
    assert not screen.board.is_changed(DEMONSTRATION)
    assert screen.board.is_changed(replace(DEMONSTRATION, without="901"))


def test_a_verdict_stands_beside_the_card_of_its_judge(screen: RobustnessScreen, score: Submit) -> None:
    ticket_id = score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    item = screen.item(opened_item(opened_row(DEMONSTRATION, ticket_id), "903"))
    assert item is not None
    group = item["groups"][0]
    assert (group["pairs"][0]["first_order"], group["pairs"][0]["second_order"]) == ("2.25", "1.75")
    facts = {fact["name"]: fact["text"] for fact in group["cards"][0]["facts"]}
    assert facts["Model"] == "all-MiniLM-L6-v2"
    assert {"Languages", "Agreement with people", "Stress test"} <= facts.keys()
    assert not {"Label mass", "Order gap"} & facts.keys()  # neither is known of this judge
    assert [fact["name"] for fact in group["cards"][0]["version"]] == ["Revision", "Pin"]
    assert "no verdict table" in group["cards"][0]["notes"][0]


def test_a_verdict_table_is_no_row_of_this_board(screen: RobustnessScreen, services: Services) -> None:
    (ticket_id,) = put_into(services.store, [judges_result(verdicts({"judge": "AB"}))])
    head = screen.system_notice(opened_row(DEMONSTRATION, ticket_id))
    assert head is not None
    assert head["kind"] == "warning"


def test_an_opened_pair_marks_what_its_stored_verdict_marks(
    screen: RobustnessScreen, services: Services, score: Submit
) -> None:
    result = robustness_result({"903": 2.0})
    item = result.items[0]
    english = item.groups[0]
    first = english.pairs[0].model_copy(update={"key_ab": "one", "key_ba": "two"})
    group = english.model_copy(update={"pairs": (first, *english.pairs[1:])})
    stored = result.model_copy(update={"items": (item.model_copy(update={"groups": (group, *item.groups[1:])}),)})
    ticket_id = score(stored, team="Aurora")
    details = {"network": 0.5, "least_supported_a": 0.0}
    services.store.save_verdicts({"one": judgment_to_json(Judgment(2.0, details=details))})
    state = opened_pair(opened_item(opened_row(DEMONSTRATION, ticket_id), "903"), "1-2")
    value = screen.item(state)
    assert value is not None
    (opened,) = value["groups"][0]["opened"]
    assert opened["title"] == "Variants 1 and 2"
    assert opened["answers"][0]["parts"] == [
        {"text": "Answer 0 of Aurora to item 903.", "mark": "least supported by the other answer, first order"}
    ]
    assert opened_pair(state, {"pair": 1}) == state
    assert opened_item(state, "904").pair == ""


def test_an_item_shows_its_worst_pair_word_by_word(screen: RobustnessScreen, score: Submit) -> None:
    ticket_id = score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora")
    item = screen.item(opened_item(opened_row(DEMONSTRATION, ticket_id), "903"))
    assert item is not None
    (diff,) = item["groups"][0]["diffs"]
    # All pairs score alike, so the worst is the first: "Answer 0 of Aurora ..." and "Answer 1 of Aurora ...".
    changed = [part["text"] for part in diff["parts"] if part["is_added"] or part["is_removed"]]
    assert changed == ["0", "1"]


def test_another_row_or_the_board_ends_a_comparison() -> None:
    state = replace(DEMONSTRATION, system="7f3a", against="81c0")
    assert opened_row(state, "9999") == replace(DEMONSTRATION, system="9999")
    assert reset(state) == DEMONSTRATION
