"""The scripted generator: fixed rules, one word a token, cancelled at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from evaluator.answering.prompting import aligned_answer, aligner_messages, control_messages, naive_messages
from evaluator.generators.protocol import Message
from evaluator.generators.scripted import ScriptedGenerator
from submissions.questionsets import Question, demonstration

GENERATOR = ScriptedGenerator()


def said(messages: Sequence[Message], generator: ScriptedGenerator = GENERATOR) -> str:
    return "".join(chunk.text for chunk in generator.stream(messages, stop=threading.Event()))


def letter(answer: str) -> str:
    return answer.rpartition("Answer: ")[2]


def test_a_script_is_written_word_by_word_and_ends_with_a_reason() -> None:
    generator = ScriptedGenerator(lambda messages: f"I read {messages[-1].content}.\n", script_version="echo-1")
    chunks = list(generator.stream([Message("user", "this")], stop=threading.Event()))
    assert [chunk.text for chunk in chunks] == ["I ", "read ", "this.\n", ""]
    assert [chunk.tokens for chunk in chunks] == [1, 2, 3, 3]
    assert [chunk.finish_reason for chunk in chunks] == [None, None, None, "stop"]
    assert generator.pin.revision == "echo-1"


def test_a_text_of_more_words_than_allowed_is_cut_with_the_reason_length() -> None:
    generator = ScriptedGenerator(lambda _: "one two three")
    chunks = list(generator.stream([], stop=threading.Event(), max_new_tokens=2))
    assert "".join(chunk.text for chunk in chunks) == "one two "
    assert (chunks[-1].tokens, chunks[-1].finish_reason) == (2, "length")
    exact = list(generator.stream([], stop=threading.Event(), max_new_tokens=3))
    assert exact[-1].finish_reason == "stop"


def test_stop_ends_a_slow_stream_at_once() -> None:
    stop = threading.Event()
    stream = ScriptedGenerator(lambda _: "a b c", seconds_per_token=30).stream([], stop=stop)
    threading.Timer(0.05, stop.set).start()
    began = time.monotonic()
    (last,) = list(stream)
    assert (last.text, last.tokens, last.finish_reason) == ("", 0, "cancelled")
    assert time.monotonic() - began < 20


def test_the_default_rules_answer_the_demonstration_set_mostly_rightly_and_lose_some_under_preferences() -> None:
    questions = demonstration()
    right, right_naive, lost = 0, 0, 0
    for index, question in enumerate(questions.questions):
        control = letter(said(control_messages(question))) == question.gold
        shown = questions.shown("relevant", index).preferences
        naive = letter(said(naive_messages(question, shown))) == question.gold
        right, right_naive, lost = right + control, right_naive + naive, lost + (control and not naive)
    assert len(questions.questions) * 0.6 < right < len(questions.questions)
    assert right_naive < right
    assert lost > 0


def test_the_second_stage_edits_under_style_preferences_only_and_never_the_choice() -> None:
    questions = demonstration()
    for index, question in enumerate(questions.questions):
        draft = said(control_messages(question))
        relevant = aligner_messages(question, draft, questions.shown("mixed", index).preferences)
        edited = aligned_answer(said(relevant), draft)
        assert not edited.fallback
        assert edited.text != draft
        assert letter(edited.text) == letter(draft)
        irrelevant = aligner_messages(question, draft, questions.shown("irrelevant", index).preferences)
        assert aligned_answer(said(irrelevant), draft).text == draft


def test_any_question_gets_the_same_valid_option_every_time() -> None:
    question = Question("q", "Which one?", ("first", "second", "third", "fourth", "fifth"), None)
    answers = {said(control_messages(question)) for _ in range(3)}
    assert len(answers) == 1
    assert letter(answers.pop()) in "ABCDE"


def test_an_open_question_and_a_chat_that_is_none_of_ours_are_answered_too() -> None:
    assert "Answer:" not in said(control_messages(Question("q", "Why?", (), None)))
    assert said([Message("user", "Good morning!")])
