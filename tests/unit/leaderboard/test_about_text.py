from __future__ import annotations

from typing import Any

from leaderboard.about_text import about_markdown
from leaderboard.columns import JUDGES_COLUMNS, ROBUSTNESS_COLUMNS, Column
from leaderboard.judge_quality import category_lines, shipped_qualities
from submissions.promptsets import PromptSets
from submissions.queue import JobStatus


def test_every_column_and_state_is_explained() -> None:
    sets = PromptSets.load(None)
    text = about_markdown([sets.eloquent_2024, sets.demonstration], shipped_qualities())
    tables: tuple[tuple[Column[Any], ...], ...] = (ROBUSTNESS_COLUMNS, JUDGES_COLUMNS)
    assert all(f"**{column.label}**: {column.tooltip}" in text for columns in tables for column in columns)
    assert all(status.sentence in text for status in JobStatus)


def test_the_judges_measured_accuracy_is_stated_with_its_interval() -> None:
    for quality in shipped_qualities():
        assert quality.pairs > 100
        assert f"on {quality.quality.accuracy.n} labelled pairs" in about_markdown([], [quality])
        accuracies = {name: found.accuracy.value or 0.0 for name, found in quality.quality.categories.items()}
        weakest = min(accuracies, key=lambda name: accuracies[name])
        assert category_lines(quality)[0].startswith(weakest.replace("_", " "))
        assert len(category_lines(quality)) == len(accuracies)


def test_an_unmeasured_judge_is_called_unmeasured() -> None:
    assert "has not been measured" in about_markdown([], [])
