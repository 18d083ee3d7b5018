"""The boards of evaluators, for the register."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import partial

from leaderboard.boards.personalized_evaluation.cache import ALL_K, EvaluatorsBoards
from leaderboard.boards.personalized_evaluation.kinds import KINDS
from leaderboard.boards.personalized_evaluation.page import evaluators_page
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind
from leaderboard.boards.personalized_evaluation.screen import EvaluatorsScreen
from leaderboard.boards.personalized_evaluation.state import STATES, EvaluatorsState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Board, BoardTools, OpenBoard, RowItems, Standing
from leaderboard.parts.tables import column_of
from submissions.formats.personalized_evaluation.submission import PAIRS_KIND, RATINGS_KIND, SET_ID
from submissions.store.queue import Ticket


def evaluators_standings(boards: EvaluatorsBoards, kind: EvaluatorsKind, tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, on all data and for every k."""
    board = KINDS[kind]
    headline = column_of(board.columns, board.headline)
    for collection in boards.collections(kind):
        for row in boards.rows(kind, collection.id):
            if row.ticket_id in tickets:
                yield Standing(
                    f"{board.title}, {collection.dataset}, k = {row.k}",
                    row.run or row.name,
                    f"{headline.label.lower()} {headline.text(row)}",
                    board.rank.text(row) if board.rank else "",
                    address_of(STATES[kind](evaluator=row.id)),
                )


def _registered(kind: EvaluatorsKind) -> Board:
    state = STATES[kind]

    def opened(tools: BoardTools) -> OpenBoard:
        screen = tools.shared(EvaluatorsScreen.of)

        def exported() -> Iterator[EvaluatorsState]:
            for collection in screen.collections(kind):
                yield state(collection=collection.id, k=ALL_K)

        return OpenBoard(
            screen.tables[kind],
            partial(evaluators_page, kind, screen, tools.marker),
            screen.understood,
            exported,
            partial(evaluators_standings, tools.shared(EvaluatorsBoards.of), kind),
            items=RowItems("Item", lambda state: state.reading, screen.items_table),
        )

    def row_of(ticket: Ticket) -> EvaluatorsState | None:
        # Files of both kinds belong to one set: the wrong page leads to the right one.
        return state(evaluator=ticket.id) if ticket.set_id == SET_ID else None

    return Board(state, "More boards", opened, row_of, sets=(SET_ID,))


RATINGS_BOARD: Board = _registered(RATINGS_KIND)
PAIRS_BOARD: Board = _registered(PAIRS_KIND)
