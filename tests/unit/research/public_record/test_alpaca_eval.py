"""AlpacaEval's files: read row by row, ranked where complete, refused where they are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from evaluator.public_record.length_control import GamedBaselines
from evaluator.public_record.records import BASELINE, kept_alpaca_eval
from research.public_record.alpaca_eval import (
    ANNOTATOR,
    SystemLog,
    alpaca_record_of_clone,
    annotation_paths,
    annotations_of,
    equal_neighbours,
    prompts_needed,
    read_printed,
    read_system_log,
    record_lines,
    win_rate,
)
from research.public_record.sources import SourceRefused

NO_GAMED = GamedBaselines(())


def released(preferences: list[float | None], system: str = "mine") -> bytes:
    rows = [
        {
            "instruction": f"task {number}",
            "output_1": "a longer reply",
            "output_2": "short",
            "generator_1": BASELINE,
            "generator_2": system,
            "annotator": ANNOTATOR,
            "preference": preference,
        }
        for number, preference in enumerate(preferences)
    ]
    return json.dumps(rows).encode()


def log(system: str, wins: list[float]) -> SystemLog:
    prompts = tuple(f"{number:03}" for number in range(len(wins)))
    return SystemLog(system, prompts, np.array(wins), np.ones((len(wins), 2)))


def test_preferences_are_shares_of_a_win_and_a_missing_one_is_unscored() -> None:
    read = read_system_log("mine", released([1.25, 2.0, 1.0, 0.0, None]))
    assert read.preference[:4].tolist() == [0.25, 1.0, 0.0, 0.5]
    assert np.isnan(read.preference[4])
    assert read.characters[0].tolist() == [14.0, 5.0]
    rate = win_rate(read)
    assert (rate.value, rate.n, rate.unscored) == (0.4375, 4, 1)  # (0.25 + 1 + 0 + 0.5) / 4
    assert not read.is_complete


def test_the_printed_tables_are_read_by_their_columns() -> None:
    leaderboard = ",win_rate,length_controlled_winrate\nmine,12.5,20.25\nwithout,3.0,\n"
    weights = ",np.tanh(std_delta_len),instruction_difficulty,not_gamed_baseline.astype(float)\nmine,-1.5,0.5,-2\n"
    printed = read_printed(leaderboard, weights, NO_GAMED)
    assert printed.rates == {"mine": (12.5, 20.25)}
    own = printed.coefficients["mine"]
    assert (own.length, own.difficulty, own.system) == (-1.5, 0.5, -2.0)


def test_systems_that_always_differ_are_told_apart_and_equal_ones_are_not() -> None:
    apart = [log("best", [1.0] * 20), log("middle", [0.5] * 20), log("worst", [0.0] * 20)]
    assert equal_neighbours(apart) == 0
    mixed = [1.0, 0.0] * 10
    assert equal_neighbours([log("a", mixed), log("b", mixed[::-1])]) == 1


def test_more_prompts_are_needed_the_nearer_two_systems_are() -> None:
    middle = log("middle", [0.4, 0.6] * 20)
    far = prompts_needed(log("far", [1.0, 0.9] * 20), middle)
    near = prompts_needed(log("near", [0.6, 0.45] * 20), middle)
    assert far is not None
    assert near is not None
    assert near > far


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="expected a clone"):
        annotation_paths(tmp_path)


def test_a_clone_without_the_printed_tables_is_refused_by_the_name_of_the_table(tmp_path: Path) -> None:
    own = tmp_path / "results" / "mine" / ANNOTATOR
    own.mkdir(parents=True)
    (own / "annotations.json").write_bytes(released([1.5]))
    with pytest.raises(SourceRefused, match="leaderboard"):
        alpaca_record_of_clone(tmp_path, "2026-11-29")


def test_a_file_that_is_no_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model_outputs.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(SourceRefused, match="holds no list"):
        annotations_of(path)


def test_a_log_that_cannot_be_read_is_refused_by_its_system() -> None:
    with pytest.raises(SourceRefused, match="mine"):
        read_system_log("mine", released([7.0]))


def test_the_kept_record_is_whole() -> None:
    kept = kept_alpaca_eval()
    assert (kept.logs, kept.complete) == (57, 51)
    assert [own.places is not None for own in kept.systems].count(True) == 51
    assert {figures.size for figures in kept.selection} == {25, 50, 100}
    assert any("cannot be told apart" in line for line in record_lines(kept))
