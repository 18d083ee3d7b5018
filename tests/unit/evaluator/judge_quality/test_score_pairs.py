"""`score-pairs`: JSON lines in, one scored line out per pair."""

from __future__ import annotations

import json

import pytest

from evaluator.judge_quality.score_pairs import (
    Pair,
    PairFileError,
    both_orders,
    read_pairs,
    score_pairs,
    score_pairs_command,
)
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge


def _first_words(request: JudgeRequest) -> float | None:
    """The number of words shown first: a judge with a position bias."""
    return float(len(request.fields["answer_a"].split())) if request.fields["answer_a"] != "mute" else None


def test_each_pair_is_scored_in_both_orders_and_the_order_of_the_input_is_kept() -> None:
    lines = ['{"id": "x", "a": "one two", "b": "one two three four"}\n', '{"id": 7, "a": "one", "b": "one"}\n']
    rows = [json.loads(row) for row in score_pairs_command(lines, ScriptedJudge(_first_words))]
    # x: 2 words shown first, then 4 -> mean 3
    assert rows == [
        {"id": "x", "score": 3.0, "ab": 2.0, "ba": 4.0, "reason": None},
        {"id": 7, "score": 1.0, "ab": 1.0, "ba": 1.0, "reason": None},
    ]


def test_an_unscored_pair_is_null_with_the_reason() -> None:
    (row,) = score_pairs([Pair("x", "mute", "mute")], ScriptedJudge(_first_words))
    assert (row.score, row.ab, row.ba, row.reason) == (None, None, None, "the script gives no rating")


def test_one_unscored_order_leaves_the_other_order_as_score_and_says_so() -> None:
    (row,) = score_pairs([Pair("x", "mute", "two words")], ScriptedJudge(_first_words))
    assert (row.score, row.ab, row.ba, row.reason) == (2.0, None, 2.0, "the script gives no rating")


def test_distinct_prompts_reach_the_judge_in_both_orders() -> None:
    ab, ba = both_orders(Pair("x", "left", "right", "Why?", "How?"), "en")
    assert dict(ab.fields) == {"answer_a": "left", "answer_b": "right", "prompt_1": "Why?", "prompt_2": "How?"}
    assert dict(ba.fields) == {"answer_a": "right", "answer_b": "left", "prompt_1": "Why?", "prompt_2": "How?"}
    (same, _) = both_orders(Pair("x", "left", "right", "Why?", "Why?"), "en")
    assert set(same.fields) == {"answer_a", "answer_b", "prompt_1"}


def test_all_bad_lines_are_named_at_once_and_nothing_is_scored() -> None:
    judge = ScriptedJudge()
    lines = [
        '{"id": "fine", "a": "x", "b": "y"}',
        "{broken",
        "",
        "[1, 2]",
        '{"id": "no b", "a": 3}',
        '{"id": true, "a": "x", "b": "y"}',
        r'{"id": "half", "a": "\ud800", "b": "y"}',
    ]
    with pytest.raises(PairFileError) as error:
        score_pairs_command(lines, judge)
    assert error.value.problems == (
        "line 2: not JSON (Expecting property name enclosed in double quotes at column 2)",
        "line 4: expected an object with id, a and b, found a list",
        'line 5: no "b"; "a" must be text, found a number',
        'line 6: "id" must be text or a whole number, found true or false',
        'line 7: "a" holds half of a surrogate pair',
    )
    assert judge.calls == 0


def test_other_keys_blank_lines_and_null_prompts_do_no_harm() -> None:
    line = '{"id": "x", "a": "left", "b": "right", "prompt_a": null, "grade": 4}'
    assert read_pairs([line, "\n"]) == [Pair("x", "left", "right")]


def test_a_file_longer_than_one_batch_is_scored_whole() -> None:
    pairs = [Pair(number, "one two", "one") for number in range(600)]
    assert [row.id for row in score_pairs(pairs, ScriptedJudge(_first_words))] == list(range(600))
