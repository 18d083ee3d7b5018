"""Samples of Every Eval Ever become runs: each sample once, whatever many metrics scored it."""

from __future__ import annotations

import json
from typing import Any

from submissions.check import CheckReport, check_submission
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


def test_a_file_of_one_sample_is_one_answer(bare_sets: Any) -> None:
    [run] = plan_of(lines(sample("1", "Tea with milk.")), "en_samples.jsonl", bare_sets).runs
    assert [row.answer for rows in run.rows.values() for row in rows.values()] == ["Tea with milk."]


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


def checked(*samples: dict[str, Any] | str) -> CheckReport:
    text = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in samples)
    return check_submission(text.encode(), "x_samples.jsonl", prompt_sets=PromptSets.load(None))


def test_the_check_says_what_the_file_holds_and_where_it_goes() -> None:
    report = checked(
        sample("1", "Tea."),
        sample("1", "Tea.", "judge"),
        sample("2-1", "", output={"raw": []}),
        sample("3", "", model_id="harbour/keel-1b", output={"raw": []}, error="timeout", evaluation={}),
    )
    problem, read = report.problems[:2]
    assert report.decision == "refused"
    assert (problem.code, problem.path) == ("wrong_root", "$")
    assert problem.message == "this is Every Eval Ever samples, no submission yet"
    counts = "4 lines: 3 samples of 2 models under 2 metrics, 3 lines with a score, 1 sample with an answer."
    assert (read.code, read.message, read.severity) == ("samples_read", f"read {counts}"[:-1], "note")
    assert "judge-report x_samples.jsonl" in problem.hint
    assert "pack x_samples.jsonl" in problem.hint


def test_samples_without_any_answer_are_not_sent_to_pack() -> None:
    wrong, read = checked(sample("1", "", output={"raw": []})).problems
    assert "0 samples with an answer" in read.message
    assert "pack" not in wrong.hint


def test_answers_to_prompts_of_an_edition_can_be_converted() -> None:
    wrong, _, mend = checked(sample("911-1", "At noon, I think."), sample("911-2", "Around twelve.")).problems
    assert (wrong.code, mend.code) == ("wrong_root", "pack_would_mend")
    assert "the answers of 2024 in it, like the 2 of 110 variants" in mend.message
    assert mend.hint == "python -m submissions pack x_samples.jsonl --team TEAM --system SYSTEM"


def test_each_line_that_is_not_read_is_named() -> None:
    report = checked(
        sample("1", "Tea."),
        sample("1", "Coffee."),
        sample("2", "Tea.", evaluation={"score": "high"}),
        sample("3", "Tea.", evaluation={"is_correct": True}),
        sample("", "Tea.", model_id=7),
        '{"evaluation_id": ',
        '["a"]',
    )
    _, read, *others = report.problems
    assert "7 lines: 1 sample of 1 model under 1 metric, 1 line with a score" in read.message
    assert read.message.endswith("; 6 lines not read")
    said = {problem.path: problem.message for problem in others}
    assert said["x_samples.jsonl:2"] == (
        'sample "1" stands under this metric already, at x_samples.jsonl:1; its first line is read'
    )
    assert said["x_samples.jsonl:3"] == (
        'evaluation.score is the text "high"; expected a number, or the reason in error'
    )
    assert said["x_samples.jsonl:4"] == "evaluation.score is absent; expected a number, or the reason in error"
    assert [problem.message for problem in others if problem.path == "x_samples.jsonl:5"] == [
        "model_id is the number 7; expected a text",
        "sample_id is an empty text; expected a text",
    ]
    assert [problem.code for problem in others if problem.path.startswith("x_samples.jsonl:6")] == ["json_syntax"]
    assert said["x_samples.jsonl:7"] == "the line is a list of 1 values; expected an object"
