"""The board of personalization, for the register."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import partial
from itertools import product

from leaderboard.boards.personalization.cache import PersonalizationBoards, dataset_label
from leaderboard.boards.personalization.charts import CHARTS
from leaderboard.boards.personalization.page import personalization_page
from leaderboard.boards.personalization.rows import pooled_name, row_id
from leaderboard.boards.personalization.screen import PersonalizationScreen
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Board, BoardTools, OpenBoard, RowItems, Standing
from leaderboard.parts.columns import text_of
from submissions.formats.personalization.submission import SET_ID, SETTINGS
from submissions.store.queue import Ticket


def personalization_standings(boards: PersonalizationBoards, tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, under every setting."""
    for run in boards.runs():
        for group in run.result.groups if run.ticket.id in tickets else ():
            if group.setting == "none":  # controls: no preferences, no robustness error
                continue
            dataset = pooled_name(group.datasets) if len(group.datasets) > 1 else group.dataset
            row = boards.board(group.setting, dataset).row(row_id(run.ticket.id, group.method))
            if row is not None:
                yield Standing(
                    f"Personalization, {dataset_label(dataset)}, {group.setting}",
                    group.method,
                    f"robustness error {text_of(group.metrics['robustness_error'], 'percent')}",
                    text_of(row.rank, "rank"),
                    address_of(PersonalizationState(setting=group.setting, dataset=dataset, answers=row.id)),
                )


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
