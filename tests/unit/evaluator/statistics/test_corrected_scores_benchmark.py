"""Intervals of corrected scores keep what docs/judge_report.md states of them where logs of a known truth are drawn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from benchmarks.corrected_scores import (
    JUDGES,
    LABELS,
    PREVALENCES,
    TOPICS,
    Reached,
    Topics,
    reached,
    reached_table,
    topics_reached,
    topics_table,
)

PROMISED = 0.93, 0.97
"""How often an interval of 95% holds the truth, over prevalences and rates of errors."""
CELLS = list(product(LABELS, PREVALENCES, JUDGES))
Cell = tuple[int, float, tuple[float, float]]


def assert_of_the_length_that_is_stated(row: Reached, scatter: float = 0.0) -> None:
    """Shorter than the labels alone where the judge is good, and hardly longer where it is a coin."""
    most = 0.72 if min(row.sensitivity, row.specificity) >= 0.95 else 1.02
    assert round(row.powered_length, 2) <= most + scatter


def test_over_all_kinds_of_logs_both_intervals_hold_as_often_as_stated() -> None:
    rows = [reached(*cell, trials=60) for cell in CELLS]
    # 2,400 logs: a share near 95% is known to 0.4 points.
    assert PROMISED[0] <= np.mean([row.powered for row in rows]) <= PROMISED[1]
    assert PROMISED[0] <= np.mean([row.bootstrap for row in rows if row.bootstrap is not None]) <= PROMISED[1]
    # A weak judge's delta interval holds more often: it is cut at the ends of the scale.
    assert PROMISED[0] <= np.mean([row.delta for row in rows if row.delta is not None])
    for row in rows:
        assert_of_the_length_that_is_stated(row, scatter=0.03)


@pytest.mark.soak
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_each_kind_of_log_has_intervals_that_hold_as_often_as_stated(cell: Cell) -> None:
    row = reached(*cell, trials=8_000)  # a share near 95% is known to 0.24 points
    for share in (row.powered, row.bootstrap):
        assert share is not None
        assert PROMISED[0] <= share <= PROMISED[1]
    assert row.delta is not None
    assert row.delta >= PROMISED[0]
    assert_of_the_length_that_is_stated(row)


def test_labels_of_whole_topics_have_intervals_that_hold_where_clusters_are_named() -> None:
    row = topics_reached(TOPICS[0], trials=200)
    # A share of 95 in 200 logs has a standard error of 1.5 points: three below.
    assert row.powered >= 0.90
    assert row.rogan_gladen is not None
    assert row.rogan_gladen >= 0.90
    assert row.by_verdict is not None
    assert row.by_verdict >= 0.90
    assert row.plain <= 0.85  # as if the questions of a topic were independent
    assert row.seen_unlike <= 0.05
    assert len(topics_table([row]).splitlines()) == 3


@pytest.mark.soak
@pytest.mark.parametrize("topics", TOPICS, ids=str)
def test_each_kind_of_topics_has_intervals_that_hold_as_often_as_stated(topics: Topics) -> None:
    row = topics_reached(topics, trials=4_000)  # a share near 95% is known to 0.34 points
    assert row.powered >= PROMISED[0]


def test_the_table_has_a_line_for_every_kind() -> None:
    lines = reached_table([reached(100, 0.5, (0.9, 0.8), trials=3)]).splitlines()
    assert len(lines) == 3
    assert len({line.count("|") for line in lines}) == 1
