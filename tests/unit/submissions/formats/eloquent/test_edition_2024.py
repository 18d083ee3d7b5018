"""The 2024 reader: what is accepted, what is told, and that every fault is told at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from submissions.formats.eloquent.stated_slots import comparable_prompt
from submissions.schema import Names

RESULTS = "$.eloquent-robustness-results"


def results(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["eloquent-robustness-results"]
    return found


def entry(document: dict[str, Any], item: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in results(document)["items"] if each["id"] == item)
    return found


def codes(report: Any, severity: str = "") -> list[str]:
    return sorted(problem.code for problem in report.problems if severity in ("", problem.severity))


def test_a_complete_file_is_accepted_with_all_its_slots(check: Any, document: Any) -> None:
    report = check(document)
    assert report.decision == "accepted"
    assert (report.kind, report.edition) == ("eloquent", "2024")
    assert codes(report) == ["set_unavailable"]
    submission = report.submission
    assert submission.set_id == "eloquent-2024"
    # 16 items, 103 variants (specification, section 3).
    assert len(submission.items) == 16
    assert len(list(submission.responses())) == 103
    second = submission.items[1].responses[5]
    assert (second.item_id, second.base_id, second.variant, second.language) == ("002", "002", 6, "en")
    assert second.turns == (("", "answer 002"),)
    assert submission.file_sha256 == report.sha256


def test_every_fault_is_told_at_once(check: Any, document: Any) -> None:
    results(document)["source"] = ""
    results(document)["year"] = "2023"
    entry(document, "001")["responses"][0] = {"response": 7}
    entry(document, "003")["responses"].pop()
    entry(document, "005")["id"] = "055"
    entry(document, "009")["responses"][1] = {"text": "a"}
    report = check(document)
    assert codes(report, "error") == [
        "response_count",
        "response_key",
        "response_type",
        "source_missing",
        "unknown_id",
        "year_mismatch",
    ]
    assert report.submission is None


def test_a_wrong_count_names_item_expected_found_and_languages(check: Any, document: Any) -> None:
    entry(document, "003")["responses"].pop()
    (problem,) = [problem for problem in check(document).problems if problem.code == "response_count"]
    # 003: en 4, ar 4, el 3 = 11; one taken away leaves 10.
    assert problem.message == "item 003: expected 11 responses, found 10 (this item has 11 variants: en 4, ar 4, el 3)"
    assert (problem.variant, problem.language) == (None, None)


def test_a_faulty_response_does_not_blind_the_guards(check: Any, document: Any) -> None:
    entry(document, "016")["responses"][0] = {"response": None}
    entry(document, "002")["responses"][0] = {"response": "Error: 500"}
    assert {"response_type", "error_text"} <= set(codes(check(document)))


def test_faulty_responses_are_not_called_skipped(check: Any, document: Any) -> None:
    entry(document, "016")["responses"][0] = {"response": None}
    assert "skipped_responses" not in codes(check(document))


def test_absent_items_become_blank_responses(check: Any, document: Any) -> None:
    results(document)["items"] = [each for each in results(document)["items"] if each["id"] not in ("004", "011")]
    report = check(document)
    (problem,) = [problem for problem in report.problems if problem.code == "missing_items"]
    assert "004, 011" in problem.message
    assert problem.severity == "warning"
    assert all(response.is_blank for response in report.submission.items[3].responses)
    # 103 slots without the 8 of 004 and the 2 of 011.
    assert report.coverage.total.answered == 93


@pytest.mark.parametrize("written", [1, "1", " 001 "])
def test_ids_written_as_numbers_are_read(check: Any, document: Any, written: Any) -> None:
    entry(document, "001")["id"] = written
    report = check(document)
    assert codes(report, "warning") == ["id_normalised"]
    assert report.submission is not None


@pytest.mark.parametrize("written", [True, 1.5, ["001"], {"a": 1}, 0, -1, "1a", "0001"])
def test_what_is_no_id_is_unknown(check: Any, document: Any, written: Any) -> None:
    entry(document, "001")["id"] = written
    assert "unknown_id" in codes(check(document), "error")


def test_all_ids_as_numbers_without_zeros_are_read(check: Any, document: Any) -> None:
    for index, each in enumerate(results(document)["items"], start=1):
        each["id"] = str(index)
    assert codes(check(document), "warning") == ["id_normalised"]


def test_one_id_of_two_digits_is_asked_about_and_hides_nothing_else(check: Any, document: Any) -> None:
    entry(document, "002")["responses"][1] = {"response": None}
    entry(document, "003")["id"] = "03"
    assert codes(check(document), "error") == ["paper_numbering", "response_type"]


def test_ids_of_two_digits_only_above_nine_are_asked_about(check: Any, document: Any) -> None:
    results(document)["items"] = results(document)["items"][9:]
    for index, each in enumerate(results(document)["items"], start=10):
        each["id"] = str(index)
    assert codes(check(document), "error") == ["paper_numbering"]


def test_numbers_1_to_15_with_the_papers_counts_are_the_papers(check: Any, document: Any) -> None:
    # English prompts of the paper's items 01 to 15: Table 1, that is the file's items without 009.
    counts = (4, 4, 4, 2, 3, 3, 6, 4, 2, 2, 4, 2, 3, 2, 3)
    results(document)["items"] = [
        {"id": number, "responses": [{"response": f"answer {number}"}] * count}
        for number, count in enumerate(counts, start=1)
    ]
    assert codes(check(document), "error") == ["paper_numbering"]


def test_an_item_that_stands_twice_is_told_at_the_second_place(check: Any, document: Any) -> None:
    results(document)["items"].append({"id": 7, "responses": []})
    (problem,) = [problem for problem in check(document).problems if problem.severity == "error"]
    assert (problem.code, problem.path, problem.item) == ("duplicate_id", f"{RESULTS}.items[16].id", "007")


def test_only_some_english_only_lists_are_diagnosed_too(check: Any, document: Any) -> None:
    # 001 has 4 English of 12, 008 has 4 of 8.
    for item in ("001", "008"):
        entry(document, item)["responses"] = entry(document, item)["responses"][:4]
    assert codes(check(document), "error") == ["english_only_lists", "response_count", "response_count"]


def test_three_samples_of_every_item_are_called_three(check: Any, document: Any) -> None:
    for each in results(document)["items"]:
        each["responses"] = each["responses"] * 3
    (problem,) = [problem for problem in check(document).problems if problem.code == "several_samples"]
    assert "3 times" in problem.message


def test_a_test_set_under_the_name_of_the_results_is_told(check: Any, document: Any) -> None:
    for each in results(document)["items"]:
        each["variants"] = each.pop("responses")
    assert {"is_test_set", "responses_missing"} == set(codes(check(document), "error"))


def test_extension_keys_are_no_extra_keys(check: Any, document: Any) -> None:
    results(document).update(system="aurora-7b", model="org/aurora-7b", run="greedy")
    entry(document, "001")["responses"][0].update(language="en", prompt="Is it?")
    report = check(document)
    assert report.decision == "accepted"
    assert report.submission.names == Names("aurora", "aurora-7b", "org/aurora-7b", "greedy")
    assert report.submission.items[0].responses[0].prompt == "Is it?"


def test_an_extra_key_is_told_once_with_its_count(check: Any, document: Any) -> None:
    for each in results(document)["items"]:
        each["score"] = 1
    results(document)["other"] = None
    problems = [problem for problem in check(document).problems if problem.code == "extra_key"]
    assert [problem.path for problem in problems] == [f"{RESULTS}.other", f"{RESULTS}.items[0].score"]
    assert "16 times" in problems[1].message


def test_a_shifted_list_is_noticed_by_its_languages(check: Any, document: Any) -> None:
    # 010 is sv sv en en: stated in reverse, all four differ.
    for response, language in zip(entry(document, "010")["responses"], ("en", "en", "sv", "sv"), strict=True):
        response["language"] = language
    (problem,) = [problem for problem in check(document).problems if problem.severity == "warning"]
    assert (problem.code, problem.item, problem.variant, problem.language) == ("language_mismatch", "010", 1, "sv")
    assert "4 times" in problem.message


@pytest.mark.parametrize("stated", ["SV", "swe", "sv-SE", "Swedish", "sv_FI"])
def test_other_ways_to_write_a_language_are_known(check: Any, document: Any, stated: str) -> None:
    entry(document, "002")["responses"][0]["language"] = stated
    assert codes(check(document), "warning") == ["language_alias"]


def test_the_mistaken_code_of_the_official_file_is_taken_as_it_means(check: Any, document: Any) -> None:
    entry(document, "002")["responses"][0]["language"] = "sb"
    assert codes(check(document), "warning") == []


def test_a_language_or_prompt_that_is_no_text_is_ignored(check: Any, document: Any) -> None:
    entry(document, "002")["responses"][0].update(language=1, prompt=["a"])
    entry(document, "002")["responses"][1].update(language=None, prompt=None)
    problems = [problem for problem in check(document).problems if problem.severity == "warning"]
    assert [problem.code for problem in problems] == ["metadata_field", "metadata_field"]


def test_prompts_are_compared_as_people_read_them() -> None:
    assert comparable_prompt(" a\u00a0 b\u200b\n") == "a b"
    assert comparable_prompt("A\u030a") == comparable_prompt("\u00c5")
    assert comparable_prompt("a") != comparable_prompt("A")


def test_a_prompt_of_the_set_but_of_another_place_is_named(
    check: Any, demonstration_document: Any, bare_sets: Any
) -> None:
    second = bare_sets.demonstration.items[0].variants[1].prompt
    first = results(demonstration_document)["items"][0]["responses"][0]
    first["prompt"] = second
    (problem,) = [p for p in check(demonstration_document).problems if p.code == "prompt_mismatch"]
    assert "variant 2" in problem.message
    first["prompt"] = f"  {bare_sets.demonstration.items[0].variants[0].prompt} "
    assert "prompt_mismatch" not in codes(check(demonstration_document))


def test_ids_from_901_are_the_demonstration_set(check: Any, demonstration_document: Any) -> None:
    report = check(demonstration_document)
    assert report.decision == "accepted"
    assert report.submission.set_id == "demonstration"
    assert codes(report) == []


def test_one_id_of_the_official_set_makes_it_an_official_file(check: Any, demonstration_document: Any) -> None:
    results(demonstration_document)["items"].append({"id": "001", "responses": []})
    report = check(demonstration_document)
    unknown = [problem.item for problem in report.problems if problem.code == "unknown_id"]
    assert "901" in unknown
    assert "001" not in unknown


def test_numbers_as_demonstration_ids_are_read(check: Any, demonstration_document: Any) -> None:
    for each in results(demonstration_document)["items"]:
        each["id"] = int(each["id"])
    assert codes(check(demonstration_document)) == ["id_normalised"]


def test_items_grouped_by_language_are_told_so(check: Any, document: Any) -> None:
    results(document)["languages"] = [{"language": "en", "items": results(document).pop("items")}]
    (problem,) = [problem for problem in check(document).problems if problem.code == "items_missing"]
    assert "languages" in problem.hint


def test_the_report_of_a_refused_file_still_counts_what_could_be_read(check: Any, document: Any) -> None:
    entry(document, "003")["responses"].pop()
    report = check(document)
    # 103 without the 11 of item 003.
    assert report.coverage.total.answered == 92


def test_a_year_can_be_a_number_or_absent(check: Any, document: Any) -> None:
    results(document)["year"] = 2024
    assert codes(check(document), "warning") == ["year_normalised"]
    del results(document)["year"]
    assert codes(check(document), "warning") == ["year_normalised"]
    results(document)["year"] = True
    assert codes(check(document), "error") == ["year_mismatch"]


def test_nan_for_a_response_is_one_problem(check: Any, document: Any) -> None:
    text = json.dumps(document).replace('"answer 012"', "NaN", 1)
    (problem,) = [problem for problem in check(text).problems if problem.severity == "error"]
    assert (problem.code, problem.item, problem.variant, problem.language) == ("json_nan", "012", 1, "en")


def test_empty_and_name_faults_leave_the_submission_at_hand(check: Any, document: Any) -> None:
    for each in results(document)["items"]:
        each["responses"] = [{"response": ""} for _ in each["responses"]]
    report = check(document)
    assert codes(report, "error") == ["all_empty"]
    assert report.submission is not None
