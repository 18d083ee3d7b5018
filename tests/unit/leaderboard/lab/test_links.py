from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from evaluator.lab.setup import ColumnSetup, LabSetup, own_question, problems
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.lab.form import Catalogue, first_setup
from leaderboard.lab.links import (
    MAX_LINK,
    LabView,
    is_lab_parameter,
    lab_link,
    replay_asked,
    replay_link,
    restored,
    view_asked,
)
from leaderboard.lab.replays import ReplayChoice
from leaderboard.lab.state import LabState
from leaderboard.page.links import link_of, parsed
from submissions.promptsets import PromptSets
from submissions.questionsets import demonstration

GENERATORS = ("scripted", "tiny & small")
CATALOGUE = Catalogue(demonstration(), PromptSets.load(None))
FIRST = first_setup(CATALOGUE, GENERATORS, is_rated=False)
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "`${alert(1)}`\\u003cimg\\u003e",
    "javascript:alert(1)",
    "a\u202eb & c=d; preference_2=e #f %00",
    "line one\nline two",
)


def query_of(link: str | None) -> dict[str, str]:
    assert link is not None
    assert link.startswith("?tab=lab&")
    return dict(parse_qsl(link.removeprefix("?"), keep_blank_values=True))


def again(setup: LabSetup) -> LabSetup:
    found = restored(query_of(lab_link(setup)), CATALOGUE, GENERATORS, FIRST)
    assert found.notes == ()
    assert found.is_asked_for
    return found.setup


def question(dataset: str, example_id: str) -> LabSetup:
    found = CATALOGUE.find(dataset, example_id)
    assert found is not None
    return replace(FIRST, question=found.question, dataset=dataset)


@pytest.mark.parametrize(
    "setup",
    [
        FIRST,
        replace(FIRST, preferences=(), relevant_index=None),
        replace(FIRST, preferences=("Be short.", "I sail."), relevant_index=1),
        replace(FIRST, question=own_question("Is it?", ("yes", "no"), "B"), dataset="own"),
        replace(FIRST, question=own_question("Why?"), dataset="own"),
        replace(FIRST, a=ColumnSetup("tiny & small", "pref_aligner"), b=ColumnSetup("scripted", "no_preference")),
        question("demonstration_prompts", "901.2"),
    ],
)
def test_a_link_restores_the_whole_setup(setup: LabSetup) -> None:
    assert again(setup) == setup


def test_a_link_restores_twins() -> None:
    setup = question("demonstration_prompts", "901.1")
    twin = CATALOGUE.find("demonstration_prompts", "901.2")
    assert twin is not None
    assert again(replace(setup, twin=twin.question)).twin == twin.question


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_come_back_as_they_were(text: str) -> None:
    # An option is one line: a line break in it becomes a blank.
    option = " ".join(text.split("\n"))
    own = own_question(text, (option, "no"), "A")
    assert again(replace(FIRST, question=own, dataset="own", preferences=(text, "b"), relevant_index=0)).question == own


def test_a_question_of_ours_is_named_and_not_written_out() -> None:
    link = lab_link(FIRST)
    assert link is not None
    assert "example=d17" in link
    assert "vacuum" not in link


