"""Published answers, sent as a file, give the published figures on the board."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest

from leaderboard.boards.personalization.published import published_rows
from submissions.questionsets.option_order import option_order_hash
from tests.unit.leaderboard.boards.personalization.made_personalization import document, rating_judge, scored

MIXTRAL = "Mixtral-8x7B-Instruct-v0.1"
VALUE, INTERVAL = 1e-9, 0.02


@pytest.fixture(scope="module")
def folder(own_data: Path) -> Path:
    return own_data / "personalization"


def answer(letter: str) -> str:
    """A text with the published letter; where none was published, a text that names none."""
    return f"The answer is {letter}." if letter in ascii_uppercase and letter else "Nobody can tell."


def rows_of(cells: dict[str, str]) -> list[dict[str, Any]]:
    """The rows of one published answer: its control, the answer, and the second control run where there was one."""
    options = [f"option {number}" for number in range(int(cells["n_options"]))]
    shared: dict[str, Any] = {
        "example_id": cells["example_id"],
        "dataset": cells["dataset"],
        "question": f"Question {cells['example_id']}?",
        "options": options,
        "option_order_hash": option_order_hash(options),
        "gold": cells["gold"],
    }
    control: dict[str, Any] = shared | {
        "setting": "none",
        "method": "no_preference",
        "preferences": [],
        "relevant_index": None,
    }
    rows = [
        control | {"response_without_preference": answer(cells["no_pref_answer"])},
        shared
        | {
            "setting": "relevant",
            "method": cells["method"],
            "preferences": [f"Preference {cells['pref_id']}."],
            "relevant_index": 0,
            "response_with_preference": answer(cells["pref_answer"]),
        },
    ]
    if cells["correct_no_pref_repeat"]:
        letter = cells["gold"] if cells["correct_no_pref_repeat"] == "1" else "-1"
        rows.append(control | {"repeat": 2, "response_without_preference": answer(letter)})
    return rows


def test_the_letters_of_mixtral_give_its_published_breakage_and_noise_floor(
    folder: Path, golden_data: Callable[[str], Path]
) -> None:
    with gzip.open(golden_data("personalization/real_rows.csv.gz"), "rt", encoding="utf-8-sig", newline="") as file:
        cells = [row for row in csv.DictReader(file) if (row["system"], row["method"]) == (MIXTRAL, "naive")]
    result = scored(document(row for one in cells for row in rows_of(one)), rating_judge(followed=lambda request: None))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]["real_rows.csv.gz"]
    of_mixtral = [group for group in expected if (group["system"], group["method"]) == (MIXTRAL, "naive")]
    assert {group["dataset"] for group in of_mixtral} == {"commonsense_qa", "truthful_qa", "full"}
    for group in of_mixtral:
        found = next(one for one in result.groups if (one.setting, one.dataset) == ("relevant", group["dataset"]))
        assert (found.n, found.n_qstar) == (group["n"], group["n_qstar"])
        assert found.shares["acc_pref"] == pytest.approx(group["acc_pref"], abs=VALUE)
        for name in ("breakage_rate", "performance_variation", "repeat_breakage", "excess_breakage"):
            metric = found.metrics[name]
            assert metric.value == (group[name] and pytest.approx(group[name], abs=VALUE)), name
            ends = group["ci"].get(name)
            if ends is not None:
                assert (metric.low, metric.high) == pytest.approx(tuple(ends), abs=INTERVAL), name


def test_the_history_rows_are_the_usable_published_ones(folder: Path) -> None:
    published = json.loads((folder / "published.json").read_text(encoding="utf-8"))["rows"]
    usable = {
        (row["setting"], row["method"], row["model"], row["dataset"]): row
        for row in published
        if row["quality"] == "ok" and row["method"] in ("naive", "pref_aligner")
    }
    ours = {(row.setting, row.method, row.model, row.dataset): row.metrics for row in published_rows()}
    assert ours.keys() == usable.keys()
    for key, metrics in ours.items():
        for name, value in metrics.items():
            stated = usable[key][name]
            assert value == (None if stated is None else pytest.approx(stated / 100)), (key, name)
