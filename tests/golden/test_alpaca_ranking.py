"""AlpacaEval 2 from its released preferences: printed rates come back, and the kept figures are those of the tables."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evaluator.public_record.length_control import GamedBaselines
from evaluator.public_record.position_bias import changed_figures
from evaluator.public_record.records import PROMPTS, AlpacaRecord, kept_alpaca_eval
from research.public_record.alpaca_eval import GAMED, PRINTED_WITHIN, Printed, SystemLog, alpaca_record, read_printed


@pytest.fixture(scope="module")
def logs(golden_data: Callable[[str], Path]) -> list[SystemLog]:
    with gzip.open(golden_data("alpaca_eval/logs.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    by_system: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_system.setdefault(row["system"], []).append(row)
    return [
        SystemLog(
            system,
            tuple(row["prompt"] for row in own),
            np.array([float(row["preference"]) for row in own]),
            np.array([(float(row["baseline"]), float(row["own"])) for row in own]),
        )
        for system, own in by_system.items()
    ]


@pytest.fixture(scope="module")
def printed(golden_data: Callable[[str], Path], logs: list[SystemLog]) -> Printed:
    baseline = next(log for log in logs if log.system == "gpt4_1106_preview").characters[:, 0]
    lengths = csv.DictReader(io.StringIO(golden_data("alpaca_eval/gamed_lengths.csv").read_text(encoding="utf-8")))
    rows = list(lengths)
    gamed = GamedBaselines(tuple(baseline - np.array([float(row[name]) for row in rows]) for name in GAMED))
    leaderboard, weights = (
        golden_data(f"alpaca_eval/{name}.csv").read_text(encoding="utf-8") for name in ("leaderboard", "weights")
    )
    return read_printed(leaderboard, weights, gamed)


@pytest.fixture(scope="module")
def made(logs: list[SystemLog], printed: Printed) -> AlpacaRecord:
    return alpaca_record(logs, printed, kept_alpaca_eval().files_sha256, "2026-11-29")


def test_the_raw_win_rate_of_every_log_is_the_printed_one(logs: list[SystemLog], printed: Printed) -> None:
    assert len(logs) == 57
    assert sum(log.is_complete for log in logs) == 51
    for log in logs:
        assert abs(100 * float(np.nanmean(log.preference)) - printed.rates[log.system][0]) <= PRINTED_WITHIN


def test_what_is_kept_is_what_the_tables_give(made: AlpacaRecord) -> None:
    assert changed_figures(kept_alpaca_eval(), made) == []


def test_neighbours_that_cannot_be_told_apart_hold_places_of_each_other(made: AlpacaRecord) -> None:
    # Counted from the places alone: of two that cannot be told apart the better one may stand one lower.
    complete = [own for own in made.systems if own.places]
    assert made.equal_neighbours == sum(
        own.places.high > place for place, own in enumerate(complete[:-1], start=1) if own.places
    )


def test_length_controlled_rates_of_complete_logs_are_within_a_tenth_of_a_point_of_print(made: AlpacaRecord) -> None:
    fitted = [own for own in made.systems if own.prompts == PROMPTS and own.length_controlled is not None]
    assert len(fitted) == 50
    for own in fitted:
        assert 100 * (own.length_controlled or 0.0) == pytest.approx(own.printed_length_controlled, abs=0.1)


def test_without_what_is_printed_of_a_system_its_rate_is_near_print_all_the_same(made: AlpacaRecord) -> None:
    held_out = [own for own in made.systems if own.held_out is not None]
    misses = [abs(100 * (own.held_out or 0.0) - own.printed_length_controlled) for own in held_out]
    raw = [abs(own.printed_win_rate - own.printed_length_controlled) for own in held_out]
    assert max(misses) < 1.0
    assert np.median(misses) < np.median(raw) / 10
