"""What a visitor may set up, and what the page says about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.generators.loading import SMALL_MODEL_TOKENS
from evaluator.generators.protocol import MAX_NEW_TOKENS
from evaluator.lab.gate import MAX_RUNNING, MAX_WAITING
from evaluator.lab.session_file import MAX_BYTES, MAX_RUNS
from evaluator.lab.setup import (
    MAX_LOADING_S,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_PREFERENCE,
    MAX_PREFERENCES,
    MAX_QUESTION,
    MAX_RUN_S,
    ColumnSetup,
    LabSetup,
    item_question,
    mixed_example,
    naive_vs_pref_aligner,
    own_question,
    problems,
    setting_explanation,
    two_models,
)
from submissions.promptsets import load_demonstration
from submissions.questionsets import Question
from submissions.schema import Item, Variant
from submissions.settings import Settings

PLANET = Question("d1", "Which is a planet?", ("The Sun", "Mars"), "B")
SETUP = LabSetup(PLANET, "demonstration", ("Be brief.",), 0, *naive_vs_pref_aligner("small"))
NAMES = ("small", "large")


def test_a_good_setup_has_no_problems() -> None:
    assert problems(SETUP, NAMES) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (
            {"question": replace(PLANET, text="x" * 4001)},
            "the question: found 4,001 characters, expected at most 4,000",
        ),
        ({"question": replace(PLANET, text=" \n")}, "the question: is blank"),
        ({"question": replace(PLANET, text="a\x00")}, "the question: holds a character that is no text"),
        (
            {"question": replace(PLANET, options=("The Sun", "x" * 501))},
            "option B of the question: found 501 characters",
        ),
        ({"question": replace(PLANET, options=("Mars", " Mars"))}, "option B of the question: is the same as option A"),
        (
            {"question": replace(PLANET, options=("Mars",), gold="A")},
            "options of the question: found 1, expected 2 to 26",
        ),
        ({"question": replace(PLANET, gold="C")}, "the right option of the question: found 'C', expected one of A, B"),
        ({"question": replace(PLANET, options=())}, "found 'B', expected none, for an open question has no options"),
        ({"preferences": ("x" * 301,)}, "preference 1: found 301 characters, expected at most 300"),
        ({"preferences": ("a", ""), "relevant_index": 0}, "preference 2: is blank"),
        ({"preferences": ("a",) * 9}, "preferences: found 9, expected at most 8"),
        ({"relevant_index": 1}, "the relevant preference: found number 2, expected 1 to 1"),
        ({"relevant_index": -1}, "the relevant preference: found number 0, expected 1 to 1"),
        ({"preferences": ()}, "the relevant preference: found number 1, expected none"),
        ({"b": ColumnSetup("secret/model", "naive")}, "column B: no model here is called 'secret/model'"),
        ({"a": ColumnSetup("small", "cot")}, "column A: found the method 'cot', expected no_preference, naive"),
        ({"twin": PLANET}, "the id of the twin question: found that of the question, 'd1'"),
        ({"twin": replace(PLANET, example_id="d2", text="")}, "the twin question: is blank"),
        ({"dataset": "../etc"}, "the data set: found '../etc', expected 1 to 40 of a-z, 0-9, - and _"),
    ],
)
def test_a_fault_is_named_with_its_place_what_was_found_and_what_is_expected(
    change: dict[str, Any], fault: str
) -> None:
    found = problems(replace(SETUP, **change), NAMES)
    assert len(found) == 1
    assert fault in found[0]


def test_the_caps_themselves_are_allowed() -> None:
    question = Question("d1", "x" * 4000, tuple(f"{letter}{'x' * 499}" for letter in "ab"), "A")
    preferences = tuple(f"{number}{'x' * 299}" for number in range(8))
    assert problems(replace(SETUP, question=question, preferences=preferences, relevant_index=7), NAMES) == []


def test_all_faults_are_named_at_once() -> None:
    broken = replace(SETUP, preferences=("", "x" * 301), relevant_index=5, a=ColumnSetup("", "cot"))
    assert len(problems(broken, NAMES)) == 5  # two preferences, the index, generator and method


def test_a_method_that_needs_preferences_is_allowed_without_them_and_said() -> None:
    bare = replace(SETUP, preferences=(), relevant_index=None)
    assert problems(bare, NAMES) == []
    explained = setting_explanation(bare)
    assert explained.setting == "none"
    assert explained.notes == (
        "Without preferences naive and pref_aligner come to the control: the column shows the answer to the bare "
        "question.",
    )
    assert bare.method_of("a") == bare.method_of("b") == "no_preference"


@pytest.mark.parametrize(
    ("preferences", "relevant_index", "setting", "formula"),
    [
        ((), None, "none", "robustness error = breakage rate = 0"),
        (("a",), 0, "relevant", "still right and follows the preference"),
        (("a",), None, "irrelevant", "robustness error = breakage rate = 1 − share of Q* that is still right"),
        (("a", "b"), 1, "mixed", "still right and follows the relevant preference"),
    ],
)
def test_list_and_flag_come_to_a_setting_with_its_formula(
    preferences: tuple[str, ...], relevant_index: int | None, setting: str, formula: str
) -> None:
    explained = setting_explanation(replace(SETUP, preferences=preferences, relevant_index=relevant_index))
    assert explained.setting == setting
    assert formula in explained.formula


def test_the_control_column_is_counted_under_no_preferences() -> None:
    setup = replace(SETUP, a=ColumnSetup("small", "no_preference"))
    assert (setup.setting_of("a"), setup.setting_of("b")) == ("none", "relevant")
    assert "The column with no_preference is the control" in setting_explanation(setup).notes[0]


def test_one_control_serves_both_columns_of_a_model_unless_they_are_twins() -> None:
    assert SETUP.control_key("a") == SETUP.control_key("b") == "small"
    twins = replace(SETUP, twin=replace(PLANET, example_id="d2"))
    assert (twins.control_key("a"), twins.control_key("b")) == ("small", "small#b")


def test_asking_an_own_question_again_repeats_the_example() -> None:
    first = own_question("Is it?", ("yes", "no"), "A")
    assert first.example_id == own_question(" Is it? ", ("yes", "no "), None).example_id
    assert first.example_id != own_question("Is it?", ("no", "yes"), "A").example_id


def test_presets_are_two_methods_of_one_model_and_one_method_of_two() -> None:
    assert naive_vs_pref_aligner("m") == (ColumnSetup("m", "naive"), ColumnSetup("m", "pref_aligner"))
    assert two_models("m", "n") == (ColumnSetup("m", "naive"), ColumnSetup("n", "naive"))


def test_the_mixed_example_puts_five_irrelevant_ones_around_the_relevant_one() -> None:
    shown = mixed_example("R", [f"i{number}" for number in range(9)])
    assert shown.preferences == ("i0", "i1", "R", "i2", "i3", "i4")
    assert shown.relevant_index == 2


def test_wordings_of_one_item_are_two_examples_and_one_without_text_is_none() -> None:
    item = load_demonstration().items[0]
    first, second = item_question(item, 1), item_question(item, 2)
    assert first is not None
    assert second is not None
    assert first.example_id != second.example_id
    assert first.options == ()
    bare = Item("7", "style", (Variant(1, "en", None),))
    assert item_question(bare, 1) is None
    assert item_question(bare, 9) is None


def test_the_limits_in_the_docs_are_those_of_the_code() -> None:
    lines = (Path(__file__).parents[4] / "docs" / "lab.md").read_text(encoding="utf-8").splitlines()
    stated = {what.strip(): most.strip() for _, what, most, _ in (line.split("|") for line in lines if "|" in line[:1])}
    assert stated["question"] == f"{MAX_QUESTION:,} characters"
    assert stated["option"] == f"{MAX_OPTION} characters, {MAX_OPTIONS} options"
    assert stated["preference"] == f"{MAX_PREFERENCE} characters, {MAX_PREFERENCES} preferences"
    of_smollm2 = "by SmolLM2, which says in circles what it has not said by then"
    assert stated["a text that is written"] == f"{MAX_NEW_TOKENS} tokens; {SMALL_MODEL_TOKENS} {of_smollm2}"
    assert stated["a run, after its models are loaded"] == f"{MAX_RUN_S:g} s"
    assert stated["the wait for models to be loaded"] == f"{MAX_LOADING_S:g} s"
    assert stated["runs a visitor may start in any hour"] == str(Settings.from_env({}).lab_runs_per_hour)
    assert stated["runs that write at the same time"] == str(MAX_RUNNING)
    assert stated["waiting runs, of all visitors"] == str(MAX_WAITING)
    assert stated["runs in a saved session"] == str(MAX_RUNS)
    assert stated["size of a saved session"] == f"{MAX_BYTES // 1024**2} MiB"
