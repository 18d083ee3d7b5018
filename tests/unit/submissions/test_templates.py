"""Templates: filled in, they are accepted; unfilled, they are refused for being empty."""

from __future__ import annotations

import json
from typing import Any

import pytest

from submissions.promptsets import PromptSetError, PromptSets
from submissions.templates import answer_sheet, submission_template


def test_an_unfilled_template_is_refused_for_its_placeholder_and_emptiness(check: Any, bare_sets: PromptSets) -> None:
    report = check(submission_template(bare_sets.eloquent_2024))
    errors = sorted(problem.code for problem in report.problems if problem.severity == "error")
    assert errors == ["all_empty", "source_placeholder"]
    assert report.coverage.total.expected == 103


@pytest.mark.parametrize("set_id", ["eloquent-2024", "demonstration"])
def test_a_filled_template_is_accepted(check: Any, bare_sets: PromptSets, set_id: str) -> None:
    document = json.loads(submission_template(bare_sets.by_id(set_id)))
    results = document["eloquent-robustness-results"]
    results["source"] = "aurora"
    for item in results["items"]:
        for response in item["responses"]:
            response["response"] = f"answer {item['id']}"
    report = check(document)
    assert report.decision == "accepted"
    assert report.submission.set_id == set_id


def test_the_answer_sheet_numbers_the_prompts_from_one(bare_sets: PromptSets) -> None:
    sheet = json.loads(answer_sheet(bare_sets.demonstration))
    first = bare_sets.demonstration.items[0]
    assert sheet["items"][0]["id"] == first.id
    assert [variant["n"] for variant in sheet["items"][0]["variants"]] == list(range(1, len(first.variants) + 1))
    assert sheet["items"][0]["variants"][0]["prompt"] == first.variants[0].prompt


def test_without_prompts_there_is_no_answer_sheet(bare_sets: PromptSets) -> None:
    with pytest.raises(PromptSetError, match="PLUMBLINE_ELOQUENT_DIR"):
        answer_sheet(bare_sets.eloquent_2024)
