"""What the Recommenders tab shows of a page state."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from evaluator.behavior_alignment.result import BehaviorResult
from leaderboard.boards.behavior_alignment.board import behavior_standings
from leaderboard.boards.behavior_alignment.cache import BehaviorBoards
from leaderboard.boards.behavior_alignment.kind import BEHAVIOR
from leaderboard.boards.behavior_alignment.screen import BehaviorScreen, compared_with
from leaderboard.boards.behavior_alignment.state import BehaviorState
from leaderboard.desk.ticket_values import standing_row, ticket_value
from leaderboard.page.board_table import baselines_turned, first_look, preset_chosen, searched
from leaderboard.page.links import address_of, link_of, parsed
from leaderboard.page.services import Services
from leaderboard.page.state import chosen
from leaderboard.parts.board_kind import ALL
from leaderboard.site.export import export_boards
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import (
    HUMAN,
    WRONG,
    dialogue,
    document,
    file_of,
    put_into,
    read,
    scored,
)

collection_chosen = chosen("conversations")
basis_chosen = chosen("basis")
opened_recommender = chosen("recommender")
opened_dialogue = chosen("dialogue")

AT_BOARD = BehaviorState()
COLLECTION = read(file_of(0)).collection
SMALL = read(file_of(0, size=5)).collection


@pytest.fixture
def boards(services: Services) -> BehaviorBoards:
    return BehaviorBoards(services.store, {})


@pytest.fixture
def screen(services: Services, boards: BehaviorBoards) -> BehaviorScreen:
    return BehaviorScreen(services, boards)


@pytest.fixture
def tickets(services: Services) -> dict[str, str]:
    """Three annotated systems and an estimated one on 24 dialogues, one on 5."""
    files = {
        "Whole": file_of(24, system="Whole"),
        "Nearly": file_of(15, system="Nearly"),
        "Eager": file_of(0, system="Eager"),
        "Bare": file_of(20, system="Bare", labels=False),
        "Small": file_of(3, system="Small", size=5),
    }
    return {name: put_into(services.store, data) for name, data in files.items()}


def shown(screen: BehaviorScreen, state: BehaviorState) -> list[str]:
    """The names on the board, with its baselines opened."""
    rows = screen.board.value(baselines_turned(state, "shown"))["rows"]
    return [cell["text"] for row in rows for cell in row["cells"] if cell["is_name"]]


def opened(ticket: str) -> BehaviorState:
    return opened_recommender(AT_BOARD, ticket)


# --- the board -------------------------------------------------------------------------------------------------------


def test_at_first_the_collection_most_systems_answered_is_shown(
    screen: BehaviorScreen, tickets: dict[str, str]
) -> None:
    state = screen.completed(AT_BOARD)
    assert (state.conversations, state.basis) == (COLLECTION, "annotated")
    names = ["Whole", "the human", "Nearly", "always the most frequent strategy", "Eager", "the human's previous turn"]
    assert shown(screen, AT_BOARD) == names
    assert screen.basis_choices(AT_BOARD) == [("annotated (3)", "annotated"), ("estimated (1)", "estimated")]
    assert "turn label: last labelled sentence" in screen.board.value(AT_BOARD)["caption"]


def test_estimated_systems_are_a_choice_of_their_own_and_say_so(
    screen: BehaviorScreen, tickets: dict[str, str]
) -> None:
    said = screen.state_notice(screen.completed(AT_BOARD))
    assert said is not None
    assert said["title"] == "1 system is estimated and ranked apart: choose “estimated” above."
    state = preset_chosen(basis_chosen(AT_BOARD, "estimated"), ALL)
    assert shown(screen, state)[-1] == "the human's previous turn"
    assert "Bare" in shown(screen, state)
    (row,) = [row for row in screen.board.value(state)["rows"] if row["id"] == tickets["Bare"]]
    cells = dict(zip([column["key"] for column in screen.board.value(state)["columns"]], row["cells"], strict=True))
    assert cells["alignment"]["text"].endswith("(estimated)")
    assert cells["basis"]["text"] == "estimated (accuracy 0.75)"
    assert "ba_eq2" not in cells  # explicit figures are left out where nobody has any
    assert "(estimated)" in cells["raw"]["text"]
    head = screen.row_notice(opened(tickets["Bare"]))
    assert head is not None
    assert head["lines"][0].startswith("Bare chooses the strategy of the human in ")
    assert head["lines"][0].endswith(" of its turns, estimated from its words.")


def test_another_collection_is_another_board(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    state = screen.completed(collection_chosen(AT_BOARD, SMALL))
    assert (state.conversations, state.basis) == (SMALL, "annotated")
    assert "Small" in shown(screen, state)
    said = screen.state_notice(state)
    assert said is not None
    assert said["title"] == "No system is ranked here; each says why in its note."


def test_an_empty_board_says_how_to_begin_with_an_example(screen: BehaviorScreen) -> None:
    assert screen.is_empty()
    said = screen.state_notice(AT_BOARD)
    assert said is not None
    assert said["link"] == "submit"
    example = screen.example_table()
    cells = [[cell["text"] for cell in row["cells"]] for row in example["rows"]]
    assert [line[3] for line in cells] == ["not scored", "miss", "hit", "hit"]  # docs/behavior_alignment.md
    assert cells[1][1:3] == ["experience inquiry, personal experience", "experience inquiry"]
    assert screen.completed(AT_BOARD).basis == "annotated"


def test_before_anybody_came_the_papers_figures_stand_as_printed(screen: BehaviorScreen) -> None:
    assert shown(screen, AT_BOARD) == ["GPT 3.5", "Human", "Llama 2"]
    # The paper prints no alignment of single systems: a column of n/a would say nothing.
    heads = [column["label"] for column in screen.board.value(AT_BOARD)["columns"]]
    assert heads == ["System", "Team", "Turns before recommending", "Dialogues"]
    said = screen.state_notice(AT_BOARD)
    assert said is not None
    assert (
        said["title"] == "INSPIRED (published figures), 20 dialogues: published, as printed; awaiting first submission"
    )
    assert "as printed" in screen.board.value(AT_BOARD)["caption"]
    printed = screen.printed_table(AT_BOARD)
    assert printed is not None
    found = {row["cells"][0]["text"]: row["cells"][1]["text"] for row in printed["rows"]}
    # arXiv 2404.11773, Tables 4 and 5: the classifier trained on hard pairs keeps 93.2 % on other dialogues.
    assert (found["Classifier MixedHard: accuracy"], found["Classifier MixedHard: accuracy on ReDial"]) == (
        "0.976",
        "0.932",
    )
    assert found["Behavior alignment of an ideal system"] == "0.88"
    opened_row = screen.row_notice(opened("published/GPT 3.5"))
    assert opened_row is not None
    assert (opened_row["title"], opened_row["link"]) == (
        "GPT 3.5: published, as printed",
        "https://arxiv.org/abs/2404.11773",
    )
    # Table 1: 1.16 turns and 15.8 % success; people take 2.50 and reach 57.1 %.
    assert opened_row["lines"][0] == (
        "GPT 3.5 recommends earlier than the human: after 1.16 turns on average, not 2.50."
    )
    assert opened_row["lines"][1] == (
        "Turns before recommending 1.16; Human: turns before 2.50; Success 15.8%; Human: success 57.1%; Dialogues 20."
    )
    (record, *_) = csv.DictReader(io.StringIO(screen.board.csv(AT_BOARD)))
    assert (record["system"], record["system_remark"]) == ("GPT 3.5", "(published, as printed)")


def test_downloads_say_which_collection_and_basis_they_are_of(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    document = json.loads(screen.board.json(preset_chosen(AT_BOARD, ALL)))
    assert (document["board"], document["collection"], document["basis"]) == ("behavior", COLLECTION, "annotated")
    (whole,) = [row for row in document["rows"] if row["system"] == "Whole"]
    assert whole["alignment"]["value"] == 1.0
    assert whole["ba_eq2"] == 0.75  # three hits of four turns
    assert screen.board.file_name(AT_BOARD) == f"plumbline-behavior-{COLLECTION}-annotated"
    assert "SIGIR 2024" in screen.board.citation(AT_BOARD, "", date(2026, 11, 30))[1]


def test_filters_read_flags_models_and_kinds(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    rows = {row.name: row for row in screen.board.all_rows(AT_BOARD)}
    read_by = {one.key: one.value for one in BEHAVIOR.filters}
    assert read_by["flags"](rows["Whole"]) == ("unflagged",)
    assert read_by["model"](rows["Whole"]) == "own model"
    assert {read_by["kind"](row) for row in rows.values()} == {"system", "reference row"}
    flagged = replace(rows["Whole"], flags=("copied_human_text",))
    assert read_by["flags"](flagged) == ("flagged", "copied human text")


def test_charts_draw_the_rows_shown_and_the_human_s_strategies_on_top(
    screen: BehaviorScreen, tickets: dict[str, str]
) -> None:
    drawn = screen.board_charts.value(AT_BOARD, 1000)
    mix = drawn["figures"]["mix"]
    scores_table, mix_table = (chart["table"] for chart in drawn["charts"])
    assert scores_table is not None
    assert mix_table is not None
    assert drawn["figures"]["scores"].data
    names = [row["cells"][0]["text"] for row in mix_table["rows"]]
    assert names[0] == "the human"
    assert names.count("the human") == 1  # the reference row of the human would say it twice
    heads = [column["label"] for column in mix_table["columns"]]
    human = dict(zip(heads, (cell["text"] for cell in mix_table["rows"][0]["cells"]), strict=True))
    assert human["credibility"] == "33.3%"  # one of three scored turns
    assert "no strategy" not in human
    assert sum(bar.x[0] for bar in mix.data) == pytest.approx(1.0)
    assert mix.layout.margin.r >= 20  # the last tick, 100%, is written
    assert len(scores_table["rows"]) == len(shown(screen, AT_BOARD))


# --- one system ------------------------------------------------------------------------------------------------------


def test_an_opened_system_says_where_it_stands(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    said = screen.row_notice(opened(tickets["Whole"]))
    assert said is not None
    assert said["title"] == "Whole"
    # 24 of 24 dialogues are hits throughout.
    assert said["lines"][0].startswith("Whole chooses the strategy of the human in 100.0% [")
    found = r"Behavior alignment 1\.00 \[0\.\d\d, 1\.00\], rank 1 among annotated systems\."
    assert re.fullmatch(found, said["lines"][1])
    assert said["lines"][2] == "Team Aurora, model own model, run greedy."
    assert said["link"] == f"queue?ticket={tickets['Whole']}"
    assert screen.dialogues_table(opened(tickets["Whole"])) is not None
    figures = screen.figures(opened(tickets["Whole"]))
    assert figures is not None
    written = {row["cells"][0]["text"]: row["cells"][1]["text"] for row in figures["rows"]}
    assert written["behavior alignment"] == "1.00 [0.86, 1.00]"  # 24 of 24 dialogues: 0.025^(1/24)
    assert written["BA, Eq. 2 of the paper"] == "0.75"
    assert written["annotated share"] == "100.0%"


def test_a_reference_row_and_a_lost_one_are_explained(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    reference = screen.row_notice(opened("reference/previous"))
    assert reference is not None
    assert reference["title"] == "A reference row: not a system."
    for lost in ("nobody", "reference/nobody"):
        said = screen.row_notice(opened(lost))
        assert said is not None
        assert said["kind"] == "warning"
    assert screen.row_notice(AT_BOARD) is None
    assert not screen.has_turns(opened("nobody"))
    assert screen.charts_value(opened("nobody")) is None
    assert screen.dialogues_table(opened("nobody")) is None


def test_a_dialogue_opens_by_its_number(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    state = opened_dialogue(opened(tickets["Whole"]), "2")
    value = screen.dialogue(state)
    assert value is not None
    assert value["title"] == "Dialogue d01"  # by dialogue id: d00 is the first
    assert screen.dialogue_notice(state, value) is None
    lost = opened_dialogue(state, "99")
    assert screen.dialogue(lost) is None
    assert screen.dialogue_notice(lost, None) is not None


def test_the_board_names_the_dialogues_that_decide_who_is_first(screen: BehaviorScreen, services: Services) -> None:
    # Front is right in d00 to d12, Back in d12 to d23, of 24: 13 against 12. Without one of d00 to d11 they are level,
    # without two Back is ahead.
    front = put_into(services.store, file_of(13, system="Front"))
    back = [dialogue(f"d{number:02}", HUMAN if number >= 12 else WRONG) for number in range(24)]
    put_into(services.store, document(back, system="Back"))
    [said] = screen.board.value(AT_BOARD)["first_place"]
    assert (said["claim"], said["after"]) == ("2 of 24 dialogues decide who is first", ", Back leads.")
    assert [item["label"] for item in said["items"]] == ["d00", "d01"]
    # A dialogue opens by its number; there is no board without some dialogues.
    assert said["items"][1]["href"] == f"behavior?recommender={front}&dialogue=2"
    value = screen.dialogue(opened_dialogue(opened(front), "2"))
    assert value is not None
    assert value["title"] == "Dialogue d01"
    assert said["link"] == ""


def test_two_systems_are_compared_by_their_common_dialogues(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    state = opened(tickets["Whole"])
    assert screen.against_choices(state) == [
        ("choose a system", ""),
        ("Nearly · Aurora · rank 2", tickets["Nearly"]),
        ("Eager · Aurora · rank 3", tickets["Eager"]),
    ]
    said = screen.comparison(compared_with(state, tickets["Nearly"]))
    assert said is not None
    assert said["title"].startswith("Whole is ahead of Nearly by 0.38 [")  # 24/24 - 15/24 = 0.375
    assert said["title"].endswith("on 24 dialogues.")
    assert said["lines"][0] == "Dialogue by dialogue: Whole is ahead on 9, Nearly on 0; 15 level."
    # Mean 0.375, scatter 0.4945: d = 0.758; for d = 0.75 the tables of the paired t-test say 16 at 80%.
    assert said["lines"][1] == (
        "16 dialogues would tell them apart again with a power of 80%, if others differ by as much and scatter as "
        "these 24 do."
    )


def test_what_cannot_be_compared_says_why(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    for other, why in (
        (tickets["Bare"], "One is annotated and the other estimated"),
        (tickets["Small"], "They answered different collections"),
        ("nobody", "The second one is gone"),
    ):
        said = screen.comparison(compared_with(opened(tickets["Whole"]), other))
        assert said is not None
        assert said["title"] == "These two cannot be compared."
        assert said["lines"][0].startswith(why)
    assert screen.comparison(opened(tickets["Whole"])) is None


def test_the_manifest_makes_the_number_anew(
    screen: BehaviorScreen,
    services: Services,
    tickets: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = screen.manifest(opened(tickets["Nearly"]))
    assert found is not None
    name, text = found
    assert name == f"plumbline-manifest-{tickets['Nearly']}.json"
    manifest, file = tmp_path / name, tmp_path / "answers.json"
    manifest.write_text(text, encoding="utf-8")
    file.write_bytes(file_of(15, system="Nearly"))
    assert main(["reproduce", str(manifest), str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"ba, collection {COLLECTION}", "manifest  0.625", "here      0.625", "The same number."]
    export_boards(services, tmp_path / "exported")
    assert main(["reproduce", str(tmp_path / "exported" / "manifests" / f"{tickets['Nearly']}.json"), str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == lines
    changed = json.loads(text) | {"headline": {"figure": "ba", "value": 0.7}, "code_version": "0.0"}
    manifest.write_text(json.dumps(changed), encoding="utf-8")
    assert main(["reproduce", str(manifest), str(file)]) == 1
    assert "differs   code version: manifest 0.0, here" in capsys.readouterr().out
    manifest.write_text(json.dumps({key: value for key, value in changed.items() if key != "estimator"}))
    with pytest.raises(SystemExit):
        main(["reproduce", str(manifest), str(file)])
    assert "no manifest of a row of the Recommender behaviour board (estimator: Field required)" in (
        capsys.readouterr().err
    )
    manifest.write_text(json.dumps(changed), encoding="utf-8")
    file.write_bytes(file_of(16, system="Nearly"))
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", str(manifest), str(file)])
    assert ended.value.code == 2
    assert "is not the file of this row" in capsys.readouterr().err


# --- links and clicks ------------------------------------------------------------------------------------------------


def test_a_link_restores_the_opened_dialogue_with_its_collection_and_basis(
    screen: BehaviorScreen, tickets: dict[str, str]
) -> None:
    state = compared_with(opened_dialogue(opened(tickets["Bare"]), "3"), tickets["Whole"])
    query = dict(part.split("=") for part in link_of(state).removeprefix("?").split("&"))
    assert query == {
        "tab": "behavior",
        "recommender": tickets["Bare"],
        "dialogue": "3",
        "against": tickets["Whole"],
    }
    link = parsed(query, BehaviorState)
    assert link.state == state
    understood, notes = screen.understood(link.state)
    assert (understood.conversations, understood.basis, notes) == (COLLECTION, "estimated", ())


def test_a_link_to_an_unknown_collection_is_noted(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    state, notes = screen.understood(replace(AT_BOARD, conversations="0123456789abcdef"))
    assert state.conversations == COLLECTION
    assert notes == ("The link's conversations (0123456789abcdef) is unknown here and was ignored.",)


def test_a_ticket_leads_to_its_row(services: Services, tickets: dict[str, str]) -> None:
    ticket = services.store.require(tickets["Whole"])
    row = standing_row(ticket)
    assert row is not None
    assert address_of(row) == f"behavior?recommender={tickets['Whole']}"
    running = replace(ticket, judged=3, to_judge=100)
    assert ticket_value(running, "Recommenders")["progress"] == "3 of 100 sentences read"


def test_a_system_card_lists_every_row(boards: BehaviorBoards, tickets: dict[str, str]) -> None:
    found = list(behavior_standings(boards, {tickets["Whole"], tickets["Bare"]}))
    assert [(one.board.rpartition(", ")[2], one.rank) for one in found] == [("annotated", "1"), ("estimated", "1")]
    assert found[0].headline == "behavior alignment 1.00 [0.86, 1.00]"
    assert found[0].link == f"behavior?recommender={tickets['Whole']}"


@pytest.mark.parametrize("value", [None, 3.5, ["annotated"], {"a": 1}])
def test_a_choice_that_is_none_changes_nothing(value: Any) -> None:
    for change in (collection_chosen, basis_chosen, opened_recommender, opened_dialogue, compared_with):
        assert change(AT_BOARD, value) == AT_BOARD
    assert basis_chosen(AT_BOARD, "guessed") == AT_BOARD
    assert opened_dialogue(AT_BOARD, "-1") == AT_BOARD


def test_reset_keeps_collection_and_basis(screen: BehaviorScreen, tickets: dict[str, str]) -> None:
    chosen = basis_chosen(collection_chosen(AT_BOARD, SMALL), "estimated")
    state = searched(opened_dialogue(opened_recommender(chosen, "x"), "1"), "eager")
    assert first_look(state) == chosen


def test_an_answer_is_not_read_twice_for_one_visitor(
    screen: BehaviorScreen, tickets: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not screen.is_empty()  # every result is read once for the board
    loads: list[str] = []
    loaded = screen._boards.result

    def counted(ticket: str) -> BehaviorResult | None:
        loads.append(ticket)
        return loaded(ticket)

    monkeypatch.setattr(screen._boards, "result", counted)
    for _ in range(3):
        screen.charts_value(opened(tickets["Whole"]))
        screen.dialogues_table(opened(tickets["Whole"]))
    assert loads == [tickets["Whole"]]
    assert scored(file_of(24, system="Whole")) == loaded(tickets["Whole"])
