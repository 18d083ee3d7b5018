"""How few items of AlpacaEval decide which of its first two honest systems leads."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.statistics.deciding_items import deciding_items

# `win_rate` of tatsu-lab/alpaca_eval at cd543a14,
# src/alpaca_eval/leaderboards/data_AlpacaEval_2/weighted_alpaca_eval_gpt4_turbo_leaderboard.csv.
PRINTED = {"FuseChat-Gemma-2-9B-Instruct": 70.49713534560247, "FuseChat-Qwen-2.5-7B-Instruct": 64.64069997299381}


@pytest.fixture(scope="module")
def shares(golden_data: Callable[[str], Path]) -> dict[str, dict[str, float]]:
    """System -> question -> weighted preference for it before the reference, 0-1."""
    shares: dict[str, dict[str, float]] = {model: {} for model in PRINTED}
    with golden_data("judge_logs/alpaca_eval_leaders.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            shares[row["model"]][row["question"]] = float(row["preference"]) - 1
    return shares


@pytest.mark.parametrize("model", PRINTED)
def test_the_mean_preference_is_the_printed_win_rate(shares: dict[str, dict[str, float]], model: str) -> None:
    own = shares[model].values()
    assert len(own) == 805
    assert sum(own) / 805 * 100 == pytest.approx(PRINTED[model], abs=1e-9)


def test_51_of_805_items_swap_the_first_two(shares: dict[str, dict[str, float]]) -> None:
    first, second = PRINTED
    deciding = deciding_items(shares)
    assert deciding is not None
    assert (deciding.leaders, len(deciding.items), deciding.total, deciding.successor) == ((first,), 51, 805, second)
    # Without the 51 largest differences the second is ahead; with the smallest of them back it is not.
    differences = sorted((shares[first][item] - shares[second][item] for item in shares[first]), reverse=True)
    assert sum(differences[51:]) < 0 < sum(differences[50:])
    assert sorted(deciding.items) == sorted(
        sorted(shares[first], key=lambda item: shares[first][item] - shares[second][item], reverse=True)[:51]
    )
