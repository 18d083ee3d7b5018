"""The acceptance files of ELOQUENT: every file of every edition as the manifest says."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from submissions.__main__ import main
from submissions.check import CheckReport, check_submission
from submissions.promptsets import PromptSets

LINE_TOLERANCE = 1
"""Lines of places in a text may differ by one."""


@pytest.fixture(scope="module")
def fixtures(eloquent: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((eloquent / "MANIFEST.json").read_text("utf-8"))["fixtures"]
    return listed


@pytest.fixture(scope="module")
def official_sets(eloquent: Path) -> PromptSets:
    return PromptSets.load(eloquent / "official")


def checked(eloquent: Path, fixture: dict[str, Any], sets: PromptSets) -> CheckReport:
    path = eloquent / fixture["path"]
    edition = dict(zip(fixture["args"][::2], fixture["args"][1::2], strict=True)).get("--edition", "auto")
    return check_submission(path.read_bytes(), path.name, edition=edition, prompt_sets=sets)


def is_at(expected: str, found: str) -> bool:
    """Whether two places agree: JSON paths exactly, places in a text but for a line."""
    places = [re.fullmatch(r"(.*):(\d+):(\d+)", place) for place in (expected, found)]
    if places[0] is None or places[1] is None:
        return expected == found
    (name, line, column), (other_name, other_line, other_column) = (place.groups() for place in places if place)
    return (name, column) == (other_name, other_column) and abs(int(line) - int(other_line)) <= LINE_TOLERANCE


def is_reported(expected: dict[str, Any], report: CheckReport) -> bool:
    for problem in report.problems:
        place = {key: getattr(problem, key) for key in ("code", "item", "variant", "language")}
        if all(place[key] == expected[key] for key in place if key in expected) and (
            "path" not in expected or is_at(expected["path"], problem.path)
        ):
            return all(number in problem.message for number in expected.get("message_has", []))
    return False


def test_every_file_is_decided_as_listed_with_every_problem_at_its_place(
    eloquent: Path, fixtures: list[dict[str, Any]], official_sets: PromptSets
) -> None:
    # 94 files are listed: 55 of 2024, 14 of 2025, 25 of 2026.
    assert Counter(fixture["edition"] for fixture in fixtures) == {"2024": 55, "2025": 14, "2026": 25}
    differences = []
    for fixture in fixtures:
        report = checked(eloquent, fixture, official_sets)
        if report.decision != fixture["decision"]:
            differences.append((fixture["path"], report.decision))
        differences += [
            (fixture["path"], expected) for expected in fixture["problems"] if not is_reported(expected, report)
        ]
    assert differences == []


def test_accepted_files_show_no_other_warning(
    eloquent: Path, fixtures: list[dict[str, Any]], official_sets: PromptSets
) -> None:
    for fixture in fixtures:
        if fixture["decision"] == "refused":
            continue
        report = checked(eloquent, fixture, official_sets)
        allowed = {problem["code"] for problem in fixture["problems"]} | set(fixture.get("also_allowed", []))
        warned = {problem.code for problem in report.problems if problem.severity == "warning"}
        assert warned <= allowed, fixture["path"]


def test_coverage_is_as_listed(eloquent: Path, fixtures: list[dict[str, Any]], official_sets: PromptSets) -> None:
    for fixture in fixtures:
        if "coverage" in fixture:
            coverage = checked(eloquent, fixture, official_sets).as_json()["coverage"]
            assert {key: coverage[key] for key in fixture["coverage"]} == fixture["coverage"], fixture["path"]


def test_a_full_run_of_2026_covers_both_kinds_of_every_language(eloquent: Path, official_sets: PromptSets) -> None:
    path = eloquent / "fixtures/valid/2026/aurora_full_diverse_and_robust.zip"
    report = check_submission(path.read_bytes(), path.name, prompt_sets=official_sets)
    # 5 languages x 101 and x 4,140.
    assert report.as_json()["coverage"]["by_kind"] == {
        "unspecific": {"expected": 505, "answered": 505},
        "specific": {"expected": 20_700, "answered": 20_700},
    }
    assert report.submission is not None
    assert len(report.submission.items) == 4_241
    assert [response.language for response in report.submission.items[-1].responses] == ["de", "el", "en", "fi", "sv"]


def test_responses_keep_every_character(eloquent: Path, official_sets: PromptSets) -> None:
    path = eloquent / "fixtures/valid/2024/larch_hostile_text.json"
    report = check_submission(path.read_bytes(), path.name, prompt_sets=official_sets)
    document = json.loads(path.read_text("utf-8"))["eloquent-robustness-results"]
    assert report.submission is not None
    assert [response.response for response in report.submission.responses()] == [
        response["response"] for item in document["items"] for response in item["responses"]
    ]


@pytest.mark.parametrize(
    ("name", "decision", "code"),
    [
        ("valid/2024/aurora_consistent.json", "accepted", 0),
        ("valid/2024/Équipe Ñandú 東京 (v2).json", "accepted", 0),
        ("valid/2024/cirrus_constant.json", "accepted_with_warnings", 0),
        ("malformed/2024/utf16.json", "refused", 1),
        ("malformed/2024/deep_nesting.json", "refused", 1),
        ("valid/2025/clover_three_turns.json", "accepted", 0),
        ("borderline/2025/date_and_submissionid_missing.json", "accepted_with_warnings", 0),
        ("malformed/2025/placeholders.json", "refused", 1),
        ("valid/2026/delta_part_wrong_language.zip", "accepted_with_warnings", 0),
        ("malformed/2026/zip_bomb_60MB.zip", "refused", 1),
    ],
)
def test_the_command_answers_the_same(
    eloquent: Path,
    name: str,
    decision: str,
    code: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLUMBLINE_ELOQUENT_DIR", os.fspath(eloquent / "official"))
    assert main(["check", os.fspath(eloquent / "fixtures" / name), "--json"]) == code
    assert json.loads(capsys.readouterr().out)["decision"] == decision
