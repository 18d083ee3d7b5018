"""Standings of a system among judges, for its card."""

from __future__ import annotations

from collections.abc import Iterator, Set

from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.position_bias.state import JudgesState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Standing
from leaderboard.parts.columns import text_of


def judge_standings(boards: JudgeBoards, tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, on every benchmark."""
    for board in boards.boards().values():
        for row in board.rows:
            if row.ticket_id in tickets:
                yield Standing(
                    f"Position bias, {board.key.title}",
                    row.name,
                    f"position consistency {text_of(row.metric('position_consistency'), 'interval')}",
                    text_of(row.rank, "rank"),
                    address_of(JudgesState(benchmark=board.key.id, judge=row.id)),
                )
