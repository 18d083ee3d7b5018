"""Reading free-text verdicts: unanimous or not at all."""

from __future__ import annotations

import pytest

from submissions.verdicts.parsing import ParsedVerdict, VerdictFormat, parse_verdict


def test_a_failed_call_is_named_as_such() -> None:
    assert parse_verdict(None) == ParsedVerdict("N", "api")


@pytest.mark.parametrize("text", ["[[A]] [[D]]", "[[C]] and [[A]]", "[[A]]\n[[A]]\n[[B]]"])
def test_different_tokens_are_ambiguous_even_where_one_is_not_offered(text: str) -> None:
    assert parse_verdict(text, options=2) == ParsedVerdict("N", "ambiguous")


@pytest.mark.parametrize("text", ["[[E]]", "[[AB]]", "[[ A ]]", "[A]]", "Ａ", "the first answer is better"])
def test_nothing_is_guessed_from_what_is_not_the_token(text: str) -> None:
    assert parse_verdict(text) == ParsedVerdict("N", "none")


def test_a_reply_cut_off_after_its_verdict_is_read() -> None:
    assert parse_verdict("[[B]] since", finish_reason="length") == ParsedVerdict("B")
    assert parse_verdict("[[B", finish_reason="length") == ParsedVerdict("N", "truncated")
    assert parse_verdict("[[B", finish_reason="stop") == ParsedVerdict("N", "none")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>\nMaybe [[A]], let me look", ParsedVerdict("N", "truncated")),
        ("<think>At first [[B]].</think>\nFinal verdict: [[A]]", ParsedVerdict("A")),
        ("At first [[B]].</think> [[A]]", ParsedVerdict("A")),  # a server that opens the thoughts itself
        ("<THINKING>[[B]]</THINKING> [[C]]", ParsedVerdict("C")),
        ("<think>[[A]]</think> neither", ParsedVerdict("N", "none")),
        ("<think>x</think> [[A]] <think>no: [[B]]</think> [[B]]", ParsedVerdict("B")),
        ("<think>x</think> [[A]] <think>or", ParsedVerdict("N", "truncated")),
        ("I think [[A]]", ParsedVerdict("A")),
    ],
)
def test_thoughts_are_no_part_of_the_reply(text: str, expected: ParsedVerdict) -> None:
    assert parse_verdict(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Choice: B.", ParsedVerdict("B")),
        ("选择：A，因为", ParsedVerdict("A")),
        ("Choice: A 选择：B", ParsedVerdict("N", "ambiguous")),
        ("Choice: D", ParsedVerdict("N", "not_allowed")),
        ("choice: A", ParsedVerdict("N", "none")),
        ("Choice:A", ParsedVerdict("N", "none")),
        ("Choice: A1", ParsedVerdict("N", "none")),
        ("[[A]]", ParsedVerdict("N", "none")),
    ],
)
def test_the_choice_format_takes_its_own_token_only(text: str, expected: ParsedVerdict) -> None:
    verdict_format: VerdictFormat = "choice"
    assert parse_verdict(text, verdict_format=verdict_format) == expected
