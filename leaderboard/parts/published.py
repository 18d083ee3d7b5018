"""Figures that others published: how they are marked wherever they stand, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leaderboard.parts.columns import NOT_AVAILABLE, Column, Row
from leaderboard.parts.notices import NoticeValue

Mark = Literal["published, as printed", "published verdicts, recomputed"]
AS_PRINTED: Mark = "published, as printed"
"""The figure is the one that was printed; nothing of ours is in it."""
RECOMPUTED: Mark = "published verdicts, recomputed"
"""The raw data are public, and our own computation made the figure of them."""

SHORT_MARK: dict[Mark, str] = {AS_PRINTED: "published, as printed", RECOMPUTED: "published, recomputed"}
"""As it stands beside a name."""

NEVER_RANKED = "Published figures are never ranked with submitted ones."


@dataclass(frozen=True, slots=True)
class Publication:
    """Where published figures come from."""

    citation: str
    """Authors, title, where."""
    short: str
    """As a cell of a table names it: "arXiv 2406.07791"."""
    link: str
    mark: Mark


def published_notice(publication: Publication, title: str, *lines: str) -> NoticeValue:
    """The head of an opened row: what it is, where its figures come from, and that nobody is ranked by them."""
    return {
        "kind": "plain",
        "title": f"{title}: {publication.mark}",
        "lines": [*lines, f"{publication.citation}.", NEVER_RANKED],
        "link": publication.link,
        "link_text": publication.short,
    }


def published_figures(columns: Sequence[Column[Row]], row: Row) -> str:
    """A line of all that is published of a row: there is nothing below it that could be opened.

    Args:
        columns: Of the board that the row stands on.
        row: The published row.
    """
    figures = (
        (column.label, column.value_text(row))
        for column in columns
        if column.is_number and column.value(row) is not None
    )
    return "; ".join(f"{label} {text}" for label, text in figures if text != NOT_AVAILABLE) + "."


def awaiting_notice(publication: Publication, where: str, how: str, link: str) -> NoticeValue:
    """Above a board on which nothing but published rows stand: whose they are, and how to send more.

    Args:
        where: What of the board is shown.
        how: What to do first.
        link: Query of the page that takes files.
    """
    return {
        "kind": "plain",
        "title": f"{where}: {publication.mark}; awaiting first submission",
        "lines": [f"{publication.citation}. {NEVER_RANKED}", how],
        "link": link,
        "link_text": "Submit a file",
    }
