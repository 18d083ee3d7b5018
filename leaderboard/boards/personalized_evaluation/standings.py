"""Standings of a system among evaluators, for its card."""

from __future__ import annotations

from collections.abc import Iterator, Set

from leaderboard.boards.personalized_evaluation.cache import EvaluatorsBoards
from leaderboard.boards.personalized_evaluation.kinds import KINDS
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind
from leaderboard.boards.personalized_evaluation.state import STATES
from leaderboard.page.links import address_of
from leaderboard.page.registered import Standing
from leaderboard.parts.tables import column_of


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
