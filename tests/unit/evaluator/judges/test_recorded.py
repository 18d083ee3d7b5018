"""Verdicts are stored once: what is asked, what is not, and in which batches it is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.recorded import (
    Batch,
    MemoryVerdicts,
    RecordedJudge,
    judgment_from_json,
    judgment_to_json,
)
from evaluator.judges.scripted import ScriptedJudge
from evaluator.steps import Steps, StepStanding, heard
from submissions.store.queue import REQUESTS_PER_BATCH


def pair(first: str, second: str) -> JudgeRequest:
    return JudgeRequest(SIMILARITY_PAIR, {"answer_a": first, "answer_b": second}, "en")


def test_verdicts_come_back_in_the_order_of_the_requests() -> None:
    recorded = RecordedJudge(ScriptedJudge(), MemoryVerdicts())
    verdicts = recorded.verdicts([pair("a b", "a b"), pair("a b", "c d"), pair("a b", "a c")])
    # Jaccard of the words: 2/2, 0/4, 1/3
    assert [verdict.judgment.rating for verdict in verdicts] == [5.0, 0.0, pytest.approx(5 / 3)]


def test_a_stored_verdict_is_not_asked_for_again() -> None:
    judge, store = ScriptedJudge(), MemoryVerdicts()
    first = RecordedJudge(judge, store).verdicts([pair("a", "b"), pair("b", "a")])
    assert judge.calls == 2
    again = RecordedJudge(judge, store).verdicts([pair("a", "b"), pair("b", "a"), pair("a", "c")])
    assert judge.calls == 3
    assert again[:2] == first


def test_equal_requests_in_one_call_are_asked_once() -> None:
    judge = ScriptedJudge()
    verdicts = RecordedJudge(judge, MemoryVerdicts()).verdicts([pair("a", "b")] * 3)
    assert judge.calls == 1
    assert len({verdict.key for verdict in verdicts}) == 1


def test_another_order_language_or_judge_is_another_question() -> None:
    judge = ScriptedJudge()
    other = ScriptedJudge(script_version="other")
    swedish = JudgeRequest(SIMILARITY_PAIR, {"answer_a": "a", "answer_b": "b"}, "sv")
    keys = {judge.key(pair("a", "b")), judge.key(pair("b", "a")), judge.key(swedish), other.key(pair("a", "b"))}
    assert len(keys) == 4
    assert judge.key(pair("a", "b")) == ScriptedJudge().key(pair("a", "b"))


def test_what_was_judged_before_a_stop_is_kept() -> None:
    judge, store = ScriptedJudge(), MemoryVerdicts()
    requests = [pair("a", f"b{number}") for number in range(2 * REQUESTS_PER_BATCH + 5)]

    def stop_after_first(batch: Batch) -> None:
        if batch.judged == REQUESTS_PER_BATCH:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        RecordedJudge(judge, store, stop_after_first).verdicts(requests)
    assert judge.calls == REQUESTS_PER_BATCH
    RecordedJudge(judge, store).verdicts(requests)
    assert judge.calls == len(requests)


def test_progress_counts_stored_verdicts_as_judged_but_not_as_new() -> None:
    store = MemoryVerdicts()
    RecordedJudge(ScriptedJudge(), store).verdicts([pair("a", "b")])
    seen: list[tuple[int, int, int]] = []
    recorded = RecordedJudge(
        ScriptedJudge(), store, lambda batch: seen.append((batch.judged, batch.to_judge, batch.newly_stored))
    )
    recorded.verdicts([pair("a", "b"), pair("a", "c"), pair("a", "d")])
    assert seen == [(1, 3, 0), (3, 3, 2)]


def test_an_unscored_judgment_is_stored_with_its_reason() -> None:
    judge, store = ScriptedJudge(lambda request: None), MemoryVerdicts()
    (verdict,) = RecordedJudge(judge, store).verdicts([pair("a", "b")])
    assert verdict.judgment == Judgment(None, reason="the script gives no rating")
    assert RecordedJudge(judge, store).verdicts([pair("a", "b")])[0] == verdict
    assert judge.calls == 1


def test_a_judgment_survives_its_json() -> None:
    judgment = Judgment(3.25, (0.1, 0.2, 0.7), 0.99, None, {"cosine": 0.5})
    assert judgment_from_json(judgment_to_json(judgment)) == judgment


def test_every_question_is_told_with_its_place_before_it_is_asked() -> None:
    told: list[str] = []
    places = [f"item {number}, variants 1 and 2" for number in range(3)]
    requests = [replace(pair("a", f"b{number}"), place=place) for number, place in enumerate(places)]
    judge = ScriptedJudge()
    steps = Steps(told.append)
    judge.on_request = steps.at
    RecordedJudge(judge, MemoryVerdicts(), steps=steps).verdicts(requests)
    standing: StepStanding | None = StepStanding("scripted", "t1", 1)
    words = []
    for line in told:
        standing = heard(standing, line)
        assert standing is not None
        if standing.at is not None:
            words.append(standing.words)
    assert words == [f"judging {place}" for place in places]
    assert standing is not None
    assert standing.words == "working out the figures"


def test_where_a_question_comes_from_is_no_part_of_it() -> None:
    judge = ScriptedJudge()
    assert judge.key(replace(pair("a", "b"), place="item 1")) == judge.key(pair("a", "b"))


def test_signs_without_a_place_are_few_and_places_are_all_told() -> None:
    told: list[str] = []
    steps = Steps(told.append, sign_every_s=3600.0)
    for _ in range(1000):
        steps.sign()
        steps.at(None)
    assert told == ["{}"]
    for place in (0, 1, None, None, 1):
        steps.at(place)
    assert told[1:] == ['{"at": 0}', '{"at": 1}', '{"at": null}', '{"at": 1}']
