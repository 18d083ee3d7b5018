"""The boards of 2025 and 2026, for the register."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from leaderboard.boards.editions.items_screen import EditionItemsScreen
from leaderboard.boards.editions.page import edition_page
from leaderboard.boards.editions.rows import EditionBoard
from leaderboard.boards.editions.screen import EditionsScreen
from leaderboard.boards.editions.state import STATES
from leaderboard.boards.robustness.atlas.screen import AtlasScreen
from leaderboard.boards.robustness.state import EditionState
from leaderboard.eval_results.screen import ModelCardScreen
from leaderboard.page.registered import Board, BoardTools, OpenBoard
from leaderboard.team_report.screen import TeamReportScreen
from submissions.promptsets import ELOQUENT_2025, ELOQUENT_2026
from submissions.store.queue import Ticket


def _registered(board: EditionBoard, set_id: str, short_name: str) -> Board:
    state = STATES[board]

    def opened(tools: BoardTools) -> OpenBoard:
        screen, questions = tools.shared(EditionsScreen.of), tools.shared(EditionItemsScreen.of)
        others = (
            *(tools.shared(AtlasScreen.of), tools.shared(TeamReportScreen.of)),
            tools.shared(ModelCardScreen.of),
        )
        page = partial(edition_page, board, screen, questions, *others, tools.marker)
        return OpenBoard(screen.tables[board], page, screen.understood, lambda: [state()])

    return Board(state, "Robustness", opened, _row_of(state, set_id), short_name, (set_id,))


def _row_of(state: type[EditionState], set_id: str) -> Callable[[Ticket], EditionState | None]:
    return lambda ticket: state(system=ticket.id) if ticket.set_id == set_id else None


CONSISTENCY_BOARD: Board = _registered("consistency", ELOQUENT_2025, "2025: between languages")
CULTURAL_BOARD: Board = _registered("cultural", ELOQUENT_2026, "2026: culture")
