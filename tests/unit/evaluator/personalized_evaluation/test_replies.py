"""What is read out of a judge's raw text, beyond the cases of the shared data."""

from __future__ import annotations

import pytest

from evaluator.personalized_evaluation.replies import parse_choice, parse_score
from submissions.formats.personalized_evaluation.submission import Scale

TEN = Scale(1, 10)


def score(text: str, scale: Scale = TEN) -> object:
    answer = parse_score(text, scale)
    return answer.value if answer.is_given else answer.reason


def choice(text: str) -> object:
    answer = parse_choice(text)
    return answer.value if answer.is_given else answer.reason


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("score : 3 / 10", 3.0),
        ("'Score' = '4'", 4.0),
        ("SCORE: 7. A good one.", 7.0),
        ("Score: 7.5/10", 7.5),
        ("A subscore: 2", "unparsed"),
        ("Score: 7th heaven", "unparsed"),
        ('{"SCORE": "7"}', 7.0),
        ('{"Score": "seven"}', "unparsed"),
        ('{"Score": [7]}', "unparsed"),
        ('{"Score": "8/5"}', "out_of_range"),
        ('{"Score": 1e400}', "out_of_range"),
        ('{"Score": ' + "9" * 400 + "}", "out_of_range"),
        ('{"Score": 0.999}', "out_of_range"),
        ("```\nScore: 2\n```\nScore: 9", 2.0),
        ("```\nno number\n```\nScore: 9", 9.0),
        ("Score: 3\n```json\n{broken\n```", 3.0),
        ("[" * 100_000, "unparsed"),
        ('```json\n{"Review": "cut off", "Score": 6', 6.0),
    ],
)
def test_a_score_is_found_where_it_stands_and_never_guessed(text: str, found: object) -> None:
    assert score(text) == found


def test_the_range_is_that_of_the_scale() -> None:
    assert score('{"Score": 0}', Scale(0, 5)) == 0.0
    assert score("Score: 4/5", Scale(0, 5)) == 4.0
    assert score("Score: 4/10", Scale(0, 5)) == "out_of_range"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("choice = plot b", "B"),
        ("Choice: A because it moves.", "A"),
        ("Choice: a tie, really", "unparsed"),
        ("My choice: b.", "B"),
        ('"Choice": "A"', "A"),
        ("Choice: A/B", "unparsed"),
        ("Choice: A. On reflection, choice: A", "A"),
        ("**Plot B**", "B"),
        ("(a)", "A"),
        ("Plot B! Plot B again.", "B"),
        ("Both are fine", "unparsed"),
        ('{"Choice": ["A"]}', "unparsed"),
        ('{"Choice": "Plot A."}', "unparsed"),
        ("```\nPlot A\n```\nPlot B was close", "A"),
    ],
)
def test_a_choice_is_found_where_it_stands_and_never_guessed(text: str, found: object) -> None:
    assert choice(text) == found


@pytest.mark.parametrize(
    "text", ["score:" * 50_000, "choice: " * 50_000, '"' * 100_000, "```" * 50_001, ", " * 100_000]
)
def test_a_long_hostile_reply_is_read_at_once(text: str) -> None:
    assert score(text) == "unparsed"
    assert choice(text) == "unparsed"


def test_what_stands_in_thoughts_is_no_answer() -> None:
    assert parse_score("<think>Score: 9", Scale(1, 10)).reason == "unparsed"
    assert parse_score("[THINK]Score: 9[/THINK] Score: 7", Scale(1, 10)).value == 7
    assert parse_choice("So. <analysis>Choice: A, as").reason == "unparsed"
    assert parse_choice("<think>Plot A?</think> Plot B").value == "B"
