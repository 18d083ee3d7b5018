"""What a board says in short: who leads it and how sure that is, read off its declarations, whichever board it is.

Where nobody leads, the best of what others published stands in the leader's place, and is said to be so. Examples of
ours stand apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from leaderboard.page.board_table import BoardTable
from leaderboard.page.first_place import FirstPlaceWords, first_place_claim, first_place_of
from leaderboard.page.leaders import (
    best_published,
    first_rows,
    headline_of,
    how_sure,
    rank_of,
    ranked_rows,
)
from leaderboard.page.links import address_of
from leaderboard.page.measured import ORIGIN
from leaderboard.page.registered import PublishedLead
from leaderboard.page.state import PageState
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.interval_bars import BarValue
from leaderboard.parts.tables import PUBLISHED_ROW, Row, column_of, is_entry
from leaderboard.parts.visible_text import NAME_CHARACTERS, shortened

MOST_NAMED = 2
"""Rows of a board that the Overview names: the first screen holds no more words."""


class PlaceValue(TypedDict):
    """One row of a board, as the overview names it."""

    name: str
    mark: str
    """What others published says so; blank for entries."""
    origin: str
    """The same in one or two words."""
    link: str
    """Query that opens the row."""
    whose: str
    """Team, model and the like, as far as they are stated."""
    rank: str
    text: str
    """The headline figure with its interval."""
    bar: BarValue | None
    note: str


class BoardStandingValue(TypedDict):
    """One board in short; every string is shown as text."""

    title: str
    link: str
    """Query of the board."""
    question: str
    leaders: list[PlaceValue]
    """Rows that may be first; where nobody entered the board, the best that was published; else nobody."""
    sure: str
    """How sure the lead is, or why nobody leads: one sentence."""
    deciding: str
    """How few items decide who is first; blank where nobody leads or the board does not say."""
    others: list[PlaceValue]
    """Unranked rows where nobody leads; published ones without the headline where nobody came."""
    more: str
    """How many of them are not named."""


def standing(table: BoardTable[Row, Any], lead: PublishedLead | None = None) -> BoardStandingValue:
    """Return the board as it is shown at first, in short, without examples of ours.

    Args:
        table: The board.
        lead: Who leads in what was published, where that is no row of the table.
    """
    kind, state, rows = _shown(table)
    real = [row for row in rows if is_entry(row) and not kind.is_example(row)]
    published = [row for row in rows if row.style == PUBLISHED_ROW]
    compared = [row for row in published if row.tier == 0 and headline_of(row, kind) is not None]
    best = [_lead_place(lead)] if lead else [_place(table, state, row) for row in compared[:1]]
    value = _entered(table, state, real) if real else _value(table, state)
    if value["leaders"]:
        return {**value, "others": best}
    if best:  # what was published stands above runs without a rank
        sure = f"First of {lead.among}." if lead else best_published(compared, kind)
        return {**value, "leaders": best, "sure": sure}
    if real:
        return value
    if published:
        return {**value, "others": [_place(table, state, published[0])], "sure": _instead(kind)}
    empty = table.empty(state)
    return {**value, "sure": f"{empty} Only baselines so far." if rows else empty}


def example_standing(table: BoardTable[Row, Any]) -> BoardStandingValue | None:
    """Return what our examples on the board say, in short; None where there are none."""
    kind, state, rows = _shown(table)
    examples = [row for row in rows if is_entry(row) and kind.is_example(row)]
    return _entered(table, state, examples) if examples else None


def _shown(table: BoardTable[Row, Any]) -> tuple[BoardKind[Row], Any, Sequence[Row]]:
    state = table.completed(table.state())
    return table.kind, state, table.rows(state)


def _value(table: BoardTable[Row, Any], state: Any) -> BoardStandingValue:
    kind = table.kind
    return {
        "title": kind.title,
        "link": address_of(state),
        "question": kind.question,
        "leaders": [],
        "sure": "",
        "deciding": "",
        "others": [],
        "more": "",
    }


def _entered(table: BoardTable[Row, Any], state: Any, entries: Sequence[Row]) -> BoardStandingValue:
    """The standing of some of the rows that were entered."""
    kind, value = table.kind, _value(table, state)
    ranked = ranked_rows(entries, kind)
    first = first_rows(ranked, kind)
    if first:
        return {
            **value,
            "leaders": _named(table, state, first),
            "sure": how_sure(ranked, first, kind),
            "deciding": _deciding(entries, kind),
        }
    more = len(entries) - MOST_NAMED
    return {
        **value,
        "others": _named(table, state, entries),
        "more": f"and {more} more" if more > 0 else "",
        "sure": f"No ranked {kind.nouns[1]} yet: {len(entries)} unranked.",
    }


def _named(table: BoardTable[Row, Any], state: Any, rows: Sequence[Row]) -> list[PlaceValue]:
    return [_place(table, state, row) for row in rows[:MOST_NAMED]]


def _instead(kind: BoardKind[Any]) -> str:
    """That the headline of the published rows was not printed, and what is named in its place."""
    headline = column_of(kind.columns, kind.headline).label
    shown = f"; {column_of(kind.columns, kind.instead).label.lower()} shown" if kind.instead else ""
    return f"{headline} was not published{shown}."


def _lead_place(lead: PublishedLead) -> PlaceValue:
    return {
        "name": lead.name,
        "mark": lead.mark,
        "origin": "published",
        "link": lead.link,
        "whose": "",
        "rank": "",
        "text": lead.text,
        "bar": None,
        "note": "",
    }


def _deciding(entries: Sequence[Row], kind: BoardKind[Row]) -> str:
    """How few items decide who is first, where it is one of these rows and a few do; the board says the rest."""
    first = first_place_of(entries)
    if first is None or not first.deciding.items:
        return ""
    return f"{first_place_claim(first, FirstPlaceWords.from_kind(kind), decided='it')}."


def _place(table: BoardTable[Row, Any], state: PageState, row: Row) -> PlaceValue:
    kind = table.kind
    band = rank_of(row, kind)
    name, *beside = kind.title_of(row)
    whose = [
        text for column in kind.columns if column.is_searched and not column.is_name and (text := column.text(row))
    ]
    return {
        "name": " · ".join(shortened(text, NAME_CHARACTERS) for text in (name, *beside)),
        "mark": kind.mark_of(row).strip("()"),
        "origin": "published" if row.style == PUBLISHED_ROW else "by us" if kind.is_example(row) else "",
        "link": address_of(table.opened(state, row.id)) if table.opened else address_of(state),
        "whose": " · ".join([name, *whose] if len(name) > NAME_CHARACTERS else whose),
        "rank": kind.rank.text(row) if kind.rank and band else "",
        "text": _text(row, kind),
        "bar": column_of(kind.columns, kind.headline).bar(row),
        "note": _note(row, kind),
    }


def _text(row: Row, kind: BoardKind[Row]) -> str:
    """The headline; where it was not printed, what was."""
    if kind.instead and row.style == PUBLISHED_ROW and headline_of(row, kind) is None:
        return column_of(kind.columns, kind.instead).text(row)
    return column_of(kind.columns, kind.headline).text(row)


def _note(row: Row, kind: BoardKind[Row]) -> str:
    """What must be known about a row besides its mark, which says where it comes from, and its headline, which says why
    there is none."""
    if kind.note is None or row.style == PUBLISHED_ROW:
        return ""
    headline = _text(row, kind)
    parts = kind.note.text(row).split("; ")
    told = [*ORIGIN.values(), *(part for part in parts if part.removeprefix("not ranked: ") in headline)]
    return "; ".join(part for part in parts if part not in told)
