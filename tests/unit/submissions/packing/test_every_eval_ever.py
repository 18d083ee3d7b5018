"""Samples of Every Eval Ever become runs: each sample once, whatever many metrics scored it."""

from __future__ import annotations

import json
from typing import Any

from submissions.check import check_submission
from submissions.packing.every_eval_ever import EvaluatedSamples
from submissions.packing.plan import Choices, PackingPlan, planned
from submissions.packing.sources import Gathering
from submissions.promptsets import PromptSets
from submissions.schema import Names

CHOICES = Choices(names=Names("T", "S", None, None), edition="2026")


def sample(id_: str, answer: str, metric: str = "em", **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "culture/harbour/keel-7b/1",
        "model_id": "harbour/keel-7b",
        "evaluation_name": "culture",
        "evaluation_result_id": metric,
        "sample_id": id_,
        "interaction_type": "single_turn",
        "input": {"raw": "", "reference": []},
        "output": {"raw": [answer]},
        "answer_attribution": [],
        "evaluation": {"score": 0.5, "is_correct": False},
        **more,
    }


def lines(*samples: dict[str, Any]) -> bytes:
    return "".join(json.dumps(one) + "\n" for one in samples).encode()


def plan_of(data: bytes, name: str, sets: Any) -> PackingPlan:
    gathering = Gathering()
    gathering.add(name, (), data)
    return planned(gathering.sources, gathering.aside, CHOICES, prompt_sets=sets)


def test_each_sample_is_one_answer_under_its_id(bare_sets: Any) -> None:
    data = lines(
        sample("1", "Tea with milk."), sample("1", "Tea with milk.", "judge"), sample("2-1", "A small present.")
    )
    [run] = plan_of(data, "en_samples.jsonl", bare_sets).runs
    answers = {key: row.answer for rows in run.rows.values() for key, row in rows.items()}
    assert answers == {"1": "Tea with milk.", "2-1": "A small present."}
    assert run.names.model == "harbour/keel-7b"


def test_samples_without_an_answer_and_conversations() -> None:
    samples = EvaluatedSamples()
    assert samples.row(sample("1", "", error="timeout")) is None
    talk = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}, {"role": "tool"}]
    conversation = sample("2", "", output=None, messages=talk)
    assert samples.row(conversation) == {"id": "2", "model": "harbour/keel-7b", "answer": "So."}
    several = samples.row(sample("3", "", output={"raw": ["a", "b"]}))
    assert several is not None
    assert several["answer"] == ["a", "b"]


def test_two_answers_to_one_sample_are_both_kept_for_the_reader_to_refuse() -> None:
    samples = EvaluatedSamples()
    assert samples.row(sample("1", "Tea.")) is not None
    assert samples.row(sample("1", "Coffee.")) is not None


def test_the_check_says_what_the_file_is_and_where_it_goes() -> None:
    report = check_submission(lines(sample("1", "Tea.")), "x_samples.jsonl", prompt_sets=PromptSets.load(None))
    (problem,) = report.problems
    assert (problem.code, problem.path) == ("wrong_kind", "$")
    assert "Every Eval Ever samples" in problem.message
    assert "judge-report x_samples.jsonl" in problem.hint
    assert "pack x_samples.jsonl" in problem.hint
