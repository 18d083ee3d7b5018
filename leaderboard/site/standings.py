"""What a board says in short: who leads it and how sure that is, read off its declarations, whichever board it is.

Where nobody leads, the best of what others published stands in the leader's place, and is said to be so. Examples of
ours stand apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.board_table import BoardTable
from leaderboard.page.first_place import FirstPlaceWords, first_place_claim, first_place_of
from leaderboard.page.links import address_of
from leaderboard.page.measured import ORIGIN
from leaderboard.page.registered import PublishedLead
from leaderboard.page.state import PageState
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.interval_bars import BarValue
from leaderboard.parts.tables import PUBLISHED_ROW, Row, column_of, is_entry
from leaderboard.parts.visible_text import shortened, spelled

MOST_NAMED = 2
"""Rows of a board that the Overview names: the first screen holds no more words."""


NAME_CHARACTERS = 40
"""Of a name on the Overview; pointing at it tells the whole."""


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
    compared = [row for row in published if row.tier == 0 and _figure(row, kind) is not None]
    best = [_lead_place(lead)] if lead else [_place(table, state, row) for row in compared[:1]]
    value = _entered(table, state, real) if real else _value(table, state)
    if value["leaders"]:
        return {**value, "others": best}
    if best:  # what was published stands above runs without a rank
        sure = f"First of {lead.among}." if lead else _best_published(compared, kind)
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
    ranked = _ranked(entries, kind)
    first = _first(ranked, kind)
    if first:
        return {
            **value,
            "leaders": _named(table, state, first),
            "sure": _sure(ranked, first, kind),
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


def _best_published(compared: Sequence[Row], kind: BoardKind[Row]) -> str:
    """What the published row that is named is the first of."""
    singular, plural = kind.nouns
    figure = _figure(compared[0], kind)
    judged_on = f" on {figure.n} {kind.counted}" if isinstance(figure, MetricValue) and figure.n else ""
    if len(compared) == 1:
        return f"The only published {singular}{judged_on}."
    return f"{kind.best} of {spelled(len(compared))} {plural}{judged_on}."


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


def _rank(row: Row, kind: BoardKind[Row]) -> RankBand | None:
    band = kind.rank.value(row) if kind.rank else None
    return band if isinstance(band, RankBand) else None


def _ranked(entries: Sequence[Row], kind: BoardKind[Row]) -> list[Row]:
    """Rows that take part, best headline first; where a board has no ranks, all that have a headline."""
    if kind.rank:
        return [row for row in entries if _rank(row, kind)]
    return [row for row in entries if row.tier == 0 and _figure(row, kind) is not None]


def _first(ranked: Sequence[Row], kind: BoardKind[Row]) -> list[Row]:
    """Rows that may hold the first place, best headline first; where a board has no ranks, the first one."""
    bands = [band for row in ranked if (band := _rank(row, kind))]
    if not bands:
        return list(ranked[:1])
    place = min(band.low for band in bands)
    return [row for row in ranked if (band := _rank(row, kind)) and band.low == place]


def _sure(ranked: Sequence[Row], first: Sequence[Row], kind: BoardKind[Row]) -> str:
    """How far the rows on the first place stand apart from the others, in words."""
    singular, plural = kind.nouns
    band = _rank(first[0], kind)
    if band is None:
        return "This board gives no ranks."
    if band.low > 1:
        return "Ranked behind examples of ours."
    if len(ranked) == 1:
        return f"The only ranked {singular} so far."
    if len(first) > 1:
        return f"{spelled(len(first)).capitalize()} {plural} may be first."
    if band.high > band.low:
        level, others = band.high - band.low, len(ranked) - 1
        return f"First, but not separable from {spelled(level)} of the {spelled(others)} others."
    return f"Clear leader among {spelled(len(ranked))} {plural}."


def _deciding(entries: Sequence[Row], kind: BoardKind[Row]) -> str:
    """How few items decide who is first, where it is one of these rows and a few do; the board says the rest."""
    first = first_place_of(entries)
    if first is None or not first.deciding.items:
        return ""
    return f"{first_place_claim(first, FirstPlaceWords.from_kind(kind), decided='it')}."


def _place(table: BoardTable[Row, Any], state: PageState, row: Row) -> PlaceValue:
    kind = table.kind
    band = _rank(row, kind)
    names = [column for column in kind.columns if column.is_name]
    name, *beside = kind.title_of(row)
    whose = [
        text for column in kind.columns if column.is_searched and not column.is_name and (text := column.text(row))
    ]
    return {
        "name": " · ".join(shortened(text, NAME_CHARACTERS) for text in (name, *beside)),
        "mark": " ".join(mark for column in names if column.remark and (mark := column.remark(row))).strip("()"),
        "origin": "published" if row.style == PUBLISHED_ROW else "by us" if kind.is_example(row) else "",
        "link": address_of(table.opened(state, row.id)) if table.opened else address_of(state),
        "whose": " · ".join([name, *whose] if len(name) > NAME_CHARACTERS else whose),
        "rank": kind.rank.text(row) if kind.rank and band else "",
        "text": _text(row, kind),
        "bar": column_of(kind.columns, kind.headline).bar(row),
        "note": _note(row, kind),
    }


def _figure(row: Row, kind: BoardKind[Row]) -> MetricValue | float | None:
    """The headline figure; None where the row has none."""
    figure = column_of(kind.columns, kind.headline).value(row)
    if isinstance(figure, MetricValue):
        return figure if figure.value is not None else None
    return float(figure) if isinstance(figure, int | float) else None


def _text(row: Row, kind: BoardKind[Row]) -> str:
    """The headline; where it was not printed, what was."""
    if kind.instead and row.style == PUBLISHED_ROW and _figure(row, kind) is None:
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
