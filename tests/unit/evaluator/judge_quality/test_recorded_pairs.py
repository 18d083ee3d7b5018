"""What the boards of a first start show of SmolLM2, pair by pair, graded."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

from evaluator.judge_quality.long_answers import all_pairs
from evaluator.judge_quality.recorded_pairs import recorded_pairs
from submissions.recorded import recorded_submissions
from tests.unit.evaluator.judge_quality.test_small_model_answers import says_nothing

RUNS = ("greedy", "consistent", "seed_1", "seed_2")


def test_every_two_answers_to_a_question_are_graded_once() -> None:
    expected: Counter[tuple[str, str, str]] = Counter()
    for name, run in recorded_submissions():
        if name.removeprefix("smollm2_").removesuffix(".json") in RUNS:
            for item in json.loads(run)["eloquent-robustness-results"]["items"]:
                texts = [response["response"] for response in item["responses"] if response["response"].strip()]
                expected.update((item["id"], *two) for two in combinations(texts, 2))
    assert Counter((pair.topic, pair.a, pair.b) for pair in recorded_pairs()) == expected
    assert len(recorded_pairs()) == 212
    assert {pair.grade for pair in recorded_pairs()} == {0, 1, 2, 3, 4}


def test_judges_are_measured_on_them_and_never_trained() -> None:
    assert recorded_pairs("train") == recorded_pairs("validation") == []
    known = {text for pair in all_pairs() for text in (pair.a, pair.b)}
    shown = {text for pair in recorded_pairs("test") for text in (pair.a, pair.b)}
    assert all(says_nothing(text) for text in known & shown)


def test_prompts_are_those_that_were_answered() -> None:
    first = recorded_pairs()[0]
    assert (first.id, first.prompt_a[:20]) == ("greedy-901-1-2", "Could you please exp")
    assert first.a.startswith("Sure, I'd be happy to help with that.")
