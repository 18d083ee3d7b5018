"""Standings of a system on the board of 2024, for its card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from evaluator.results import HEADLINE, VIEWS
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.screen import VIEW_LABELS
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.links import address_of
from leaderboard.page.registered import Standing
from leaderboard.parts.columns import text_of


def robustness_standings(boards: Boards, titles: Mapping[str, str], tickets: Set[str]) -> Iterator[Standing]:
    """The rows of these tickets, on every prompt set and in every view.

    Args:
        titles: What people call the prompt sets, by id.
    """
    for set_id in boards.scored():
        for view in VIEWS:
            for row in boards.rows(set_id, view):
                if row.id in tickets and set_id in titles:
                    yield Standing(
                        f"Robustness, {titles[set_id]}, {VIEW_LABELS[view]}",
                        " · ".join(name for name in (row.name, row.model) if name),
                        f"score {text_of(row.figures[HEADLINE].mean, 'interval')}",
                        text_of(row.rank, "rank"),
                        address_of(RobustnessState(set=set_id, view=view, system=row.id)),
                    )
