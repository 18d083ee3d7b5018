"""The About page is written from the declarations: nothing on a board goes without its explanation."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, get_args

import pytest

from evaluator.judge_loading.registry import judge_names
from evaluator.seeding.null_rows import null_submissions
from leaderboard.boards.position_bias.rows import baseline_rows
from leaderboard.page.copies import paper_entry
from leaderboard.page.links import link_of
from leaderboard.page.methods_page import (
    board_method,
    direction_of,
    example_text,
    guide_value,
    judges_value,
    methods_value,
    parts,
    practice_value,
)
from leaderboard.page.reproduction import STEPS
from leaderboard.page.state import AboutState
from leaderboard.parts.board_kind import Board, BoardKind
from leaderboard.parts.columns import Column
from leaderboard.parts.methods import Example, Method
from leaderboard.parts.published import RECOMPUTED
from leaderboard.site.link_reader import LinkReader
from submissions.promptsets import PromptSets
from submissions.schema import GATING_FLAGS, Flag
from submissions.seasons.season_store import baseline_name
from submissions.store.queue import JobStatus
from tests.registered import KINDS
from tests.unit.leaderboard.boards.toy_board import TOY

EVERY_COLUMN = [
    pytest.param(board, column, id=f"{board}.{column.key}") for board, kind in KINDS.items() for column in kind.columns
]


def method_of(board: Board, column: Column[Any]) -> Method | None:
    about = KINDS[board].about
    return about.methods.get(column.key) if about else None


# --- no column goes unexplained --------------------------------------------------------------------------------------


@pytest.mark.parametrize("board", KINDS)
def test_every_registered_board_says_how_it_comes_about(board: Board) -> None:
    kind: BoardKind[Any] = KINDS[board]
    assert kind.about is not None, f"{board}: declare `about` in its BoardKind (leaderboard/parts/methods.py)"
    about = kind.about
    assert about.ranks
    assert about.steps
    assert about.ranking
    assert about.null_rows
    assert about.guards
    assert about.limits
    assert about.licence
    assert about.methods.keys() <= {column.key for column in kind.columns}, "a method without its column"
    assert kind.paper


def unexplained(kind: BoardKind[Any], column: Column[Any]) -> list[str]:
    """What a board forgets to say about a column."""
    faults = [] if column.tooltip.endswith(".") else ["its meaning, in a sentence"]
    if not column.is_number:
        return faults
    method = kind.about.methods.get(column.key) if kind.about else None
    if method is None:
        return [*faults, "how it comes about: a Method in the methods of its board"]
    said: dict[str, object] = {
        "unit and range": method.scale,
        "formula": method.formula,
        "direction": direction_of(column, method),
    }
    if column.format != "whole":
        said |= {"worked example": method.example, "what it rests on": method.rests_on, "no value": method.undefined}
    return [*faults, *(name for name, words in said.items() if not words)]


@pytest.mark.parametrize(("board", "column"), EVERY_COLUMN)
def test_every_column_has_meaning_unit_and_direction_and_numbers_have_a_formula(
    board: Board, column: Column[Any]
) -> None:
    assert unexplained(KINDS[board], column) == []


@pytest.mark.parametrize(("board", "column"), EVERY_COLUMN)
def test_no_column_both_has_a_direction_and_denies_it(board: Board, column: Column[Any]) -> None:
    method = method_of(board, column)
    assert not (method and method.neither and column.better)


@pytest.mark.parametrize(("board", "column"), EVERY_COLUMN)
def test_no_column_has_two_least_numbers_of_units(board: Board, column: Column[Any]) -> None:
    method = method_of(board, column)
    # "none below ten; ...; none below six" was said of judges
    assert len(set(re.findall(r"none below (\w+)", method.rests_on if method else ""))) <= 1


def test_a_new_board_that_forgets_its_methods_is_noticed() -> None:
    columns = {column.key: column for column in TOY.columns}
    about = TOY.about
    assert about is not None
    silent = replace(TOY, about=replace(about, methods={}))
    assert unexplained(silent, columns["speed"]) == ["how it comes about: a Method in the methods of its board"]
    assert unexplained(silent, columns["harbour"]) == []
    bare = replace(TOY, about=replace(about, methods={"speed": Method("knots", "")}))
    assert unexplained(bare, columns["speed"]) == ["formula", "worked example", "what it rests on", "no value"]
    undirected = replace(columns["speed"], better=None, tooltip="Knots")
    assert unexplained(bare, undirected)[:3] == ["its meaning, in a sentence", "formula", "direction"]


@pytest.mark.parametrize("board", KINDS)
def test_every_column_has_a_section_with_its_meaning_that_the_guide_links_to(board: Board) -> None:
    kind = KINDS[board]
    section = board_method(kind)
    assert [one["label"] for one in section["columns"]] == [column.label for column in kind.columns]
    assert [one["meaning"] for one in section["columns"]] == [column.tooltip for column in kind.columns]
    assert all(one["facts"] for one in section["columns"])
    links = [one["link"] for one in guide_value(board, kind.columns)["columns"]]
    assert links == [f"about?section={one['section']}" for one in section["columns"]]
    ids = [one["id"] for one in section["columns"]]
    assert len(set(ids)) == len(ids)


def test_a_board_that_does_not_explain_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="the board toy declares no `about`"):
        board_method(replace(TOY, about=None))


# --- the worked examples ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("board", "column"), EVERY_COLUMN)
def test_the_program_computes_what_is_derived_by_hand(board: Board, column: Column[Any]) -> None:
    method = method_of(board, column)
    if method and method.example:
        example = method.example
        assert example.by_hand, "derive the result by hand from what the example gives, and state it"
        assert example_text(example, column) == f"{example.given} {example.by_hand}"


def test_an_example_is_computed_when_the_page_is_written() -> None:
    results = iter((1.0, 2.0))
    example = Example("Given:", lambda: next(results))
    column: Column[Any] = Column("x", "X", "decimal", lambda row: None, "X.")
    assert [example_text(example, column), example_text(example, column)] == ["Given: 1.00", "Given: 2.00"]


# --- what else must not be forgotten ---------------------------------------------------------------------------------


def test_every_flag_is_explained_and_the_gating_ones_say_so() -> None:
    about = KINDS["robustness"].about
    assert about is not None
    guards = dict(about.guards)
    assert guards.keys() >= set(get_args(Flag))
    assert {flag for flag in get_args(Flag) if "fails the relevance check" in guards[flag]} == GATING_FLAGS


def test_every_null_row_says_why_it_stands_there() -> None:
    demonstration = PromptSets.load(None).demonstration
    about = {board: dict(kind.about.null_rows) for board, kind in KINDS.items() if kind.about}
    systems = {baseline_name(null.names.system or "") for null in null_submissions(demonstration)}
    assert systems == about["robustness"].keys()
    not_asked = {row.name for options in (2, 3) for row in baseline_rows(options)}
    assert not_asked | {RECOMPUTED} == about["judges"].keys()


def test_every_judge_one_can_configure_is_described() -> None:
    described = {name for judge in judges_value()["judges"] for name in judge["name"].split(" or ")}
    assert described == set(judge_names())


def test_the_page_names_every_board_paper_set_and_state() -> None:
    sets = PromptSets.load(None)
    practice = practice_value([*KINDS.values()], [sets.eloquent_2024, sets.demonstration])
    assert [one["text"] for one in practice["states"]] == [status.sentence for status in JobStatus]
    assert [one["name"] for one in practice["sets"]] == [sets.eloquent_2024.title, sets.demonstration.title]
    assert all(paper["text"].startswith("@misc{") for paper in practice["papers"])
    entries = [paper["text"] for paper in practice["papers"]]
    assert len(set(entries)) == len(entries)  # BibTeX refuses a key that comes twice
    assert set(entries) == {paper_entry(kind.paper) for kind in KINDS.values() if kind.paper}


def test_the_contents_lead_to_a_part_per_board_and_to_the_others() -> None:
    kinds = [*KINDS.values()]
    contents = methods_value(kinds, "")
    assert contents["boards"] == []
    links = [one["link"] for one in contents["contents"]]
    assert links == [f"about?section={part}" for part in (*KINDS, "limits", "practice")]
    assert set(parts(kinds)) == {link.partition("=")[2] for link in links}
    # A board's question, once, and no more: what it ranks stands on its own part.
    questions = [one["text"] for one in contents["contents"][: len(KINDS)]]
    assert questions == [kind.question for kind in kinds]
    assert all(questions)
    for part in (*KINDS, "limits"):
        shown = methods_value(kinds, part)
        assert (shown["contents"], shown["back"]) == ([], "about")
        assert [board["id"] for board in shown["boards"]] == [f"methods-{part}" for key in KINDS if key == part]


def test_a_link_opens_a_section_and_an_unknown_one_is_ignored_with_a_note() -> None:
    state = AboutState(section="judges.tie_rate")
    assert link_of(state) == "?tab=about&section=judges.tie_rate"
    assert LinkReader({}).read({"section": "judges.tie_rate"}, "about").state == state
    unknown = LinkReader({}).read({"tab": "about", "section": "judges.salary"})
    assert unknown.state == AboutState()
    assert LinkReader({}).read({"tab": "about", "section": "limits"}).notes == ()
    assert unknown.notes == ("The link's section (judges.salary) is unknown here and was ignored.",)


def test_the_steps_of_making_a_number_anew_are_commands() -> None:
    commands = [step.command for step in STEPS if step.command]
    assert commands[0] == "python -m evaluator reproduce manifest.json FILE"
    assert all(command.startswith("python ") for command in commands)
    assert [step["command"] for step in practice_value([*KINDS.values()], [])["steps"]] == [
        step.command for step in STEPS
    ]
