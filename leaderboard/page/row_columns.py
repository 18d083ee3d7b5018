"""Columns and filters of what the rows of all boards have in common (`BoardRow`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from leaderboard.page.board_row import BoardRow, statistics_version_of
from leaderboard.page.measured import ROLE_MARK
from leaderboard.parts.columns import Column
from leaderboard.parts.filters import Filter
from leaderboard.parts.published import SHORT_MARK

MEASURED_FILTER: Filter[Any] = Filter(
    "measured", "Measured", "one_of", lambda row: row.measured, reaches_published=True
)
RANKED_FILTER: Filter[Any] = Filter(
    "ranked", "Ranked", "one_of", lambda row: "not ranked" if row.unranked else "ranked"
)
RECEIVED_FILTER: Filter[Any] = Filter("received", "Received", "since", lambda row: row.received_at)


def flags_filter(flags: Callable[[Any], Iterable[str]]) -> Filter[Any]:
    """The filter of marked answers.

    Args:
        flags: Which marks a row has.
    """

    def kinds(row: Any) -> tuple[str, ...]:
        flag_names = tuple(flag.replace("_", " ") for flag in flags(row))
        return ("flagged", *flag_names) if flag_names else ("unflagged",)

    return Filter("flags", "Flags", "text_set", kinds)


def name_mark(row: BoardRow) -> str:
    """What a row is, for the column of names, which no choice of columns leaves out; blank for a ranked entry."""
    if row.published:
        mark = SHORT_MARK[row.published]
    elif row.is_null:
        mark = ROLE_MARK["baseline"]
    else:
        mark = ", ".join(part for part in (ROLE_MARK.get(row.role, ""), "not ranked" if row.unranked else "") if part)
    return f"({mark})" if mark else ""


def rank_column(places: str) -> Column[Any]:
    """The column of ranks; the page of a board without a ranked row does not show it.

    Args:
        places: What they are, in a sentence.
    """
    return Column(
        "rank", "Rank", "rank", lambda row: row.rank, places, "lower", "rank_band", is_told=lambda row: row.rank is None
    )


def name_column(key: str, label: str, meaning: str, mark: Callable[[Any], str] = name_mark) -> Column[Any]:
    """The column of names, which opens a row and says what the row is."""
    return Column(key, label, "text", lambda row: row.name, meaning, is_name=True, is_searched=True, remark=mark)


def team_column(meaning: str = "Who submitted it.") -> Column[Any]:
    """The column of teams."""
    return Column("team", "Team", "text", lambda row: row.team, meaning, is_searched=True)


def model_column(meaning: str = "The language model, as stated.") -> Column[Any]:
    """The column of models."""
    return Column("model", "Model", "text", lambda row: row.model, meaning, is_searched=True)


def run_column() -> Column[Any]:
    """The column of the names that teams give their runs."""
    return Column("run", "Run", "text", lambda row: row.run, "The run, as stated.")


def date_column(what: str) -> Column[Any]:
    """The column of days.

    Args:
        what: What was received then.
    """
    return Column("date", "Date", "day", lambda row: row.received_at, f"When {what} received (UTC).")


STATISTICS_COLUMN: Column[Any] = Column(
    "statistics_version",
    "Statistics version",
    "whole",
    statistics_version_of,
    "The version of the statistics that made its figures and intervals.",
)
"""In every file of a board, whatever columns are shown (docs/metrics.md#versions-of-the-statistics)."""


def measured_column(stated: str) -> Column[Any]:
    """The column that says whether figures rest on what this site measured.

    Args:
        stated: What submitters of the board state, for the end of a sentence.
    """
    meaning = (
        f"Self-reported figures rest on {stated}; those measured here on what this site has seen; published ones are "
        "other people's, as printed or recomputed from what they released, and never ranked with the others."
    )
    return Column(
        "measured", "Measured", "text", lambda row: row.measured, meaning, is_told=lambda row: not row.is_entry
    )
