"""Replies of a judge that writes text: strict by default, as published on request."""

from __future__ import annotations

import pytest

from evaluator.judges.text_replies import parse_letter, parse_rating


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "B"}',
        "{'answer': 'B'}",
        '{"Answer": "b"}',
        '{"answer": "B) a river"}',
        '{"answer": "(B)"}',
        '```json\n{"answer": "B"}\n```',
        "B",
        " b\n",
        "B. a river",
    ],
)
def test_a_letter_is_read_from_a_dictionary_or_alone(reply: str) -> None:
    assert parse_letter(reply, 4) == "B"


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "",
        "{}",
        "[]",
        '{"answer": null}',
        '{"answer": ["B"]}',
        '{"answer": "B or C"}',
        '{"answer": "Bright"}',
        '{"answer": "B"} as I said',
        '{"answer": "ß"}',
        '{"letter": "B"}',
        "The answer is B",
        "{" * 3_000,
        "-" * 3_000 + "1",
    ],
)
def test_any_other_reply_has_no_letter(reply: str | None) -> None:
    assert parse_letter(reply, 4) is None


def test_a_letter_must_be_one_of_the_options() -> None:
    assert parse_letter("D", 4) == "D"
    assert parse_letter("E", 4) is None


def test_perg_gives_the_value_as_it_stands() -> None:
    assert parse_letter("{'answer': 'b. x'}", 4, "perg") == "b. x"
    assert parse_letter("{'letter': 'B'}", 4, "perg") is None
    assert parse_letter("['B']", 4, "perg") == -1
    assert parse_letter(None, 4, "perg") == -1


@pytest.mark.parametrize("reply", ["<answer>4</answer>", "<ANSWER>\n[ 4 ]\n</ANSWER>", "ok <answer>(4)</answer>."])
def test_a_rating_stands_in_one_pair_of_tags(reply: str) -> None:
    assert parse_rating(reply) == 4


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "4",
        "<answer>0</answer>",
        "<answer>6</answer>",
        "<answer>4.0</answer>",
        "<answer>four</answer>",
        "<answer>[4</answer>",
        "<answer>4</answer><answer>4</answer>",
        "<answer>4</answer></answer>",
        "<answer>44</answer>",
    ],
)
def test_any_other_rating_is_unreadable(reply: str | None) -> None:
    assert parse_rating(reply) is None


def test_perg_takes_the_first_number_of_any_size() -> None:
    assert parse_rating("<answer>12</answer><answer>3</answer>", "perg") == 12
    assert parse_rating("<answer> 4 </answer>", "perg") is None
    assert parse_rating(None, "perg") is None


def test_what_stands_in_thoughts_is_no_reply() -> None:
    assert parse_letter("<think>A?</think>\n B", 2) == "B"
    assert parse_letter("<think>\nB", 2) is None
    assert parse_rating("<think><answer>4</answer>") is None
    assert parse_rating("<think><answer>4</answer></think><answer>2</answer>") == 2
