"""A small valid file of recommender answers, and dialogues made from labels alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from submissions.check import CheckReport, check_submission
from submissions.formats.behavior_alignment.submission import Answer, CrsSubmission, Dialogue, Turn, TurnLabel
from submissions.promptsets import PromptSets
from submissions.schema import Names

Document = dict[str, Any]

SETS = PromptSets.load(None)


def good_document() -> Document:
    """Two dialogues: three turns, and two."""
    return {
        "kind": "crs_responses",
        "team": "aurora",
        "system": "aurora-guide",
        "model": "org/aurora-7b",
        "run": "greedy",
        "date": "2026-11-20",
        "dialogues": [
            {
                "dialogue_id": "bakery",
                "human_success": True,
                "system_success": None,
                "turns": [
                    turn(1, "Hello, what do you like to bake?", "opinion_inquiry", "Hi!", "no_strategy", []),
                    turn(
                        2,
                        ["I bake bread, too.", "The rye one won a medal."],
                        ["similarity", "credibility"],
                        "Did you ever bake with rye?",
                        "experience_inquiry",
                        ["Hello, what do you like to bake?"],
                    ),
                    turn(
                        3,
                        "Do try it!",
                        "encouragement",
                        "",
                        "no_strategy",
                        ["Hello, what do you like to bake?", "I bake bread, too. The rye one won a medal."],
                    ),
                ],
            },
            {
                "dialogue_id": "garden",
                "turns": [
                    turn(1, "Good morning.", "no_strategy", "Good day.", "no_strategy", []),
                    turn(2, "Roses, then?", "preference_confirmation", "Tulips?", None, ["Good morning."]),
                ],
            },
        ],
    }


def turn(number: int, human: Any, human_strategy: Any, system: Any, system_strategy: Any, said: list[str]) -> Document:
    """A turn after which the recommender has `said` these, each answered by the seeker."""
    context = [
        utterance
        for text in said
        for utterance in ({"role": "recommender", "text": text}, {"role": "seeker", "text": "Well."})
    ]
    return {
        "turn": number,
        "context": context,
        "human_response": human,
        "human_strategy": human_strategy,
        "system_response": system,
        "system_strategy": system_strategy,
        "human_recommends": None,
        "system_recommends": False,
    }


def checked(document: object) -> CheckReport:
    """The check of a document, or of the bytes given."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return check_submission(data, "file.json", prompt_sets=SETS)


def answer(
    text: str = "Well.", strategies: Sequence[TurnLabel] | None = None, recommends: bool | None = None
) -> Answer:
    """One side of a turn."""
    return Answer(text, None, None if strategies is None else tuple(strategies), recommends)


def dialogue(dialogue_id: str, turns: Sequence[tuple[Answer, Answer]]) -> Dialogue:
    """A dialogue of (human, system) answers without context."""
    return Dialogue(dialogue_id, tuple(Turn(number, (), *sides) for number, sides in enumerate(turns, start=1)))


def submission(*dialogues: Dialogue) -> CrsSubmission:
    """A submission of these dialogues."""
    return CrsSubmission(Names(), None, None, "0" * 64, dialogues)
