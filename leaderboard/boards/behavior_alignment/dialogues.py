"""One dialogue of one recommender: both answers at every turn, with their strategies and what was made of them."""

from __future__ import annotations

import json
from itertools import takewhile
from typing import TypedDict

from evaluator.behavior_alignment import answer_label
from evaluator.behavior_alignment.result import BehaviorResult
from leaderboard.boards.behavior_alignment.sentences import dialogue_sentence
from leaderboard.boards.behavior_alignment.strategy_words import strategy_words
from leaderboard.boards.behavior_alignment.turns import dialogue_places, hits
from submissions.check import check_submission
from submissions.formats.behavior_alignment.reader import CrsReading
from submissions.formats.behavior_alignment.submission import Answer, Dialogue, Turn
from submissions.promptsets import PromptSets
from submissions.schema import Names

NOT_ANNOTATED = "not annotated"


class ChipValue(TypedDict):
    """One strategy of an answer."""

    text: str
    is_label: bool
    """It is the turn label."""


class AnswerValue(TypedDict):
    """What one side said at a turn."""

    title: str
    text: str
    """Blank where it said nothing."""
    chips: list[ChipValue]
    recommends: str


class TurnValue(TypedDict):
    """One turn, ready for the page."""

    title: str
    verdict: str
    style: str
    """CSS class: hit, miss or unscored."""
    similarity: str
    said: list[str]
    """What the seeker said since the turn before."""
    answers: list[AnswerValue]


class DialogueValue(TypedDict):
    """One dialogue, ready for the page; every string is shown as text."""

    title: str
    sentence: str
    """What became of it; above everything else."""
    turns: list[TurnValue]


def stored_dialogue(
    data: bytes, file_name: str, names: Names, prompt_sets: PromptSets, dialogue_id: str
) -> Dialogue | None:
    """One dialogue of a stored file, read by the reader of the desk from a small file that holds it alone.

    None where the file has no such dialogue.
    """
    document = json.loads(data.decode("utf-8-sig"))
    wanted = [dialogue for dialogue in document["dialogues"] if _id_of(dialogue) == dialogue_id]
    small = json.dumps(document | {"dialogues": wanted}).encode()
    report = check_submission(small, file_name, names=names, prompt_sets=prompt_sets)
    reading = report.of(CrsReading)
    return next(iter(reading.submission.dialogues), None) if reading and reading.submission else None


def _id_of(dialogue: object) -> object:
    dialogue_id = dialogue.get("dialogue_id") if isinstance(dialogue, dict) else None
    return dialogue_id.strip() if isinstance(dialogue_id, str) else dialogue_id


def dialogue_value(result: BehaviorResult, dialogue: Dialogue) -> DialogueValue:
    """Everything the page shows about one dialogue."""
    places = {result.per_turn.turn[place]: place for place in dialogue_places(result).get(dialogue.dialogue_id, [])}
    marks = hits(result)
    return {
        "title": f"Dialogue {dialogue.dialogue_id}",
        "sentence": dialogue_sentence([marks[place] for place in places.values()], is_annotated=result.is_annotated),
        "turns": [_turn_value(result, turn, places.get(turn.number)) for turn in dialogue.turns],
    }


def _turn_value(result: BehaviorResult, turn: Turn, place: int | None) -> TurnValue:
    verdict, style = _verdict(result, place)
    return {
        "title": f"Turn {turn.number}",
        "verdict": verdict,
        "style": style,
        "similarity": _similarity_words(result, place),
        "said": _seeker_words(turn),
        "answers": [_answer_value("The human", turn.human), _answer_value("The system", turn.system)],
    }


def _verdict(result: BehaviorResult, place: int | None) -> tuple[str, str]:
    """In words, and as a CSS class."""
    if place is None:
        return "not scored: any opening is as good as another", "unscored"
    hit = hits(result)[place]
    if hit is None:
        return "not known", "unscored"
    badge = "" if result.is_annotated else " (estimated)"
    return (f"hit{badge}", "hit") if hit else (f"miss{badge}", "miss")


def _similarity_words(result: BehaviorResult, place: int | None) -> str:
    """`similarity 0.21, above the threshold of 0.13: the same (estimated)`."""
    if place is None or result.implicit is None:
        return ""
    similarity, threshold = result.per_turn.s[place], result.implicit.threshold
    if similarity is None:
        return "nothing said, so different (estimated)"
    if result.per_turn.same[place]:
        return f"similarity {similarity:.2f}, above the threshold of {threshold:.2f}: the same (estimated)"
    return f"similarity {similarity:.2f}, not above the threshold of {threshold:.2f}: different (estimated)"


def _seeker_words(turn: Turn) -> list[str]:
    since = list(takewhile(lambda utterance: utterance.role == "seeker", reversed(turn.context)))
    return [utterance.text for utterance in reversed(since)]


def _answer_value(title: str, answer: Answer) -> AnswerValue:
    return {
        "title": title,
        "text": answer.text,
        "chips": _chips(answer),
        "recommends": {True: "recommends an item", False: "", None: ""}[answer.recommends],
    }


def _chips(answer: Answer) -> list[ChipValue]:
    """The strategies sentence by sentence; the last of them that is the turn label stands out."""
    if answer.strategies is None:
        return [{"text": NOT_ANNOTATED, "is_label": False}]
    label = answer_label(answer)
    place = max(number for number, strategy in enumerate(answer.strategies) if strategy == label)
    return [
        {"text": strategy_words(strategy), "is_label": number == place}
        for number, strategy in enumerate(answer.strategies)
    ]
