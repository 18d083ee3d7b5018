"""The board of recommenders, for the register."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import partial

from leaderboard.boards.behavior_alignment.cache import BehaviorBoards
from leaderboard.boards.behavior_alignment.charts import TURN_CHARTS
from leaderboard.boards.behavior_alignment.page import behavior_page
from leaderboard.boards.behavior_alignment.rows import BASES, BehaviorRow
from leaderboard.boards.behavior_alignment.screen import BehaviorScreen
from leaderboard.boards.behavior_alignment.state import BehaviorState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Board, BoardTools, OpenBoard, RowItems, Standing
from leaderboard.parts.columns import text_of
from submissions.formats.behavior_alignment.submission import SET_ID
from submissions.store.queue import Ticket


def _badge(row: BehaviorRow) -> str:
    return "(estimated)" if row.basis == "estimated" else ""


def behavior_standings(boards: BehaviorBoards, tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, on every collection."""
    for collection in boards.collections():
        for basis in BASES:
            for row in boards.rows(collection.id, basis):
                if row.ticket_id in tickets:
                    yield Standing(
                        f"Recommenders, {collection.title}, {basis}",
                        row.run or row.name,
                        f"behavior alignment {text_of(row.alignment, 'interval')} {_badge(row)}".rstrip(),
                        text_of(row.rank, "rank"),
                        address_of(BehaviorState(recommender=row.id)),
                    )


def _opened(tools: BoardTools) -> OpenBoard:
    screen, boards = tools.shared(BehaviorScreen.of), tools.shared(BehaviorBoards.of)

    def exported() -> Iterator[BehaviorState]:
        for collection in boards.collections():
            # What was published has one list of rows, whichever basis is asked for.
            for basis in BASES[:1] if collection.is_published else BASES:
                yield BehaviorState(conversations=collection.id, basis=basis)

    return OpenBoard(
        screen.board,
        partial(behavior_page, screen, tools.marker),
        screen.understood,
        exported,
        partial(behavior_standings, boards),
        items=RowItems("Dialogue", lambda state: str(state.dialogue or ""), screen.dialogues_table),
        charts=TURN_CHARTS,
    )


def _row_of(ticket: Ticket) -> BehaviorState | None:
    return BehaviorState(recommender=ticket.id) if ticket.set_id == SET_ID else None


BEHAVIOR_BOARD: Board = Board(BehaviorState, "More boards", _opened, _row_of, sets=(SET_ID,))
