"""Files that people reported as read wrong give the value beside them, or a refusal that names what is wrong.

Each folder of `tests/data/reports` holds one input, the right values with their derivation (`expected.json`) and what
came out before (`observed.txt`). Here: the judges' logs, 01 to 16.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main

REPORTS = Path(__file__).parents[3] / "data" / "reports"
CASES = sorted(folder for folder in REPORTS.iterdir() if int(folder.name[:2]) <= 16)
REFUSED = {"14_rewardbench_2": "best of four", "15_csv_systems_called_by_letters": "place or a name"}
"""Those of which the right answer is a refusal, and words that it must have."""
UNREAD = {"04_inspect_edited_by_people": 4, "05_inspect_sample_twice": 1, "09_promptfoo_other_gradings": 8}
"""How much of a log is not read, and must be told."""


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    """Exit code and printed JSON of the command that `expected.json` names."""
    command = json.loads((folder / "expected.json").read_text("utf-8"))["command"]
    monkeypatch.chdir(folder)
    code = main(command.removeprefix("python -m evaluator ").split())
    return code, json.loads(capsys.readouterr().out)


def figures_of(judge: Mapping[str, Any]) -> dict[str, float | None]:
    return {figure["key"]: figure["value"] for figure in judge["figures"]}


def test_every_reported_log_is_here() -> None:
    assert [folder.name[:2] for folder in CASES] == [f"{number:02}" for number in range(1, 17)]


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_reported_log_gives_what_was_counted_by_hand(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    code, found = run(folder, monkeypatch, capsys)
    if folder.name in REFUSED:
        assert code == 1
        assert REFUSED[folder.name] in found["problems"][0]["message"]
        return
    assert code == 0
    if folder.name == "16_raw_text_thoughts":
        [judge] = found.values()
        assert {key: judge[key] for key in judge.keys() & expected.keys()} == {
            key: expected[key] for key in judge.keys() & expected.keys()
        }
        assert len(judge.keys() & expected.keys()) == 4
        return
    judges = {judge["judge"]: judge for judge in found["judges"]}
    assert sum(part["count"] for part in found["unread"]) == UNREAD.get(folder.name, 0)
    assert found["questions"] == expected.get("questions", found["questions"])
    assert len(judges) == expected.get("judges", 1)
    if (ratings := expected.get("ratings", expected.get("read"))) is not None:
        assert sum(judge["ratings"] for judge in judges.values()) == ratings
    if isinstance(by_judge := expected.get("accuracy"), dict):
        assert {name: figures_of(judge)["accuracy"] for name, judge in judges.items()} == by_judge
    for judge in judges.values():
        figures = figures_of(judge)
        assert expected.get("no") not in figures
        for key, value in expected.items():
            if key in figures and isinstance(value, (int, float)):
                assert figures[key] == pytest.approx(value, abs=1e-12), key


def test_a_panels_verdict_is_not_credited_to_its_first_grader(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = run(REPORTS / "03_inspect_panel", monkeypatch, capsys)
    assert [judge["judge"] for judge in found["judges"]] == ["panel of grader-a, grader-b, grader-c"]


def test_the_best_of_several_is_read_in_version_2_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = run(REPORTS / "10_promptfoo_version_2", monkeypatch, capsys)
    [judge] = found["judges"]
    assert judge["comparisons"] == 8
    assert figures_of(judge)["win_rate openai:gpt-4o prompt 0"] == 1.0
