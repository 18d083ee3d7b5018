"""What a link asks for, with every choice made that it leaves open; the page and the HTTP API read links alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.boards.behavior_alignment.screen import BehaviorScreen
from leaderboard.boards.editions.screen import EditionsScreen
from leaderboard.boards.personalization.screen import PersonalizationScreen
from leaderboard.boards.personalized_evaluation.screen import EvaluatorsScreen
from leaderboard.boards.position_bias.screen import JudgesScreen
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.page.board_table import BoardTable
from leaderboard.page.links import Link, Tab, parsed
from leaderboard.page.services import Services
from leaderboard.parts.board_kind import Board


class LinkReader:
    """Query of a link -> state of the page."""

    def __init__(
        self,
        services: Services,
        robustness: RobustnessScreen,
        judges: JudgesScreen,
        personalization: PersonalizationScreen,
        behavior: BehaviorScreen,
        evaluators: EvaluatorsScreen,
        editions: EditionsScreen,
    ) -> None:
        self._services = services
        self._robustness = robustness
        self._judges = judges
        self._personalization = personalization
        self._behavior = behavior
        self._evaluators = evaluators
        self._editions = editions

    @property
    def tables(self) -> dict[Board, BoardTable[Any]]:
        """The table of every board."""
        tables: tuple[BoardTable[Any], ...] = (
            self._robustness.board,
            *self._editions.tables.values(),
            self._judges.board,
            self._personalization.board,
            *self._evaluators.tables.values(),
            self._behavior.board,
        )
        return {table.board: table for table in tables}

    def read(self, query: Mapping[str, str], tab: Tab | None = None) -> Link:
        """The state a query asks for, and what of it is unknown here, in words.

        Args:
            tab: The page at whose address the query stands; None = it is a public link, which says itself.
        """
        datasets = self._personalization.dataset_ids()
        link = parsed(query, tuple(self._services.sets()), self._judges.benchmark_ids(), datasets, tab)
        state, notes = self._robustness.understood(self._robustness.completed(link.state))
        state, notes = self._personalization.restored(self._judges.completed(state)), [*link.notes, *notes]
        for screen in (self._editions.understood, self._behavior.understood, self._evaluators.restored):
            state, unknown = screen(state)
            notes += unknown
        for table in self.tables.values():
            state, unknown = table.understood(state)
            notes += unknown
        return Link(state, tuple(notes))
