"""Rows of the coverage grid: item by language, answered of expected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from leaderboard.columns import Column
from submissions.schema import Count, Coverage


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One item of the prompt set."""

    id: str
    by_language: Mapping[str, Count]
    tier: int = 0

    @property
    def style(self) -> str:
        """A row that lacks an answer stands out."""
        is_complete = all(count.answered == count.expected for count in self.by_language.values())
        return "" if is_complete else "incomplete-row"


def coverage_rows(coverage: Coverage) -> tuple[CoverageRow, ...]:
    """One row per item, in the order of the prompt set."""
    items = dict.fromkeys(item for item, _ in coverage.by_item_language)
    return tuple(
        CoverageRow(
            item, {language: count for (of, language), count in coverage.by_item_language.items() if of == item}
        )
        for item in items
    )


def coverage_columns(coverage: Coverage) -> tuple[Column[CoverageRow], ...]:
    """The item, then one column per language of the set."""
    languages = dict.fromkeys(language for _, language in coverage.by_item_language)
    item: Column[CoverageRow] = Column(
        "item", "Item", "text", lambda row: row.id, "Item of the prompt set.", is_name=True, sortable=False
    )
    return (item, *(_language_column(language) for language in languages))


def _language_column(language: str) -> Column[CoverageRow]:
    return Column(
        f"language-{language}",
        language,
        "whole",
        lambda row: row.by_language.get(language),
        f"Responses in {language}: answered of expected.",
        sortable=False,
    )
