"""The submission cases of the personalization specification: the codes each document must show, in both forms."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from submissions.check import CheckReport, check_submission
from submissions.formats.personalized import option_order_hash
from submissions.promptsets import PromptSets

Document = dict[str, Any]


def changed(base: Document, case: Document) -> Document:
    """The base document with the case's values set, then its keys deleted."""
    document = copy.deepcopy(base)
    for path, value in case.get("set", []):
        holder = reached(document, path[:-1])
        if isinstance(holder, list) and path[-1] == len(holder):
            holder.append(value)
        else:
            holder[path[-1]] = value
    for path in case.get("delete", []):
        del reached(document, path[:-1])[path[-1]]
    return document


def reached(document: Any, path: list[Any]) -> Any:
    for step in path:
        document = document[step]
    return document


def as_document(document: Document) -> bytes:
    return json.dumps(document).encode()


def as_lines(document: Document) -> bytes:
    envelope = {key: value for key, value in document.items() if key != "rows"}
    return "\n".join(json.dumps(line) for line in (envelope, *document["rows"])).encode()


def codes(report: CheckReport, severity: str) -> set[str]:
    return {problem.code for problem in report.problems if problem.severity == severity}


@pytest.mark.parametrize("form", [as_document, as_lines])
def test_every_case_shows_its_codes_and_no_other_error(own_data: Path, form: Any) -> None:
    data = json.loads((own_data / "personalization/submission_cases.json").read_text("utf-8"))
    prompt_sets = PromptSets.load(None)
    for case in data["cases"]:
        report = check_submission(form(changed(data["base"], case)), "answers", prompt_sets=prompt_sets)
        assert codes(report, "error") == set(case["errors"]), case["name"]
        assert codes(report, "warning") >= set(case.get("warnings", [])), case["name"]
        assert (report.entry is None) == bool(case["errors"]), case["name"]


def test_every_hash_is_that_of_the_specification(own_data: Path) -> None:
    cases = json.loads((own_data / "personalization/edge_cases.json").read_text("utf-8"))["option_order_hash"]
    assert len(cases) == 4
    for options, expected in cases:
        assert option_order_hash(options) == expected
