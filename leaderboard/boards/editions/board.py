"""The boards of 2025 and 2026, for the register."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from leaderboard.boards.editions.items_screen import EditionItemsScreen
from leaderboard.boards.editions.page import edition_page
from leaderboard.boards.editions.rows import SETS_OF_BOARD, EditionBoard
from leaderboard.boards.editions.screen import EditionsScreen
from leaderboard.boards.editions.state import STATES, LaterEditionState
from leaderboard.boards.robustness.atlas.screen import AtlasScreen
from leaderboard.boards.robustness.state import EditionState
from leaderboard.eval_results.screen import ModelCardScreen
from leaderboard.page.registered import Board, BoardTools, OpenBoard, RowItems
from leaderboard.team_report.screen import TeamReportScreen
from submissions.store.queue import Ticket


def _registered(board: EditionBoard, short_name: str) -> Board:
    state, sets = STATES[board], SETS_OF_BOARD[board]

    def opened(tools: BoardTools) -> OpenBoard:
        screen, questions = tools.shared(EditionsScreen.of), tools.shared(EditionItemsScreen.of)
        others = (
            *(tools.shared(AtlasScreen.of), tools.shared(TeamReportScreen.of)),
            tools.shared(ModelCardScreen.of),
        )
        page = partial(edition_page, board, screen, questions, *others, tools.marker)
        return OpenBoard(
            screen.tables[board],
            page,
            screen.understood,
            lambda: [state(set=set_id) for set_id in sets],
            items=RowItems("Question", lambda state: state.item, screen.parts_table),
        )

    return Board(state, "Robustness", opened, _row_of(state, sets), short_name, sets)


def _row_of(state: type[LaterEditionState], sets: tuple[str, ...]) -> Callable[[Ticket], EditionState | None]:
    return lambda ticket: state(system=ticket.id) if ticket.set_id in sets else None


CONSISTENCY_BOARD: Board = _registered("consistency", "2025: between languages")
CULTURAL_BOARD: Board = _registered("cultural", "2026: culture")
