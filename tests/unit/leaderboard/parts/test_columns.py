from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.behavior_alignment.file_view import STRATEGY_COLUMNS
from leaderboard.boards.behavior_alignment.turns import DIALOGUE_COLUMNS
from leaderboard.boards.position_bias.columns import TASK_COLUMNS
from leaderboard.boards.robustness.columns import ITEM_COLUMNS, ROBUSTNESS_COLUMNS
from leaderboard.desk.columns import QUEUE_COLUMNS, STATE_COLUMNS, WORKER_COLUMNS
from leaderboard.desk.problem_values import PROBLEM_COLUMNS
from leaderboard.parts.columns import Column, DocsPage, Format, Value, text_of
from submissions.schema import Count
from tests.registered import KINDS

TABLES: tuple[tuple[Column[Any], ...], ...] = (
    *(kind.columns for kind in KINDS.values()),
    ITEM_COLUMNS,
    TASK_COLUMNS,
    PROBLEM_COLUMNS,
    QUEUE_COLUMNS,
    STATE_COLUMNS,
    WORKER_COLUMNS,
    DIALOGUE_COLUMNS,
    STRATEGY_COLUMNS,
)
MOMENT = datetime(2026, 11, 21, 8, 5, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "format_", "text"),
    [
        (MetricValue(value=3.7251, low=3.134, high=4.2701, n=15), "interval", "3.73 [3.13, 4.27]"),
        (MetricValue(value=3.5, n=3), "interval", "3.50"),
        (MetricValue(value=None, n=0, reason="nothing was judged"), "interval", "n/a"),
        (RankBand(2, 2), "rank", "2"),
        (RankBand(2, 5), "rank", "2-5"),
        (None, "rank", ""),
        (None, "decimal", "n/a"),
        (None, "text", ""),
        (0.0, "decimal", "0.00"),
        (0.256, "share", "26%"),
        (0.125, "signed", "+0.12"),
        (-0.5, "signed", "-0.50"),
        (-0.001, "signed", "0.00"),
        (MetricValue(value=0.0, low=-0.1, high=0.1, n=40), "signed", "0.00 [-0.10, +0.10]"),
        (Count(103, 60), "whole", "60/103"),
        (Count(None, 60), "whole", "60"),
        (7, "whole", "7"),
        (MOMENT, "day", "2026-11-21"),
        (MOMENT, "time", "2026-11-21 08:05:09 UTC"),
        ("=1+1", "text", "=1+1"),
    ],
)
def test_a_value_is_written_as_people_read_it(value: Value, format_: Format, text: str) -> None:
    assert text_of(value, format_) == text


@pytest.mark.parametrize("columns", TABLES)
def test_every_column_is_explained_and_declared_once(columns: tuple[Column[Any], ...]) -> None:
    keys = [column.key for column in columns]
    assert len(set(keys)) == len(keys)
    assert all(column.label and column.tooltip.endswith(".") for column in columns)
    assert [column.is_name for column in columns].count(True) == 1


@pytest.mark.parametrize("page", get_args(DocsPage))
def test_every_docs_anchor_is_a_heading_of_its_page(page: str) -> None:
    text = (Path(__file__).parents[4] / "docs" / page).read_text(encoding="utf-8")
    headings = {heading.casefold() for heading in re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)}
    anchors = {column.docs_anchor for columns in TABLES for column in columns if column.docs_page == page}
    assert anchors - {""} <= headings


def test_headline_and_raw_mean_stand_side_by_side() -> None:
    keys = [column.key for column in ROBUSTNESS_COLUMNS]
    assert keys.index("raw") == keys.index("score") + 1


def test_a_cell_without_a_value_says_what_its_column_says_of_it() -> None:
    column: Column[float | None] = Column("x", "X", "decimal", lambda row: row, "X.", missing="not measured")
    assert (column.text(None), column.text(0.0)) == ("not measured", "0.00")
