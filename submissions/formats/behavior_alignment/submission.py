"""Answers of a conversational recommender beside the human's (Behavior Alignment, DOI 10.1145/3626772.3657924)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from submissions.reading.normal_forms import normal_form
from submissions.schema import Names

KIND = "crs_responses"

SET_ID = "recommender_behaviour"
"""What every file of this kind is entered under."""

Strategy = Literal[
    "acknowledgment",
    "credibility",
    "encouragement",
    "experience_inquiry",
    "offer_help",
    "opinion_inquiry",
    "personal_experience",
    "personal_opinion",
    "preference_confirmation",
    "rephrase_preference",
    "self_modeling",
    "similarity",
    "transparency",
]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
"""The 13 recommendation strategies, in the order of their ids 0-12."""

NoStrategy = Literal["no_strategy"]
NO_STRATEGY: NoStrategy = "no_strategy"

TurnLabel = Strategy | NoStrategy
TURN_LABELS: tuple[TurnLabel, ...] = (*STRATEGIES, NO_STRATEGY)

Role = Literal["seeker", "recommender"]
ROLES: dict[str, Role] = {
    "seeker": "seeker",
    "user": "seeker",
    "recommender": "recommender",
    "system": "recommender",
    "assistant": "recommender",
}
"""Accepted spelling -> role; any case."""

_MISPRINTS = {"redibility": "credibility"}
"""As the paper writes it once."""
_LABEL_OF_NAME: dict[str, TurnLabel] = {label: label for label in TURN_LABELS}
_BETWEEN_WORDS = re.compile(r"[\s_-]+")
_WORD = re.compile(r"\w+")


def strategy_name(text: str) -> str:
    """A strategy as it is spelled here, whether there is such a one or not.

    >>> strategy_name(" Opinion-Inquiry "), strategy_name("redibility"), strategy_name("small talk")
    ('opinion_inquiry', 'credibility', 'small_talk')
    """
    name = _BETWEEN_WORDS.sub("_", text.strip().casefold())
    return _MISPRINTS.get(name, name)


def turn_label_of(text: str) -> TurnLabel | None:
    """The strategy, or no_strategy, that a text names in any accepted spelling; None for none of them.

    >>> turn_label_of("No Strategy"), turn_label_of("persuasion")
    ('no_strategy', None)
    """
    return _LABEL_OF_NAME.get(strategy_name(text))


def plain_words(text: str) -> str:
    """The words of a text, comparable: NFKC, case folded, without any other sign.

    >>> plain_words("Did you see IT -- at last?")
    'did you see it at last'
    """
    return " ".join(_WORD.findall(normal_form("NFKC", text).casefold()))


def holds_words(text: str, words: str) -> bool:
    """Whether plain words stand in a plain text as whole words.

    >>> holds_words("the lantern keeper won", "lantern keeper"), holds_words("the lanterns", "lantern")
    (True, False)
    """
    return f" {words} " in f" {text} "


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said before a turn."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One side of a turn: what the human recommender said, or the system."""

    text: str
    """The sentences joined by a blank where it was sent as a list; "" = nothing was said (systems only)."""
    sentences: tuple[str, ...] | None
    """As sent; None where it was one text."""
    strategies: tuple[TurnLabel, ...] | None
    """Of the sentences, in order, or one of the whole; None = not annotated."""
    recommends: bool | None
    """Whether this answer recommends an item; None = not marked."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the recommender in a human dialogue, by the human who gave it and by the system."""

    number: int
    """From 1; a dialogue has all of 1..N."""
    context: tuple[Utterance, ...]
    human: Answer
    system: Answer

    @property
    def is_annotated(self) -> bool:
        """Whether the strategies of both sides are known."""
        return self.human.strategies is not None and self.system.strategies is not None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One human dialogue."""

    dialogue_id: str
    turns: tuple[Turn, ...]
    """By their number."""
    human_success: bool | None = None
    """Whether the seeker accepted a recommendation; None = not marked."""
    system_success: bool | None = None

    @property
    def scored_turns(self) -> tuple[Turn, ...]:
        """All but the first: every start is arbitrary."""
        return self.turns[1:]


@dataclass(frozen=True)
class CrsSubmission:
    """One run of one system on a collection of human dialogues."""

    names: Names
    date: str | None
    notes: str | None
    file_sha256: str
    """Of the bytes as uploaded."""
    dialogues: tuple[Dialogue, ...]
    """By their id, whatever the order of the file."""

    @property
    def set_id(self) -> str:
        """What it is entered under."""
        return SET_ID

    @cached_property
    def collection(self) -> str:
        """Which human dialogues it answers: only systems with the same are compared."""
        return collection_id(self.dialogues)


@dataclass(frozen=True, slots=True)
class CrsCoverage:
    """What a file of this kind holds; also of a refused file, as far as its dialogues could be read."""

    n_dialogues: int
    n_turns: int
    n_scored_turns: int
    """Turns 2 and later."""
    n_annotated_turns: int
    """Of those, with the strategies of both sides."""
    collection: str


def coverage_of_dialogues(dialogues: Iterable[Dialogue]) -> CrsCoverage:
    """Counts what dialogues hold."""
    known = tuple(dialogues)
    scored = [turn for dialogue in known for turn in dialogue.scored_turns]
    return CrsCoverage(
        n_dialogues=len(known),
        n_turns=sum(len(dialogue.turns) for dialogue in known),
        n_scored_turns=len(scored),
        n_annotated_turns=sum(turn.is_annotated for turn in scored),
        collection=collection_id(known),
    )


def collection_id(dialogues: Iterable[Dialogue]) -> str:
    """16 hex digits that name the human side of dialogues: their ids, turns and human answers, in any order.

    The SHA-256 of the sorted JSON array of [dialogue_id, turn, human_response] (docs/behavior_alignment.md#collection).
    """
    turns = sorted(_human_turns(dialogues))
    text = json.dumps(turns, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _human_turns(dialogues: Iterable[Dialogue]) -> Iterator[list[str | int]]:
    for dialogue in dialogues:
        for turn in dialogue.turns:
            yield [_same_text(dialogue.dialogue_id), turn.number, _same_text(turn.human.text)]


def _same_text(text: str) -> str:
    return normal_form("NFC", text).strip()
