"""The board of personalization, for the register."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from leaderboard.boards.personalization.cache import PersonalizationBoards
from leaderboard.boards.personalization.charts import CHARTS
from leaderboard.boards.personalization.page import personalization_page
from leaderboard.boards.personalization.screen import PersonalizationScreen
from leaderboard.boards.personalization.standings import personalization_standings
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.page.registered import Board, BoardTools, OpenBoard, RowItems
from submissions.formats.personalization.submission import SET_ID, SETTINGS
from submissions.store.queue import Ticket


def _opened(tools: BoardTools) -> OpenBoard:
    screen = tools.shared(PersonalizationScreen.of)

    def exported() -> Iterator[PersonalizationState]:
        for dataset, setting in product(screen.dataset_ids(), SETTINGS):
            yield PersonalizationState(dataset=dataset, setting=setting)

    return OpenBoard(
        screen.board,
        partial(personalization_page, screen, tools.marker),
        screen.understood,
        exported,
        partial(personalization_standings, tools.shared(PersonalizationBoards.of)),
        items=RowItems("Answer", lambda state: state.example, screen.examples_table),
        charts=CHARTS,
    )


def _row_of(ticket: Ticket) -> PersonalizationState | None:
    return PersonalizationState(answers=ticket.id) if ticket.set_id == SET_ID else None


PERSONALIZATION_BOARD: Board = Board(PersonalizationState, "Personalization", _opened, _row_of, sets=(SET_ID,))
