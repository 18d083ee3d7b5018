"""Stage-2 replies of Pref-Aligner: read from where models put them, or declared unreadable."""

from __future__ import annotations

import time

import pytest

from evaluator.personalization.aligner_reply import AlignerReply, parse_aligner, read_aligner_reply


def test_response_and_thoughts_are_read_in_any_order() -> None:
    assert read_aligner_reply('{"thoughts": "T", "response": "R"}') == AlignerReply("R", "T")


def test_thoughts_may_be_missing_or_no_text() -> None:
    assert read_aligner_reply('{"response": "R"}') == AlignerReply("R", None)
    assert read_aligner_reply('{"response": "R", "thoughts": ["T"]}') == AlignerReply("R", None)


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"response": "R"}\n```',
        'Here it is:\n```\n{"response": "R"}\n```\nDone.',
        'Mine: {"response": "R"} I kept it.',
        'Set {x} stays. {"response": "R"}',
    ],
)
def test_the_object_is_found_whole_fenced_or_in_the_text(reply: str) -> None:
    assert parse_aligner(reply) == "R"


def test_a_fence_inside_the_response_does_not_cut_it() -> None:
    assert parse_aligner('```json\n{"response": "run ```ls``` now"}\n```') == "run ```ls``` now"


def test_a_fenced_object_wins_over_an_earlier_one_in_the_text() -> None:
    assert parse_aligner('I was shown {"draft": "D"}.\n```json\n{"response": "R"}\n```') == "R"


def test_quotes_and_raw_newlines_survive() -> None:
    assert parse_aligner('{"response": "a \\"wet\\"\nplace"}') == 'a "wet"\nplace'


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "",
        "B. a river",
        "[true]",
        '"R"',
        '{"thoughts": "T"}',
        '{"response": ""}',
        '{"response": " \\n"}',
        '{"response": 4}',
        '{"response": null}',
        '{"response": "cut off',
        '{"Response": "R"}',
    ],
)
def test_everything_else_is_unreadable(reply: str | None) -> None:
    assert parse_aligner(reply) is None


@pytest.mark.parametrize("reply", ['{"a":' * 100_000, "{" * 1_000_000, '[{"a":[1,' * 50_000, '{"a' * 300_000])
def test_a_reply_of_brackets_only_is_unreadable_at_once(reply: str) -> None:
    started = time.process_time()
    assert parse_aligner(reply) is None
    assert time.process_time() - started < 5


def test_half_a_character_is_unreadable() -> None:
    assert parse_aligner('{"response": "\\ud83d"}') is None
    assert parse_aligner('{"response": "\\ud83d\\ude00 \\\\ud83d"}') == "\U0001f600 \\ud83d"
