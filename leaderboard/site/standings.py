"""What a board says in short: who leads it and how sure that is, read off its declarations, whichever board it is.

Where nobody leads, the best of what others published stands in the leader's place, and is said to be so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.board_table import BoardTable
from leaderboard.page.judge_quality import JudgeQualities, quality_sentence
from leaderboard.page.language_quality import languages_sentence
from leaderboard.page.links import address_of
from leaderboard.page.measured import ORIGIN
from leaderboard.page.registered import PublishedLead
from leaderboard.page.state import PageState
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.columns import Column
from leaderboard.parts.interval_bars import BarValue
from leaderboard.parts.tables import PUBLISHED_ROW, Row, column_of, is_entry
from leaderboard.parts.visible_text import shortened

MOST_NAMED = 3
"""Rows of a board that the Overview names: one screen holds no more."""


NAME_CHARACTERS = 28
"""Of a name on the Overview; pointing at it tells the whole."""


class PlaceValue(TypedDict):
    """One row of a board, as the overview names it."""

    name: str
    mark: str
    """What others published says so; blank for entries."""
    link: str
    """Query that opens the row."""
    whose: str
    """Team, model and the like, as far as they are stated."""
    rank: str
    text: str
    """The headline figure with its interval."""
    bar: BarValue | None
    ends: list[str]
    """What the two ends of the bar stand for."""
    note: str


class BoardStandingValue(TypedDict):
    """One board in short; every string is shown as text."""

    title: str
    link: str
    """Query of the board."""
    question: str
    context: str
    """What was answered, and how the figure is read."""
    leaders: list[PlaceValue]
    """The first of the ranked rows; where nobody entered the board, the best that were published; else nobody."""
    sure: str
    """How sure the lead is, or why nobody leads."""
    others: list[PlaceValue]
    """Unranked rows where nobody leads; published ones without the headline where nobody came."""
    more: str
    """How many of them are not named."""
    judge: str
    """Who judged the leader, and how well that judge was measured; blank where no judge is asked."""
    counted: str
    """What the leader's figure rests on; blank where it is not known."""
    published: list[PlaceValue]
    """The best that was published, where somebody entered the board."""
    is_demonstration: bool
    """Is an example of ours named?"""


def standing(
    table: BoardTable[Row, Any], qualities: JudgeQualities, lead: PublishedLead | None = None
) -> BoardStandingValue:
    """The board as it is shown at first, in short.

    Args:
        lead: Who leads in what was published, where that is no row of the table.
    """
    kind = table.kind
    state = table.completed(table.state())
    rows = table.rows(state)
    entries = [row for row in rows if is_entry(row)]
    ranked = _ranked(entries, kind)
    first = _first(ranked, kind)
    top = ranked[:MOST_NAMED] if first else []
    unranked = [] if first else entries
    named = unranked[:MOST_NAMED]
    published = [row for row in rows if row.style == PUBLISHED_ROW]
    compared = [row for row in published if row.tier == 0 and _figure(row, kind) is not None]
    beside = compared[:1] if entries else compared[:MOST_NAMED]
    best = [_lead_place(lead)] if lead else [_place(table, state, row) for row in beside]
    value: BoardStandingValue = {
        "title": kind.title,
        "link": address_of(state),
        "question": kind.question,
        "context": table.caption(state),
        "leaders": [_place(table, state, row) for row in top],
        "sure": _sure(ranked, first, kind) if first else _nobody(rows, entries, kind, table.empty(state)),
        "others": [_place(table, state, row) for row in named],
        "more": f"and {len(unranked) - len(named)} more" if len(unranked) > len(named) else "",
        "judge": _judge_text(top[0], kind, qualities) if top else "",
        "counted": _counted(_figure((top or compared)[0], kind), kind) if top or compared else "",
        "published": best,
        "is_demonstration": any(map(kind.is_example, [*top, *named])),
    }
    if entries or not (best or published):
        return value
    told = [] if best else [_place(table, state, row) for row in published[:MOST_NAMED]]
    said = _published(len(compared), kind, lead)
    # The sentence says what these are, once for all.
    for place in told:
        place["mark"] = place["whose"] = ""
    context = lead.context if lead else value["context"]
    return {**value, "leaders": best, "sure": said, "others": told, "published": [], "context": context}


