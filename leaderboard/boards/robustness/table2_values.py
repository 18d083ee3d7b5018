"""Table 2 of 2024 as the page shows it, and as a file: printed and recomputed averages side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from leaderboard.boards.robustness.perspectives import is_looked_at
from leaderboard.boards.robustness.state import EditionState, RobustnessState
from leaderboard.boards.robustness.table2 import SUMS_PRINTED, SYSTEMS, TABLE_2, PublishedItem, means, sums
from leaderboard.page.links import address_of
from leaderboard.page.registered import PublishedLead
from leaderboard.parts.columns import RATING_SCALE, Column, text_of
from leaderboard.parts.downloads import CSV, FileValue, csv_text, file_value
from leaderboard.parts.interval_bars import bar_value
from leaderboard.parts.notices import NoticeValue
from leaderboard.parts.published import AS_PRINTED
from submissions.promptsets import eloquent_2024_without_prompts

TITLE = "Table 2 of the 2024 working notes"
CITATION = (
    "Sahlgren, M. and others: ELOQUENT 2024 - Robustness Task. CLEF 2024 working notes, CEUR-WS Vol-3740, Table 2."
)
PAPER_LINK = "https://ceur-ws.org/Vol-3740/"


class PublishedCell(TypedDict):
    """A score of the table; `at` is its place between 0 and 5."""

    text: str
    at: str


class PublishedLine(TypedDict):
    """One item."""

    item: str
    file_item: str
    variation: str
    cells: list[PublishedCell]
    printed: str
    recomputed: str
    is_misprinted: bool


class PublishedValue(TypedDict):
    """The table with what has to be said of it; every string is shown as text."""

    title: str
    notes: list[str]
    citation: str
    link: str
    systems: list[str]
    lines: list[PublishedLine]
    sums: list[str]
    means: list[str]


def table2_lead() -> PublishedLead:
    """The system with the largest sum."""
    most, first = max(zip(SUMS_PRINTED, SYSTEMS, strict=True))
    return PublishedLead(
        name=first,
        text=f"sum {most} of {RATING_SCALE[1] * len(TABLE_2)}",
        mark=AS_PRINTED,
        among=f"{len(SYSTEMS)} systems in {TITLE}",
        link=address_of(RobustnessState(look="history")),
    )


def found_notice(state: EditionState) -> NoticeValue | None:
    """The way from the ranking to the table, with who stands first in it; None where the ranking is not looked at."""
    if not is_looked_at(state, "board"):
        return None
    lead = table2_lead()
    return {
        "kind": "plain",
        "title": f"{lead.mark[0].upper()}{lead.mark[1:]}: {lead.name} is first of {lead.among}, {lead.text}",
        "lines": [],
        "link": address_of(replace(state, look="history")),
        "link_text": TITLE,
    }


def published_value(state: EditionState) -> PublishedValue | None:
    """The table; None where it is not looked at."""
    if not is_looked_at(state, "history"):
        return None
    misprinted = sum(item.is_misprinted for item in TABLE_2)
    return {
        "title": TITLE,
        "notes": [
            "History: another judge scored these systems, on answers that are not available. Its figures cannot be "
            "compared with ours, so they stand on no board and in no rank.",
            "Items have the paper's numbers; it leaves out item 009 of the test file. AVG, the mean over the five "
            "systems, is the paper's measure of how hard an item is.",
            f"In {misprinted} of {len(TABLE_2)} items the printed AVG does not follow from the cells: those are "
            "marked. Every printed SUM fits its column.",
        ],
        "citation": CITATION,
        "link": PAPER_LINK,
        "systems": list(SYSTEMS),
        "lines": [_line(item) for item in TABLE_2],
        "sums": [str(total) for total in sums()],
        "means": [text_of(mean, "decimal") for mean in means()],
    }


def _line(item: PublishedItem) -> PublishedLine:
    return {
        "item": item.paper_item,
        "file_item": item.file_item,
        "variation": _variation(item),
        "cells": [{"text": str(score), "at": _place(score)} for score in item.cells],
        "printed": f"{item.average_printed:.1f}",
        "recomputed": f"{item.average:.1f}",
        "is_misprinted": item.is_misprinted,
    }


def _place(score: float) -> str:
    bar = bar_value(score, RATING_SCALE)
    return bar["at"] if bar else ""


def _variation(item: PublishedItem) -> str:
    """Its type of variation in the test file."""
    return next(
        file_item.variation for file_item in eloquent_2024_without_prompts().items if file_item.id == item.file_item
    )


# --- as a file -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A line of the file: an item, or the sums."""

    id: str
    file_item: str
    variation: str
    cells: tuple[int, ...]
    average_printed: float | None
    average_recomputed: float | None
    differs: str
    tier: int = 0
    style: str = ""


def _cell(place: int) -> Callable[[PrintedRow], int]:
    return lambda row: row.cells[place]


_COLUMNS: Final[tuple[Column[PrintedRow], ...]] = (
    Column("item", "Item", "text", lambda row: row.id, "The paper's number."),
    Column("file_item", "Item of the file", "text", lambda row: row.file_item, "Its id in the test file."),
    Column("variation", "Variation", "text", lambda row: row.variation, "What differs between its variants."),
    *(
        Column(system, system, "whole", _cell(place), "Score 0-5; in the last line their sum.")
        for place, system in enumerate(SYSTEMS)
    ),
    Column("avg_printed", "AVG, printed", "decimal", lambda row: row.average_printed, "As printed."),
    Column("avg_recomputed", "AVG, recomputed", "decimal", lambda row: row.average_recomputed, "Mean of the cells."),
    Column("differs", "Differs", "text", lambda row: row.differs, "Whether the printed average fits the cells."),
)


def published_file() -> FileValue:
    """The table as CSV, the sums last."""
    rows = [
        PrintedRow(
            id=item.paper_item,
            file_item=item.file_item,
            variation=_variation(item),
            cells=item.cells,
            average_printed=item.average_printed,
            average_recomputed=item.average,
            differs="yes" if item.is_misprinted else "no",
        )
        for item in TABLE_2
    ]
    last = PrintedRow("SUM", "", "", SUMS_PRINTED, None, None, "no" if sums() == SUMS_PRINTED else "yes")
    return file_value("plumbline-table2-2024.csv", CSV, csv_text([*rows, last], _COLUMNS))
