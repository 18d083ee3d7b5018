"""Standings of a system among recommenders, for its card."""

from __future__ import annotations

from collections.abc import Iterator, Set

from leaderboard.boards.behavior_alignment.cache import BehaviorBoards
from leaderboard.boards.behavior_alignment.rows import BASES, BehaviorRow
from leaderboard.boards.behavior_alignment.state import BehaviorState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Standing
from leaderboard.parts.columns import text_of


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
