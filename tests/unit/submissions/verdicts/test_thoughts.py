"""Thoughts of models: what stands in them is no answer, and thoughts that never end leave none."""

from __future__ import annotations

import re

import pytest

from submissions.verdicts.parsing import ParsedVerdict, parse_verdict
from submissions.verdicts.thoughts import THOUGHT_MARKS, without_thoughts

MARKS = [
    ("<think>", "</think>"),
    ("<think >", "</think>"),
    ('<think lang="en">', "</think >"),
    ("< Thinking >", "</ thinking>"),
    ("<THINK>", "</THINK>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<reasoning>", "</reasoning>"),
    ("<analysis>", "</analysis>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<reflection>", "</reflection>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought\n", "<channel|>"),
    ("[unused16]", "[unused17]"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|> analysis<|message|>", "<|end|><|start|>assistant<|channel|>final <|constrain|>JSON<|message|>"),
]
AT_THE_START = [
    ("analysis", "assistantfinal"),
    ("Here is my thought process:", "Here is my response:"),
    ("Here's my thought process:", "Here's my response:"),
]


@pytest.mark.parametrize(("begins", "ends"), [*MARKS, *AT_THE_START])
def test_a_verdict_is_read_behind_thoughts_and_never_in_them(begins: str, ends: str) -> None:
    assert parse_verdict(f"{begins}Maybe [[A]], or {ends}\n[[B]]") == ParsedVerdict("B")
    assert parse_verdict(f"{begins}Maybe [[A]], or") == ParsedVerdict("N", "truncated")
    assert parse_verdict(f"{begins}Maybe [[A]]{ends}") == ParsedVerdict("N", "none")
    assert parse_verdict(f"Maybe [[A]]{ends}[[B]]") == ParsedVerdict("B")  # a server that opens the thoughts itself


@pytest.mark.parametrize(("begins", "ends"), MARKS)
@pytest.mark.parametrize("before", ["Okay. ", "Sure!\n", "\n\n", "[[B]]\n", "<|start|>assistant"])
def test_thoughts_may_begin_behind_a_word_or_a_line(before: str, begins: str, ends: str) -> None:
    assert parse_verdict(f"{before}{begins}Maybe [[A]], or") == ParsedVerdict("N", "truncated")
    assert parse_verdict(f"{before}{begins}Maybe [[A]]{ends} [[C]]") == ParsedVerdict("C")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>one</think> [[A]] <analysis>two", None),
        ("<think>a <analysis>b</analysis> [[A]]", None),  # the outer thoughts are still open
        ("<think>a <analysis> b</think> [[A]]", "[[A]]"),  # what is opened within thoughts ends with them
        ("<thinking>a</think> [[A]]", "[[A]]"),
        ("<think>so</think", None),
        ("Paris.\n<think", None),  # cut off within the tag
        ("<think/> Paris.", "<think/> Paris."),
        ("`<think>` begins thoughts, '</think>' ends them.", "`<think>` begins thoughts, '</think>' ends them."),
        ("An analysis: <analytics> and [thinker] of thought.", "An analysis: <analytics> and [thinker] of thought."),
        ("I think analysisA", "I think analysisA"),
    ],
)
def test_what_follows_thoughts_is_the_answer(text: str, expected: str | None) -> None:
    assert without_thoughts(text) == expected


def test_every_marks_of_the_list_are_tried_here_and_have_a_source() -> None:
    tried = [*MARKS, *AT_THE_START]
    for marks in THOUGHT_MARKS:
        assert marks.source
        assert any(re.match(marks.opening, f"{begins}X") and re.search(marks.closing, ends) for begins, ends in tried)
