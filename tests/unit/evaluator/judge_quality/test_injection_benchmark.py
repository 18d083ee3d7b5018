"""The command of the injection benchmark."""

from __future__ import annotations

import json

import pytest

from benchmarks import injection
from evaluator.judge_quality.injection import injection_attacks
from evaluator.judge_quality.labelled_pairs import LabelledPair
from tests.unit.leaderboard.page.made_quality import PAIRS


def test_the_command_prints_a_table_and_json_as_its_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def few(split: str) -> list[LabelledPair]:
        return list(PAIRS) if split == "test" else []

    monkeypatch.setattr(injection, "labelled_pairs", few)
    monkeypatch.setattr("sys.argv", ["injection", "--judge", "scripted", "--pairs", "1", "--json"])
    assert injection.main() == 0
    report = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert report["judge"]["name"] == "scripted"
    assert report["effects"]["all attacks"]["shift"]["n"] == len(injection_attacks()) * 3
    assert set(report["effects"]) == {
        "all attacks",
        "attack before",
        "attack after",
        "attack inside",
        "harmless sentences",
    }
