"""AlpacaEval's NullModel at our gate, on a part of the replies behind the kept record."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.judge_loading.loading import load_scorer
from evaluator.judges.protocol import Judge
from evaluator.public_record.records import NULL_MODEL, kept_gate
from evaluator.robustness.answer_gate import NO_ANSWER_BELOW
from research.public_record.alpaca_gate import Reply, asked, repeated

EVERY = 20
"""Of NullModel's replies to 805 prompts, all the same text: 41 are asked about."""


@pytest.fixture(scope="module")
def replies(golden_data: Callable[[str], Path]) -> list[tuple[str, Reply]]:
    """System and reply."""
    with gzip.open(golden_data("alpaca_eval/gate_replies.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [(row["system"], Reply(row["prompt"], row["text"])) for row in map(json.loads, lines)]


def passing(judge: Judge, replies: list[Reply]) -> int:
    """How many the gate lets through."""
    return sum((own.probability or 0) >= NO_ANSWER_BELOW for own in asked(judge, replies))


def test_the_guard_marks_every_reply_of_the_one_text(replies: list[tuple[str, Reply]]) -> None:
    null_model = [reply for system, reply in replies if system == NULL_MODEL]
    assert len({reply.text for reply in null_model}) == 1
    assert repeated([null_model]) == kept_gate().repeated_null_model


def test_the_gate_lets_real_replies_through_and_not_the_one_text(replies: list[tuple[str, Reply]]) -> None:
    judge = load_scorer("pair").judge
    null_model = [reply for system, reply in replies if system == NULL_MODEL][::EVERY]
    real = [reply for system, reply in replies if system != NULL_MODEL]
    assert len(real) == kept_gate().systems
    passed_real, passed_null = (passing(judge, own) for own in (real, null_model))
    # Of 55 replies that pass with 92.3% fewer than 45 do once in 200 times; of 41 with 0.9% three or more once in 160.
    assert passed_real >= 45
    assert passed_null <= 2
