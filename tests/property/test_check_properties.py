"""Laws of the check: it never raises, places every refusal, and what means nothing changes nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.check import CheckReport, check_submission
from submissions.formats.eloquent.template import submission_template
from submissions.promptsets import PromptSets, eloquent_2024_without_prompts, load_demonstration
from tests.property.fuzz import faults_of
from tests.property.mutants import JSON_VALUES, places, put

SETS = PromptSets(eloquent_2024_without_prompts(), load_demonstration())
ROOT_KEY = "eloquent-robustness-results"
RANK = {"accepted": 0, "accepted_with_warnings": 1, "refused": 2}
HARMLESS = {"crlf", "utf8_bom", "item_order"}

# Few of a text's letters, so that language votes need no detector: the laws are about the form.
ANSWERS = st.text(max_size=12)


def filled(answers: list[str] | None = None) -> dict[str, Any]:
    """The demonstration template with a team and an answer in every place."""
    document: dict[str, Any] = json.loads(submission_template(SETS.demonstration))
    results = document[ROOT_KEY]
    results["source"] = "aurora"
    number = 0
    for item in results["items"]:
        for response in item["responses"]:
            response["response"] = answers[number % len(answers)] if answers else f"answer {item['id']}"
            number += 1
    return document


VALID = filled()
VALID_BYTES = json.dumps(VALID).encode()


def check(data: bytes, name: str = "file.json", edition: str = "auto") -> CheckReport:
    return check_submission(data, name, edition=edition, prompt_sets=SETS)


def is_well_formed(report: CheckReport) -> None:
    """What holds for the report of any file."""
    assert faults_of(report) == []


@given(st.binary(max_size=200), st.sampled_from(["auto", "2024", "2025", "2026"]))
@settings(max_examples=150)
def test_any_bytes_are_answered(data: bytes, edition: str) -> None:
    is_well_formed(check(data, edition=edition))


@given(st.integers(0, len(VALID_BYTES) - 1), st.integers(0, 40), st.binary(max_size=6))
@settings(max_examples=150)
def test_a_file_with_some_bytes_replaced_is_answered(start: int, length: int, replacement: bytes) -> None:
    is_well_formed(check(VALID_BYTES[:start] + replacement + VALID_BYTES[start + length :]))


PLACES = places(VALID)


@given(st.lists(st.tuples(st.sampled_from(PLACES), JSON_VALUES), min_size=1, max_size=4))
@settings(max_examples=200)
def test_any_value_in_any_place_is_answered_and_never_better(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    document = copy.deepcopy(VALID)
    for path, value in changes:
        put(document, path, value)
    report = check(json.dumps(document).encode())
    is_well_formed(report)
    assert report.decision != "accepted" or report.submission is not None


def number_in_place_of_a_response(document: dict[str, Any], item: int) -> None:
    document[ROOT_KEY]["items"][item]["responses"][0]["response"] = 7


def response_too_few(document: dict[str, Any], item: int) -> None:
    document[ROOT_KEY]["items"][item]["responses"].pop()


def foreign_id(document: dict[str, Any], item: int) -> None:
    document[ROOT_KEY]["items"][item]["id"] = f"none {item}"


def responses_gone(document: dict[str, Any], item: int) -> None:
    del document[ROOT_KEY]["items"][item]["responses"]


def key_renamed(document: dict[str, Any], item: int) -> None:
    document[ROOT_KEY]["items"][item]["responses"][0] = {"answer": "a"}


def half_a_character(document: dict[str, Any], item: int) -> None:
    document[ROOT_KEY]["items"][item]["responses"][0]["response"] = "\ud83d"


FAULTS = (
    number_in_place_of_a_response,
    response_too_few,
    foreign_id,
    responses_gone,
    key_renamed,
    half_a_character,
)
ITEMS = len(VALID[ROOT_KEY]["items"])


def told(report: CheckReport) -> set[tuple[str, str]]:
    """Errors by code and place, without the diagnoses of the whole list."""
    return {
        (problem.code, problem.path)
        for problem in report.problems
        if problem.severity == "error" and problem.path != f"$.{ROOT_KEY}.items"
    }


@given(
    st.lists(
        st.tuples(st.sampled_from(FAULTS), st.integers(0, ITEMS - 1)), min_size=2, unique_by=lambda fault: fault[1]
    )
)
@settings(max_examples=60)
def test_a_further_fault_hides_no_other_items_and_improves_nothing(faults: list[tuple[Any, int]]) -> None:
    document = copy.deepcopy(VALID)
    before = check(json.dumps(document).encode())
    for fault, item in faults:
        fault(document, item)
        after = check(json.dumps(document).encode())
        assert RANK[after.decision] >= RANK[before.decision]
        assert told(before) <= told(after)
        before = after
    assert len(told(before)) == len(faults)


@given(st.permutations(range(ITEMS)), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([None, 0, 3]))
@settings(max_examples=40)
def test_order_line_ends_marks_and_escapes_change_notes_and_warnings_only(
    order: list[int], crlf: bool, mark: bool, escaped: bool, indent: int | None
) -> None:
    document = copy.deepcopy(VALID)
    document[ROOT_KEY]["items"][0]["responses"][0]["response"] = "Å, å \U0001f600"
    plain = check(json.dumps(document).encode())
    document[ROOT_KEY]["items"] = [document[ROOT_KEY]["items"][index] for index in order]
    text = json.dumps(document, ensure_ascii=escaped, indent=indent)
    if crlf:
        text = text.replace("\n", "\r\n")
    data = ("\ufeff" + text if mark else text).encode("utf-8")
    changed = check(data)
    assert changed.coverage == plain.coverage
    assert plain.submission is not None
    assert changed.submission is not None
    assert changed.submission.items == plain.submission.items
    added = {problem.code for problem in changed.problems} - {problem.code for problem in plain.problems}
    assert added <= HARMLESS


@given(st.text(max_size=30), st.sampled_from([VALID_BYTES, VALID_BYTES[:-10], b"", b"[]"]))
@settings(max_examples=60)
def test_the_name_of_a_file_decides_nothing(name: str, data: bytes) -> None:
    one, other = check(data), check(data, name)
    assert one.decision == other.decision
    assert one.problems_by_code == other.problems_by_code
    assert one.submission == other.submission
    is_well_formed(other)


@given(st.lists(ANSWERS, min_size=1, max_size=30))
@settings(max_examples=60)
def test_what_was_written_is_what_is_read(answers: list[str]) -> None:
    document = filled(answers)
    report = check(json.dumps(document).encode())
    if report.submission is None:
        assert {"control_char"} <= set(report.problems_by_code)
        return
    again = {
        item.item_id: [{"response": response.response} for response in item.responses]
        for item in report.submission.items
    }
    assert again == {item["id"]: item["responses"] for item in document[ROOT_KEY]["items"]}
    assert report == check(json.dumps(document).encode())
