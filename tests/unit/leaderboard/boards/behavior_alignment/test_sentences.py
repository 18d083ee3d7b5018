"""The sentence of a recommender whose figure is not there; `test_screen.py` opens those that have one."""

from __future__ import annotations

from leaderboard.boards.behavior_alignment.published import published_rows
from leaderboard.boards.behavior_alignment.sentences import strategy_sentence


def test_what_is_not_known_says_why() -> None:
    row = next(row for row in published_rows() if row.alignment.value is None)
    assert strategy_sentence(row) == (
        f"How often {row.name} chooses the strategy of the human is not known: not printed."
    )
