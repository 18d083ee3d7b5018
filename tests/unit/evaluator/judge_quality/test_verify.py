"""Stored verdicts are asked for again: the same judge gives the same, another one is found out."""

from __future__ import annotations

from evaluator.judge_quality.verify import Recheck
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge

REQUESTS = [JudgeRequest(SIMILARITY_PAIR, {"answer_a": "a b", "answer_b": f"a {number}"}, "en") for number in range(20)]


def stored() -> MemoryVerdicts:
    verdicts = MemoryVerdicts()
    RecordedJudge(ScriptedJudge(), verdicts).verdicts(REQUESTS)
    return verdicts


def test_a_sample_is_asked_again_and_found_the_same() -> None:
    judge, recheck = ScriptedJudge(), Recheck(stored(), sample=7)
    RecordedJudge(judge, recheck).verdicts(REQUESTS)
    assert (judge.calls, recheck.compared, recheck.largest_difference) == (7, 7, 0.0)


def test_a_judge_that_has_changed_is_found_out() -> None:
    changed = ScriptedJudge(lambda request: 0.0)  # under the same pin
    recheck = Recheck(stored(), sample=20)
    RecordedJudge(changed, recheck).verdicts(REQUESTS)
    # two words each, one in common: 5 x 1/3 before, 0 now
    assert recheck.largest_difference == 5 / 3


def test_a_verdict_that_came_or_went_counts_as_infinite() -> None:
    recheck = Recheck(stored(), sample=1)
    RecordedJudge(ScriptedJudge(lambda request: None), recheck).verdicts(REQUESTS)
    assert recheck.largest_difference == float("inf")


def test_no_more_is_asked_than_is_stored() -> None:
    recheck = Recheck(stored(), sample=500)
    RecordedJudge(ScriptedJudge(), recheck).verdicts(REQUESTS)
    assert recheck.compared == 20
