"""How few items of AlpacaEval decide which honest system leads."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from math import isnan
from pathlib import Path

import pytest

from evaluator.public_record.records import kept_alpaca_eval
from evaluator.statistics.deciding_items import deciding_items

Shares = dict[str, dict[str, float]]

FIRST, SECOND = "FuseChat-Gemma-2-9B-Instruct", "FuseChat-Qwen-2.5-7B-Instruct"
# `win_rate` of tatsu-lab/alpaca_eval at cd543a14,
# src/alpaca_eval/leaderboards/data_AlpacaEval_2/weighted_alpaca_eval_gpt4_turbo_leaderboard.csv.
PRINTED = {FIRST: 70.49713534560247, SECOND: 64.64069997299381}
GAMED = "NullModel"
"""Says the same to every prompt."""


@pytest.fixture(scope="module")
def shares(golden_data: Callable[[str], Path]) -> Shares:
    """System -> prompt -> weighted preference for it before the baseline, 0-1."""
    shares: Shares = {}
    with gzip.open(golden_data("alpaca_eval/logs.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["system"] != GAMED and not isnan(preference := float(row["preference"])):
                shares.setdefault(row["system"], {})[row["prompt"]] = preference
    return shares


@pytest.mark.parametrize("system", PRINTED)
def test_the_mean_preference_is_the_printed_win_rate(shares: Shares, system: str) -> None:
    own = shares[system].values()
    assert len(own) == 805
    assert sum(own) / 805 * 100 == pytest.approx(PRINTED[system], abs=1e-9)


def test_51_of_805_items_swap_the_first_two_although_5_9_points_lie_between_them(shares: Shares) -> None:
    complete = {system: own for system, own in shares.items() if len(own) == 805}
    deciding = deciding_items(complete)
    assert deciding is not None
    assert (deciding.leaders, len(deciding.items), deciding.total, deciding.successor) == ((FIRST,), 51, 805, SECOND)
    assert round(PRINTED[FIRST] - PRINTED[SECOND], 1) == 5.9
    # Without the 51 largest differences the second is ahead; with the smallest of them back it is not.
    differences = sorted((shares[FIRST][prompt] - shares[SECOND][prompt] for prompt in shares[FIRST]), reverse=True)
    assert sum(differences[51:]) < 0 < sum(differences[50:])


def test_the_kept_record_names_those_51_by_their_place_in_the_released_log(shares: Shares) -> None:
    # Rows of a log stand in the order of the released file; the 51 largest differences are those named.
    kept = kept_alpaca_eval().first_place
    assert kept is not None
    assert (kept.leaders, kept.successor, kept.total) == ((FIRST,), SECOND, 805)
    differences = [shares[FIRST][prompt] - shares[SECOND][prompt] for prompt in shares[FIRST]]
    largest = sorted(range(805), key=lambda place: -differences[place])[:51]
    assert sorted(int(name) for name in kept.items) == sorted(place + 1 for place in largest)
