"""How stable each rank is -> what the component shows and the CSV holds. Pure."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TypedDict

from evaluator.results import HEADLINE
from evaluator.statistics.intervals import MIN_UNITS
from leaderboard.boards.robustness.choices.ranks import KIND_LABELS, ChoiceRanks, RankCell, RankChoice, RankRange
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.parts.columns import NOT_AVAILABLE, text_of
from leaderboard.parts.downloads import neutralised


class ChoiceGroupValue(TypedDict):
    """A heading over several choices."""

    label: str
    span: int


class ChoiceHeadValue(TypedDict):
    """One choice."""

    key: str
    label: str
    items: str
    hint: str
    style: str


class ChoiceCellValue(TypedDict):
    """One system under one choice."""

    text: str
    score: str
    hint: str
    style: str


class ChoiceRowValue(TypedDict):
    """One system."""

    id: str
    name: str
    team: str
    range: str
    ranked: str
    style: str
    cells: list[ChoiceCellValue]


class ChoicesValue(TypedDict):
    """All the component shows; every string is shown as text."""

    caption: str
    lines: list[str]
    """How the table is made, folded below it."""
    groups: list[ChoiceGroupValue]
    heads: list[ChoiceHeadValue]
    rows: list[ChoiceRowValue]
    reasons: list[str]
    empty: str


def choices_value(ranks: ChoiceRanks, rows: Sequence[RobustnessRow], kept: str) -> ChoicesValue:
    """The table.

    Args:
        rows: in the order they are shown; those that were not compared are left out.
        kept: what each choice keeps of the others, in words.
    """
    shown = [row for row in rows if row.id in ranks.cells]
    return {
        "caption": f"{kept}: range of each rank, then the rank under each of {len(ranks.choices)} choices, its score "
        "below it",
        "lines": _lines(ranks, kept) if shown else [],
        "groups": [
            {"label": KIND_LABELS[kind], "span": len(list(choices))}
            for kind, choices in groupby(ranks.choices, key=lambda choice: choice.kind)
        ],
        "heads": [_head(ranks, place, choice) for place, choice in enumerate(ranks.choices)],
        "rows": [_row(ranks, row) for row in shown],
        "reasons": _reasons(ranks, shown),
        "empty": "" if shown else "Nothing to compare: no system is scored here, or none fits the search and filters.",
    }


def _lines(ranks: ChoiceRanks, kept: str) -> list[str]:
    told = [ranks.tells_apart(place) for place in range(len(ranks.choices))]
    lines = [
        f"We compare {len(told)} choices: the board as shown ({kept}), and variants that each change one thing. Each "
        "choice ranks all systems again by the rules of the board.",
        f"Range: the best and the worst rank a system may hold under the {sum(told)} choices with {MIN_UNITS} items or "
        "more. A wide range means that the rank depends on the choice.",
    ]
    if not all(told):
        lines.append(
            f"Choices with fewer than {MIN_UNITS} items cannot tell systems apart: they are shown in grey and left out "
            "of the range."
        )
    if ranks.left_out:
        lines.append(
            f"The best {len(ranks.cells)} systems are compared, with each other alone; {ranks.left_out} more are not."
        )
    return lines


def _head(ranks: ChoiceRanks, place: int, choice: RankChoice) -> ChoiceHeadValue:
    items = ranks.items[place]
    return {
        "key": choice.key,
        "label": choice.label,
        "items": f"{items} item" if items == 1 else f"{items} items",
        "hint": f"{_shows(choice)}: {KIND_LABELS[choice.kind].lower()}, {choice.label}; "
        f"it ranks {ranks.ranked(place)} of {len(ranks.cells)} systems",
        "style": _style(ranks, place),
    }


def _shows(choice: RankChoice) -> str:
    """What its heading leads to: ranks by another figure or gate stand here alone."""
    if choice.counted == HEADLINE:
        return "Show this board"
    return "Show the board, whose ranks stay by its score"


def _style(ranks: ChoiceRanks, place: int) -> str:
    is_first = place == 0 or ranks.choices[place - 1].kind != ranks.choices[place].kind
    return " ".join(
        word for word in ("first-of-kind" if is_first else "", "" if ranks.tells_apart(place) else "untold") if word
    )


def _row(ranks: ChoiceRanks, row: RobustnessRow) -> ChoiceRowValue:
    rank_range = ranks.range(row.id)
    return {
        "id": row.id,
        "name": row.name,
        "team": row.team,
        "range": range_text(rank_range),
        "ranked": f"{rank_range.ranked} of {rank_range.of}",
        "style": "" if rank_range.ranked else "unranked-row",
        "cells": [_cell(ranks, place, cell) for place, cell in enumerate(ranks.cells[row.id])],
    }


def range_text(rank_range: RankRange) -> str:
    """A range as a rank is written.

    >>> range_text(RankRange(low=1, high=4, ranked=9, of=12)), range_text(RankRange(None, None, ranked=0, of=12))
    ('1-4', 'n/a')
    """
    if rank_range.low is None or rank_range.high is None:
        return NOT_AVAILABLE
    return str(rank_range.low) if rank_range.low == rank_range.high else f"{rank_range.low}-{rank_range.high}"


def _cell(ranks: ChoiceRanks, place: int, cell: RankCell) -> ChoiceCellValue:
    standing = cell.standing
    n = f"{len(standing.item_values)} of {standing.eligible} items"
    score = text_of(standing.mean, "decimal")
    if cell.band is None:
        hint = f"not ranked: {cell.reason}; score {score}, {n}"
    else:
        hint = f"score {score}, {n}" + ("" if ranks.tells_apart(place) else ": too few to tell systems apart")
    return {
        "text": text_of(cell.band, "rank") or NOT_AVAILABLE,
        "score": score if standing.mean is not None else "",
        "hint": hint,
        "style": _style(ranks, place),
    }


def _reasons(ranks: ChoiceRanks, shown: Sequence[RobustnessRow]) -> list[str]:
    """Why cells say n/a, the most frequent reason first."""
    counted = Counter(cell.reason for row in shown for cell in ranks.cells[row.id] if cell.reason)
    return [f"{reason} ({count} {'cell' if count == 1 else 'cells'})" for reason, count in counted.most_common()]


def choices_csv(ranks: ChoiceRanks, rows: Sequence[RobustnessRow]) -> str:
    """The table with full numbers: for every choice the rank band, the score and the number of items."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = [f"{choice.kind} {choice.label}" for choice in ranks.choices]
    of_choices = [f"{name} {what}" for name in names for what in ("rank_low", "rank_high", "score", "n", "reason")]
    writer.writerow(["team", "system", "model", "range_low", "range_high", "ranked", "choices", *of_choices])
    for row in rows:
        if row.id not in ranks.cells:
            continue
        rank_range = ranks.range(row.id)
        cells = [value for cell in ranks.cells[row.id] for value in _flat(cell)]
        written = [
            row.team,
            row.name,
            row.model,
            rank_range.low,
            rank_range.high,
            rank_range.ranked,
            rank_range.of,
            *cells,
        ]
        writer.writerow([neutralised(value) for value in written])
    return buffer.getvalue()


def _flat(cell: RankCell) -> tuple[int | float | str | None, ...]:
    low, high = cell.band or (None, None)
    return low, high, cell.standing.mean, len(cell.standing.item_values), cell.reason or ""
