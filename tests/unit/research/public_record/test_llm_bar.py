"""LLMBar's files: read, counted as LLMBar counts, and refused where they are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.public_record.records import LlmBarRecord, kept_llm_bar
from research.public_record.commands import add_commands
from research.public_record.llm_bar import (
    ROOT,
    differing_statistics,
    llm_bar_record,
    printed_statistics,
    result_files,
    selection_figures,
)
from research.public_record.sources import SourceRefused
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings

ORDERS = ("swap = False", "swap = True")


def pair(number: int, label: int, winners: tuple[str | None, str | None]) -> dict[str, Any]:
    said = {
        order: {"completion": ["", "stop"], "winner": winner} for order, winner in zip(ORDERS, winners, strict=True)
    }
    texts = {"input": f"task {number}", "output_1": "short", "output_2": "longer"}
    return {**texts, "label": label, "results": [said]}


PAIRS = [
    pair(0, 1, ("1", "1")),  # right in both orders
    pair(1, 1, ("1", "2")),  # right in the first; A in both
    pair(2, 2, ("2", "2")),  # right in both
    pair(3, 2, (None, "1")),  # no verdict, then wrong
]
# Right: 3 and 2 of 4; both: 2; equal: 2. Codes 1/0 against labels 1/2: [1, 1, 0, 0] and [1, 0, 0, 1] with [1, 1, 2, 2].
# First kappa: p_o = 2/4, p_e = (2 x 2 of label 1) / 16 = 1/4, (1/2 - 1/4) / (3/4) = 1/3.
# Second: p_o = 1/4, p_e = 1/4: 0. Of each other: p_o = 2/4, p_e = (2 x 2 + 2 x 2) / 16 = 1/2: 0.
PRINTED = {
    "correct_False": "3 / 4 = 75.0%",
    "correct_True": "2 / 4 = 50.0%",
    "correct_average": "62.5%",
    "correct_both": "2 / 4 = 50.0%",
    "equal": "2 / 4 = 50.0%",
    "kappa_False": 1 / 3,
    "kappa_True": 0.0,
    "kappa_average": 1 / 6,
    "kappa_agreement": 0.0,
}


def write(folder: Path, pairs: object, statistics: object, subset: str = "Natural") -> Path:
    own = folder / ROOT / subset / "evaluators" / "M" / "Vanilla"
    own.mkdir(parents=True)
    (own / "result.json").write_text(json.dumps(pairs), encoding="utf-8")
    (own / "statistics.json").write_text(json.dumps(statistics), encoding="utf-8")
    return own


def test_statistics_are_counted_as_llm_bar_counts_them(tmp_path: Path) -> None:
    write(tmp_path, PAIRS, PRINTED)
    [file] = result_files(tmp_path)
    assert printed_statistics(file) == {**PRINTED, "kappa_average": pytest.approx(1 / 6)}
    assert differing_statistics(file) == []


def test_a_printed_statistic_that_differs_is_named_with_both_values(tmp_path: Path) -> None:
    write(tmp_path, PAIRS, {**PRINTED, "equal": "3 / 4 = 75.0%"})
    [line] = differing_statistics(result_files(tmp_path)[0])
    assert line == "Natural M/Vanilla: equal is printed as 3 / 4 = 75.0%, read as 2 / 4 = 50.0%"


def test_ratings_win_in_both_orders_and_ties_and_failures_in_one_each(tmp_path: Path) -> None:
    def rated(number: int, scores: tuple[str, str]) -> dict[str, Any]:
        winners = {order: {"winner": "1"} for order in ORDERS}
        said = {f"score_{place}": [score, "stop"] for place, score in enumerate(scores, start=1)}
        return pair(number, 1, (None, None)) | {"results": [said | winners]}

    write(tmp_path, [rated(0, ("5", "3")), rated(1, ("4", "4")), rated(2, ("good", "4"))], {})
    [file] = result_files(tmp_path)
    # Label 1: 5 > 3 is right in both orders, the tie in the second alone, the failure in the first alone.
    assert printed_statistics(file)["correct_False"] == f"2 / 3 = {2 / 3 * 100}%"
    assert printed_statistics(file)["correct_True"] == f"2 / 3 = {2 / 3 * 100}%"
    assert printed_statistics(file)["equal"] == f"1 / 3 = {1 / 3 * 100}%"


def test_figures_of_a_judge_are_those_of_its_pairs(tmp_path: Path) -> None:
    write(tmp_path, PAIRS, PRINTED)
    write(tmp_path, [pair(number, 1, ("1", "2")) for number in range(6)], {"kappa_average": 0.0}, "Adversarial/Manual")
    record, differences = llm_bar_record(tmp_path, "2026-11-29")
    [judge] = record.judges
    assert (judge.judge, judge.pairs, judge.places) == ("M/Vanilla", 10, (1, 1))
    assert judge.natural.value == 0.625  # (1 + 1/2 + 1 + 0) / 4
    assert judge.adversarial.value == 0.5
    # Usable pairs: AB, AA, BA and six AA; 2 of 9 are the same in both orders, 7 of 9 choose the first place.
    assert judge.same_in_both_orders.value == pytest.approx(2 / 9, abs=1e-6)
    assert judge.preference_fairness.value == pytest.approx(-7 / 9, abs=1e-6)
    assert judge.unusable.value == 0.05  # one of 20 calls
    assert record.results == 2 - bool(differences)
    assert LlmBarRecord.model_validate_json(record.model_dump_json()) == record


def test_pairs_are_chosen_where_there_are_judges_and_pairs_enough() -> None:
    # Judge n of eight is right on every pair up to n of each ten: any pairs that hold one of each rank alike.
    right = [{f"{pair:03}": float(pair % 10 <= judge) for pair in range(120)} for judge in range(8)]
    figures = selection_figures(right)
    assert {(own.rule, own.size) for own in figures} >= {("random", 25), ("anchors", 100)}
    best = next(own for own in figures if (own.rule, own.size) == ("stratified", 100))
    assert best.tau > 0.9
    assert selection_figures(right[:7]) == ()
    assert selection_figures([{pair: own[pair] for pair in list(own)[:100]} for own in right]) == ()


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match=r"expected a clone of github\.com/princeton-nlp/LLMBar"):
        result_files(tmp_path)


def test_a_file_that_is_no_log_is_refused_by_name(tmp_path: Path) -> None:
    write(tmp_path, {"no": "pairs"}, PRINTED)
    with pytest.raises(SourceRefused, match=r"result\.json: cannot be read"):
        result_files(tmp_path)


def test_missing_statistics_are_refused_by_name(tmp_path: Path) -> None:
    (write(tmp_path, PAIRS, PRINTED) / "statistics.json").unlink()
    with pytest.raises(SourceRefused, match=r"statistics\.json"):
        result_files(tmp_path)


def test_the_command_writes_the_record_and_fails_where_a_statistic_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, PAIRS, {**PRINTED, "equal": "3 / 4 = 75.0%"})
    parser = OneLineParser(prog="python -m evaluator")
    add_commands(parser.add_subparsers(required=True))
    options = parser.parse_args(["public-record", "llm-bar", str(tmp_path), "--date", "2026-11-29"])
    assert options.command(options, Settings.from_env({})) == 1
    output = capsys.readouterr()
    assert LlmBarRecord.model_validate_json(output.out).judges[0].judge == "M/Vanilla"
    assert "equal is printed as 3 / 4" in output.err


def test_the_kept_record_is_whole() -> None:
    kept = kept_llm_bar()
    assert (kept.results, len(kept.judges)) == (325, 65)
    assert all(judge.pairs == 419 for judge in kept.judges)
    assert {figures.size for figures in kept.selection} == {25, 50, 100}
    assert all(judge.accuracy.low is not None and judge.kappa.low is not None for judge in kept.judges)
