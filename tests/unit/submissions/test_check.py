"""The report of a check: its JSON, its limits, and that the name of a file means nothing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from submissions.check import check_submission
from submissions.reading.limits import Limits
from submissions.schema import Names


def test_the_json_has_the_keys_of_the_contract(check: Any, document: Any) -> None:
    report = check(document).as_json()
    assert list(report) == [
        "decision",
        "kind",
        "edition",
        "problems",
        "problems_total",
        "problems_by_code",
        "coverage",
    ]
    assert list(report["problems"][0]) == [
        "code",
        "severity",
        "path",
        "item",
        "variant",
        "language",
        "message",
        "hint",
        "line",
    ]
    assert report["coverage"]["expected"] == 103
    assert report["coverage"]["share"] == 1.0
    # Variants per language, summed from the table of the specification.
    assert {code: count["expected"] for code, count in report["coverage"]["by_language"].items()} == {
        "en": 49,
        "ar": 20,
        "apc": 6,
        "sv": 22,
        "el": 3,
        "fi": 2,
        "sco": 1,
    }
    assert report["coverage"]["rankable"] == {"english": True, "all": True}
    json.dumps(report)


def test_an_unreadable_file_has_no_coverage(check: Any) -> None:
    report = check(b"\x00\x01").as_json()
    assert report["coverage"] == {}
    assert (report["kind"], report["edition"]) == (None, None)


def test_two_hundred_problems_are_listed_errors_first_and_one_of_each_code(check: Any, document: Any) -> None:
    results = document["eloquent-robustness-results"]
    # 103 responses and 300 further ids of no item: 403 errors, beside them one warning and one note.
    for item in results["items"]:
        item["responses"] = [{"response": None} for _ in item["responses"]]
    results["items"] += [{"id": f"x{number}", "responses": []} for number in range(300)]
    results["colour"] = "blue"
    report = check(document).as_json()
    assert len(report["problems"]) == 200
    assert report["problems_total"] == 405
    assert report["problems_by_code"] == {
        "extra_key": 1,
        "response_type": 103,
        "set_unavailable": 1,
        "unknown_id": 300,
    }
    severities = [problem["severity"] for problem in report["problems"]]
    assert severities == ["error"] * 198 + ["warning", "note"]


def test_the_name_of_the_file_stands_in_places_of_the_text_only(bare_sets: Any, document: Any) -> None:
    data = json.dumps(document).encode()
    one = check_submission(data, "one.json", prompt_sets=bare_sets)
    two = check_submission(data, "../../two.csv", prompt_sets=bare_sets)
    assert one == two
    broken = check_submission(b"{", "C:\\folder\\one.json", prompt_sets=bare_sets)
    assert broken.problems[0].path == "one.json:1:2"
    hostile = check_submission(b"{", "a\u202e\n.json", prompt_sets=bare_sets)
    assert hostile.problems[0].path == "a\\u202e\\u000a.json:1:2"
    nameless = check_submission(b"{", "", prompt_sets=bare_sets)
    assert nameless.problems[0].path == "file:1:2"


def test_the_checksum_is_of_the_bytes_as_uploaded(check: Any, document: Any) -> None:
    data = json.dumps(document, indent=3).encode()
    assert check(data).sha256 == hashlib.sha256(data).hexdigest()


def test_limits_can_be_set(check: Any, document: Any) -> None:
    assert check(document, limits=Limits(upload_bytes=10)).problems_by_code == {"file_too_big": 1}
    assert check(document, limits=Limits(json_bytes=10)).problems_by_code == {"file_too_big": 1}
    assert check(document, limits=Limits(response_characters=5)).problems_by_code["response_too_long"] == 103


def test_names_given_with_the_file_fill_what_it_leaves_open(check: Any, document: Any) -> None:
    report = check(document, names=Names(team="borealis", system="borealis-7b"))
    assert report.submission.names == Names(team="aurora", system="borealis-7b")
    assert report.decision == "accepted_with_warnings"


@pytest.mark.parametrize("half", ["\\ud83d", "\\ude00 \\ud83d"])
def test_a_report_can_be_written_as_utf_8_whatever_the_file_holds(check: Any, document: Any, half: str) -> None:
    text = json.dumps(document).replace("answer 001", half).replace("aurora", half).replace('"001"', f'"{half}"')
    json.dumps(check(text).as_json(), ensure_ascii=False).encode("utf-8")


def test_a_report_is_the_same_every_time(check: Any, document: Any) -> None:
    document["eloquent-robustness-results"]["items"][3]["responses"] = "none"
    assert check(document) == check(document)
