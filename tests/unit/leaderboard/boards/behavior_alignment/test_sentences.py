"""The sentences of a recommender and of one dialogue; `test_screen.py` opens rows that have a figure."""

from __future__ import annotations

import pytest

from leaderboard.boards.behavior_alignment.published import published_rows
from leaderboard.boards.behavior_alignment.sentences import dialogue_sentence, pace_sentence, strategy_sentence


def test_what_is_not_known_says_why() -> None:
    row = next(row for row in published_rows() if row.alignment.value is None)
    assert strategy_sentence(row) == (
        f"How often {row.name} chooses the strategy of the human is not known: not printed."
    )


CHOOSES = "The system chooses the strategy of the human in"


@pytest.mark.parametrize(
    ("is_same", "expected"),
    [
        ([True, False, True], f"{CHOOSES} 2 of 3 scored turns"),
        ([False, False], f"{CHOOSES} 0 of 2 scored turns"),
        ([True], f"{CHOOSES} 1 of 1 scored turn"),
        ([True, None, False], f"{CHOOSES} 1 of 2 scored turns whose strategies are known, of 3 in all"),
    ],
)
def test_a_dialogue_counts_its_turns_and_says_whether_that_is_estimated(
    is_same: list[bool | None], expected: str
) -> None:
    assert dialogue_sentence(is_same, is_annotated=True) == f"{expected}."
    assert dialogue_sentence(is_same, is_annotated=False) == f"{expected}, estimated from its words."


def test_a_dialogue_without_a_turn_to_count_says_so() -> None:
    assert dialogue_sentence([], is_annotated=True) == "No turn of this dialogue is scored."
    assert dialogue_sentence([None], is_annotated=True) == (
        "Whether the system chooses the strategy of the human here is not known: no turn has both strategies."
    )


@pytest.mark.parametrize(
    ("system", "human", "expected"),
    [
        (1.0, 2.5, "GPT recommends earlier than the human: after 1.00 turns on average, not 2.50."),
        (3.0, 2.5, "GPT recommends later than the human: after 3.00 turns on average, not 2.50."),
        (2.501, 2.499, "GPT recommends after 2.50 turns on average, as the human does."),
        (None, 2.5, "How soon GPT recommends was not published."),
    ],
)
def test_how_soon_a_system_recommends_stands_beside_the_human(
    system: float | None, human: float, expected: str
) -> None:
    assert pace_sentence("GPT", system, human) == expected
