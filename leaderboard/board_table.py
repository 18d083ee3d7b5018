"""The table of any board as a visitor looks at it, on the page and in downloads, and what a visitor does to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from leaderboard.columns import Column
from leaderboard.downloads import csv_text, json_text
from leaderboard.links import COLUMNS, HEADLINES, Board, PageState, TableState, link_of, sort_keys
from leaderboard.tables import Order, Row, TableValue, column_of, matching, ordered, table_value


@dataclass(frozen=True, slots=True)
class BoardTable(Generic[Row]):
    """One board: where its rows come from and how they are described."""

    board: Board
    columns: Sequence[Column[Row]]
    all_rows: Callable[[PageState], Sequence[Row]]
    """The rows of what the visitor chose, in no particular order."""
    caption: Callable[[PageState], str]
    empty: Callable[[PageState], str]
    """What to say, and to do, where nobody stands on the board."""
    about: Callable[[PageState], dict[str, str]]
    """What the rows are, for JSON; its values after the first name the downloaded file."""

    def rows(self, state: PageState) -> list[Row]:
        """The rows as shown: searched and sorted, all pages."""
        look = state.table(self.board)
        names = [column for column in self.columns if column.is_name or column.is_searched]
        found = matching(self.all_rows(state), look.search, self.columns)
        by_name = sorted(found, key=lambda row: (*(column.text(row) for column in names), row.id))
        return ordered(by_name, column_of(self.columns, look.sort), descending=look.direction == "descending")

    def shown_columns(self, state: PageState) -> list[Column[Row]]:
        """The columns that have something to say of the chosen rows."""
        rows = self.all_rows(state)
        return [
            column
            for column in self.columns
            if not column.is_left_out_when_empty or any(column.value(row) is not None for row in rows)
        ]

    def value(self, state: PageState) -> TableValue:
        """The table."""
        look = state.table(self.board)
        return table_value(
            self.rows(state),
            self.shown_columns(state),
            caption=self.caption(state),
            empty=self._why_empty(state),
            order=Order(look.sort, look.direction == "descending"),
            page=look.page,
        )

    def _why_empty(self, state: PageState) -> str:
        if state.table(self.board).search and self.all_rows(state):
            names = " or ".join(column.label.lower() for column in self.columns if column.is_searched)
            return f"No {names} matches the search. Clear the search, or press Reset."
        return self.empty(state)

    def csv(self, state: PageState) -> str:
        """The board as shown, all pages, as CSV."""
        return csv_text(self.rows(state), self.shown_columns(state))

    def json(self, state: PageState) -> str:
        """The board as shown, all pages, as JSON."""
        about = {"board": self.board, **self.about(state), "link": link_of(state)}
        return json_text(self.rows(state), self.shown_columns(state), about=about)

    def file_name(self, state: PageState) -> str:
        """Name of a download, without its ending."""
        return "-".join(["plumbline", self.board, *(text for text in self.about(state).values() if text)])


# What a visitor does to the table. Values come from the browser: anything unknown changes nothing.


def sorted_by(board: Board, state: PageState, key: object) -> PageState:
    """A click on a header: the column's natural direction first, then the other."""
    if not isinstance(key, str) or key not in sort_keys(board):
        return state
    look = state.table(board)
    descending = column_of(COLUMNS[board], key).descends_first
    if look.sort == key:
        descending = look.direction == "ascending"
    return state.with_table(
        board, replace(look, sort=key, direction="descending" if descending else "ascending", page=1)
    )


def sort_chosen(board: Board, state: PageState, key: object) -> PageState:
    """A column from the list; the direction stays."""
    if not isinstance(key, str) or key not in sort_keys(board):
        return state
    return state.with_table(board, replace(state.table(board), sort=key, page=1))


def direction_chosen(board: Board, state: PageState, direction: object) -> PageState:
    """A direction from the list."""
    if direction != "descending" and direction != "ascending":
        return state
    return state.with_table(board, replace(state.table(board), direction=direction, page=1))


def turned_to(board: Board, state: PageState, page: object) -> PageState:
    """A page of a long board."""
    if not isinstance(page, int) or page < 1:
        return state
    return state.with_table(board, replace(state.table(board), page=page))


def searched(board: Board, state: PageState, text: str) -> PageState:
    """A new search begins on the first page."""
    look = state.table(board)
    return state if text == look.search else state.with_table(board, replace(look, search=text, page=1))


def first_look(board: Board, state: PageState) -> PageState:
    """The table as at first."""
    return state.with_table(board, TableState(HEADLINES[board]))


def from_first_page(board: Board, state: PageState) -> PageState:
    """Another choice of rows begins on the first page."""
    return state.with_table(board, replace(state.table(board), page=1))
