"""The board without some items and by another judge, and its ranks under every choice, from a page state."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from evaluator.results import RobustnessResult
from evaluator.robustness.panel import with_panel
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.choices import screen as choices_screen
from leaderboard.boards.robustness.choices.screen import ChoicesScreen
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.boards.robustness.screen import PRESET, RobustnessScreen, items_left_out, reset
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.board_table import BoardTable
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.links import link_of
from leaderboard.page.services import Services
from leaderboard.page.state import chosen
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE, robustness_result
from tests.unit.leaderboard.conftest import Submit

judge_chosen = chosen("judged_by")

ITEMS = [f"9{number:02}" for number in range(1, 13)]
STEADY = dict.fromkeys(ITEMS, 3.0)
SPIKY = {**dict.fromkeys(ITEMS, 2.75), "906": 4.75}
"""A quarter below STEADY on eleven items, 1.75 above it on one: mean 2 11/12 against 3."""
DEMONSTRATION = RobustnessState(set="demonstration")
WITHOUT_906 = replace(DEMONSTRATION, without="906")
PAIR_JUDGE = JUDGE.model_copy(update={"name": "pair", "model": "trained"})


@pytest.fixture
def boards(services: Services) -> Boards:
    return Boards(services.store)


@pytest.fixture
def screen(services: Services, boards: Boards) -> RobustnessScreen:
    return RobustnessScreen(
        services, boards, JudgeBoards(services.store, boards).report_of, JudgeQualities(services.store)
    )


@pytest.fixture
def choices(services: Services, boards: Boards, screen: RobustnessScreen) -> ChoicesScreen:
    return ChoicesScreen(services, boards, screen)


def by_two(own: dict[str, float], pair: dict[str, float]) -> RobustnessResult:
    """A result of the embedding judge, with what the pair judge made of the same answers."""
    second = robustness_result(pair).model_copy(update={"judge": PAIR_JUDGE})
    found = with_panel([robustness_result(own), second], None)
    assert isinstance(found, RobustnessResult)
    return found


def shown(table: BoardTable[RobustnessRow, Any], state: RobustnessState) -> list[tuple[str, str, str]]:
    """System, rank and score, as the board says them; no rank where it has no column of ranks."""
    value = table.value(state)
    keys = [column["key"] for column in value["columns"]]
    found = [dict(zip(keys, (cell["text"] for cell in row["cells"]), strict=True)) for row in value["rows"]]
    return [(row["system"], row.get("rank", ""), row["score"]) for row in found]


def test_leaving_out_an_item_ranks_the_board_anew(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(STEADY), team="One", system="Steady")
    score(robustness_result(SPIKY), team="Two", system="Spiky")
    assert [row[:2] for row in shown(screen.board, DEMONSTRATION)] == [("Steady", "1-2"), ("Spiky", "1-2")]
    assert shown(screen.board, WITHOUT_906) == [
        # Eleven items without scatter; one more at an end weighs at most 1 - 0.025^(1/11) = 0.285.
        ("Steady", "1", "3.00 [2.15, 3.57]"),
        ("Spiky", "2", "2.75 [1.97, 3.39]"),
    ]


def test_caption_downloads_copies_and_link_say_what_was_left_out(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(STEADY))
    state = replace(DEMONSTRATION, without="901,906")
    assert "without items 901, 906" in screen.board.value(state)["caption"]
    assert json.loads(screen.board.json(state))["without"] == "without-901-906"
    assert screen.board.file_name(state) == "plumbline-robustness-demonstration-english-without-901-906"
    assert "without-901-906" in screen.board.markdown(state)
    assert "without-901-906" in screen.board.latex(state, date(2026, 11, 30)).replace(r"\allowbreak{}", "")
    assert "without-901-906" in screen.board.citation(state, "", date(2026, 11, 30))[1]
    assert link_of(state) == "?set=demonstration&without=901%2C906"


def test_items_and_judges_the_set_does_not_have_are_ignored_with_a_note(screen: RobustnessScreen) -> None:
    state, notes = screen.understood(replace(DEMONSTRATION, without="906,777,${x}", judged_by="oracle"))
    assert (state.without, state.judged_by) == ("906", "")
    assert len(notes) == 2
    assert "judged_by (oracle)" in notes[0]
    assert "without (777,${x})" in notes[1]
    assert screen.understood(WITHOUT_906) == (WITHOUT_906, [])


def test_the_preset_stands_for_its_items_and_is_offered_for_the_official_set_alone(screen: RobustnessScreen) -> None:
    official = replace(DEMONSTRATION, set="eloquent-2024")
    label, value = screen.item_choices(official)[0]
    assert value == PRESET
    assert "Without 05 and 11 (files 005 and 012)" in label
    assert items_left_out(official, ["001", PRESET]).without == "001,005,012"
    assert PRESET not in dict(screen.item_choices(DEMONSTRATION)).values()
    assert items_left_out(DEMONSTRATION, [PRESET, "906"]).without == "906"
    assert items_left_out(DEMONSTRATION, "906") == DEMONSTRATION  # from a browser anything may come
    assert reset(items_left_out(official, [PRESET])).without == ""


def test_by_another_judge_the_board_is_ranked_anew_and_names_it(screen: RobustnessScreen, score: Submit) -> None:
    score(by_two(STEADY, dict.fromkeys(ITEMS, 1.0)), team="One", system="Steady")
    score(by_two(dict.fromkeys(ITEMS, 2.0), dict.fromkeys(ITEMS, 4.0)), team="Two", system="Other")
    score(robustness_result(dict.fromkeys(ITEMS, 4.5)), team="Three", system="Embedding alone")
    (_, as_scored), (label, pair), (panel_label, panel) = screen.judge_choices(DEMONSTRATION)
    assert (as_scored, label, panel_label) == ("", "pair (trained)", "panel mean of embedding and pair")
    by_pair = judge_chosen(DEMONSTRATION, pair)
    assert [row[:2] for row in shown(screen.board, by_pair)] == [
        ("Other", "1"),
        ("Steady", "2"),
        ("Embedding alone", ""),
    ]
    assert "ranked by pair (trained)" in screen.board.value(by_pair)["caption"]
    rows = {row.name: row for row in screen.board.rows(by_pair)}
    assert rows["Embedding alone"].note == "not ranked: not scored by pair"
    assert rows["Other"].judge == PAIR_JUDGE
    # Panel: (3 + 1) / 2 and (2 + 4) / 2
    assert [row[::2] for row in shown(screen.board, judge_chosen(DEMONSTRATION, panel))[:2]] == [
        ("Other", "3.00 [2.21, 3.53]"),  # 12 items; one more weighs at most 1 - 0.025^(1/12) = 0.265
        ("Steady", "2.00 [1.47, 2.79]"),
    ]
    assert json.loads(screen.board.json(by_pair))["judged_by"] == pair


def test_by_one_judge_alone_there_is_no_choice(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(STEADY))
    assert screen.judge_choices(DEMONSTRATION) == [("as scored: embedding (all-MiniLM-L6-v2)", "")]


def test_rows_scored_by_different_judges_are_said_to_be(screen: RobustnessScreen, score: Submit) -> None:
    score(robustness_result(STEADY), system="First")
    score(robustness_result(SPIKY).model_copy(update={"judge": PAIR_JUDGE}), team="Two", system="Second")
    assert "each row by its own of 2 judges" in screen.board.value(DEMONSTRATION)["caption"]


def test_a_part_shows_nothing_that_is_known_of_the_whole_set_alone(screen: RobustnessScreen, score: Submit) -> None:
    score(by_two(STEADY, SPIKY), system="Steady")
    keys = {column["key"] for column in screen.board.value(DEMONSTRATION)["columns"]}
    assert "panel" in keys
    assert "panel" not in {column["key"] for column in screen.board.value(WITHOUT_906)["columns"]}
    (row,) = screen.board.rows(WITHOUT_906)
    assert row.by_language["en"].n == 11


def test_the_table_ranks_every_system_under_every_choice_as_the_board_does(
    screen: RobustnessScreen, choices: ChoicesScreen, score: Submit
) -> None:
    steady = score(by_two(STEADY, SPIKY), team="One", system="Steady")
    spiky = score(by_two(SPIKY, STEADY), team="Two", system="Spiky")
    score(robustness_result(dict.fromkeys(ITEMS, 0.0)), system="null", role="baseline")
    value = choices.value(replace(DEMONSTRATION, look="choices"))
    assert [row["id"] for row in value["rows"]] == [steady, spiky]  # as on the board; no baseline
    assert value["rows"][0]["range"] == "1-2"
    names = {spiky: "Spiky", steady: "Steady"}
    for place, head in enumerate(value["heads"]):
        opened = choices.chosen(replace(DEMONSTRATION, look="choices"), head["key"])
        assert opened.look == "board"
        board = {system: (rank or "n/a") for system, rank, _ in shown(screen.board, opened)}
        assert {names[row["id"]]: row["cells"][place]["text"] for row in value["rows"]} == {
            name: board[name] for name in names.values()
        }, head["label"]


def test_a_choice_nobody_offered_changes_nothing(choices: ChoicesScreen, score: Submit) -> None:
    score(robustness_result(STEADY))
    state = replace(DEMONSTRATION, look="choices")
    for strange in ("", None, 3, "english|||dialect|901", {"a": 1}):
        assert choices.chosen(state, strange) == state


def test_the_table_follows_new_results_and_search(choices: ChoicesScreen, services: Services, score: Submit) -> None:
    first = score(robustness_result(STEADY), team="One", system="Steady")
    assert [row["range"] for row in choices.value(DEMONSTRATION)["rows"]] == ["1"]
    score(robustness_result(SPIKY), team="Two", system="Spiky")
    assert {row["name"]: row["range"] for row in choices.value(DEMONSTRATION)["rows"]} == {
        "Spiky": "1-2",
        "Steady": "1-2",
    }
    searched = replace(DEMONSTRATION, table=replace(DEMONSTRATION.table, search="spiky"))
    assert [(row["name"], row["range"]) for row in choices.value(searched)["rows"]] == [("Spiky", "1-2")]
    services.desk.withdraw(first, "local")
    assert [(row["name"], row["range"]) for row in choices.value(DEMONSTRATION)["rows"]] == [("Spiky", "1")]


def test_of_more_systems_than_are_compared_the_best_stay(
    choices: ChoicesScreen, score: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices_screen, "MOST_ROWS", 2)
    for name, rating in (("Low", 1.0), ("High", 4.0), ("Middle", 2.0)):
        score(robustness_result(dict.fromkeys(ITEMS, rating)), team=name, system=name)
    value = choices.value(DEMONSTRATION)
    assert [row["name"] for row in value["rows"]] == ["High", "Middle"]
    assert "1 more are not" in value["lines"][-1]


def test_the_csv_is_named_after_what_it_holds(choices: ChoicesScreen, score: Submit) -> None:
    score(robustness_result(STEADY), system="Steady")
    file = choices.file(DEMONSTRATION)
    assert file["name"] == "plumbline-robustness-choices-demonstration-english.csv"
    (row,) = csv.DictReader(io.StringIO(file["text"]))
    assert (row["system"], row["range_low"], row["range_high"]) == ("Steady", "1", "1")


def test_a_set_nobody_knows_shows_an_empty_table(choices: ChoicesScreen) -> None:
    assert choices.value(replace(DEMONSTRATION, set="nowhere"))["empty"].startswith("Nothing to compare")
