"""Logs that were silently read to a wrong number give the right one, or a refusal or count that says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.judge_logs.judgements import JudgementLog
from evaluator.judge_logs.registry import read_log


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def log_of(data: bytes, name: str = "log.jsonl") -> JudgementLog:
    reading = read_log(data, name)
    assert reading.log is not None, reading.findings.problems
    return reading.log


def refusal(data: bytes, name: str = "log.jsonl") -> str:
    """Place and message of the first fault that refuses a file."""
    reading = read_log(data, name)
    assert reading.log is None
    return f"{reading.findings.problems[0].path} {reading.findings.problems[0].message}"


# --- systems that are called like a verdict ---


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("1", "2", "1"),
        ("a", "b", "A"),
        ("A", "B", "a"),
        ("Tie", "m", "tie"),
        ("left", "right", "left"),
        ("FIRST", "second", "FIRST"),
        ("model_a", "model_b", "model_a"),
        ("win", "lose", "win"),
        ("draw", "m", "draw"),
        ("0", "1", "0"),
        ("Error", "m", "error"),
        ("None", "m", "None"),
        ("Second", "m", "second"),
    ],
)
def test_a_verdict_that_is_a_systems_name_and_a_word_is_refused(one: str, other: str, verdict: str) -> None:
    data = f"question,first,second,verdict\n1,{one},{other},{verdict}\n1,{other},{one},{verdict}\n".encode()
    assert "may be a place or a name" in refusal(data, "t.csv")


def test_a_name_that_reads_alike_either_way_and_other_names_are_read() -> None:
    data = b"question,first,second,verdict\n1,1,2,1\n2,1,2,2\n3,gpt-1,left-2,gpt-1\n4,m1,m2,tie\n"
    assert [one.verdict for one in log_of(data, "t.csv").judgements] == ["A", "B", "A", "C"]


# --- panels of inspect_ai ---

PRINTED_BY_INSPECT = Path(__file__).parents[3] / "data" / "judge_logs" / "printed_by_inspect"


@pytest.mark.parametrize(
    ("name", "judge", "ratings"),
    [
        # Graders a, b and c say CICC, CCIC and ICII.
        ("panel_mean", "panel that the log does not name", [2 / 3, 2 / 3, 1 / 3, 2 / 3]),
        ("panel_at_least", "panel of mockllm/grader-a, mockllm/grader-b, mockllm/grader-c", [1, 1, 0, 1]),
    ],
)
def test_a_value_made_of_several_grades_is_the_panels(name: str, judge: str, ratings: list[float]) -> None:
    judgements = log_of((PRINTED_BY_INSPECT / f"{name}.json").read_bytes(), "log.json").judgements
    assert {one.judge for one in judgements} == {judge}
    assert [one.rating for one in judgements] == pytest.approx(ratings)


def test_grades_that_inspect_collects_as_a_list_are_refused() -> None:
    assert "the value of multi_scorer is" in refusal((PRINTED_BY_INSPECT / "panel_collect.json").read_bytes(), "l.json")


@pytest.mark.parametrize(("value", "is_own"), [(7, True), ("7", True), (6.5, False)])
def test_a_number_that_the_grader_states_is_its_own(value: object, is_own: bool) -> None:
    log = json.loads((PRINTED_BY_INSPECT / "panel_mean.json").read_bytes())
    log["samples"] = log["samples"][:1]
    score = log["samples"][0]["scores"]["panel"]
    score["value"] = value
    score["metadata"]["grading"][-1]["content"] = [{"type": "text", "text": "Grade: 3? No. GRADE: 7"}]
    [rated] = log_of(json.dumps(log).encode(), "log.json").judgements
    assert (rated.judge == "mockllm/grader-a") is is_own
