"""Open questions: each once, in the order in which they came, back from Parquet as they were."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.rejudging import open_questions
from evaluator.rejudging.open_questions import NotingJudge, OpenQuestions, ReadOnly


def pair(number: int) -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": f"boat {number}", "answer_b": "船\n"}, "en", f"item {number}")


def key(number: int) -> str:
    return sha256(str(number).encode()).hexdigest()


def test_what_is_listed_comes_back_once_and_in_order_over_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_questions, "ROWS_PER_FILE", 3)
    listed = OpenQuestions(tmp_path)
    for number in (0, 1, 2, 1, 3, 4, 0, 5, 6):
        listed.add(key(number), pair(number), f"t{number}")
    listed.close()
    assert len(listed) == 7
    assert [file.name for file in listed.files] == ["000000.parquet", "000001.parquet", "000002.parquet"]
    batches = list(listed.batches(2))
    assert [len(batch) for batch in batches] == [2, 1, 2, 1, 1]  # 3 + 3 + 1, two at a time
    found = {one: request for batch in batches for one, request in batch.items()}
    assert list(found) == [key(number) for number in range(7)]
    assert list(found.values()) == [pair(number) for number in range(7)]
    assert [request.place for request in found.values()] == [f"item {number}" for number in range(7)]


def test_a_judge_that_notes_is_asked_nothing_and_lists_only_what_is_not_stored(tmp_path: Path) -> None:
    judge, stored = ScriptedJudge(), MemoryVerdicts()
    RecordedJudge(judge, stored).verdicts([pair(0), pair(1)])
    listed = OpenQuestions(tmp_path)
    noting = NotingJudge(judge, listed, "t1")
    said = RecordedJudge(noting, ReadOnly(stored)).verdicts([pair(number) for number in range(4)])
    listed.close()
    assert [one.judgment.reason for one in said] == [None, None, "not asked yet", "not asked yet"]
    assert (judge.calls, noting.pin) == (2, judge.pin)
    asked = [pair(2), pair(3)]
    assert list(listed.batches(10)) == [{judge.key(one): one for one in asked}]
    assert stored.load_verdicts([judge.key(one) for one in asked]) == {}


def test_what_was_asked_is_told_apart_by_the_submission_that_asked_first(tmp_path: Path) -> None:
    listed = OpenQuestions(tmp_path)
    for number, ticket_id in ((0, "t1"), (1, "t2"), (0, "t2")):
        listed.add(key(number), pair(number), ticket_id)
    assert listed.by_submission({key(0): "a", key(1): "b"}) == {"t1": {key(0): "a"}, "t2": {key(1): "b"}}
