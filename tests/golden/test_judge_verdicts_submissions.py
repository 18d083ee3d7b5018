"""The `submissions` cases of the position-bias specification: decision, codes, places and counts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from submissions.check import CheckReport, check_submission
from submissions.promptsets import PromptSets
from submissions.schema import VerdictChoices

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data/position_bias/golden_cases.json").read_text(encoding="utf-8")
)["submissions"]


def checked(case: dict[str, Any]) -> CheckReport:
    name = f"verdicts.{case['format']}"
    choices = VerdictChoices(**case["meta"])
    return check_submission(case["content"].encode(), name, choices=choices, prompt_sets=PromptSets.load(None))


def codes(report: CheckReport, severity: str) -> list[str]:
    return sorted(problem.code for problem in report.problems if problem.severity == severity)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_submission_case(case: dict[str, Any]) -> None:
    report = checked(case)
    assert report.decision == case["decision"]
    assert codes(report, "error") == sorted(case["errors"])
    if "warnings" in case:
        assert codes(report, "warning") == sorted(case["warnings"])
    if "error_indexes" in case:
        errors = [problem for problem in report.problems if problem.severity == "error"]
        places = [re.match(r"(?:rows|verdicts)\[(\d+)\]", problem.path) for problem in errors]
        assert [int(place.group(1)) for place in places if place] == case["error_indexes"]
    counts = {key: case[key] for key in ("n_pairs", "n_items") if key in case}
    assert counts.items() <= report.as_json()["coverage"].items()
    for problem in report.problems:
        assert problem.message
        assert problem.hint
