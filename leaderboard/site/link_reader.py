"""What a link asks for, with every choice made that it leaves open; the page and the HTTP API read links alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leaderboard.page.board_table import BoardTable
from leaderboard.page.links import Link, ignored, parsed
from leaderboard.page.registered import OpenBoard
from leaderboard.page.state import AboutState, PageState
from leaderboard.site import about_page
from leaderboard.site.page_register import page_of, pages


class LinkReader:
    """Query of a link -> state of the page.

    Args:
        boards: Every board, by key.
    """

    def __init__(self, boards: Mapping[str, OpenBoard]) -> None:
        self._boards = boards

    @property
    def tables(self) -> dict[str, BoardTable[Any, Any]]:
        """The table of every board."""
        return {key: board.table for key, board in self._boards.items()}

    def read(self, query: Mapping[str, str], tab: str | None = None) -> Link[Any]:
        """The state a query asks for, and what of it is unknown here, in words.

        Args:
            tab: The page at whose address the query stands; None = it is a public link, which says itself.
        """
        known = pages()
        first = known[tab or page_of(query)]
        link: Link[Any] = parsed(query, type(first))
        unnamed = () if query.get("tab", first.tab) in known else (ignored("tab", query["tab"]),)
        notes = [*unnamed, *link.notes]
        # Pages without choices share one kind of state, which does not say which of them it is of.
        state: Any = first if type(first) is PageState else link.state
        for understood in self._completing(first.tab):
            state, unknown = understood(state)
            notes += unknown
        return Link(state, tuple(notes))

    def _completing(self, tab: str) -> Sequence[Callable[[Any], tuple[Any, Sequence[str]]]]:
        board = self._boards.get(tab)
        if board:
            return board.understood, board.table.understood
        return [about_page.understood] if tab == AboutState().tab else []
