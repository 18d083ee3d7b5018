from __future__ import annotations

import random

import pytest

from leaderboard.lab.form import (
    SAME_WORDING,
    Catalogue,
    Form,
    first_setup,
    form_of,
    gold_choices,
    options_of,
    preferences_of,
    preset_preferences,
    setup_of,
    with_example,
)
from submissions.promptsets import PromptSets
from submissions.questionsets import demonstration

QUESTIONS = demonstration()
CATALOGUE = Catalogue(QUESTIONS, PromptSets.load(None))
FIRST = form_of(first_setup(CATALOGUE, ("scripted",), is_rated=False), CATALOGUE)


def prompts_form(variant: int, twin: int = SAME_WORDING) -> Form:
    """The form on an item of the demonstration prompts, as the page fills it."""
    question = CATALOGUE.question("demonstration_prompts", "901", variant)
    assert question is not None
    chosen = FIRST._replace(dataset="demonstration_prompts", example="901", variant=variant, twin=twin)
    return chosen._replace(text=question.text, options="", gold="")


def test_sets_without_texts_are_named_and_not_offered() -> None:
    assert [choice.value for choice in CATALOGUE.datasets()] == ["demonstration", "demonstration_prompts", "own"]
    assert CATALOGUE.missing == ("ELOQUENT 2024",)


def test_a_first_visit_can_be_judged_without_a_language_model_and_shows_more_with_one() -> None:
    assert first_setup(CATALOGUE, ("scripted",), is_rated=False).setting == "irrelevant"
    assert first_setup(CATALOGUE, ("scripted",), is_rated=True).setting == "mixed"


def test_an_untouched_question_keeps_its_id() -> None:
    setup = setup_of(FIRST, CATALOGUE)
    assert (setup.dataset, setup.question.example_id, setup.question.gold) == ("demonstration", "d17", "D")


@pytest.mark.parametrize(
    "form",
    [
        FIRST._replace(text="Which of these can?"),
        FIRST._replace(gold="A"),
        FIRST._replace(gold=""),
        FIRST._replace(options="Light\nSound"),
    ],
)
def test_a_changed_question_is_the_visitors_own(form: Form) -> None:
    setup = setup_of(form, CATALOGUE)
    assert setup.dataset == "own"
    assert setup.question.example_id.startswith("own-")


def test_twins_are_two_wordings_of_one_item() -> None:
    setup = setup_of(prompts_form(1, twin=2), CATALOGUE)
    assert setup.twin is not None
    assert (setup.question.example_id, setup.twin.example_id) == ("901.1", "901.2")
    assert setup_of(prompts_form(1, twin=1), CATALOGUE).twin is None
    assert setup_of(prompts_form(1, twin=2)._replace(text="mine"), CATALOGUE).twin is None


def test_form_and_setup_are_each_others_inverse() -> None:
    for form in (FIRST, prompts_form(1, twin=2), FIRST._replace(dataset="own", example="", text="Own?", gold="")):
        setup = setup_of(form, CATALOGUE)
        assert setup_of(form_of(setup, CATALOGUE), CATALOGUE) == setup


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "x",
        {},
        {"preferences": "x"},
        {"preferences": {}},
        {"preferences": [None, 3, {"a": 1}, ""], "relevant": 0},
    ],
)
def test_whatever_the_browser_sends_is_no_preference_unless_it_is_text(value: object) -> None:
    assert preferences_of(value) == ((), None)


def test_a_flag_stays_with_its_preference_when_blank_rows_go() -> None:
    assert preferences_of({"preferences": ["", "a", " ", "b"], "relevant": 3}) == (("a", "b"), 1)
    assert preferences_of({"preferences": ["", "a"], "relevant": 0}) == (("a",), None)
    assert preferences_of({"preferences": ["a", "b"], "relevant": True}) == (("a", "b"), None)


def test_presets_keep_the_visitors_own_relevant_preference_or_take_one_of_ours() -> None:
    own = {"preferences": ["I like tea.", "Rhyme, please."], "relevant": 1}
    assert preset_preferences("one-relevant", own, QUESTIONS) == {"preferences": ["Rhyme, please."], "relevant": 0}
    mixed = preset_preferences("mixed", own, QUESTIONS)
    assert len(mixed["preferences"]) == 6  # five irrelevant ones around it
    assert mixed["relevant"] is not None
    assert mixed["preferences"][mixed["relevant"]] == "Rhyme, please."
    ours = preset_preferences("one-relevant", {"preferences": ["I like tea."], "relevant": None}, QUESTIONS)
    assert ours["preferences"][0] in QUESTIONS.style_preferences
    irrelevant = preset_preferences("three-irrelevant", own, QUESTIONS)
    assert set(irrelevant["preferences"]) <= set(QUESTIONS.irrelevant_preferences)
    assert (len(irrelevant["preferences"]), irrelevant["relevant"]) == (3, None)


def test_the_question_behind_the_last_one_is_the_first() -> None:
    ids = [choice.value for choice in CATALOGUE.examples(QUESTIONS.dataset)]
    assert CATALOGUE.following(QUESTIONS.dataset, ids[0]) == ids[1]
    assert CATALOGUE.following(QUESTIONS.dataset, ids[-1]) == ids[0]
    assert CATALOGUE.following(QUESTIONS.dataset, "no such question") == ids[0]


def test_a_preference_of_ours_is_added_once_and_marked_where_it_bears_on_any_answer() -> None:
    style, irrelevant = QUESTIONS.style_preferences[0], QUESTIONS.irrelevant_preferences[0]
    first = with_example({"preferences": [irrelevant], "relevant": None}, style, QUESTIONS)
    assert first == {"preferences": [irrelevant, style], "relevant": 1}
    assert with_example(first, style, QUESTIONS) == first
    full = {"preferences": [str(number) for number in range(8)], "relevant": None}
    assert with_example(full, style, QUESTIONS) == full


def test_nothing_is_added_that_is_not_ours() -> None:
    assert with_example({"preferences": ["a"], "relevant": None}, "theirs", QUESTIONS)["preferences"] == ["a"]


def test_choosing_a_question_fills_all_of_its_fields() -> None:
    form = CATALOGUE.chosen(FIRST._replace(twin=2), "demonstration_prompts", "902", None)
    assert (form.variant, form.twin, form.options, form.gold) == (1, SAME_WORDING, "", "")
    assert setup_of(form, CATALOGUE).question.example_id == "902.1"
    assert CATALOGUE.chosen(form, "demonstration", None, None).gold == "C"  # of d01, the first one
    own = CATALOGUE.chosen(form, "own", None, None)
    assert (own.example, own.text, own.options, own.gold) == ("", "", "", "")


def test_right_options_are_the_letters_of_the_lines() -> None:
    assert options_of("\n the sun\n\nthe moon\n") == ("the sun", "the moon")
    assert [value for _, value in gold_choices("a\nb\nc")] == ["", "A", "B", "C"]


def test_a_random_question_can_be_asked() -> None:
    for seed in range(20):
        assert CATALOGUE.question(*CATALOGUE.any(random.Random(seed))) is not None
