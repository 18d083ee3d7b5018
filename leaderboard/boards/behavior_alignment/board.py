"""The board of recommenders, for the register."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from leaderboard.boards.behavior_alignment.cache import BehaviorBoards
from leaderboard.boards.behavior_alignment.page import behavior_page
from leaderboard.boards.behavior_alignment.rows import BASES
from leaderboard.boards.behavior_alignment.screen import BehaviorScreen
from leaderboard.boards.behavior_alignment.standings import behavior_standings
from leaderboard.boards.behavior_alignment.state import BehaviorState
from leaderboard.page.registered import Board, BoardTools, OpenBoard
from submissions.formats.behavior_alignment.submission import SET_ID
from submissions.store.queue import Ticket


def _opened(tools: BoardTools) -> OpenBoard:
    screen = tools.shared(BehaviorScreen.of)

    def exported() -> Iterator[BehaviorState]:
        for collection, basis in product(screen.collection_ids(), BASES):
            yield BehaviorState(conversations=collection, basis=basis)

    return OpenBoard(
        screen.board,
        partial(behavior_page, screen, tools.marker),
        screen.understood,
        exported,
        partial(behavior_standings, tools.shared(BehaviorBoards.of)),
    )


def _row_of(ticket: Ticket) -> BehaviorState | None:
    return BehaviorState(recommender=ticket.id) if ticket.set_id == SET_ID else None


BEHAVIOR_BOARD: Board = Board(BehaviorState, "Recommenders", _opened, _row_of)
