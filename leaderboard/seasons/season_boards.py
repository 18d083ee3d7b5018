"""The boards of one season: its runs that came in time, in every choice of a board that shows any of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from leaderboard.page.board_row import ticket_of_row
from leaderboard.page.board_table import BoardTable
from leaderboard.page.identity import Identity
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import PageState
from leaderboard.site.export import board_exports
from submissions.desk import Desk
from submissions.seasons.season import Season
from submissions.seasons.season_store import OneSeasonStore
from submissions.settings import Settings
from submissions.store.queue import Ticket
from submissions.store.store import Store


@dataclass(frozen=True, slots=True)
class SeasonBoard:
    """A board in one of its choices, with rows of the season."""

    table: BoardTable[Any, Any]
    state: PageState
    rows: Sequence[Any]

    @property
    def about(self) -> dict[str, str]:
        """Which board it is, and which choice of it."""
        return {"board": self.table.board, **self.table.about(self.state)}


class SeasonBoards:
    """Everything of a season that came in time, with all that is known of it."""

    def __init__(self, store: Store, desk: Desk, settings: Settings, season: Season) -> None:
        self.season = season
        of_season = OneSeasonStore(store, season)
        self.services = Services(store=of_season, desk=desk, settings=settings, identity=Identity.of(settings))
        self.tools = BoardTools(self.services)

    @cached_property
    def tickets(self) -> list[Ticket]:
        """Its submissions in whatever state, oldest first."""
        entries = (ticket for ticket in self.services.store.tickets() if ticket.role == "entry")
        return sorted(entries, key=lambda entry: (entry.received_at, entry.id))

    @cached_property
    def boards(self) -> list[SeasonBoard]:
        """Every choice of a board that has a row of the season."""
        own = {ticket.id for ticket in self.tickets}
        boards = []
        for export in board_exports(self.tools):
            rows = export.table.rows(export.state)
            if any(ticket_of_row(row) in own for row in rows):
                boards.append(SeasonBoard(export.table, export.state, rows))
        return boards

    def results(self) -> list[tuple[Ticket, str]]:
        """Its scored submissions with their results, oldest first."""
        own = {ticket.id for ticket in self.tickets}
        scored = (
            (ticket, result)
            for ticket, result in self.services.store.results()
            if ticket.id in own and ticket.is_on_boards
        )
        return sorted(scored, key=lambda run: (run[0].received_at, run[0].id))
