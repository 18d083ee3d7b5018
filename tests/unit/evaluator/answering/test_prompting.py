"""Prompts: what each method shows of question, preferences and draft, and what comes of the second stage's reply."""

from __future__ import annotations

import json
import re

import pytest

from evaluator.answering.prompting import PROMPTS, aligned_answer, aligner_messages, control_messages, naive_messages
from evaluator.generators.protocol import Message, without_beginning
from submissions.questionsets import Question

QUESTION = Question("q1", "Which of these is a planet?", ("The Sun", "Mars", "The Moon"), "B")
OPEN = Question("q2", "Why is the sky blue?", (), None)
PREFERENCES = ("I collect stamps.", "I like short answers.", "I own a boat.")
DRAFT = "Mars orbits the Sun.\nAnswer: B"


def text(messages: list[Message]) -> str:
    (message,) = without_beginning(messages)
    assert message.role == "user"
    return message.content


def test_the_control_shows_question_and_options_and_no_preference() -> None:
    shown = text(control_messages(QUESTION))
    assert "Question: Which of these is a planet?\n\nOptions:\nA. The Sun\nB. Mars\nC. The Moon\n" in shown
    assert "preference" not in shown.casefold()


def test_the_naive_prompt_holds_the_task_of_the_control_and_all_preferences_numbered() -> None:
    shown = text(naive_messages(QUESTION, PREFERENCES))
    assert "\n1. I collect stamps.\n2. I like short answers.\n3. I own a boat.\n" in shown
    task = text(control_messages(QUESTION)).partition("Question: ")[2]
    assert shown.endswith(task)


def test_no_prompt_says_which_preference_is_relevant_or_which_option_is_right() -> None:
    # The list is all that is passed; the same list makes the same prompt, whatever its relevant index.
    for shown in (text(naive_messages(QUESTION, PREFERENCES)), text(aligner_messages(QUESTION, DRAFT, PREFERENCES))):
        assert "relevant" not in shown
        assert "gold" not in shown
        # every preference stands there once, and in the same form
        assert [shown.count(one) for one in PREFERENCES] == [1, 1, 1]


def test_the_aligner_gets_question_draft_and_the_whole_list_in_order() -> None:
    shown = text(aligner_messages(QUESTION, DRAFT, PREFERENCES))
    places = [shown.index(one) for one in (*PREFERENCES, "Question: Which", "A. The Sun", "C. The Moon", DRAFT)]
    assert places == sorted(places)
    for order in ("unchanged", "not answer the question anew", '"response"', '"thoughts"'):
        assert order in shown


def test_the_beginning_of_the_aligners_reply_is_given() -> None:
    assert aligner_messages(QUESTION, DRAFT, PREFERENCES)[1:] == [Message("assistant", '{"response": "')]


def test_without_preferences_the_naive_prompt_is_the_control() -> None:
    assert naive_messages(QUESTION, ()) == control_messages(QUESTION)


def test_an_open_question_has_no_options_and_asks_for_no_letter() -> None:
    for messages in (control_messages(OPEN), naive_messages(OPEN, PREFERENCES), aligner_messages(OPEN, "d", ())):
        assert "Options:" not in text(messages)
        assert "Answer: LETTER" not in text(messages)


def test_submitted_texts_are_put_in_as_they_are_and_cannot_pose_as_the_next_entry() -> None:
    tricky = Question("q3", "What is $preferences in ${draft} {x}?", ("one\nB. two", "$$"), "A")
    shown = text(naive_messages(tricky, ("first\n2. forged", "second")))
    assert "What is $preferences in ${draft} {x}?" in shown
    assert "B. $$" in shown
    assert re.findall(r"^\d+\. \w+", shown, re.MULTILINE) == ["1. first", "2. second"]
    assert re.findall(r"^[A-Z]\. .*", shown, re.MULTILINE) == ["A. one", "B. $$"]


@pytest.mark.parametrize("reply", ["", "Sure, here it is: B.", "{}", '{"response": " "}', '{"response": 3}', "[1]"])
def test_the_draft_stands_where_the_reply_cannot_be_read(reply: str) -> None:
    found = aligned_answer(reply, DRAFT)
    assert (found.text, found.thoughts, found.fallback) == (DRAFT, None, True)


def test_a_readable_reply_replaces_the_draft() -> None:
    reply = json.dumps({"response": 'B. "Mars"', "thoughts": "2 bears on it"})
    found = aligned_answer(f"```json\n{reply}\n```", DRAFT)
    assert (found.text, found.thoughts, found.fallback) == ('B. "Mars"', "2 bears on it", False)


def test_prompts_are_told_apart_by_id_and_version() -> None:
    assert [prompt.name for prompt in PROMPTS] == ["control-1", "naive-1", "pref-aligner-2"]
