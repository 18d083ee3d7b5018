"""LLMBar's own results give the accuracy that LLMBar's statistics state, and the agreement of both orders."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.judge_logs.judgements import JudgementLog
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.report import log_report
from tests.golden_data import checksums

RESULTS = sorted(name for name in checksums() if name.startswith("llm_bar/") and name.endswith("result.json.gz"))
BOTH_ORDERS = [name for name in RESULTS if "/Rating" not in name]


@pytest.fixture
def read(golden_data: Callable[[str], Path]) -> Callable[[str], tuple[JudgementLog, dict[str, int]]]:
    """Reads a result, and how many verdicts its statistics state as right and as equal in both orders."""

    def log_and_statistics(name: str) -> tuple[JudgementLog, dict[str, int]]:
        statistics = json.loads(golden_data(name.replace("result.json.gz", "statistics.json")).read_bytes())
        log = read_log(gzip.decompress(golden_data(name).read_bytes()), "result.json").log
        assert log is not None
        # "correct_False": "94 / 100 = 94.0%"
        return log, {key: int(value.split(" /")[0]) for key, value in statistics.items() if " / " in str(value)}

    return log_and_statistics


@pytest.mark.parametrize("name", BOTH_ORDERS)
def test_right_verdicts_and_agreement_of_both_orders_are_those_of_the_statistics(name: str, read: Callable) -> None:  # type: ignore[type-arg]
    log, stated = read(name)
    right = sum(one.verdict == one.gold for one in log.judgements)
    assert right == stated["correct_False"] + stated["correct_True"]
    [judge] = log_report(log, "result.json").judges
    figures = {figure.key: figure for figure in judge.figures}
    usable = [one for one in log.judgements if one.is_usable]
    assert figures["accuracy"].value == pytest.approx(right / len(usable))
    if len(usable) == len(log.judgements):  # LLMBar counts two replies without a winner as equal
        assert figures["position_consistency"].value == pytest.approx(stated["equal"] / (len(usable) / 2))


@pytest.mark.parametrize("name", [name for name in RESULTS if name not in BOTH_ORDERS])
def test_pairs_that_were_rated_are_right_where_both_orders_of_the_statistics_are(name: str, read: Callable) -> None:  # type: ignore[type-arg]
    log, stated = read(name)
    # Of a tie LLMBar writes one winner for each order: it is right in one of them alone.
    assert sum(one.verdict == one.gold for one in log.judgements) == stated["correct_both"]