def test_a_setup_longer_than_a_link_may_be_has_none() -> None:
    # "?tab=lab&question=" and the columns take less than 200 characters; every "x" is one more.
    assert lab_link(replace(FIRST, question=own_question("x" * (MAX_LINK - 500)), dataset="own")) is not None
    assert lab_link(replace(FIRST, question=own_question("x" * MAX_LINK), dataset="own")) is None


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ({"dataset": "demonstration", "example": "d99"}, "d99"),
        ({"dataset": "eloquent_2024", "example": "001.1"}, "eloquent_2024"),
        ({"example": "d01"}, "no data set"),
        ({"dataset": "demonstration_prompts", "example": "901.1", "twin": "902.1"}, "twin wording (902.1)"),
        ({"question": "x" * 4001}, "4,001 characters"),
        ({"question": " "}, "question"),
        ({"question": "q", "option_1": "y" * 501, "option_2": "n"}, "option 1"),
        ({"question": "q", "option_1": "y", "option_2": "n", "gold": "C"}, "right option (C)"),
        ({"preference_1": "x" * 301}, "preference 1"),
        ({f"preference_{number}": "x" for number in range(1, 10)}, "preference 9"),
        ({"preference_1": "x", "relevant": "2"}, "relevant preference (number 2)"),
        ({"preference_1": "x", "relevant": "٢"}, "relevant preference"),
        ({"a": "gpt-9"}, "model of column A (gpt-9)"),
        ({"b_method": "magic"}, "method of column B (magic)"),
    ],
)
def test_what_cannot_be_restored_is_named_and_the_rest_can_be_run(query: dict[str, str], named: str) -> None:
    found = restored({"tab": "lab", **query}, CATALOGUE, GENERATORS, FIRST)
    assert any(named in note for note in found.notes), found.notes
    assert problems(found.setup, GENERATORS) == []


def test_the_flag_stays_with_its_preference_where_another_one_is_lost() -> None:
    query = {"tab": "lab", "preference_1": "x" * 301, "preference_2": "a", "preference_3": "b", "relevant": "3"}
    setup = restored(query, CATALOGUE, GENERATORS, FIRST).setup
    assert (setup.preferences, setup.relevant_index) == (("a", "b"), 1)


def test_without_one_of_its_options_a_question_is_open_for_letters_would_mean_others() -> None:
    query = {"tab": "lab", "question": "q", "option_1": "x" * 501, "option_2": "a", "option_3": "b", "gold": "B"}
    question = restored(query, CATALOGUE, GENERATORS, FIRST).setup.question
    assert (question.options, question.gold) == ((), None)


def test_hidden_characters_in_a_note_are_shown() -> None:
    found = restored({"tab": "lab", "a": "x\u202ey"}, CATALOGUE, GENERATORS, FIRST)
    assert "x[U+202E]y" in found.notes[0]


def test_a_bare_link_asks_for_nothing() -> None:
    found = restored({"tab": "lab"}, CATALOGUE, GENERATORS, FIRST)
    assert (found.setup, found.is_asked_for, found.notes) == (FIRST, False, ())


def test_a_replay_link_restores_what_is_replayed() -> None:
    choice = ReplayChoice("7f3a.naive", "8b1c.pref_aligner", "own/q 1&2/mixed/00ff00ff")
    assert replay_asked(query_of(replay_link(choice))) == choice
    assert replay_asked({"tab": "lab", "question": "q"}) is None


def test_the_page_leaves_the_labs_parameters_to_the_lab() -> None:
    link = lab_link(replace(FIRST, question=own_question("q", ("y", "n")), dataset="own"))
    found = parsed(query_of(link), LabState)
    assert found.notes == ()
    assert link_of(replace(found.state, lab=link or "")) == link
    assert parsed({"question": "q"}, JudgesState).notes != ()
    assert link_of(LabState()) == "?tab=lab"


@pytest.mark.parametrize("name", ["set", "sort", "option", "option_0", "option_100", "preference_x", "questions"])
def test_other_parameters_are_not_the_labs(name: str) -> None:
    assert not is_lab_parameter(name)


def test_a_view_survives_its_link_and_asks_for_no_setup_by_itself() -> None:
    view = LabView("demonstration/d24/irrelevant/0a1b2c3d", is_blind=True, threshold=4.5)
    query = query_of(lab_link(FIRST, view))
    assert view_asked(query) == view
    assert restored(query, CATALOGUE, GENERATORS, FIRST).setup == FIRST
    assert view_asked(query_of(lab_link(FIRST))) == LabView()
    assert not restored({"recorded": "x", "blind": "1", "threshold": "4"}, CATALOGUE, GENERATORS, FIRST).is_asked_for


@pytest.mark.parametrize("stated", ["0.5", "5.5", "3.2", "nan", "1e9", "٤", "-1", ""])
def test_a_threshold_that_the_page_does_not_offer_is_that_of_a_first_visit(stated: str) -> None:
    assert view_asked({"threshold": stated}) == LabView()
