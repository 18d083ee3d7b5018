"""The coverage grid: item by language, answered of expected."""

from __future__ import annotations

from typing import Literal, TypedDict

from submissions.schema import Count, Coverage

MOST_GAPS_NAMED = 12

CellState = Literal["full", "part", "none", "absent"]

SIGNS: dict[CellState, str] = {"full": "●", "part": "◐", "none": "○", "absent": ""}
"""Told apart without colour."""

_VIEWS = {"english": "English", "all": "all languages", "cultural": "cultural figures", "consistency": "consistency"}
_RANKABLE = {True: "yes", False: "no", None: "told by all files of the run together"}


class GridCellValue(TypedDict):
    """One item in one language."""

    state: CellState
    sign: str
    text: str
    """`3/4`; blank where the item has no variant in the language."""


class GridRowValue(TypedDict):
    """One item."""

    item: str
    cells: list[GridCellValue]


class GridValue(TypedDict):
    """The grid with what it says in words."""

    caption: str
    heads: list[str]
    rows: list[GridRowValue]
    totals: list[str]
    words: list[str]


def coverage_grid(coverage: Coverage | None) -> GridValue | None:
    """What a file answers, item by language; None where that is not known."""
    if coverage is None or not coverage.by_item_language:
        return None
    cells = coverage.by_item_language
    items = list(dict.fromkeys(item for item, _ in cells))
    languages = list(dict.fromkeys(language for _, language in cells))
    totals = [coverage.by_language.get(language) for language in languages]
    return {
        "caption": f"Coverage: {coverage.total.answered:,} of {coverage.total.expected:,} responses",
        "heads": languages,
        "rows": [
            {"item": item, "cells": [_cell(cells.get((item, language))) for language in languages]} for item in items
        ],
        "totals": [_text(total) for total in totals],
        "words": [_gaps(coverage), *_ranks(coverage)],
    }


def cell_state(count: Count | None) -> CellState:
    """How far a cell is answered."""
    if count is None or not count.expected:
        return "absent"
    if count.answered >= count.expected:
        return "full"
    return "part" if count.answered else "none"


def _cell(count: Count | None) -> GridCellValue:
    state = cell_state(count)
    return {"state": state, "sign": SIGNS[state], "text": _text(count)}


def _text(count: Count | None) -> str:
    return f"{count.answered}/{count.expected}" if count and count.expected else ""


def _gaps(coverage: Coverage) -> str:
    """The grid in a sentence: which cells lack answers."""
    gaps = [
        f"{item} {language} {_text(count)}"
        for (item, language), count in coverage.by_item_language.items()
        if cell_state(count) in ("part", "none")
    ]
    if not gaps:
        return "Every variant of every item is answered."
    more = f" and {len(gaps) - MOST_GAPS_NAMED} more" if len(gaps) > MOST_GAPS_NAMED else ""
    return f"Not fully answered: {', '.join(gaps[:MOST_GAPS_NAMED])}{more}."


def _ranks(coverage: Coverage) -> list[str]:
    known = [f"{_VIEWS.get(view, view)} {_RANKABLE[may]}" for view, may in coverage.rankable.items()]
    return [f"Enough for a rank: {', '.join(known)}."] if known else []
