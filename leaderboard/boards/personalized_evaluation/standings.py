"""Where a system stands among evaluators, for its card."""

from __future__ import annotations

from collections.abc import Iterator, Set

from leaderboard.boards.kinds import KINDS
from leaderboard.boards.personalized_evaluation.cache import EvaluatorsBoards
from leaderboard.boards.personalized_evaluation.runs import EvaluatorsKind
from leaderboard.page.links import PageState, address_of
from leaderboard.parts.tables import column_of
from leaderboard.systems.card import Standing
from submissions.formats.personalized_evaluation.submission import PAIRS_KIND, RATINGS_KIND

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
