"""What Ray Data calls in each of its processes, here called by hand."""

from __future__ import annotations

import pytest

from evaluator.judges.kind import Loading
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge
from evaluator.judges.recorded import judgment_from_json
from evaluator.judges.scripted import ScriptedJudge
from evaluator.rejudging.ray_data import JudgedBatch

PIN = ScriptedJudge().pin


def pair(text: str) -> JudgeRequest:
    first, second = text.split("/")
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": first, "answer_b": second}, "en")


def test_each_question_of_a_batch_has_its_verdict_beside_its_key() -> None:
    judged = JudgedBatch("scripted", PIN, pair, Loading())
    found = judged({"key": ["k1", "k2"], "request": ["red boat/red boat", "red boat/red car"]})
    assert found["key"] == ["k1", "k2"]
    # word overlap: 2 of 2 words -> 5; 1 of the 3 words red, boat, car -> 5/3
    assert [judgment_from_json(text).rating for text in found["verdict"]] == [5.0, pytest.approx(5 / 3)]


def test_a_judge_with_another_pin_judges_nothing() -> None:
    judged = JudgedBatch("scripted", PIN.model_copy(update={"revision": "other"}), pair, Loading())
    with pytest.raises(UnsuitableJudge, match=r"revision: word-overlap-1 and other"):
        judged({"key": ["k"], "request": ["a/b"]})