def _published(compared: int, kind: BoardKind[Row], lead: PublishedLead | None) -> str:
    """What the published figures that are named are the first of."""
    headline = column_of(kind.columns, kind.headline).label
    if lead:
        return f"First of {lead.among}."
    if compared:
        return f"Best of {compared} published {kind.nouns[1]} by {headline}."
    instead = f", named with {column_of(kind.columns, kind.instead).label.lower()}" if kind.instead else ""
    return f"Published without {headline}{instead}."


def _lead_place(lead: PublishedLead) -> PlaceValue:
    return {
        "name": lead.name,
        "mark": f"({lead.mark})",
        "link": lead.link,
        "whose": "",
        "rank": "",
        "text": lead.text,
        "bar": None,
        "ends": [],
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
        return "The board gives no ranks, so how sure this lead is cannot be said."
    if len(ranked) == 1:
        return f"The only ranked {singular}: there is no other to compare it with."
    if len(first) > 1:
        return f"{len(first)} {plural} share rank {band.low}: they are statistically tied."
    if band.high > band.low:
        level = f"{band.high - band.low} of the {len(ranked) - 1} others"
        return f"No other {singular} may hold rank {band.low}, yet {level} cannot be told from it."
    beaten = f"the other ranked {singular}" if len(ranked) == 2 else f"all other ranked {plural} ({len(ranked) - 1})"
    return f"Alone at rank {band.low}: ahead of {beaten} by more than chance."


def _nobody(rows: Sequence[Row], entries: Sequence[Row], kind: BoardKind[Row], empty: str) -> str:
    """Why nobody leads, in words."""
    if entries:
        return f"No ranked {kind.nouns[1]} yet: {len(entries)} unranked."
    return f"{empty} Only null rows stand here ({len(rows)})." if rows else empty


def _place(table: BoardTable[Row, Any], state: PageState, row: Row) -> PlaceValue:
    kind = table.kind
    headline = column_of(kind.columns, kind.headline)
    band = _rank(row, kind)
    names = [column for column in kind.columns if column.is_name]
    name = " ".join(column.value_text(row) for column in names)
    beside = [column_of(kind.columns, key) for key in kind.beside_name]
    told = [name, *(text for column in beside if not column.is_number and (text := column.text(row)))]
    whose = [
        text for column in kind.columns if column.is_searched and not column.is_name and (text := column.text(row))
    ]
    return {
        "name": " · ".join(shortened(text, NAME_CHARACTERS) for text in told),
        "mark": " ".join(mark for column in names if column.remark and (mark := column.remark(row))),
        "link": address_of(table.opened(state, row.id)) if table.opened else address_of(state),
        "whose": " · ".join([name, *whose] if len(name) > NAME_CHARACTERS else whose),
        "rank": kind.rank.text(row) if kind.rank and band else "",
        "text": _text(row, kind),
        "bar": headline.bar(row),
        "ends": [_end(end, headline) for end in headline.scale or ()],
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


def _end(end: float, headline: Column[Any]) -> str:
    return f"{100 * end:g}%" if headline.format == "percent" else f"{end:g}"


def _counted(figure: MetricValue | float | None, kind: BoardKind[Any]) -> str:
    """`n = 18 items`; blank where it is not known what a figure rests on."""
    return f"n = {figure.n} {kind.counted}".rstrip() if isinstance(figure, MetricValue) else ""


def _judge_text(row: Row, kind: BoardKind[Row], qualities: JudgeQualities) -> str:
    pin = kind.judge(row) if kind.judge else None
    if pin is None:
        return ""
    quality = qualities.of(pin)
    by_language = languages_sentence(pin)
    if quality is None and by_language:
        return f"Judged by the {by_language}."
    if quality is None:
        return f"Judged by {pin.name} ({pin.model}), whose quality has not been measured here."
    return f"Judged by the {quality_sentence(quality)}."
