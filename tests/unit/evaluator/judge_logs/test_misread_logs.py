"""Logs that were silently read to a wrong number give the right one, or a refusal or count that says why."""

from __future__ import annotations

import json
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
