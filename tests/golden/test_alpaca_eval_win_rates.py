"""Win rates of published AlpacaEval annotations are those that the leaderboard prints."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.report import log_report

WEIGHTED = "weighted_alpaca_eval_gpt4_turbo"
# `win_rate`, `n_total` and `n_draws` of tatsu-lab/alpaca_eval at cd543a14, in the folder src/alpaca_eval/leaderboards:
# data_AlpacaEval/alpaca_eval_gpt4_leaderboard.csv, data_AlpacaEval_2/weighted_alpaca_eval_gpt4_turbo_leaderboard.csv.
PRINTED = {
    ("gpt35_turbo_instruct", "alpaca_eval_gpt4"): (81.7103620474407, 801, 25),
    ("gpt4_0314", "alpaca_eval_gpt4"): (94.78260869565216, 805, 14),
    ("gpt4_1106_preview", "alpaca_eval_gpt4"): (97.69900497512438, 804, 5),
    ("alpaca-7b", "alpaca_eval_gpt4"): (26.459627329192543, 805, 16),
    ("ghost-7b-alpha", "alpaca_eval_gpt4"): (70.44025157232704, 795, 0),
    ("claude-2", WEIGHTED): (17.188240356708075, 805, 1),
}


@pytest.fixture(scope="module")
def preferences(golden_data: Callable[[str], Path]) -> list[dict[str, str]]:
    with golden_data("judge_logs/alpaca_eval_preferences.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("model", "annotator"), PRINTED)
def test_the_win_rate_is_the_printed_one(preferences: list[dict[str, str]], model: str, annotator: str) -> None:
    win_rate, usable, draws = PRINTED[model, annotator]
    annotations = [
        {
            "instruction": f"question {number}",
            "annotator": annotator,
            "generator_1": row["generator_1"],
            "generator_2": row["generator_2"],
            "output_1": "x" * int(row["chars_1"]),
            "output_2": "x" * int(row["chars_2"]),
            "preference": json.loads(row["preference"]),
        }
        for number, row in enumerate(preferences)
        if (row["model"], row["annotator"]) == (model, annotator)
    ]
    assert len(annotations) == 805
    log = read_log(json.dumps(annotations).encode(), "annotations.json").log
    assert log is not None
    [judge] = log_report(log, "annotations.json").judges
    figures = {figure.key: figure for figure in judge.figures}
    kind = "stated_win_rate" if annotator == WEIGHTED else "win_rate"
    system = annotations[0]["generator_2"]
    figure = figures[f"{kind} {system}"]
    assert figure.value is not None
    assert figure.value * 100 == pytest.approx(win_rate, abs=1e-8)
    assert figure.n == usable
    assert sum(judgement.verdict == "C" for judgement in log.judgements) == draws
