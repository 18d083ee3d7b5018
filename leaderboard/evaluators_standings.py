"""Where a system stands among evaluators, for its card."""

from __future__ import annotations

from collections.abc import Iterator, Set

from leaderboard.board_kinds import KINDS
from leaderboard.evaluators_boards import EvaluatorsBoards
from leaderboard.evaluators_runs import EvaluatorsKind
from leaderboard.links import PageState, address_of
from leaderboard.system_card import Standing
from leaderboard.tables import column_of
from submissions.perse import PAIRS_KIND, RATINGS_KIND

_KINDS: tuple[EvaluatorsKind, ...] = (RATINGS_KIND, PAIRS_KIND)


def evaluators_standings(boards: EvaluatorsBoards, tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, on all data and for every k."""
    for kind in _KINDS:
        board = KINDS[kind]
        headline = column_of(board.columns, board.headline)
        for collection in boards.collections(kind):
            for row in boards.rows(kind, collection.id):
                if row.ticket_id in tickets:
                    yield Standing(
                        f"{board.title}, {collection.dataset}, k = {row.k}",
                        row.run or row.evaluator,
                        f"{headline.label.lower()} {headline.text(row)}",
                        board.rank.text(row) if board.rank else "",
                        address_of(PageState(tab=kind, evaluator=row.id)),
                    )
