"""What stands beside the systems of a collection: nobody who reads no context, and the human who was there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from evaluator.behavior_alignment.figures import answer_label
from submissions.formats.behavior_alignment.submission import (
    NO_STRATEGY,
    STRATEGIES,
    Answer,
    CrsSubmission,
    Dialogue,
    Strategy,
)

SystemAnswers = Callable[[Dialogue], Sequence[Answer]]
"""What a system says at every turn of a dialogue, in order."""


def previous_turn_system(submission: CrsSubmission) -> CrsSubmission:
    """Says at every turn what the human said one turn earlier, and nothing at the first."""
    return _answered(submission, _previous_answers)


def constant_system(submission: CrsSubmission) -> CrsSubmission | None:
    """Has the human's most frequent strategy at every turn, and no words.

    None where a scored turn of the human is not annotated, or none has a strategy.
    """
    label = most_frequent_strategy(submission.dialogues)
    if label is None:
        return None
    answer = Answer("", None, (label,), None)
    return _answered(submission, lambda dialogue: [answer] * len(dialogue.turns))


def human_system(submission: CrsSubmission) -> CrsSubmission:
    """Says what the human said."""
    human = _answered(submission, lambda dialogue: [turn.human for turn in dialogue.turns])
    kept = tuple(replace(dialogue, system_success=dialogue.human_success) for dialogue in human.dialogues)
    return replace(human, dialogues=kept)


def most_frequent_strategy(dialogues: Sequence[Dialogue]) -> Strategy | None:
    """Which of the 13 is the human's label of most scored turns, the first one of those that tie.

    None where a scored turn is not annotated, or none has a strategy.
    """
    labels = [answer_label(turn.human) for dialogue in dialogues for turn in dialogue.scored_turns]
    if None in labels:
        return None
    counts = Counter(label for label in labels if label != NO_STRATEGY)
    return max(STRATEGIES, key=lambda label: counts[label]) if counts else None


def _previous_answers(dialogue: Dialogue) -> list[Answer]:
    first = dialogue.turns[0].human
    silent = Answer(
        "",
        None,
        None if first.strategies is None else (NO_STRATEGY,),
        None if first.recommends is None else False,
    )
    return [silent, *(turn.human for turn in dialogue.turns[:-1])]


def _answered(submission: CrsSubmission, answers: SystemAnswers) -> CrsSubmission:
    """The submission with other answers of the system."""
    return replace(
        submission, dialogues=tuple(_with_answers(dialogue, answers(dialogue)) for dialogue in submission.dialogues)
    )


def _with_answers(dialogue: Dialogue, answers: Sequence[Answer]) -> Dialogue:
    turns = tuple(replace(turn, system=answer) for turn, answer in zip(dialogue.turns, answers, strict=True))
    return replace(dialogue, turns=turns, system_success=None)
