from __future__ import annotations

from typing import Any

from leaderboard.about_text import about_markdown
from leaderboard.columns import JUDGES_COLUMNS, ROBUSTNESS_COLUMNS, Column
from leaderboard.judge_quality import published_quality
from submissions.promptsets import PromptSets
from submissions.queue import JobStatus


def test_every_column_and_state_is_explained() -> None:
    sets = PromptSets.load(None)
    text = about_markdown([sets.eloquent_2024, sets.demonstration], published_quality())
    tables: tuple[tuple[Column[Any], ...], ...] = (ROBUSTNESS_COLUMNS, JUDGES_COLUMNS)
    assert all(f"**{column.label}**: {column.tooltip}" in text for columns in tables for column in columns)
    assert all(status.sentence in text for status in JobStatus)


def test_the_judges_measured_accuracy_is_stated_with_its_interval() -> None:
    quality = published_quality()
    assert quality is not None
    assert quality.accuracy.n > 100
    assert f"on {quality.accuracy.n} labelled pairs" in about_markdown([], quality)
    values = [value.value or 0.0 for value in quality.by_category.values()]
    weakest = min(quality.by_category, key=lambda name: quality.by_category[name].value or 0.0)
    assert quality.category_lines()[0].startswith(weakest.replace("_", " "))
    assert len(quality.category_lines()) == len(values)


def test_an_unmeasured_judge_is_called_unmeasured() -> None:
    assert "has not been measured" in about_markdown([], None)
