"""What stands beside the systems of a collection."""

from __future__ import annotations

from evaluator.behavior_alignment.references import (
    constant_system,
    human_system,
    most_frequent_strategy,
    previous_turn_system,
)
from submissions.formats.behavior_alignment.submission import NO_STRATEGY, Answer
from tests.unit.submissions.formats.behavior_alignment.dialogue_files import answer, dialogue, submission

ASKS = answer("What do you read?", ["opinion_inquiry"], recommends=False)
PRAISES = answer("It won a prize.", ["credibility"], recommends=True)
SMALL_TALK = answer("Good morning.", [NO_STRATEGY], recommends=False)
SYSTEM = answer("Hm.", ["similarity"])


def human_turns(*answers: Answer) -> list[tuple[Answer, Answer]]:
    return [(one, SYSTEM) for one in answers]


def test_the_previous_turn_comes_one_turn_late_and_silent_at_first() -> None:
    (found,) = previous_turn_system(submission(dialogue("a", human_turns(ASKS, PRAISES, SMALL_TALK)))).dialogues
    assert [turn.system.text for turn in found.turns] == ["", ASKS.text, PRAISES.text]
    assert [turn.system.strategies for turn in found.turns] == [
        (NO_STRATEGY,),
        ("opinion_inquiry",),
        ("credibility",),
    ]
    assert [turn.human for turn in found.turns] == [ASKS, PRAISES, SMALL_TALK]


def test_nothing_is_annotated_or_marked_where_the_human_is_not() -> None:
    bare = answer("Well.")
    (found,) = previous_turn_system(submission(dialogue("a", human_turns(bare, bare)))).dialogues
    assert [turn.system.strategies for turn in found.turns] == [None, None]
    assert found.turns[0].system.recommends is None


def test_the_most_frequent_strategy_is_one_of_the_thirteen_in_scored_turns() -> None:
    talk = dialogue("a", human_turns(PRAISES, SMALL_TALK, SMALL_TALK, ASKS))  # turn 1 does not count
    assert most_frequent_strategy([talk]) == "opinion_inquiry"
    tied = dialogue("b", human_turns(ASKS, ASKS, PRAISES))
    assert most_frequent_strategy([tied]) == "credibility"  # the first of the two in the list of strategies


def test_without_a_strategy_or_with_a_turn_unlabelled_there_is_no_constant() -> None:
    assert constant_system(submission(dialogue("a", human_turns(ASKS, SMALL_TALK)))) is None
    assert constant_system(submission(dialogue("a", human_turns(ASKS, ASKS, answer("Well."))))) is None
    assert constant_system(submission(dialogue("a", human_turns(ASKS)))) is None


def test_a_constant_system_has_a_strategy_and_no_words() -> None:
    found = constant_system(submission(dialogue("a", human_turns(SMALL_TALK, ASKS))))
    assert found is not None
    assert {(turn.system.text, turn.system.strategies) for turn in found.dialogues[0].turns} == {
        ("", ("opinion_inquiry",))
    }


def test_the_human_is_beside_himself() -> None:
    (found,) = human_system(submission(dialogue("a", human_turns(ASKS, PRAISES)))).dialogues
    assert [turn.system for turn in found.turns] == [ASKS, PRAISES]
    assert found.system_success == found.human_success
