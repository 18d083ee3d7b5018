"""Say who leads a board and how sure that is, read off what the board declares about its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.parts.board_kind import BoardKind
from leaderboard.parts.tables import PUBLISHED_ROW, Row, column_of, is_entry, ordered
from leaderboard.parts.visible_text import NAME_CHARACTERS, shortened, spelled

MOST_LEADERS = 3
"""Rows that the sentence above a table names."""


def leader_sentence(rows: Sequence[Row], kind: BoardKind[Row]) -> str:
    """Return who leads a board and how sure that is, as one sentence; blank where nobody does.

    Args:
        rows: All rows of the board, in any order.
        kind: What is declared about the board.
    """
    ranked = ranked_rows([row for row in rows if is_entry(row)], kind)
    # Only the few that may be named are sorted: the sentence is made anew with every drawing of the table.
    first = _best_first(first_rows(ranked if kind.rank else _best_first(ranked, kind), kind), kind)
    if not first:
        compared = [row for row in rows if row.style == PUBLISHED_ROW and row.tier == 0]
        published = _best_first([row for row in compared if headline_of(row, kind) is not None], kind)
        if published:
            return f"{_named(published[:1], kind)}: {_lowered(best_published(published, kind))}"
        return _none_ranked([row for row in rows if is_entry(row)], kind) if kind.rank else ""
    said = _SENTENCES[_lead(ranked, first, kind)][0]
    return said.format(named=_named(first, kind), **_counted(ranked, first, kind)) if said else ""


def _none_ranked(listed: Sequence[Row], kind: BoardKind[Row]) -> str:
    """Of rows that are listed and hold no rank."""
    if not listed:
        return ""
    if len(listed) == 1:
        return f"The only {kind.nouns[0]} is not ranked; its note says why."
    return f"None of the {spelled(len(listed))} {kind.nouns[1]} is ranked; their notes say why."


def how_sure(ranked: Sequence[Row], first: Sequence[Row], kind: BoardKind[Row]) -> str:
    """Return how far the rows on the first place stand apart from the others, without their names."""
    said = _SENTENCES[_lead(ranked, first, kind)][1].format(**_counted(ranked, first, kind))
    return f"{said[0].upper()}{said[1:]}"


Lead = Literal["no ranks", "taken", "beside examples", "only", "several", "level", "no interval", "clear"]
_SENTENCES: Mapping[Lead, tuple[str, str]] = {
    "no ranks": ("", "This board gives no ranks."),
    "taken": ("", "Ranked behind examples of ours."),
    "beside examples": ("{named} is the only ranked {singular} so far.", "May be first, beside examples of ours."),
    "only": ("{named} is the only ranked {singular} so far.", "The only ranked {singular} so far."),
    "several": ("{named} may be first, of {ranked} {plural}.", "{first} {plural} may be first."),
    "level": (
        "{named} is first, but not separable from {level} of the {others} others.",
        "First, but not separable from {level} of the {others} others.",
    ),
    "no interval": (
        "{named} is first of {ranked} {plural}; no interval says how sure that is.",
        "First of {ranked} {plural}, without an interval.",
    ),
    "clear": ("{named} is the clear leader among {ranked} {plural}.", "Clear leader among {ranked} {plural}."),
}
"""With the names of who may be first, and without them."""


def _lead(ranked: Sequence[Row], first: Sequence[Row], kind: BoardKind[Row]) -> Lead:
    """How sure it is that the first of the ranked rows leads."""
    band = rank_of(first[0], kind)
    if band is None:
        return "no ranks"
    if band.low > 1:
        return "taken"
    if len(ranked) == 1:
        return "only" if band.high == 1 else "beside examples"
    if len(first) > 1:
        return "several"
    if band.high > 1:
        return "level"
    figure = headline_of(first[0], kind)
    # One number, as of a scoring program, makes an order and is no finding.
    return "no interval" if isinstance(figure, MetricValue) and figure.low is None else "clear"


def _counted(ranked: Sequence[Row], first: Sequence[Row], kind: BoardKind[Row]) -> dict[str, str]:
    """The words of both sentences that depend on the board."""
    singular, plural = kind.nouns
    band = rank_of(first[0], kind)
    return {
        "singular": singular,
        "plural": plural,
        "ranked": spelled(len(ranked)),
        "first": spelled(len(first)),
        "others": spelled(len(ranked) - 1),
        "level": spelled(band.high - band.low) if band else "",
    }


def best_published(compared: Sequence[Row], kind: BoardKind[Row]) -> str:
    """Return what the first of published rows with a headline is the best of, without its name."""
    singular, plural = kind.nouns
    figure = headline_of(compared[0], kind)
    judged_on = f" on {figure.n} {kind.counted}" if isinstance(figure, MetricValue) and figure.n else ""
    if len(compared) == 1:
        return f"The only published {singular}{judged_on}."
    return f"{kind.best} of {spelled(len(compared))} {plural}{judged_on}."


def ranked_rows(entries: Sequence[Row], kind: BoardKind[Row]) -> list[Row]:
    """Return the rows that take part, in their order; where a board has no ranks, all that have a headline."""
    if rank := kind.rank:
        return [row for row in entries if isinstance(rank.value(row), RankBand)]
    return [row for row in entries if row.tier == 0 and headline_of(row, kind) is not None]


def first_rows(ranked: Sequence[Row], kind: BoardKind[Row]) -> list[Row]:
    """Return the rows that may hold the first place, in their order; where a board has no ranks, the first one."""
    rank = kind.rank
    places = {row.id: band.low for row in ranked if rank and isinstance(band := rank.value(row), RankBand)}
    if not places:
        return list(ranked[:1])
    best = min(places.values())
    return [row for row in ranked if places.get(row.id) == best]


def _best_first(rows: Sequence[Row], kind: BoardKind[Row]) -> list[Row]:
    headline = column_of(kind.columns, kind.headline)
    return ordered(rows, headline, descending=kind.direction == "descending")


def rank_of(row: Row, kind: BoardKind[Row]) -> RankBand | None:
    """Return the places a row may hold; None where it has no rank."""
    band = kind.rank.value(row) if kind.rank else None
    return band if isinstance(band, RankBand) else None


def headline_of(row: Row, kind: BoardKind[Row]) -> MetricValue | float | None:
    """Return the headline figure; None where the row has none."""
    figure = column_of(kind.columns, kind.headline).value(row)
    if isinstance(figure, MetricValue):
        return figure if figure.value is not None else None
    return float(figure) if isinstance(figure, int | float) else None


def _named(rows: Sequence[Row], kind: BoardKind[Row]) -> str:
    """The first of some rows by name with what their names are marked with, and how many more there are."""
    names = [" · ".join(shortened(text, NAME_CHARACTERS) for text in kind.title_of(row)) for row in rows]
    marks = [kind.mark_of(row) for row in rows]
    if len(set(marks)) > 1:
        names, marks = [f"{name} {mark}".strip() for name, mark in zip(names, marks, strict=True)], [""]
    if len(names) > MOST_LEADERS:
        names = [*names[:MOST_LEADERS], f"{spelled(len(names) - MOST_LEADERS)} more"]
    *others, last = names
    return f"{', '.join(others)} and {last} {marks[0]}".strip() if others else f"{last} {marks[0]}".strip()


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
